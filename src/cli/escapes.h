// \n and its like in words of a command line.
#pragma once

#include <string>
#include <string_view>

namespace puna::cli {

// \n \r \t \' \" \\ and \xHH (as llama.cpp decodes them); any other backslash stays.
std::string decode_escapes(std::string_view text);

// The other way, for showing a piece of text in one line: control characters as \n, \t, \xHH; everything else as it is.
std::string encode_escapes(std::string_view text);

// What a terminal may be given of a text from outside: control characters, which could move its cursor or set its title, are
// shown as \xHH; line ends, returns and tabs stay.
std::string harmless(std::string_view text);

// The same in one line, and no longer than a person reads: a message that quotes a file, a server or a command line.
std::string one_line(std::string_view text);

}  // namespace puna::cli
