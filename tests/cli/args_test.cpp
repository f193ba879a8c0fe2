// The argument table: every spelling maps, values arrive as they were written, wrong lines are refused with a hint.
#include "cli/args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/commands.h"

namespace puna::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Target {
  std::int64_t n = 0;
  std::string text;
  float temp = 1;
  bool escape = true;
  std::string fa = "unset";
  std::vector<std::string> many;
  std::string model;
};

Table table_for(Target& target) {
  Table table("try", "Tries things.", "[MODEL] [options]", "puna try -c 1\nputs -x");
  table.positional("MODEL", "a file", [&target](std::string_view text) -> Result<void> {
    if (!target.model.empty()) return fail("two models");
    target.model = text;
    return {};
  });
  table.group("Things");
  table.add("-c, --ctx-size N", "context", into(target.n, 0, 100));
  table.add("-p, --prompt TEXT", "text", into(target.text));
  table.add("--temp, --temperature N", "heat", into(target.temp));
  table.add("-e, --escape", "decode", flag(target.escape));
  table.add("--no-escape", "do not", flag(target.escape, false));
  table.add("-fa, --flash-attn [on|off|auto]", "attention", into(target.fa));
  table.add("-o, --override-kv KV", "may be repeated", each(target.many));
  table.add("-ngl, --gpu-layers, --n-gpu-layers N", "", {});
  return table;
}

Result<Parsed> parse_into(Target& target, std::vector<std::string> words) { return parse(table_for(target), words); }

TEST(Args, ShortAndLongSpellingsSetTheSame) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"-c", "42"}, {"--ctx-size", "42"}, {"--ctx-size=42"}, {"--ctx_size", "42"}, {"-c", "+42"}}) {
    Target target;
    ASSERT_TRUE(parse_into(target, words)) << words[0];
    EXPECT_EQ(target.n, 42) << words[0];
  }
}

TEST(Args, ValuesArriveAsTheyWereWritten) {
  for (const std::string value : {"-5", "--", "-c", "", " ", "a=b", "{}", "[1,2]", "\"x\"", "ünï\n", "%%", "@file", "--temp=3"}) {
    Target target;
    target.text = "before";
    ASSERT_TRUE(parse_into(target, {"-p", value, "-c", "1"})) << value;
    EXPECT_EQ(target.text, value);
    EXPECT_EQ(target.n, 1) << value;
    ASSERT_TRUE(parse_into(target, {"--prompt=" + value, "-c", "2"})) << value;
    EXPECT_EQ(target.text, value);
    EXPECT_EQ(target.n, 2) << value;
  }
}

TEST(Args, NegativeNumbersAreValues) {
  Target target;
  ASSERT_TRUE(parse_into(target, {"--temp", "-1.5"}));
  EXPECT_EQ(target.temp, -1.5f);
}

TEST(Args, TheLastOneWinsInTheOrderOfTheLine) {
  Target target;
  ASSERT_TRUE(parse_into(target, {"--no-escape", "-c", "1", "--ctx-size", "2", "-e"}));
  EXPECT_TRUE(target.escape);
  EXPECT_EQ(target.n, 2);
  ASSERT_TRUE(parse_into(target, {"-e", "--no-escape"}));
  EXPECT_FALSE(target.escape);
}

TEST(Args, RepeatedOptionsAddUp) {
  Target target;
  ASSERT_TRUE(parse_into(target, {"-o", "[a]", "--override-kv", "b", "-o", "a"}));
  EXPECT_THAT(target.many, ElementsAre("[a]", "b", "a"));
}

TEST(Args, AValueThatMayBeLeftOutIsTakenWhereItIsListed) {
  Target target;
  ASSERT_TRUE(parse_into(target, {"-fa", "off", "model.gguf"}));
  EXPECT_EQ(target.fa, "off");
  EXPECT_EQ(target.model, "model.gguf");
  Target other;
  ASSERT_TRUE(parse_into(other, {"-fa", "model.gguf"}));
  EXPECT_EQ(other.fa, "");
  EXPECT_EQ(other.model, "model.gguf");
}

TEST(Args, TheModelMayStandAnywhereAndAfterTwoDashes) {
  Target target;
  ASSERT_TRUE(parse_into(target, {"model.gguf", "-c", "3"}));
  EXPECT_EQ(target.model, "model.gguf");
  Target other;
  ASSERT_TRUE(parse_into(other, {"-c", "3", "--", "-model.gguf"}));
  EXPECT_EQ(other.model, "-model.gguf");
}

