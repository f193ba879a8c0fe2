// DRY ("don't repeat yourself"): a token that would go on a repetition of the text's end is made less likely, the more
// the longer the repetition already is. Repetitions do not reach across sequence breakers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/token.h"
#include "sample/candidates.h"
#include "sample/params.h"

namespace puna::sample {

// The text of a token as bytes.
using TokenBytes = std::function<std::string(TokenId)>;

class Dry {
 public:
  Dry(const Params& params, TokenBytes token_bytes);

  bool is_active() const { return multiplier_ > 0.0f && last_n_ != 0; }
  void accept(TokenId token);
  void reset();
  // Takes multiplier * base^(n - allowed_length) off the logit of each token that stood after an earlier occurrence of
  // the text's last n >= allowed_length tokens (the longest n counts).
  void apply(Candidates& candidates) const;

 private:
  bool ends_breaker(TokenId token);
  std::unordered_map<TokenId, std::size_t> find_repetitions() const;

  float multiplier_;
  float base_;
  std::size_t allowed_length_;
  std::int32_t last_n_;
  std::vector<std::string> breakers_;
  std::size_t longest_breaker_ = 0;  // bytes
  TokenBytes token_bytes_;

  std::vector<TokenId> history_;
  std::vector<bool> is_break_;  // [history] a breaker ends in this token
  std::string tail_;            // the last bytes of the text, as many as a breaker may still need
};

}  // namespace puna::sample
