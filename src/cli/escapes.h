// \n and its like in words of a command line.
#pragma once

#include <string>
#include <string_view>

namespace puna::cli {

// \n \r \t \' \" \\ and \xHH (as llama.cpp decodes them); any other backslash stays.
std::string decode_escapes(std::string_view text);

// The other way, for showing a piece of text in one line: control characters as \n, \t, \xHH; everything else as it is.
std::string encode_escapes(std::string_view text);

}  // namespace puna::cli