TEST(Args, OptionsWithoutEffectAreAcceptedAndNamed) {
  Target target;
  const auto parsed = parse_into(target, {"-ngl", "99", "-c", "3"});
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->no_effect, ElementsAre("-ngl"));
  EXPECT_EQ(target.n, 3);
}

struct Wrong {
  std::vector<std::string> words;
  std::string message;
  std::string hint;
};

TEST(Args, AWrongLineIsRefusedByNameWithAHint) {
  const Wrong wrong[] = {
      {{"--ctx-sise", "1"}, "unknown option --ctx-sise", "did you mean --ctx-size?"},
      {{"-zzzzzzzz"}, "unknown option -zzzzzzzz", "puna try --help"},
      {{"-c"}, "-c wants a value: -c N", ""},
      {{"-c", "x"}, "-c: 'x' is no whole number", ""},
      {{"--ctx-size", "1.5"}, "--ctx-size: '1.5' is no whole number", ""},
      {{"-c", "101"}, "-c: 101 lies outside 0 … 100", ""},
      {{"-c", "99999999999999999999"}, "-c: 99999999999999999999 lies outside 0 … 100", ""},
      {{"--temp", "warm"}, "--temp: 'warm' is no number", ""},
      {{"--temp", "0,8"}, "--temp: '0,8' is no number", ""},
      {{"--escape=yes"}, "--escape takes no value", ""},
      {{"a.gguf", "b.gguf"}, "unexpected argument 'b.gguf'", "usage: puna try [MODEL] [options]"},
  };
  for (const Wrong& one : wrong) {
    Target target;
    const auto parsed = parse_into(target, one.words);
    ASSERT_FALSE(parsed) << one.message;
    EXPECT_THAT(parsed.error().message, HasSubstr(one.message));
    EXPECT_THAT(parsed.error().hint, HasSubstr(one.hint));
    EXPECT_THAT(parsed.error().message, Not(HasSubstr("\n")));
  }
}

TEST(Args, HelpIsAskedForInThreeWaysAndSetsNothing) {
  for (const char* word : {"-h", "--help", "--usage"}) {
    Target target;
    const auto parsed = parse_into(target, {"-c", "5", word});
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->wants_help);
    EXPECT_EQ(target.n, 0);
  }
}

TEST(Args, HelpShowsSpellingsValuesGroupsAndExamples) {
  Target target;
  const std::string text = help(table_for(target), 80);
  EXPECT_THAT(text,
              AllOf(HasSubstr("Tries things."), HasSubstr("Usage: puna try [MODEL] [options]"), HasSubstr("Things:"),
                    HasSubstr("-c, --ctx-size N"), HasSubstr("-fa, --flash-attn [on|off|auto]"), HasSubstr("puna try -c 1")));
  EXPECT_THAT(text, AllOf(HasSubstr("without effect here"), HasSubstr("-ngl, --gpu-layers, --n-gpu-layers N")));
}

