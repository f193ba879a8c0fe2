// Tokens to text as they come, one by one, without ever giving out half a character.
#pragma once

#include <string>

#include "text/tokenizer.h"

namespace puna::text {

class Detokenizer {
 public:
  enum class Invalid {
    replace,  // bytes that cannot be UTF-8 become U+FFFD, one for each broken character: the output is always valid UTF-8
    keep,     // bytes stay what they are: the pieces together are exactly Tokenizer::decode() of the tokens
  };
  struct Options {
    TokenId previous = kNoToken;  // the token before the first pushed one (a prompt's last); none: a text starts here
    bool skip_special = false;    // control tokens give no text
    Invalid invalid = Invalid::replace;
  };

  // The tokenizer must outlive this.
  explicit Detokenizer(const Tokenizer& tokenizer) : Detokenizer(tokenizer, Options{}) {}
  Detokenizer(const Tokenizer& tokenizer, const Options& options);

  // The characters that this token completes; empty while one is unfinished.
  std::string push(TokenId id);
  // The unfinished rest: as U+FFFD or as its bytes. Afterwards the detokenizer goes on as if nothing had been held back.
  std::string finish();

 private:
  std::string take(bool all);

  const Tokenizer& tokenizer_;
  Options options_;
  bool at_start_;
  std::string held_;  // at most one unfinished character, after take()
};

}  // namespace puna::text
