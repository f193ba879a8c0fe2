#include "text/pretokenizers.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "text/pretokenizers_patterns.h"
#include "text/tokenizer.h"

namespace puna::text {

namespace {

using namespace patterns;
using Patterns = std::span<const std::string_view>;

constexpr std::string_view kOfGpt2[] = {kGpt2};
constexpr std::string_view kOfLlama3[] = {kLlama3};
constexpr std::string_view kOfQwen2[] = {kQwen2};
constexpr std::string_view kOfQwen35[] = {kQwen35};
constexpr std::string_view kOfGpt4o[] = {kGpt4o};
constexpr std::string_view kOfTekken[] = {kTekken};
constexpr std::string_view kOfKimi[] = {kKimi};
constexpr std::string_view kOfLines[] = {kLines};
constexpr std::string_view kDigitsApart[] = {kDigit, kGpt2};
constexpr std::string_view kOfDeepSeek3[] = {kThreeDigits, kEastAsian, kDeepSeek3};
constexpr std::string_view kOfSuperBpe[] = {R"(\p{N}+)", kBeforeThrees};
constexpr std::string_view kOfTinyAya[] = {kThreesFromRight, kGpt4o};

// Punctuation as these files mean it: \p{P} and every ASCII sign.
constexpr std::string_view kSigns = R"([\p{P}$+<=>^`|~]+)";
constexpr std::string_view kOfFalcon[] = {kSigns, kGpt2, "[0-9][0-9][0-9]"};
constexpr std::string_view kOfDefault[] = {kSigns, kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"};

constexpr std::string_view kChinese = R"([\x{4E00}-\x{9FA5}\x{0800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
constexpr std::string_view kOfDeepSeekLlm[] = {
    R"([\r\n])",
    R"(\s?[A-Za-z)"
    R"(\x{00B5}\x{00C0}-\x{00D6}\x{00D8}-\x{00F6}\x{00F8}-\x{01BA}\x{01BC}-\x{01BF}\x{01C4}-\x{0293}\x{0295}-\x{02AF})"
    R"(\x{0370}-\x{0373}\x{0376}\x{0377}\x{037B}-\x{037D}\x{037F}\x{0386}\x{0388}-\x{038A}\x{038C}\x{038E}-\x{03A1})"
    R"(\x{03A3}-\x{03F5}\x{03F7}-\x{0481}\x{048A}-\x{052F}\x{0531}-\x{0556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5})"
    R"(\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A})"
    R"(\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"
    R"(\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3})"
    R"(\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115})"
    R"(\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F})"
    R"(\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3})"
    R"(\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF})"
    R"(\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3})"
    R"(\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943})"
    R"(]+)",
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)",
    kSpacesAtEnd,
    kChinese,
    R"(\p{N}+)"};
constexpr std::string_view kOfDeepSeekCoder[] = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kChinese, kDigit};

constexpr std::string_view kNotStops = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr std::string_view kOfBloom[] = {kNotStops};
constexpr std::string_view kOfViking[] = {kNotStops, kDigit};

constexpr std::string_view kOfChameleon[] = {
    "<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )", kDigit, R"([\p{P}!-/:-@\[-`{-~])", kGpt2};
constexpr std::string_view kOfJais2[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+)"
    R"(|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s)"};
constexpr std::string_view kOfBailing[] = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::string_view kOfSeedCoder[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kOfUfakzeka[] = {
    R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kOfExaoneMoe[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?)"
    R"(|\s*[\r\n]|\s+(?!\S)|\s+)"};
constexpr std::string_view kOfLaguna[] = {kLines, kQwen2};
constexpr std::string_view kOfMiniCpm5[] = {
    kThreeDigits,
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kOfWhitespace[] = {R"(\S+)"};
constexpr std::string_view kOfSpark[] = {
    kThreeDigits, kEastAsian,
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)",
    kDigit};
constexpr std::string_view kOfYoutu[] = {
    R"([가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+)",
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kOfAfmoe[] = {
    R"(\p{Nd}+)", kBeforeThrees,
    R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{F900}-\x{FAFF}\x{3040}-\x{309F}\x{30A0}-\x{30FF}\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}\x{0E00}-\x{0E7F}\x{0E80}-\x{0EFF}\x{1780}-\x{17FF}\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF}\x{1100}-\x{11FF}]+)",
    kDeepSeek3};

