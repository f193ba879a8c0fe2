#include "text/tokenizer_json.h"

#include <algorithm>
#include <optional>

#include "text/space_mark.h"
#include "text/tokenizer_json_steps.h"
#include "text/vocabulary.h"

namespace puna::text {

namespace {

constexpr std::int64_t kUnused = static_cast<std::int64_t>(TokenKind::unused);

std::int64_t number(TokenKind kind) { return static_cast<std::int64_t>(kind); }

// WordPiece's "play", "##ing" and "[CLS]" as GGUF has them: "▁play", "ing", "[CLS]".
std::string as_gguf_writes(std::string_view token, std::string_view prefix) {
  if (token.starts_with('[') && token.ends_with(']') && token.size() > 2) return std::string(token);
  if (!prefix.empty() && token.starts_with(prefix)) return std::string(token.substr(prefix.size()));
  return std::string(kSpaceMark).append(token);
}

}  // namespace

class TokenizerJsonReader {
 public:
  explicit TokenizerJsonReader(TokenizerJson& out) : out_(out), steps_(out.pipeline_) {}

  Result<void> read(const Value& file) {
    const JsonPlace root(&file, "");
    PUNA_TRY(steps_.normalizer(root["normalizer"]));
    PUNA_TRY(steps_.pre_tokenizer(root["pre_tokenizer"]));
    PUNA_TRY(check_size(root));
    PUNA_TRY(model(root["model"]));
    PUNA_TRY(added_tokens(root["added_tokens"]));
    PUNA_TRY(post_processor(root["post_processor"]));
    PUNA_TRY(decoder(root["decoder"]));
    for (std::int64_t& kind : out_.plain_.kinds) kind = kind == 0 ? kUnused : kind;
    if (!out_.plain_.scores.empty()) out_.plain_.scores.resize(out_.tokens_.size());
    if (!out_.pipeline_.scores.empty()) out_.pipeline_.scores.resize(out_.tokens_.size());
    return {};
  }

 private:
  Result<void> check_size(const JsonPlace& root) {
    const JsonPlace vocabulary = root["model"]["vocab"];
    const Value* value = vocabulary.value();
    std::size_t n = 0;
    if (value && value->if_object()) {
      n = value->if_object()->size();
    } else if (value && value->if_array()) {
      n = value->if_array()->size();
    } else {
      return vocabulary.wrong("an object or an array");
    }
    const JsonPlace added = root["added_tokens"];
    if (added.value() && added.value()->if_array()) n += added.value()->if_array()->size();
    most_ids_ =
        static_cast<std::int64_t>(4 * n + 65536);  // ids may have gaps, but not so many that a small file fills the memory
    return {};
  }

  // Of two texts for the same id the later one counts, as it does where the added tokens repeat the vocabulary.
  Result<void> put(const JsonPlace& place, std::int64_t id, std::string text, TokenKind kind) {
    if (id < 0 || id >= most_ids_) return fail("{} is {}, too large for so few tokens", place.path(), id);
    const auto i = static_cast<std::size_t>(id);
    if (i >= out_.tokens_.size()) {
      out_.tokens_.resize(i + 1);
      out_.plain_.kinds.resize(i + 1, 0);
    }
    out_.tokens_[i] = std::move(text);
    out_.plain_.kinds[i] = number(kind);
    return {};
  }

  Result<void> model(const JsonPlace& place) {
    std::string type = place["merges"].value() ? "BPE" : "WordPiece";  // the oldest files do not say
    if (!place["type"].is_null()) type = PUNA_TRY(place["type"].text());
    if (type == "BPE") return bpe(place);
    if (type == "Unigram") return unigram(place);
    if (type == "WordPiece") return wordpiece(place);
    return place["type"].unsupported(type);
  }

  Result<void> vocabulary(const JsonPlace& place, std::string_view prefix, bool is_wordpiece) {
    const Value::Object* object = place.value() ? place.value()->if_object() : nullptr;
    if (!object) return place.wrong("an object");
    for (const auto& [text, value] : *object) {
      const JsonPlace at(&value, fmt::format("{}[{}]", place.path(), json::quote(text)));
      const bool is_byte = has_bytes_ && byte_token_value(text) >= 0;
      PUNA_TRY(put(at, PUNA_TRY(at.number()), is_wordpiece ? as_gguf_writes(text, prefix) : text,
                   is_byte ? TokenKind::byte : TokenKind::normal));
    }
    return {};
  }

  Result<void> unknown(const JsonPlace& place, std::string_view text) {
    const auto found = std::find(out_.tokens_.begin(), out_.tokens_.end(), text);
    if (found == out_.tokens_.end()) return fail("{} is '{}', which is no token", place.path(), text);
    const auto i = static_cast<std::size_t>(found - out_.tokens_.begin());
    out_.plain_.unk = static_cast<std::int64_t>(i);
    out_.plain_.kinds[i] = number(TokenKind::unknown);
    return {};
  }

