// Token masks over a real vocabulary, and how long a grammar takes to compile.
//
// Each row is one answer, or some, of a kind: the masks of all its tokens, from the first one on, with nothing known beforehand.
// us_median, us_p99, us_max: of one mask; masks: how many; allowed: tokens that a mask allows, on average. "random" rows draw
// each token at random from its mask, which leads to places where no model goes.
//
// The vocabulary is that of the GGUF file $PUNA_BENCH_VOCABULARY, or else of the catalogue's Qwen, of 151,936 tokens.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "base/os.h"
#include "gguf/reader.h"
#include "model/vocabulary.h"
#include "text/grammar/constraint.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/json_schema.h"

namespace puna::text::grammar {
namespace {

constexpr const char* kJson = R"gbnf(
root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ws ("," ws string ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= [ \n\t]*
)gbnf";
constexpr const char* kArithmetic = R"gbnf(
root ::= e
e ::= e [-+] t | t
t ::= t [*/] f | f
f ::= "(" e ")" | [0-9]+ | [a-z] [a-z0-9]*
)gbnf";

struct Vocabulary {
  std::unique_ptr<Tokenizer> tokenizer;
  std::shared_ptr<const TokenTrie> trie;
  std::string problem;
};

const Vocabulary& vocabulary() {
  static const Vocabulary result = [] {
    Vocabulary made;
    const char* named = std::getenv("PUNA_BENCH_VOCABULARY");
    const std::string path = named ? named : (os::puna_home() / "models/qwen2.5-coder-1.5b/qwen2.5-coder-1.5b.gguf").string();
    auto file = gguf::File::open(path, {});
    auto tokenizer = file ? model::load_tokenizer(*file) : std::unexpected(file.error());
    if (!tokenizer) {
      made.problem = tokenizer.error().message;
      return made;
    }
    made.tokenizer = *std::move(tokenizer);
    made.trie = TokenTrie::make(*made.tokenizer);
    return made;
  }();
  return result;
}

std::string repeat(const std::string& text, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += text;
  return out;
}

// JSON with the words, numbers and depth that answers have.
std::string json_text(unsigned seed, int depth) {
  std::mt19937 random(seed);
  const char* const words[] = {
      "name", "The quick brown fox, as it were", "price", "ids", "é中😀 mixed", "a\\nb \\\"quoted\\\"", "x", "description"};
  const std::function<std::string(int)> value = [&](int level) -> std::string {
    const auto kind = random() % (level > 0 ? 8 : 4);
    if (kind == 0) return std::to_string(random() % 100000);
    if (kind == 1) return "-1." + std::to_string(random() % 1000) + "e-7";
    if (kind < 4) return fmt::format("\"{} {}\"", words[random() % 8], words[random() % 8]);
    std::string items;
    for (auto n = random() % 6; n > 0; --n) {
      if (!items.empty()) items += random() % 2 ? ", " : ",\n  ";
      if (kind < 7) items += fmt::format("\"{}\": ", words[random() % 8]);
      items += value(level - 1);
    }
    return kind < 7 ? "{" + items + "}" : "[" + items + "]";
  };
  std::string text;
  for (int i = 0; i < 12; ++i) text += (i ? ", " : "[") + value(depth);
  return text + "]";
}

struct Masks {
  std::vector<double> seconds;
  double allowed = 0;

  void report(benchmark::State& state) {
    std::ranges::sort(seconds);
    const auto at = [&](double share) {
      return 1e6 * seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
    };
    state.counters["us_median"] = at(0.5);
    state.counters["us_p99"] = at(0.99);
    state.counters["us_max"] = at(1);
    state.counters["masks"] = static_cast<double>(seconds.size());
    state.counters["allowed"] = allowed / static_cast<double>(seconds.size());
  }
};

// Processor time: other programs on the machine do not count.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

const TokenMask* timed_mask(TokenMatcher& matcher, Masks& masks) {
  const double begin = thread_seconds();
  const auto mask = matcher.mask();
  masks.seconds.push_back(thread_seconds() - begin);
  if (!mask) return nullptr;
  masks.allowed += static_cast<double>((*mask)->count());
  return *mask;
}

// A hundred properties of all kinds, half of them required.
Value large_schema() {
  const char* const kinds[] = {
      R"({"type":"string"})",
      R"({"type":"string","maxLength":80})",
      R"({"type":"integer","minimum":0,"maximum":1000000})",
      R"({"type":"number"})",
      R"({"type":"boolean"})",
      R"({"enum":["red","green","blue",null]})",
      R"({"type":"array","items":{"type":"string"},"maxItems":20})",
      R"({"type":"string","format":"date-time"})",
      R"({"type":"string","pattern":"^[A-Z]{2}-[0-9]{4,6}$"})",
      R"({"anyOf":[{"type":"null"},{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}}}]})"};
  Value properties = Value::object();
  Value::Array required;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "property_" + std::to_string(i);
    properties.set(name, json::parse(kinds[i % 10]).value());
    if (i % 2 == 0) required.push_back(name);
  }
  return Value::object({{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}});
}

// `gbnf`: or "schema", large_schema().
std::shared_ptr<const Constraint> constraint(benchmark::State& state, const std::string& gbnf) {
  const Vocabulary& v = vocabulary();
  if (!v.tokenizer) {
    state.SkipWithError(v.problem.c_str());
    return nullptr;
  }
  auto grammar = gbnf == "schema" ? json_schema_grammar(large_schema()) : parse_gbnf(gbnf);
  auto made = grammar ? Constraint::make(*std::move(grammar), *v.tokenizer, v.trie) : std::unexpected(grammar.error());
  if (!made) state.SkipWithError(made.error().message.c_str());
  return made ? *made : nullptr;
}