constexpr PreTokenizer plain(std::string_view name, Patterns patterns) { return {.name = name, .patterns = patterns}; }
constexpr PreTokenizer composed(std::string_view name, Patterns patterns) {
  return {.name = name, .patterns = patterns, .normalizes = true};
}
constexpr PreTokenizer whole_words(std::string_view name, Patterns patterns, bool adds_bos = false) {
  return {.name = name, .patterns = patterns, .whole_words = true, .adds_bos = adds_bos};
}
constexpr PreTokenizer of_characters(std::string_view name, Patterns patterns) {
  return {.name = name, .patterns = patterns, .adds_bos = true, .characters = true};
}

constexpr std::array kPreTokenizers{
    plain("gpt-2", kOfGpt2),
    plain("gpt2", kOfGpt2),
    plain("phi-2", kOfGpt2),
    plain("jina-es", kOfGpt2),
    plain("jina-de", kOfGpt2),
    plain("jina-v1-en", kOfGpt2),
    plain("jina-v2-es", kOfGpt2),
    plain("jina-v2-de", kOfGpt2),
    plain("jina-v2-code", kOfGpt2),
    plain("roberta-bpe", kOfGpt2),
    plain("gigachat", kOfGpt2),
    plain("a.x-4.0", kOfGpt2),
    plain("mellum", kOfGpt2),
    plain("exaone4", kOfGpt2),
    plain("jais", kOfGpt2),
    plain("trillion", kOfGpt2),
    plain("granite-docling", kOfGpt2),
    composed("modern-bert", kOfGpt2),
    composed("mpt", kOfGpt2),
    composed("olmo", kOfGpt2),
    plain("smollm", kDigitsApart),
    plain("starcoder", kDigitsApart),
    plain("refact", kDigitsApart),
    composed("command-r", kDigitsApart),
    plain("codeshell", kDigitsApart),
    plain("exaone", kDigitsApart),
    plain("minerva-7b", kDigitsApart),
    plain("mellum2", kDigitsApart),
    whole_words("llama-bpe", kOfLlama3, true),
    whole_words("llama3", kOfLlama3, true),
    whole_words("llama-v3", kOfLlama3, true),
    whole_words("falcon3", kOfLlama3, true),
    whole_words("falcon-h1", kOfLlama3, true),
    whole_words("pixtral", kOfLlama3, true),
    whole_words("midm-2.0", kOfLlama3, true),
    whole_words("lfm2", kOfLlama3, true),
    whole_words("jina-v5-nano", kOfLlama3, true),
    plain("dbrx", kOfLlama3),
    plain("smaug-bpe", kOfLlama3),
    plain("chatglm-bpe", kOfLlama3),
    whole_words("glm4", kOfLlama3),
    whole_words("glm5", kOfLlama3),
    composed("qwen2", kOfQwen2),
    composed("deepseek-r1-qwen", kOfQwen2),
    composed("megrez", kOfQwen2),
    composed("kormo", kOfQwen2),
    composed("f2llmv2", kOfQwen2),
    composed("hunyuan", kOfQwen2),
    plain("stablelm2", kOfQwen2),
    plain("solar-open", kOfQwen2),
    plain("grok-2", kOfQwen2),
    plain("qwen35", kOfQwen35),  // its pairs of text and ids keep decomposed letters apart
    plain("gpt-4o", kOfGpt4o),
    plain("gpt-oss", kOfGpt4o),
    plain("llama4", kOfGpt4o),
    plain("kanana2", kOfGpt4o),
    plain("talkie", kOfGpt4o),
    plain("minimax-m2", kOfGpt4o),
    whole_words("granite-embed-multi-97m", kOfGpt4o),
    whole_words("tekken", kOfTekken, true),
    plain("tiny_aya", kOfTinyAya),
    plain("cohere2moe", kOfTinyAya),
    plain("kimi-k2", kOfKimi),
    plain("superbpe", kOfSuperBpe),
    plain("deepseek-llm", kOfDeepSeekLlm),
    plain("deepseek-coder", kOfDeepSeekCoder),
    plain("deepseek-v3", kOfDeepSeek3),
    plain("hunyuan-dense", kOfDeepSeek3),
    plain("joyai-llm", kOfDeepSeek3),
    plain("hy_v4", kOfDeepSeek3),
    plain("spark2_5", kOfSpark),
    whole_words("youtu", kOfYoutu),
    plain("afmoe", kOfAfmoe),
    plain("falcon", kOfFalcon),
    plain("default", kOfDefault),
    plain("bloom", kOfBloom),
    plain("poro-chat", kOfBloom),
    plain("gpt3-finnish", kOfBloom),
    plain("viking", kOfViking),
    PreTokenizer{.name = "chameleon", .patterns = kOfChameleon, .adds_bos = true},
    plain("jais-2", kOfJais2),
    plain("bailingmoe", kOfBailing),
    plain("bailingmoe2", kOfBailing),
    plain("llada-moe", kOfBailing),
    plain("seed-coder", kOfSeedCoder),
    plain("ufakzeka", kOfUfakzeka),
    plain("exaone-moe", kOfExaoneMoe),
    plain("laguna", kOfLaguna),
    whole_words("minicpm5", kOfMiniCpm5),
    plain("whitespace", kOfWhitespace),
    of_characters("gemma4", kOfLines),
    of_characters("granite-embed-multi-311m", kOfLines),
    of_characters("sarvam-moe", kOfLines),
};

