// Repetition, frequency and presence penalties: the counts of the last tokens, kept up to date token by token.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "base/token.h"
#include "sample/candidates.h"
#include "sample/params.h"

namespace puna::sample {

class Penalties {
 public:
  explicit Penalties(const Params& params);

  bool is_active() const { return is_active_; }
  void accept(TokenId token);
  void reset();
  // For each token seen c > 0 times: its logit is divided by `repeat` if positive, else multiplied by it; then
  // c * frequency + presence is taken off.
  void apply(Candidates& candidates) const;

 private:
  float penalized(float logit, std::uint32_t count) const;

  float repeat_;
  float frequency_;
  float presence_;
  std::int32_t last_n_;
  bool is_active_;
  std::deque<TokenId> window_;               // the last last_n_ tokens; empty where all count
  std::map<TokenId, std::uint32_t> counts_;  // of the tokens looked back at
};

}  // namespace puna::sample
