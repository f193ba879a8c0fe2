#include "text/detokenizer.h"

#include "text/utf8.h"

namespace puna::text {

Detokenizer::Detokenizer(const Tokenizer& tokenizer, const Options& options)
    : tokenizer_(tokenizer),
      options_(options),
      at_start_(!tokenizer.contains(options.previous) || tokenizer.is_cut_out(options.previous)) {}

std::string Detokenizer::push(TokenId id) {
  if (!tokenizer_.contains(id)) return {};
  if (!options_.skip_special || !tokenizer_.is_control(id)) tokenizer_.append_piece(id, at_start_, held_);
  at_start_ = tokenizer_.is_cut_out(id);
  return take(false);
}

std::string Detokenizer::finish() { return take(true); }

std::string Detokenizer::take(bool all) {
  std::string out;
  std::size_t at = 0;
  while (at < held_.size()) {
    const Utf8Step step = utf8_at(held_, at);
    if (step.cut && !all) break;
    if (step.code == kNotACharacter && options_.invalid == Invalid::replace) {
      append_utf8(0xFFFD, out);
    } else {
      out.append(held_, at, step.length);
    }
    at += step.length;
  }
  held_.erase(0, at);
  return out;
}

}  // namespace puna::text