// The pieces of a piece, as the behaviour wants them.
void append(std::span<const Piece> pieces, SplitStep::Behaviour behaviour, bool invert, std::vector<Span>& out) {
  using enum SplitStep::Behaviour;
  bool joins_next = false;  // the piece before goes together with what comes
  bool before = false;      // whether it was a match
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool matches = pieces[i].matches != invert;
    const bool joins = i > 0 && ((behaviour == merged_with_previous && matches && !before) || (joins_next && !matches) ||
                                 (behaviour == contiguous && matches == before));
    joins_next = behaviour == merged_with_next && matches;
    before = matches;
    if (behaviour == removed && matches) continue;
    if (joins && !out.empty() && out.back().end == pieces[i].span.begin) {
      out.back().end = pieces[i].span.end;
    } else {
      out.push_back(pieces[i].span);
    }
  }
}

}  // namespace

std::string with_escaped_newlines(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c == '\n' || c == '\r') {
      out += c == '\n' ? "\\n" : "\\r";
    } else {
      out += c;
    }
  }
  return out;
}

Result<WordSplitter> WordSplitter::make(std::span<const SplitStep> steps) {
  WordSplitter splitter;
  for (const SplitStep& step : steps) {
    Cut cut{.behaviour = step.behaviour, .invert = step.invert};
    const std::string pattern = with_escaped_newlines(step.pattern);
    for (const HandWritten& hand : hand_written_patterns()) {
      const bool same = step.behaviour == SplitStep::Behaviour::isolated ||
                        (step.behaviour == SplitStep::Behaviour::removed && step.invert && hand.covers);
      if (hand.pattern == pattern && same) cut.function = hand.cut;
    }
    if (!cut.function) cut.pattern.push_back(PUNA_TRY(Regex::compile(step.pattern)));
    splitter.cuts_.push_back(std::move(cut));
  }
  return splitter;
}

Result<WordSplitter> WordSplitter::make(const PreTokenizer& pre) {
  std::vector<SplitStep> steps;
  for (const auto pattern : pre.patterns) steps.push_back({.pattern = std::string(pattern)});
  return make(steps);
}

void WordSplitter::split(std::string_view text, std::vector<Span>& words) const {
  std::vector<Span> whole;
  if (!text.empty()) whole.push_back({0, text.size()});
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const Cut& cut = cuts_[i];
    std::vector<Span> finer;
    if (i + 1 == cuts_.size()) finer.swap(words);  // appended to in place
    std::optional<Regex::Search> search;
    if (!cut.function) search.emplace(cut.pattern.front());
    for (const Span piece : whole) {
      if (cut.function) {
        cut.function(text.substr(0, piece.end), piece.begin, finer);
      } else {
        pieces.clear();
        search->split(text, piece, pieces);
        append(pieces, cut.behaviour, cut.invert, finer);
      }
    }
    whole.swap(finer);
  }
  if (cuts_.empty()) {
    words.insert(words.end(), whole.begin(), whole.end());
  } else {
    words.swap(whole);
  }
}

std::vector<std::string_view> pretokenizer_names() {
  std::vector<std::string_view> names;
  for (const auto& row : kPreTokenizers) names.push_back(row.name);
  return names;
}

std::optional<std::string_view> row_of_model(std::string_view model) {
  if (model == "gpt2") return "";
  if (model == "gemma4") return model;
  return std::nullopt;
}

Result<PreTokenizer> find_pretokenizer(std::string_view name) {
  for (const auto& row : kPreTokenizers) {
    if (row.name == name) return row;
  }
  const std::string all = fmt::format("choose one of these with --pre: {}", fmt::join(pretokenizer_names(), ", "));
  if (name.empty()) {
    return std::unexpected(
        error(ErrorKind::unsupported, "the file does not say its pre-tokenizer (tokenizer.ggml.pre)").with_hint(all));
  }
  const std::vector<std::string_view> names = pretokenizer_names();
  const std::string_view near = nearest(name, names);
  const std::string hint = near.empty() ? all : fmt::format("did you mean {}? {}", near, all);
  return std::unexpected(error(ErrorKind::unsupported, "unknown pre-tokenizer '{}'", name).with_hint(hint));
}

}  // namespace puna::text
