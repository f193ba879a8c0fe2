// The random tiny models of tests/data/models (tools/make_tiny_models.py), loaded.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/os.h"
#include "base/value.h"
#include "engine/engine.h"

namespace puna::engine {

inline std::filesystem::path tiny_path(const std::string& name) {
  return std::filesystem::path(PUNA_TEST_DATA) / "models" / (name + ".gguf");
}

inline std::vector<std::string> tiny_names() {
  return {"llama",      "llama3-rope", "llama-linear", "llama-yarn", "mistral-window",
          "llama-bias", "qwen2",       "qwen3",        "gemma2",     "gemma3"};
}

inline Options tiny_options(const std::string& name) {
  Options options;
  options.model = tiny_path(name);
  options.n_threads = 2;
  return options;
}

inline std::unique_ptr<Engine> load_or_fail(const Options& options) {
  auto engine = Engine::load(options);
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().message);
  return engine ? std::move(*engine) : nullptr;
}

// What transformers says of a tiny model.
struct Expected {
  std::vector<TokenId> ids;
  std::vector<double> nll;
  std::vector<std::size_t> rows;
  std::vector<std::vector<double>> logits;  // [row][n_vocab]
};

inline double number(const Value& value) { return value.if_double() ? *value.if_double() : static_cast<double>(*value.if_int()); }

inline Expected expected(const std::string& name) {
  const auto text = os::read_file(std::filesystem::path(PUNA_TEST_DATA) / "models" / (name + ".json"));
  const Value data = json::parse(text.value()).value();
  Expected result;
  for (const Value& id : *data.find("ids")->if_array()) result.ids.push_back(static_cast<TokenId>(*id.if_int()));
  for (const Value& nll : *data.find("nll")->if_array()) result.nll.push_back(number(nll));
  for (const Value& row : *data.find("rows")->if_array()) result.rows.push_back(static_cast<std::size_t>(*row.if_int()));
  for (const Value& row : *data.find("logits")->if_array()) {
    auto& logits = result.logits.emplace_back();
    for (const Value& logit : *row.if_array()) logits.push_back(number(logit));
  }
  return result;
}

// Every position's logits, [n][n_vocab].
inline std::vector<std::vector<float>> all_logits(Engine& engine, const std::vector<TokenId>& ids) {
  std::vector<std::vector<float>> rows;
  const auto n_vocab = static_cast<std::size_t>(engine.n_vocab());
  const auto done = engine.all_logits(ids, [&](std::int64_t first, std::span<const float> logits) {
    EXPECT_EQ(static_cast<std::size_t>(first), rows.size());
    for (std::size_t i = 0; i < logits.size(); i += n_vocab) rows.emplace_back(logits.begin() + i, logits.begin() + i + n_vocab);
  });
  EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
  return rows;
}

inline Completion complete_or_fail(Engine& engine, const Request& request) {
  auto completion = engine.complete(request);
  EXPECT_TRUE(completion.has_value()) << (completion ? "" : completion.error().message);
  return completion ? std::move(*completion) : Completion{};
}

// A greedy request that goes on past end tokens.
inline Request greedy(std::vector<TokenId> prompt, std::int64_t n_predict) {
  Request request;
  request.prompt = std::move(prompt);
  request.sampling.temp = 0;
  request.n_predict = n_predict;
  request.stop_at_end = false;
  return request;
}

}  // namespace puna::engine
