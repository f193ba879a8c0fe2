// What a smaller cache costs: the mean Kullback-Leibler divergence of the answers from the exact ones (float32 throughout), over
// every position of the shorter golden prompts but the first. docs/run.md gives the figures over all; float32 keys and values are
// the measure, since the products' own rounding is in all of them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "e2e/golden.h"

namespace puna::e2e {
namespace {

using tensor::DType;

using Rows = std::vector<std::vector<float>>;

Rows logits_of(engine::Engine& engine, const std::vector<TokenId>& ids) {
  Rows rows;
  const auto n_vocab = static_cast<std::size_t>(engine.n_vocab());
  const auto done = engine.all_logits(ids, [&](std::int64_t, std::span<const float> logits) {
    for (std::size_t i = 0; i < logits.size(); i += n_vocab) rows.emplace_back(logits.begin() + i, logits.begin() + i + n_vocab);
  });
  EXPECT_TRUE(done.has_value());
  return rows;
}

double log_of_sum(const std::vector<float>& logits, float largest) {
  double sum = 0;
  for (float x : logits) sum += std::exp(static_cast<double>(x - largest));
  return largest + std::log(sum);
}

double divergence(const std::vector<float>& wanted, const std::vector<float>& found) {
  const double p_norm = log_of_sum(wanted, *std::ranges::max_element(wanted));
  const double q_norm = log_of_sum(found, *std::ranges::max_element(found));
  double sum = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double p = wanted[i] - p_norm;
    if (p > -40) sum += std::exp(p) * (p - (found[i] - q_norm));
  }
  return sum;
}

TEST(CacheTypes, CostWhatTheDocumentationSays) {
  const RealModel small = real_models().front();
  engine::Options options = options_for(small);
  options.exact = true;
  const auto reference = load(options);
  struct Case {
    engine::CacheTypes types;
    double most;  // nat
  };
  std::vector<Rows> wanted;
  std::vector<std::vector<TokenId>> texts;
  for (const Prompt& prompt : prompts(small)) {
    if (prompt.ids.size() > 700) continue;  // the reference is held in memory
    texts.push_back(prompt.ids);
    wanted.push_back(logits_of(*reference, prompt.ids));
  }
  options.exact = false;
  for (const Case& one : {Case{{DType::F32, DType::F32}, 0.0025},
                          {{DType::F16, DType::F16}, 0.0025},
                          {{DType::BF16, DType::BF16}, 0.0025},
                          {{DType::Q8_0, DType::Q8_0}, 0.0035},
                          {{DType::Q8_0, DType::Q4_0}, 0.025},
                          {{DType::Q4_0, DType::Q4_0}, 0.2}}) {
    options.cache = one.types;
    const auto engine = load(options);
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t t = 0; t < texts.size(); ++t) {
      const Rows found = logits_of(*engine, texts[t]);
      for (std::size_t row = 1; row < found.size(); ++row, ++n) sum += divergence(wanted[t][row], found[row]);
    }
    const double mean = sum / static_cast<double>(n);
    std::printf("%s keys, %s values: %.3g nat over %zu positions\n", std::string(tensor::name(one.types.k)).c_str(),
                std::string(tensor::name(one.types.v)).c_str(), mean, n);
    EXPECT_LE(mean, one.most);
  }
}

}  // namespace
}  // namespace puna::e2e
