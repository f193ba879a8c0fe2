#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/args.h"
#include "cli/engine_options.h"
#include "cli/escapes.h"
#include "cli/model_options.h"
#include "cli/sampling_options.h"

namespace puna::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Line {
  ModelOptions model;
  EngineOptions engine;
  GenerationOptions generation;
  Result<Parsed> parse(std::vector<std::string> words) {
    Table table("try", "", "", "");
    add_model_options(table, model);
    add_generation_options(table, generation);
    add_sampling_options(table, generation);
    add_engine_options(table, engine);
    return cli::parse(table, words);
  }
};

TEST(Escapes, AreDecodedAsInLlamaCpp) {
  EXPECT_EQ(decode_escapes(R"(a\nb\tc\rd\"e\'f\\g)"), "a\nb\tc\rd\"e'f\\g");
  EXPECT_EQ(decode_escapes(R"(\x41\x0a\xff)"), "A\n\xff");
}

TEST(Escapes, WhatIsNoneStays) { EXPECT_EQ(decode_escapes(R"(\q \x4 \xzz \)"), R"(\q \x4 \xzz \)"); }

TEST(Escapes, ShowAnyTextInOneLine) { EXPECT_EQ(encode_escapes("a\nb\t\x01 ü"), R"(a\nb\t\x01 ü)"); }

TEST(Escapes, ATerminalIsShownControlCharactersAndNotGivenThem) {
  EXPECT_EQ(harmless("a\nb\tü\033[31m\x7F\xC2\x9B"), "a\nb\tü\\x1b[31m\\x7f\\xc2\\x9b");
  EXPECT_EQ(one_line("a\nb\033"), "a\\nb\\x1b");
}

TEST(Escapes, AMessageEndsBeforeNobodyReadsItAnyMore) {
  std::string long_text;
  for (int i = 0; i < 1000; ++i) long_text += "ü";
  const std::string shown = one_line("x" + long_text);
  EXPECT_LT(shown.size(), 1010u);
  EXPECT_TRUE(shown.ends_with("ü…")) << shown;
}

TEST(ModelOptions, ComeFromAPathAnOptionOrTheHub) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> lines = {
      {{"model.gguf"}, "model.gguf"},
      {{"-m", "model.gguf"}, "model.gguf"},
      {{"-m", "a", "a"}, "a"},
      {{"-hf", "org/repo"}, "hf:org/repo"},
      {{"-hf", "org/repo:Q5_K_M"}, "hf:org/repo:Q5_K_M"},
      {{"--hf-repo", "org/repo:Q5_K_M", "--hf-file", "x.gguf"}, "hf:org/repo:x.gguf"},
      {{"-mu", "https://example.org/x.gguf"}, "https://example.org/x.gguf"},
      {{}, ""},
  };
  for (const auto& [words, text] : lines) {
    Line line;
    ASSERT_TRUE(line.parse(words));
    const auto found = model_text(line.model);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(*found, text);
  }
}

TEST(ModelOptions, TwoModelsAreOneTooMany) {
  Line line;
  EXPECT_FALSE(line.parse({"a.gguf", "-m", "b.gguf"}));
  Line hub;
  ASSERT_TRUE(hub.parse({"a.gguf", "-hf", "org/repo"}));
  EXPECT_FALSE(model_text(hub.model));
  Line file;
  ASSERT_TRUE(file.parse({"-hff", "x.gguf"}));
  EXPECT_THAT(model_text(file.model).error().message, HasSubstr("--hf-repo"));
}

TEST(EngineOptions, DefaultsAreLlamaCpps) {
  Line line;
  ASSERT_TRUE(line.parse({}));
  const auto engine = finish(line.engine);
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->n_ctx, 0);
  EXPECT_EQ(engine->n_batch, 2048);
  EXPECT_EQ(engine->n_ubatch, 512);
  EXPECT_EQ(engine->cache, engine::CacheTypes{});
  EXPECT_TRUE(engine->file.use_mmap);
  EXPECT_FALSE(engine->file.use_mlock);
}

TEST(EngineOptions, AStepIsNoLargerThanABatch) {
  Line line;
  ASSERT_TRUE(line.parse({"-b", "64"}));
  EXPECT_EQ(finish(line.engine)->n_ubatch, 64);
}

TEST(EngineOptions, KeysAndValuesHaveTypesOfTheirOwn) {
  Line line;
  ASSERT_TRUE(line.parse({"-ctk", "q8_0", "-ctv", "q4_0"}));
  EXPECT_EQ(finish(line.engine)->cache, (engine::CacheTypes{tensor::DType::Q8_0, tensor::DType::Q4_0}));
  Line one;
  ASSERT_TRUE(one.parse({"-ctk", "bf16"}));
  EXPECT_EQ(finish(one.engine)->cache, (engine::CacheTypes{tensor::DType::BF16, tensor::DType::F16}));
  Line unknown;
  EXPECT_THAT(unknown.parse({"-ctk", "q3"}).error().message, HasSubstr("f32, f16, bf16, q8_0, q4_0"));
}