  Result<void> bpe(const JsonPlace& place) {
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      const std::string affix = place[key].is_null() ? std::string() : PUNA_TRY(place[key].text());
      if (!affix.empty()) return place[key].unsupported(affix);
    }
    out_.plain_.model = "gpt2";
    out_.pipeline_.characters = !steps_.byte_level;
    out_.pipeline_.whole_words = PUNA_TRY(place["ignore_merges"].flag(false));
    out_.pipeline_.fuses_unk = PUNA_TRY(place["fuse_unk"].flag(false));
    has_bytes_ = PUNA_TRY(place["byte_fallback"].flag(false));
    PUNA_TRY(vocabulary(place["vocab"], {}, false));
    if (!place["unk_token"].is_null()) PUNA_TRY(unknown(place["unk_token"], PUNA_TRY(place["unk_token"].text())));
    for (const JsonPlace& merge : place["merges"].items()) out_.merges_.push_back(PUNA_TRY(this->merge(merge)));
    return {};
  }

  // "left right", or in younger files ["left", "right"].
  static Result<std::string> merge(const JsonPlace& place) {
    if (place.value()->if_string()) return *place.value()->if_string();
    const auto parts = place.items();
    if (parts.size() != 2) return place.wrong("two tokens");
    const std::string left = PUNA_TRY(parts[0].text());
    const std::string right = PUNA_TRY(parts[1].text());
    if (left.find(' ') != left.npos) return parts[0].unsupported(left);
    return left + " " + right;
  }

  Result<void> unigram(const JsonPlace& place) {
    out_.plain_.model = "t5";
    has_bytes_ = PUNA_TRY(place["byte_fallback"].flag(false));
    // Cuts that are not the spaces' would be lost: the model sees a text whole.
    for (const SplitStep& step : out_.pipeline_.splits) {
      if (step.pattern != kSpaceMark) return place["type"].unsupported("Unigram after cuts that are not Metaspace's");
    }
    const auto pieces = place["vocab"].items();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto piece = pieces[i].items();
      if (piece.size() != 2) return pieces[i].wrong("a token and its score");
      const std::string text = PUNA_TRY(piece[0].text());
      const Value* score = piece[1].value();
      if (!score->is_number()) return piece[1].wrong("a number");
      const double value = score->if_double() ? *score->if_double() : score->if_int() ? static_cast<double>(*score->if_int()) : 0;
      out_.plain_.scores.push_back(static_cast<float>(value));
      out_.pipeline_.scores.push_back(value);
      const bool is_byte = has_bytes_ && byte_token_value(text) >= 0;
      PUNA_TRY(put(pieces[i], static_cast<std::int64_t>(i), text, is_byte ? TokenKind::byte : TokenKind::normal));
    }
    if (place["unk_id"].is_null()) return {};
    const std::int64_t unk = PUNA_TRY(place["unk_id"].number());
    if (unk < 0 || static_cast<std::size_t>(unk) >= out_.tokens_.size()) return place["unk_id"].wrong("the number of a token");
    out_.plain_.unk = unk;
    out_.plain_.kinds[static_cast<std::size_t>(unk)] = number(TokenKind::unknown);
    return {};
  }

  Result<void> wordpiece(const JsonPlace& place) {
    if (!steps_.bert_words)
      return fail(ErrorKind::unsupported, "pre_tokenizer.type is not BertPreTokenizer, which WordPiece needs here");
    const std::int64_t most =
        place["max_input_chars_per_word"].is_null() ? 100 : PUNA_TRY(place["max_input_chars_per_word"].number());
    if (most != 100) return place["max_input_chars_per_word"].unsupported(fmt::format("{}", most));
    out_.plain_.model = "bert";
    const JsonPlace prefix = place["continuing_subword_prefix"];
    affix_ = prefix.is_null() ? "##" : PUNA_TRY(prefix.text());
    is_wordpiece_ = true;
    PUNA_TRY(vocabulary(place["vocab"], affix_, true));
    const JsonPlace unk = place["unk_token"];
    return unk.is_null() ? Result<void>() : unknown(unk, as_gguf_writes(PUNA_TRY(unk.text()), affix_));
  }

  Result<void> added_tokens(const JsonPlace& place) {
    for (const JsonPlace& token : place.items()) {
      const std::int64_t id = PUNA_TRY(token["id"].number());
      const bool special = PUNA_TRY(token["special"].flag(false));
      const bool is_unknown = id == out_.plain_.unk;
      const TokenKind kind = is_unknown ? TokenKind::unknown : special ? TokenKind::control : TokenKind::user_defined;
      PUNA_TRY(put(token["id"], id, PUNA_TRY(token["content"].text()), kind));
      const AddedToken flags {
        .id = static_cast<TokenId>(id), .normalized = PUNA_TRY(token["normalized"].flag(!special))
        , .strips_left = PUNA_TRY(token["lstrip"].flag(false))
        , .strips_right = PUNA_TRY(token["rstrip"].flag(false))
        , .single_word = PUNA_TRY(token["single_word"].flag(false))
      };
      out_.pipeline_.added.push_back(flags);
    }
    return {};
  }

  Result<std::int64_t> id_of(const JsonPlace& place, const std::string& text) const {
    const auto found = std::find(out_.tokens_.begin(), out_.tokens_.end(), text);
    if (found == out_.tokens_.end()) return fail("{} is '{}', which is no token", place.path(), text);
    return found - out_.tokens_.begin();
  }

  // What stands before and after a single text.
  Result<void> post_processor(const JsonPlace& place) {
    if (place.is_null()) return {};
    const std::string type = PUNA_TRY(place["type"].text());
    if (type == "Sequence") {
      for (const JsonPlace& item : place["processors"].items()) PUNA_TRY(post_processor(item));
    } else if (type == "TemplateProcessing") {
      PUNA_TRY(text_template(place["single"]));
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      PUNA_TRY(begins_with(place["cls"], PUNA_TRY(first_text(place["cls"]))));
      PUNA_TRY(ends_with(place["sep"], PUNA_TRY(first_text(place["sep"]))));
    } else if (type != "ByteLevel") {
      return place["type"].unsupported(type);
    }
    return {};
  }

  static Result<std::string> first_text(const JsonPlace& pair) {
    const auto items = pair.items();
    if (items.size() != 2) return pair.wrong("a token and its id");
    return items[0].text();
  }

  Result<void> text_template(const JsonPlace& place) {
    const auto items = place.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const JsonPlace token = items[i]["SpecialToken"];
      if (!token.value()) continue;
      const std::string text = PUNA_TRY(token["id"].text());
      if (i != 0 && i + 1 != items.size()) return token["id"].unsupported(text);
      if (i == 0) {
        PUNA_TRY(begins_with(token["id"], text));
      } else {
        PUNA_TRY(ends_with(token["id"], text));
      }
    }
    return {};
  }

  Result<void> begins_with(const JsonPlace& place, const std::string& text) {
    out_.plain_.bos = PUNA_TRY(id_of(place, text));
    out_.plain_.add_bos = true;
    return {};
  }

  Result<void> ends_with(const JsonPlace& place, const std::string& text) {
    auto& role = is_wordpiece_ ? out_.plain_.sep : out_.plain_.eos;
    role = PUNA_TRY(id_of(place, text));
    out_.plain_.add_eos = out_.plain_.add_sep = true;
    return {};
  }

  // The kinds of token already say how they are written; only the first space is a decoder's to take away.
  Result<void> decoder(const JsonPlace& place) {
    if (place.is_null()) return {};
    const std::string type = PUNA_TRY(place["type"].text());
    constexpr std::string_view kKnown[] = {"ByteLevel", "Replace", "ByteFallback", "Fuse", "Strip", "Metaspace", "WordPiece"};
    if (type == "Sequence") {
      for (const JsonPlace& item : place["decoders"].items()) PUNA_TRY(decoder(item));
    } else if (std::find(std::begin(kKnown), std::end(kKnown), type) == std::end(kKnown)) {
      return place["type"].unsupported(type);
    } else if ((type == "Metaspace" && steps_.marks_words) || type == "Strip" || type == "WordPiece") {
      out_.plain_.add_space_prefix = true;
    }
    return {};
  }

  TokenizerJson& out_;
  JsonSteps steps_;
  std::int64_t most_ids_ = 0;
  bool has_bytes_ = false;
  bool is_wordpiece_ = false;
  std::string affix_;
};

