// puna score: how likely a model finds each token of a text, and what it expects next.
#include <cmath>

#include "base/value.h"
#include "cli/commands.h"
#include "cli/escapes.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/prompt_options.h"

namespace puna::cli {
namespace {

struct ScoreOptions {
  ModelOptions model;
  EngineOptions engine;
  PromptOptions prompt;
  std::optional<std::string> ids;
  std::int64_t n_top = 10;
  bool add_bos = true;
  bool parse_special = true;
  bool json = false;
};

Table make_table(ScoreOptions& options, Console& console) {
  Table table("score", "How likely a model finds each token of a text, and what it expects next.",
              "[MODEL] [-p TEXT | -f FILE | --ids IDS] [options]",
              "puna score model.gguf -p \"The capital of France is\"\n"
              "puna score -m model.gguf -f text.txt --top 10 --json\n"
              "puna score -m model.gguf --ids \"[1,2,3]\" --top 10 --json --exact");
  add_model_options(table, options.model);
  add_prompt_options(table, options.prompt);
  table.add("--ids IDS", "token ids instead of a text: \"[1,2,3]\"", into(options.ids));
  table.add("--no-bos", "no token for the beginning of a text", flag(options.add_bos, false));
  table.add("--no-parse-special", "\"<|im_end|>\" and its like in the text are text, not control tokens",
            flag(options.parse_special, false));
  table.group("Output");
  table.add("--top N", "the N largest logits after the last token (default 10)", into(options.n_top, 0, 1 << 24));
  table.add("--json",
            "one line: {\"ids\":[…],\"nll\":[…],\"top\":[[id,logit],…]}; nll: minus the natural logarithm of the "
            "probability of each token after the first",
            flag(options.json));
  add_engine_options(table, options.engine);
  add_general_options(table, console);
  return table;
}

Result<std::vector<TokenId>> parse_ids(const std::string& text) {
  Result<Value> value = json::parse(text);
  const Value::Array* items = value ? value->if_array() : nullptr;
  if (!items) return fail("--ids: '{}' is no list of token ids such as [1,2,3]", text);
  std::vector<TokenId> ids;
  for (const Value& item : *items) {
    const std::int64_t* id = item.if_int();
    if (!id || *id < 0 || *id > INT32_MAX) return fail("--ids: {} is no token id", json::write(item));
    ids.push_back(static_cast<TokenId>(*id));
  }
  return ids;
}

std::string for_scripts(const std::vector<TokenId>& ids, const engine::Score& score) {
  Value::Array top;
  for (const auto& [id, logit] : score.top) top.push_back(Value::array({id, json::shortest(logit)}));
  return json::write(Value::object({{"ids", Value::Array(ids.begin(), ids.end())},
                                    {"nll", Value::Array(score.nll.begin(), score.nll.end())},
                                    {"top", std::move(top)}})) +
         "\n";
}

std::string for_people(const text::Tokenizer& tokenizer, const std::vector<TokenId>& ids, const engine::Score& score) {
  std::string out = "      id      nll  probability  text\n";
  double sum = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string text = encode_escapes(tokenizer.token_bytes(ids[i]));
    if (i == 0) {
      out += fmt::format("{:>8}        -            -  {}\n", ids[i], text);
      continue;
    }
    sum += score.nll[i - 1];
    out += fmt::format("{:>8} {:>8.4f}  {:>9.4f} %  {}\n", ids[i], score.nll[i - 1], std::exp(-score.nll[i - 1]) * 100, text);
  }
  if (const std::size_t n = score.nll.size(); n > 0) {
    const double mean = sum / static_cast<double>(n);
    out += fmt::format("\n{} tokens scored: mean nll {:.4f}, perplexity {:.4f}\n", n, mean, std::exp(mean));
  }
  if (!score.top.empty()) out += "\nexpected next:\n      id    logit  text\n";
  for (const auto& [id, logit] : score.top)
    out += fmt::format("{:>8} {:>8.4f}  {}\n", id, logit, encode_escapes(tokenizer.token_bytes(id)));
  return out;
}

}  // namespace

Table score_table() {
  static ScoreOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_score(Console& console, Words words) {
  ScoreOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  const bool has_text = options.prompt.text || !options.prompt.file.empty();
  if (has_text && options.ids) return refuse(console, error(ErrorKind::invalid, "--ids and a text: leave one out"));
  std::vector<TokenId> ids;
  std::string text;
  if (options.ids) {
    Result<std::vector<TokenId>> given = parse_ids(*options.ids);
    if (!given) return refuse(console, given.error());
    ids = *std::move(given);
  } else {
    text = PUNA_TRY(prompt_or_input(console, options.prompt));
  }

  const std::unique_ptr<engine::Engine> engine = PUNA_TRY(load_engine(console, options.model, options.engine));
  const text::Tokenizer& tokenizer = engine->tokenizer();
  if (!options.ids) ids = tokenizer.encode(text, {.add_special = options.add_bos, .parse_special = options.parse_special});
  Interruptible interruptible;
  const engine::Score score =
      PUNA_TRY(engine->score(ids, static_cast<std::size_t>(options.n_top), interruptible.token(), show_progress(console)));
  console.answer(options.json ? for_scripts(ids, score) : for_people(tokenizer, ids, score));
  return 0;
}

}  // namespace puna::cli
