#include "engine/guide.h"

#include "base/check.h"

namespace puna::engine {

using text::grammar::TokenMask;

Guide::Guide(std::shared_ptr<const text::grammar::Constraint> constraint, TokenId previous) {
  if (constraint) matcher_ = std::make_unique<text::grammar::TokenMatcher>(std::move(constraint), previous);
}

Result<const TokenMask*> Guide::ready() {
  if (!matcher_ || !matcher_->has_quick_mask()) return nullptr;
  return matcher_->mask();
}

void Guide::begin() {
  if (!matcher_ || matcher_->has_quick_mask()) return;
  pending_ = std::async(std::launch::async, [this] { return matcher_->mask(); });
}

Result<const TokenMask*> Guide::mask() {
  if (!matcher_) return nullptr;
  return pending_.valid() ? pending_.get() : matcher_->mask();
}

Result<void> Guide::accept(TokenId token) {
  if (!matcher_) return {};
  const bool is_allowed = PUNA_TRY(matcher_->accept(token));
  PUNA_CHECK(is_allowed, "a token that the grammar does not allow");
  return {};
}

}  // namespace puna::engine
