#include "cli/token_line.h"

#include "cli/escapes.h"

namespace puna::cli {

namespace {

std::string_view kind_name(text::TokenKind kind) {
  constexpr std::string_view kNames[] = {"", "", "unknown", "control", "user defined", "unused", "byte"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string token_line(const Console& console, const text::Tokenizer& tokenizer, TokenId id) {
  const std::string kind = fmt::format("{:<12}", kind_name(tokenizer.kind(id)));
  return fmt::format("{:>8}  {}  {}\n", id, console.paint(Colour::dim, kind), encode_escapes(tokenizer.token_bytes(id)));
}

}  // namespace puna::cli
