// Reference values of the real models: computed by transformers in float32 from the dequantized weights.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/os.h"
#include "base/value.h"
#include "cli/catalogue.h"
#include "engine/engine.h"
#include "tasks/pull.h"

namespace puna::e2e {

struct Prompt {
  std::string name, text;
  std::vector<TokenId> ids, greedy;
  std::vector<double> nll, margin;              // margin: best minus second-best logit at each greedy step
  std::vector<std::pair<TokenId, double>> top;  // of the last prompt position
};

// How far the fast path may be from the reference: what llama.cpp b11434 (AVX-512, the better of its settings) measured.
// Means over positions of |nll difference|, position 0 left out.
struct Limits {
  double mean_over_prompts;
  double largest_prompt;
};

struct RealModel {
  const char* name;    // in the catalogue
  const char* golden;  // tests/data/golden/….json
  Limits fast;
  bool large = false;  // a thousand tokens take a while
};

inline std::vector<RealModel> real_models() {
  return {{"smollm2-135m", "SmolLM2-135M-Instruct.Q4_1", {0.048, 0.079}},
          {"gemma3-270m", "gemma-3-270m-q4_k_m", {0.061, 0.091}},
          {"qwen2.5-coder-1.5b", "qwen2.5-coder-1.5b", {0.039, 0.073}, true}};
}

inline double number(const Value& value) { return value.if_double() ? *value.if_double() : static_cast<double>(*value.if_int()); }

template <class T, class Convert>
std::vector<T> list(const Value& value, Convert convert) {
  std::vector<T> result;
  for (const Value& item : *value.if_array()) result.push_back(static_cast<T>(convert(item)));
  return result;
}

inline std::vector<Prompt> prompts(const RealModel& model) {
  const auto path = std::filesystem::path(PUNA_TEST_DATA) / "golden" / (std::string(model.golden) + ".json");
  const Value data = json::parse(os::read_file(path).value()).value();
  std::vector<Prompt> result;
  for (const Value& entry : *data.find("results")->if_array()) {
    Prompt& prompt = result.emplace_back();
    prompt.name = *entry.find("name")->if_string();
    prompt.text = *entry.find("text")->if_string();
    prompt.ids = list<TokenId>(*entry.find("ids"), number);
    prompt.greedy = list<TokenId>(*entry.find("greedy"), number);
    prompt.nll = list<double>(*entry.find("nll"), number);
    prompt.margin = list<double>(*entry.find("margin"), number);
    for (const Value& pair : *entry.find("top")->if_array())
      prompt.top.emplace_back(static_cast<TokenId>(number((*pair.if_array())[0])), number((*pair.if_array())[1]));
  }
  return result;
}

// The model's file; a failed test where it is not on this machine (`make test` brings it).
inline std::filesystem::path model_path(const RealModel& model) {
  const auto ref = tasks::parse_model(model.name, cli::catalogue());
  const auto options =
      tasks::pull_options([](std::string_view name) { return os::environment(name); }, os::home(), os::puna_home());
  const auto found = tasks::find_local(ref.value(), options);
  if (!found) throw std::runtime_error(found.error().message);
  return found->path;
}

inline engine::Options options_for(const RealModel& model) {
  engine::Options options;
  options.model = model_path(model);
  options.n_ctx = 2048;
  return options;
}

inline std::unique_ptr<engine::Engine> load(const engine::Options& options) {
  auto loaded = engine::Engine::load(options);
  if (!loaded) throw std::runtime_error(loaded.error().message);  // the test fails; nothing in it could go on
  return std::move(*loaded);
}

inline std::vector<TokenId> greedy(engine::Engine& engine, const std::vector<TokenId>& ids, engine::Timings* timings = nullptr) {
  engine::Request request;
  request.prompt = ids;
  request.sampling.temp = 0;
  request.n_predict = 32;
  request.stop_at_end = false;
  auto answer = engine.complete(request);
  EXPECT_TRUE(answer.has_value()) << (answer ? "" : answer.error().message);
  if (!answer) return {};
  if (timings) *timings = answer->timings;
  return answer->tokens;
}

inline std::string test_name(const testing::TestParamInfo<RealModel>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace puna::e2e
