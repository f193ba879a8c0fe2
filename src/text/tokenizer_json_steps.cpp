#include "text/tokenizer_json_steps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "text/pretokenizers_patterns.h"
#include "text/space_mark.h"

namespace puna::text {

using Kind = NormalizerStep::Kind;
using Behaviour = SplitStep::Behaviour;

JsonPlace JsonPlace::operator[](std::string_view key) const {
  return {value_ ? value_->find(key) : nullptr, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

std::vector<JsonPlace> JsonPlace::items() const {
  std::vector<JsonPlace> places;
  const Value::Array* array = value_ ? value_->if_array() : nullptr;
  for (std::size_t i = 0; array && i < array->size(); ++i) places.emplace_back(&(*array)[i], fmt::format("{}[{}]", path_, i));
  return places;
}

std::unexpected<Error> JsonPlace::wrong(std::string_view wanted) const {
  return fail("{} is {}; {} is wanted", path_, value_ ? value_->type_name() : "missing", wanted);
}

std::unexpected<Error> JsonPlace::unsupported(std::string_view what) const {
  return fail(ErrorKind::unsupported, "{} is '{}', which is not supported", path_, what);
}

Result<std::string> JsonPlace::text() const {
  if (!value_ || !value_->if_string()) return wrong("a string");
  return *value_->if_string();
}

Result<bool> JsonPlace::flag(bool otherwise) const {
  if (is_null()) return otherwise;
  if (!value_->if_bool()) return wrong("true or false");
  return *value_->if_bool();
}

Result<std::int64_t> JsonPlace::number() const {
  if (!value_ || !value_->if_int()) return wrong("an integer");
  return *value_->if_int();
}

namespace {

// The three places where a base64 text is read: four letters make three bytes.
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int n_bits = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const auto value = kLetters.find(c);
    if (value == kLetters.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    out += static_cast<char>(bits >> n_bits & 0xFF);
  }
  return out;
}

// A pattern that matches this text and nothing else.
std::string literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("\\x{:02X}", byte);
    }
  }
  return out;
}

Result<Behaviour> behaviour_of(const JsonPlace& place, Behaviour otherwise) {
  constexpr std::array<std::pair<std::string_view, Behaviour>, 5> kNames{{{"Isolated", Behaviour::isolated},
                                                                          {"Removed", Behaviour::removed},
                                                                          {"MergedWithPrevious", Behaviour::merged_with_previous},
                                                                          {"MergedWithNext", Behaviour::merged_with_next},
                                                                          {"Contiguous", Behaviour::contiguous}}};
  if (place.is_null()) return otherwise;
  const std::string name = PUNA_TRY(place.text());
  for (const auto& [known, behaviour] : kNames) {
    if (known == name) return behaviour;
  }
  return place.unsupported(name);
}

}  // namespace

void JsonSteps::add(Kind kind, std::string from, std::string to) {
  pipeline.normalizer.push_back({kind, std::move(from), std::move(to)});
}

Result<void> JsonSteps::normalizer(const JsonPlace& place) {
  if (place.is_null()) return {};
  const std::string type = PUNA_TRY(place["type"].text());
  constexpr std::array<std::pair<std::string_view, Kind>, 6> kPlain{{{"NFC", Kind::nfc},
                                                                     {"NFD", Kind::nfd},
                                                                     {"NFKC", Kind::nfkc},
                                                                     {"NFKD", Kind::nfkd},
                                                                     {"Lowercase", Kind::lowercase},
                                                                     {"StripAccents", Kind::strip_marks}}};
  for (const auto& [name, kind] : kPlain) {
    if (name == type) return add(kind), Result<void>();
  }
  if (type == "Sequence") {
    for (const JsonPlace& item : place["normalizers"].items()) PUNA_TRY(normalizer(item));
  } else if (type == "Prepend") {
    add(Kind::prepend, {}, PUNA_TRY(place["prepend"].text()));
  } else if (type == "Replace") {
    PUNA_TRY(replace(place));
  } else if (type == "Strip") {
    if (PUNA_TRY(place["strip_left"].flag(true))) add(Kind::strip_left);
    if (PUNA_TRY(place["strip_right"].flag(true))) add(Kind::strip_right);
  } else if (type == "Precompiled") {
    const auto bytes = from_base64(PUNA_TRY(place["precompiled_charsmap"].text()));
    if (!bytes) return place["precompiled_charsmap"].wrong("base64");
    add(Kind::charsmap, *bytes);
  } else if (type == "BertNormalizer") {
    PUNA_TRY(bert_normalizer(place));
  } else {
    return place["type"].unsupported(type);
  }
  return {};
}

Result<void> JsonSteps::bert_normalizer(const JsonPlace& place) {
  const bool lowercase = PUNA_TRY(place["lowercase"].flag(true));
  if (PUNA_TRY(place["clean_text"].flag(true))) add(Kind::clean);
  if (PUNA_TRY(place["handle_chinese_chars"].flag(true))) add(Kind::space_ideographs);
  if (PUNA_TRY(place["strip_accents"].flag(lowercase))) {
    add(Kind::nfd);
    add(Kind::strip_accents);
  }
  if (lowercase) add(Kind::lowercase);
  return {};
}