TEST(Args, WrapBreaksAtSpacesAndKeepsLineEnds) {
  EXPECT_EQ(wrap("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap("one\ntwo", 80), "one\ntwo");
  EXPECT_EQ(wrap("unbreakable", 3), "unbreakable");
}

const Command& command(std::string_view name) {
  for (const Command& one : commands())
    if (one.name == name) return one;
  throw std::out_of_range("command");
}

// llama.cpp's spellings by what they mean here; each line is one option.
std::vector<std::vector<std::string>> llama_cpp_spellings() {
  return {
      {"-m", "--model"},
      {"-hf", "-hfr", "--hf-repo"},
      {"-hff", "--hf-file"},
      {"-hft", "--hf-token"},
      {"-mu", "--model-url"},
      {"--offline"},
      {"-p", "--prompt"},
      {"-f", "--file", "-bf", "--binary-file"},
      {"-e", "--escape"},
      {"--no-escape"},
      {"-sys", "--system-prompt"},
      {"-sysf", "--system-prompt-file"},
      {"-no-cnv", "--no-conversation", "--raw"},
      {"-cnv", "--conversation"},
      {"-st", "--single-turn"},
      {"--jinja"},
      {"--chat-template"},
      {"--chat-template-file"},
      {"--chat-template-kwargs"},
      {"-n", "--predict", "--n-predict"},
      {"--keep"},
      {"--ignore-eos"},
      {"--context-shift"},
      {"--no-context-shift"},
      {"-c", "--ctx-size"},
      {"-b", "--batch-size"},
      {"-ub", "--ubatch-size"},
      {"-ctk", "--cache-type-k"},
      {"-ctv", "--cache-type-v"},
      {"-t", "--threads"},
      {"-tb", "--threads-batch"},
      {"-C", "--cpu-mask"},
      {"-Cr", "--cpu-range"},
      {"--mmap"},
      {"--no-mmap"},
      {"--mlock"},
      {"-lm", "--load-mode"},
      {"--override-kv"},
      {"--check-tensors"},
      {"--rope-scaling"},
      {"--rope-scale"},
      {"--rope-freq-base"},
      {"--rope-freq-scale"},
      {"--yarn-orig-ctx"},
      {"--yarn-ext-factor"},
      {"--yarn-attn-factor"},
      {"--yarn-beta-slow"},
      {"--yarn-beta-fast"},
      {"-ngl", "--gpu-layers", "--n-gpu-layers"},
      {"-fa", "--flash-attn"},
      {"-dev", "--device"},
      {"-sm", "--split-mode"},
      {"-ts", "--tensor-split"},
      {"-mg", "--main-gpu"},
      {"-nkvo", "--no-kv-offload"},
      {"-ncmoe", "--n-cpu-moe"},
      {"-cmoe", "--cpu-moe"},
      {"-ot", "--override-tensor"},
      {"--no-warmup"},
      {"-s", "--seed"},
      {"--temp", "--temperature"},
      {"--top-k"},
      {"--top-p"},
      {"--min-p"},
      {"--top-nsigma", "--top-n-sigma"},
      {"--typical", "--typical-p"},
      {"--xtc-probability"},
      {"--xtc-threshold"},
      {"--repeat-last-n"},
      {"--repeat-penalty"},
      {"--presence-penalty"},
      {"--frequency-penalty"},
      {"--dry-multiplier"},
      {"--dry-base"},
      {"--dry-allowed-length"},
      {"--dry-penalty-last-n"},
      {"--dry-sequence-breaker"},
      {"--dynatemp-range"},
      {"--dynatemp-exp"},
      {"--mirostat"},
      {"--mirostat-lr"},
      {"--mirostat-ent"},
      {"-l", "--logit-bias"},
      {"--samplers"},
      {"--sampler-seq", "--sampling-seq"},
      {"-sp", "--special"},
      {"-v", "--verbose", "--log-verbose"},
      {"-lv", "--verbosity", "--log-verbosity"},
      {"--log-disable"},
      {"--perf", "--show-timings"},
      {"--no-perf", "--no-show-timings"},
      {"--no-display-prompt"},
      {"--simple-io"},
      {"-co", "--color"},
  };
}

TEST(CommandTables, KnowLlamaCppsSpellings) {
  for (const char* name : {"run", "chat"}) {
    const Table table = command(name).table();
    for (const std::vector<std::string>& same : llama_cpp_spellings()) {
      if (std::string_view(name) == "chat" && (same[0] == "-no-cnv" || same[0] == "-sp")) continue;
      const Option* option = table.find(same[0]);
      ASSERT_TRUE(option) << name << " " << same[0];
      for (const std::string& spelling : same) EXPECT_EQ(table.find(spelling), option) << name << " " << spelling;
    }
  }
}

TEST(CommandTables, EveryCommandExplainsItself) {
  for (const Command& one : commands()) {
    const Table table = one.table();
    EXPECT_EQ(table.command(), one.name);
    const std::string text = help(table);
    EXPECT_THAT(text,
                AllOf(HasSubstr(table.summary()), HasSubstr("Usage: puna " + std::string(one.name)), HasSubstr("Examples:")));
    std::string in_one_line = text;  // a long spelling may be broken where it has a space
    std::ranges::replace(in_one_line, '\n', ' ');
    for (const Option& option : table.options()) EXPECT_THAT(in_one_line, HasSubstr(option.spelled)) << one.name;
  }
}

TEST(CommandTables, EveryCommandButListTakesAModel) {
  for (const Command& one : commands()) {
    if (one.name == "list") continue;
    const Table table = one.table();
    EXPECT_TRUE(table.find("-m")) << one.name;
    EXPECT_TRUE(table.find("-hf")) << one.name;
    EXPECT_EQ(table.positionals().size(), 1u) << one.name;
  }
}

}  // namespace
}  // namespace puna::cli
