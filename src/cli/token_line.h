// A token as one line for people: id, kind where it is not a normal one, text.
#pragma once

#include <string>

#include "cli/console.h"
#include "text/tokenizer.h"

namespace puna::cli {

// "  151645  control       <|im_end|>\n"
std::string token_line(const Console& console, const text::Tokenizer& tokenizer, TokenId id);

}  // namespace puna::cli