Result<TokenizerJson> TokenizerJson::read(const Value& file) {
  TokenizerJson tokenizer;
  tokenizer.plain_.add_bos = false;
  tokenizer.plain_.add_eos = false;
  tokenizer.plain_.add_sep = false;
  tokenizer.plain_.add_space_prefix = false;
  PUNA_TRY(TokenizerJsonReader(tokenizer).read(file));
  return tokenizer;
}

VocabularyData TokenizerJson::data() const {
  VocabularyData data = plain_;
  data.tokens.assign(tokens_.begin(), tokens_.end());
  data.merges.assign(merges_.begin(), merges_.end());
  data.pipeline = &pipeline_;
  return data;
}

std::string_view TokenizerJson::pre_tokenizer_name() const {
  const bool normalizes = pipeline_.normalizer.size() == 1 && pipeline_.normalizer[0].kind == NormalizerStep::Kind::nfc;
  if (plain_.model != "gpt2" || (!normalizes && !pipeline_.normalizer.empty())) return {};
  for (const std::string_view name : pretokenizer_names()) {
    const PreTokenizer row = find_pretokenizer(name).value();
    const auto same = [](const SplitStep& step, std::string_view pattern) {
      return with_escaped_newlines(step.pattern) == pattern && (step.behaviour == SplitStep::Behaviour::isolated || step.invert);
    };
    if (row.normalizes == normalizes && row.whole_words == pipeline_.whole_words && row.characters == pipeline_.characters &&
        std::ranges::equal(pipeline_.splits, row.patterns, same)) {
      return name;
    }
  }
  return {};
}

}  // namespace puna::text