TEST(EngineOptions, LoadModesAreTheOlderFlagsInOneWord) {
  struct Mode {
    const char* word;
    bool mmap, mlock;
  };
  for (const Mode& mode : {Mode{"auto", true, false},
                           {"none", false, false},
                           {"mmap", true, false},
                           {"mlock", false, true},
                           {"mmap+mlock", true, true}}) {
    Line line;
    ASSERT_TRUE(line.parse({"-lm", mode.word}));
    EXPECT_EQ(line.engine.engine.file.use_mmap, mode.mmap) << mode.word;
    EXPECT_EQ(line.engine.engine.file.use_mlock, mode.mlock) << mode.word;
  }
  Line both;
  ASSERT_TRUE(both.parse({"--no-mmap", "--mlock"}));
  EXPECT_FALSE(both.engine.engine.file.use_mmap);
  EXPECT_TRUE(both.engine.engine.file.use_mlock);
}

TEST(EngineOptions, RopeFactorsAreTwoWaysToSayTheSame) {
  Line line;
  ASSERT_TRUE(line.parse({"--rope-scale", "4", "--rope-scaling", "linear", "--yarn-orig-ctx", "0", "--yarn-ext-factor", "-1"}));
  const model::RopeOverrides& rope = line.engine.engine.rope;
  EXPECT_EQ(rope.freq_scale, 0.25f);
  EXPECT_EQ(rope.scaling, "linear");
  EXPECT_EQ(rope.yarn_orig_ctx, std::nullopt);
  EXPECT_EQ(rope.yarn_ext_factor, std::nullopt);
  Line bad;
  EXPECT_FALSE(bad.parse({"--rope-scale", "0"}));
  EXPECT_FALSE(bad.parse({"--rope-scaling", "cubic"}));
}

TEST(EngineOptions, ProcessorsComeAsMaskOrRange) {
  EXPECT_THAT(Line().parse({"-C", "g"}).error().message, HasSubstr("-C: 'g' is no processor mask"));
  EXPECT_THAT(Line().parse({"-Cr", "4-2"}).error().message, HasSubstr("-Cr: '4-2' is no list of processors"));
  Line line;
  ASSERT_TRUE(line.parse({"-C", "3", "-Cr", "1-2"}));
  EXPECT_THAT(line.engine.engine.cpus, ElementsAre(0, 1, 2));
}

TEST(EngineOptions, OverridesMayShareAnOption) {
  EXPECT_THAT(split_overrides("a=int:1"), ElementsAre("a=int:1"));
  EXPECT_THAT(split_overrides("a=int:1,b.c=bool:true"), ElementsAre("a=int:1", "b.c=bool:true"));
  EXPECT_THAT(split_overrides("a=str:x,y,b=float:2"), ElementsAre("a=str:x,y", "b=float:2"));
}

TEST(EngineOptions, TheEnvironmentFillsInWhatTheLineLeavesOpen) {
  ::setenv("PUNA_THREADS", "3", 1);
  ::setenv("PUNA_ISA", "scalar", 1);
  Line line;
  ASSERT_TRUE(line.parse({}));
  EXPECT_EQ(finish(line.engine)->n_threads, 3);
  EXPECT_EQ(finish(line.engine)->isa, "scalar");
  Line given;
  ASSERT_TRUE(given.parse({"-t", "2"}));
  EXPECT_EQ(finish(given.engine)->n_threads, 2);
  ::setenv("PUNA_THREADS", "many", 1);
  EXPECT_THAT(finish(line.engine).error().message, HasSubstr("PUNA_THREADS"));
  ::unsetenv("PUNA_THREADS");
  ::unsetenv("PUNA_ISA");
}

