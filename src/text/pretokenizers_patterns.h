// The patterns of the models' own tokenizer files that have a function of their own (pretokenizers_words.cpp).
#pragma once

#include <string_view>

namespace puna::text::patterns {

#define PUNA_CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define PUNA_UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define PUNA_LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define PUNA_SPACES R"(|\s*[\r\n]+|\s+(?!\S)|\s+)"

inline constexpr std::string_view kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view kLlama3 =
    PUNA_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)" PUNA_SPACES;
inline constexpr std::string_view kQwen2 =
    PUNA_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)" PUNA_SPACES;
inline constexpr std::string_view kQwen35 =
    PUNA_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)" PUNA_SPACES;
inline constexpr std::string_view kGpt4o = R"([^\r\n\p{L}\p{N}]?)" PUNA_UPPER "*" PUNA_LOWER "+" PUNA_CONTRACTIONS
                                           "?"
                                           R"(|[^\r\n\p{L}\p{N}]?)" PUNA_UPPER "+" PUNA_LOWER "*" PUNA_CONTRACTIONS
                                           "?"
                                           R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*)" PUNA_SPACES;
inline constexpr std::string_view kTekken = R"([^\r\n\p{L}\p{N}]?)" PUNA_UPPER "*" PUNA_LOWER
                                            "+"
                                            R"(|[^\r\n\p{L}\p{N}]?)" PUNA_UPPER "+" PUNA_LOWER
                                            "*"
                                            R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*)" PUNA_SPACES;
// The file's own has [\p{Lu}…&&[^\p{Han}]].
inline constexpr std::string_view kKimi =
    R"(\p{Han}+)"
    R"(|[^\r\n\p{L}\p{N}]?(?:(?!\p{Han}))" PUNA_UPPER R"()*(?:(?!\p{Han}))" PUNA_LOWER ")+" PUNA_CONTRACTIONS
    "?"
    R"(|[^\r\n\p{L}\p{N}]?(?:(?!\p{Han}))" PUNA_UPPER R"()+(?:(?!\p{Han}))" PUNA_LOWER ")*" PUNA_CONTRACTIONS
    "?"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)" PUNA_SPACES;
inline constexpr std::string_view kDeepSeek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*)" PUNA_SPACES;
inline constexpr std::string_view kEastAsian = "[一-龥\u3040-ゟ゠-ヿ]+";
inline constexpr std::string_view kDigit = R"(\p{N})";
inline constexpr std::string_view kThreeDigits = R"(\p{N}{1,3})";
inline constexpr std::string_view kSpacesAtEnd = R"(\s+$)";
inline constexpr std::string_view kLines = R"([^\n]+|[\n]+)";
// Threes from the right, where a run of digits ends a word; and cuts before each three.
inline constexpr std::string_view kThreesFromRight = R"(\d{1,3}(?=(?:\d{3})*\b))";
inline constexpr std::string_view kBeforeThrees = R"((?=(\d{3})+(?!\d)))";

#undef PUNA_CONTRACTIONS
#undef PUNA_UPPER
#undef PUNA_LOWER
#undef PUNA_SPACES

}  // namespace puna::text::patterns