void replay(benchmark::State& state, const std::string& gbnf, const std::vector<std::string>& texts) {
  Masks masks;
  for (auto _ : state) {
    const auto made = constraint(state, gbnf);
    if (!made) return;
    for (const std::string& text : texts) {
      TokenMatcher matcher(made);
      for (const TokenId id : vocabulary().tokenizer->encode(text, {.add_special = false, .parse_special = false})) {
        const TokenMask* mask = timed_mask(matcher, masks);
        const auto accepted = matcher.accept(id);
        if (!mask || !mask->allows(id) || !accepted || !*accepted)
          return state.SkipWithError(("refused: " + text.substr(0, 200)).c_str());
      }
      timed_mask(matcher, masks);
    }
  }
  masks.report(state);
}

void draw(benchmark::State& state, const std::string& gbnf, int n_answers, int n_tokens) {
  Masks masks;
  for (auto _ : state) {
    const auto made = constraint(state, gbnf);
    if (!made) return;
    std::mt19937 random(1);
    for (int answer = 0; answer < n_answers; ++answer) {
      TokenMatcher matcher(made);
      for (int i = 0; i < n_tokens && matcher.goes_on(); ++i) {
        const TokenMask* mask = timed_mask(matcher, masks);
        if (!mask) return state.SkipWithError("no mask");
        std::vector<TokenId> allowed;
        mask->for_each([&](TokenId id) {
          if (!vocabulary().tokenizer->is_eog(id)) allowed.push_back(id);
        });
        if (!matcher.accept(allowed[random() % allowed.size()]).value_or(false)) return state.SkipWithError("refused");
      }
    }
  }
  masks.report(state);
}

void compile_schema(benchmark::State& state) {
  for (auto _ : state) {
    const auto grammar = json_schema_grammar(large_schema());
    const auto automaton = grammar ? compile(*grammar) : std::unexpected(grammar.error());
    if (!automaton) return state.SkipWithError(automaton.error().message.c_str());
    state.counters["states"] = static_cast<double>((*automaton)->states.size());
  }
}

void compile_gbnf(benchmark::State& state, const std::string& gbnf) {
  for (auto _ : state) {
    const auto automaton = compile(*parse_gbnf(gbnf));
    if (!automaton) return state.SkipWithError(automaton.error().message.c_str());
    state.counters["states"] = static_cast<double>((*automaton)->states.size());
  }
}

void build_trie(benchmark::State& state) {
  const Vocabulary& v = vocabulary();
  if (!v.tokenizer) return state.SkipWithError(v.problem.c_str());
  for (auto _ : state) state.counters["nodes"] = TokenTrie::make(*v.tokenizer)->n_nodes();
  state.counters["tokens"] = static_cast<double>(v.tokenizer->size());
}

[[maybe_unused]] const bool registered = [] {
  const auto row = [](const char* name, auto&& function, auto... arguments) {
    benchmark::RegisterBenchmark(name, function, arguments...)->Iterations(1)->Unit(benchmark::kMillisecond);
  };
  std::vector<std::string> documents;
  for (unsigned seed = 0; seed < 8; ++seed) documents.push_back(json_text(seed, 4));
  const std::string prose =
      repeat("It was a bright cold day in April, and the clocks were striking thirteen. Žluťoučký kůň! 中文 ", 40);
  row("trie", build_trie);
  row("compile/json", compile_gbnf, std::string(kJson));
  row("compile/schema-of-100", compile_schema);
  row("mask/json", replay, std::string(kJson), documents);
  row("mask/json/first", replay, std::string(kJson), std::vector<std::string>{documents[0]});
  row("mask/json/deep", replay, std::string(kJson), std::vector<std::string>{repeat("[{\"a\": ", 500) + "1" + repeat("}]", 500)});
  row("mask/json/random", draw, std::string(kJson), 30, 200);
  row("mask/schema-of-100/random", draw, std::string("schema"), 20, 400);
  row("mask/any-but-x", replay, std::string("root ::= [^x]*"), std::vector<std::string>{prose});
  row("mask/any-but-x/random", draw, std::string("root ::= [^x]*"), 4, 500);
  row("mask/one-rule-each", replay, std::string("root ::= item*\nitem ::= [^x]"), std::vector<std::string>{prose});
  row("mask/parentheses", replay, std::string("root ::= \"(\" root \")\" | [a-z]*"),
      std::vector<std::string>{repeat("(", 3000) + "abc" + repeat(")", 3000)});
  row("mask/parentheses/random", draw, std::string("root ::= (\"(\" root \")\" | [a-z])*"), 8, 500);
  row("mask/arithmetic", replay, std::string(kArithmetic),
      std::vector<std::string>{repeat("(a+12*", 200) + "x" + repeat(")/7-y", 200)});
  row("mask/arithmetic/random", draw, std::string(kArithmetic), 8, 500);
  row("mask/counted", replay, std::string("root ::= [^\\n]{0,100000} \"\\n\""), std::vector<std::string>{prose + "\n"});
  row("mask/counted-words/random", draw, std::string("root ::= ([a-zé]{2,300} \" \"){10,3000}"), 8, 500);
  row("mask/ambiguous/random", draw, std::string("root ::= e\ne ::= e [-+*/] e | \"(\" e \")\" | [0-9]+"), 4, 200);
  row("mask/two-ways/random", draw, std::string("root ::= (a | b)*\na ::= [a-z]+ \" \"\nb ::= [a-m]{2,70} \" \"?"), 8, 300);
  return true;
}();

}  // namespace
}  // namespace puna::text::grammar
