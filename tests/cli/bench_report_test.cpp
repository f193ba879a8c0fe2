#include "cli/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace puna::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

tasks::BenchSpec spec_of(std::vector<tasks::BenchTest> tests) {
  return {.engines = {engine::Options{}}, .tests = std::move(tests)};
}

// Two seconds and one second for 512 tokens, or for as many sequences' prompts, and four for what is generated.
tasks::BenchRow row_of(const tasks::BenchTest& test) {
  return {
      .model = {.file_name = "dir/a \"b\", c.gguf", .type = "llama 1.50B Q4_K", .bytes = 3u << 29, .n_parameters = 1500000000},
      .options = {},
      .isa = "avx2",
      .n_threads = 2,
      .n_ubatch = 512,
      .test = test,
      .shared_prompt = false,
      .prompt_seconds = {2, 1},
      .generation_seconds = {4, 4},
      .test_time = "2026-01-31T23:59:00Z",
      .ceilings = {.isa = "avx2", .n_threads = 2, .read_bytes_per_second = 20e9, .int8_ops_per_second = 1.5e12},
      .ideal_seconds = 0.75};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  lines.pop_back();
  return lines;
}

TEST(BenchReport, ATableHasOneLineForEachRow) {
  BenchReport report(BenchFormat::md, spec_of({{.n_prompt = 512}}));
  std::string text = report.row(row_of({.n_prompt = 512}));
  text += report.row(row_of({.n_gen = 8}));
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(
      lines[0],
      "| model                          |       size | backend    | threads |               test |                  t/s | of "
      "ceiling |");
  EXPECT_EQ(lines[1],
            "| ------------------------------ | ---------: | ---------- | ------: | -----------------: | -------------------: | "
            "---------: |");
  EXPECT_EQ(
      lines[2],
      "| llama 1.50B Q4_K               |   1.50 GiB | CPU avx2   |       2 |              pp512 |      384.00 ± 181.02 |    "
      "   50 % |");
  EXPECT_THAT(lines[3], HasSubstr("|          2.00 ± 0.00 |"));
}

TEST(BenchReport, AColumnStandsInTheTableOnlyWhereItSaysSomething) {
  tasks::BenchSpec spec = spec_of({{.n_prompt = 512}});
  EXPECT_THAT(BenchReport(BenchFormat::md, spec).row(row_of({.n_prompt = 512})), Not(HasSubstr("n_ubatch")));
  spec.engines[0].n_ubatch = 64;
  spec.engines[0].cache.k = tensor::DType::F32;
  const std::string text = BenchReport(BenchFormat::md, spec).row(row_of({.n_prompt = 512}));
  EXPECT_THAT(text, HasSubstr("| n_ubatch | type_k | type_v |"));
  EXPECT_THAT(text, HasSubstr("|      512 |    f16 |    f16 |"));
}

TEST(BenchReport, SequencesTogetherHaveThreeSpeeds) {
  const tasks::BenchTest test{.n_prompt = 100, .n_gen = 10, .n_parallel = 4};
  BenchReport report(BenchFormat::md, spec_of({test}));
  const std::string text = report.row(row_of(test));
  EXPECT_THAT(text, HasSubstr("| parallel |               PP t/s |               TG t/s |            total t/s |"));
  EXPECT_THAT(text, HasSubstr("|        4 |      300.00 ± 141.42 |         10.00 ± 0.00 |"));
}

TEST(BenchReport, ATableEndsWithTheCeiling) {
  BenchReport report(BenchFormat::md, spec_of({{.n_prompt = 512}}));
  EXPECT_EQ(report.end(), "");
  report.row(row_of({.n_prompt = 512}));
  EXPECT_THAT(report.end(), HasSubstr("ceiling: 20.0 GB/s read from memory, 1.50 TOPS in int8 (avx2 kernels, 2 threads)"));
}

TEST(BenchReport, JsonHasLlamaBenchsFieldNames) {
  BenchReport report(BenchFormat::json, spec_of({{.n_prompt = 512}}));
  std::string text = report.row(row_of({.n_prompt = 512, .n_depth = 64}));
  text += report.row(row_of({.n_gen = 8}));
  text += report.end();
  const auto parsed = json::parse(text);
  ASSERT_TRUE(parsed.has_value()) << text;
  ASSERT_EQ(parsed->if_array()->size(), 2u);
  const Value& first = (*parsed->if_array())[0];
  for (const char* field : {"build_version",
                            "cpu_info",
                            "backends",
                            "isa",
                            "model_filename",
                            "model_type",
                            "model_size",
                            "model_n_params",
                            "n_batch",
                            "n_ubatch",
                            "n_threads",
                            "type_k",
                            "type_v",
                            "use_mmap",
                            "n_prompt",
                            "n_gen",
                            "n_depth",
                            "n_parallel",
                            "shared_prompt",
                            "test_time",
                            "avg_ns",
                            "stddev_ns",
                            "avg_ts",
                            "stddev_ts",
                            "avg_prompt_ts",
                            "stddev_prompt_ts",
                            "avg_gen_ts",
                            "stddev_gen_ts",
                            "ceiling_share",
                            "ceiling_read_bytes_per_second",
                            "ceiling_int8_ops_per_second",
                            "samples_ns",
                            "samples_ts",
                            "samples_prompt_ts",
                            "samples_gen_ts"})
    EXPECT_TRUE(first.find(field)) << field;
  EXPECT_EQ(*first.find("n_depth"), Value(64));
  EXPECT_EQ(*first.find("avg_ns"), Value(1500000000));
  EXPECT_EQ(*first.find("samples_ns"), Value::array({2000000000, 1000000000}));
  EXPECT_EQ(*first.find("samples_ts"), Value::array({256.0, 512.0}));
  EXPECT_EQ(*first.find("samples_gen_ts"), Value::array());
  EXPECT_EQ(*first.find("ceiling_share"), Value(0.5));
}

TEST(BenchReport, JsonWithoutRowsIsAnEmptyList) { EXPECT_EQ(BenchReport(BenchFormat::json, spec_of({})).end(), "[]\n"); }

TEST(BenchReport, CsvHasOneLineOfNamesAndNoLists) {
  BenchReport report(BenchFormat::csv, spec_of({{.n_prompt = 512}}));
  std::string text = report.row(row_of({.n_prompt = 512}));
  text += report.row(row_of({.n_gen = 8}));
  text += report.end();
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr(",model_filename,model_type,"));
  EXPECT_THAT(lines[0], Not(HasSubstr("samples")));
  EXPECT_THAT(lines[1], HasSubstr(",\"dir/a \"\"b\"\", c.gguf\",\"llama 1.50B Q4_K\","));
}

}  // namespace
}  // namespace puna::cli