Result<void> JsonSteps::replace(const JsonPlace& place) {
  const JsonPlace pattern = place["pattern"];
  const std::string to = PUNA_TRY(place["content"].text());
  if (pattern["String"].value()) {
    add(Kind::replace, PUNA_TRY(pattern["String"].text()), to);
  } else {
    add(Kind::replace_matches, PUNA_TRY(pattern["Regex"].text()), to);
  }
  return {};
}

Result<void> JsonSteps::pre_tokenizer(const JsonPlace& place) {
  if (place.is_null()) return {};
  const std::string type = PUNA_TRY(place["type"].text());
  const bool were_apart = words_apart_;
  words_apart_ = false;
  if (type == "Sequence") {
    words_apart_ = were_apart;
    for (const JsonPlace& item : place["pretokenizers"].items()) PUNA_TRY(pre_tokenizer(item));
  } else if (type == "Split") {
    PUNA_TRY(split(place));
  } else if (type == "ByteLevel") {
    PUNA_TRY(byte_level_step(place));
  } else if (type == "Metaspace") {
    words_apart_ = were_apart;
    PUNA_TRY(metaspace(place));
  } else if (type == "Digits") {
    const bool one = PUNA_TRY(place["individual_digits"].flag(false));
    pipeline.splits.push_back({std::string(patterns::kDigit), one ? Behaviour::isolated : Behaviour::contiguous});
  } else if (type == "Punctuation") {
    pipeline.splits.push_back({ R"([\p{P}$+<=>^`|~])", PUNA_TRY(behaviour_of(place["behavior"], Behaviour::isolated)) });
  } else if (type == "Whitespace") {
    pipeline.splits.push_back({R"(\w+|[^\w\s]+)", Behaviour::removed, true});
  } else if (type == "WhitespaceSplit") {
    pipeline.splits.push_back({R"(\s)", Behaviour::removed});
    words_apart_ = pipeline.splits.size() == 1;
  } else if (type == "CharDelimiterSplit") {
    pipeline.splits.push_back({ literal(PUNA_TRY(place["delimiter"].text())), Behaviour::removed });
  } else if (type == "BertPreTokenizer") {
    pipeline.splits.push_back({R"(\s)", Behaviour::removed});
    pipeline.splits.push_back({R"([\p{P}$+<=>^`|~])", Behaviour::isolated});
    bert_words = pipeline.splits.size() == 2;
  } else {
    return place["type"].unsupported(type);
  }
  return {};
}

Result<void> JsonSteps::split(const JsonPlace& place) {
  const JsonPlace pattern = place["pattern"];
  SplitStep step;
  step.pattern = pattern["String"].value() ? literal(PUNA_TRY(pattern["String"].text())) : PUNA_TRY(pattern["Regex"].text());
  if (step.pattern.empty()) return pattern.wrong("a pattern that is not empty");
  step.behaviour = PUNA_TRY(behaviour_of(place["behavior"], Behaviour::isolated));
  step.invert = PUNA_TRY(place["invert"].flag(false));
  if (const auto made = Regex::compile(step.pattern); !made) {
    Error error = made.error();
    return std::unexpected(std::move(error).within(pattern.path()));
  }
  pipeline.splits.push_back(std::move(step));
  return {};
}

Result<void> JsonSteps::byte_level_step(const JsonPlace& place) {
  byte_level = true;
  const bool adds_space = PUNA_TRY(place["add_prefix_space"].flag(true));
  if (adds_space && !pipeline.splits.empty()) return place["add_prefix_space"].unsupported("true after other cuts");
  pipeline.adds_space = adds_space;
  if (PUNA_TRY(place["use_regex"].flag(true))) pipeline.splits.push_back({.pattern = std::string(patterns::kGpt2)});
  return {};
}

// Spaces become marks, and one comes before the text. It is the first step or follows a cut at spaces, so all this can happen
// before the text is cut.
Result<void> JsonSteps::metaspace(const JsonPlace& place) {
  const JsonPlace replacement = place["replacement"];
  const std::string mark = replacement.is_null() ? std::string(kSpaceMark) : PUNA_TRY(replacement.text());
  if (mark != kSpaceMark) return replacement.unsupported(mark);
  std::string scheme = PUNA_TRY(place["add_prefix_space"].flag(true))
  ? "always" : "never";
  if (!place["prepend_scheme"].is_null()) scheme = PUNA_TRY(place["prepend_scheme"].text());
  if (words_apart_ && scheme == "always") {
    pipeline.splits.clear();
    add(Kind::mark_words);
  } else if (!pipeline.splits.empty()) {
    return place["type"].unsupported("Metaspace after other cuts");
  } else {
    add(Kind::replace, " ", mark);
    if (scheme != "never") add(scheme == "first" ? Kind::prepend_at_start : Kind::prepend_missing, {}, mark);
  }
  marks_words = scheme != "never";
  if (PUNA_TRY(place["split"].flag(true))) pipeline.splits.push_back({mark, Behaviour::merged_with_next});
  return {};
}

}  // namespace puna::text