TEST(SamplingOptions, SetEveryParameter) {
  Line line;
  ASSERT_TRUE(line.parse({"--temp",
                          "0.5",
                          "--top-k",
                          "10",
                          "--top-p",
                          "0.9",
                          "--min-p",
                          "0.01",
                          "--min-keep",
                          "3",
                          "--typical",
                          "0.8",
                          "--top-nsigma",
                          "1.5",
                          "--xtc-probability",
                          "0.1",
                          "--xtc-threshold",
                          "0.2",
                          "--dynatemp-range",
                          "0.3",
                          "--dynatemp-exp",
                          "2",
                          "--repeat-last-n",
                          "-1",
                          "--repeat-penalty",
                          "1.1",
                          "--presence-penalty",
                          "0.1",
                          "--frequency-penalty",
                          "0.2",
                          "--dry-multiplier",
                          "0.8",
                          "--dry-base",
                          "2",
                          "--dry-allowed-length",
                          "3",
                          "--dry-penalty-last-n",
                          "7",
                          "--mirostat",
                          "2",
                          "--mirostat-lr",
                          "0.2",
                          "--mirostat-ent",
                          "4",
                          "-l",
                          "7+1.5",
                          "-l",
                          "8-inf",
                          "-s",
                          "42"}));
  const sample::Params& p = line.generation.sampling;
  EXPECT_EQ(p.temp, 0.5f);
  EXPECT_EQ(p.top_k, 10);
  EXPECT_EQ(p.top_p, 0.9f);
  EXPECT_EQ(p.min_p, 0.01f);
  EXPECT_EQ(p.min_keep, 3);
  EXPECT_EQ(p.typical_p, 0.8f);
  EXPECT_EQ(p.top_n_sigma, 1.5f);
  EXPECT_EQ(p.xtc_probability, 0.1f);
  EXPECT_EQ(p.xtc_threshold, 0.2f);
  EXPECT_EQ(p.dynatemp_range, 0.3f);
  EXPECT_EQ(p.dynatemp_exponent, 2.0f);
  EXPECT_EQ(p.penalty_last_n, -1);
  EXPECT_EQ(p.repeat_penalty, 1.1f);
  EXPECT_EQ(p.presence_penalty, 0.1f);
  EXPECT_EQ(p.frequency_penalty, 0.2f);
  EXPECT_EQ(p.dry_multiplier, 0.8f);
  EXPECT_EQ(p.dry_base, 2.0f);
  EXPECT_EQ(p.dry_allowed_length, 3);
  EXPECT_EQ(p.dry_penalty_last_n, 7);
  EXPECT_EQ(p.mirostat, 2);
  EXPECT_EQ(p.mirostat_eta, 0.2f);
  EXPECT_EQ(p.mirostat_tau, 4.0f);
  EXPECT_THAT(p.logit_bias, ElementsAre(std::pair(7, 1.5f), std::pair(8, -std::numeric_limits<float>::infinity())));
  EXPECT_EQ(line.generation.seed, 42u);
}

TEST(SamplingOptions, ASeedOfMinusOneIsAnotherOneEachTime) {
  Line line;
  ASSERT_TRUE(line.parse({"-s", "5", "--seed", "-1"}));
  EXPECT_EQ(line.generation.seed, std::nullopt);
}

TEST(SamplingOptions, OrdersComeAsNamesOrLetters) {
  Line names, letters;
  ASSERT_TRUE(names.parse({"--samplers", "top_k;temperature"}));
  ASSERT_TRUE(letters.parse({"--sampling-seq", "kt"}));
  EXPECT_EQ(names.generation.sampling.order, letters.generation.sampling.order);
  EXPECT_THAT(names.parse({"--samplers", "magic"}).error().message, HasSubstr("magic"));
}

TEST(SamplingOptions, TheFirstSequenceBreakerClearsTheDefaults) {
  Line line;
  ASSERT_TRUE(line.parse({"--dry-sequence-breaker", "\\n", "--dry-sequence-breaker", "x"}));
  EXPECT_THAT(line.generation.sampling.dry_sequence_breakers, ElementsAre("\n", "x"));
  Line none;
  ASSERT_TRUE(none.parse({"--dry-sequence-breaker", "none"}));
  EXPECT_TRUE(none.generation.sampling.dry_sequence_breakers.empty());
}

TEST(SamplingOptions, ABiasNamesATokenAndANumber) {
  for (const char* text : {"", "7", "+1", "7+", "7+x", "x+1", "-7+1"}) EXPECT_FALSE(parse_logit_bias(text)) << text;
}

TEST(SamplingOptions, ARequestRefusesValuesWithoutAMeaning) {
  Line line;
  ASSERT_TRUE(line.parse({"--top-p", "2"}));
  EXPECT_THAT(make_request(line.generation, 100).error().message, HasSubstr("--top-p"));
  Line bias;
  ASSERT_TRUE(bias.parse({"-l", "100+1"}));
  EXPECT_FALSE(make_request(bias.generation, 100));
}

TEST(GenerationOptions, ReachTheRequest) {
  Line line;
  ASSERT_TRUE(line.parse({"-n", "7", "--ignore-eos", "--no-stop", "--context-shift", "--keep", "-1"}));
  const auto request = make_request(line.generation, 100);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->n_predict, 7);
  EXPECT_TRUE(request->ban_end);
  EXPECT_FALSE(request->stop_at_end);
  EXPECT_TRUE(request->context_shift);
  EXPECT_EQ(request->n_keep, -1);
}

}  // namespace
}  // namespace puna::cli
