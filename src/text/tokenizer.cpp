#include "text/tokenizer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "text/bpe.h"
#include "text/pipeline.h"
#include "text/pretokenizers.h"
#include "text/rwkv.h"
#include "text/space_mark.h"
#include "text/special_matcher.h"
#include "text/special_tokens.h"
#include "text/spm.h"
#include "text/unigram.h"
#include "text/wordpiece.h"

namespace puna::text {

namespace {

// A user-defined token that SentencePiece's codec makes itself, since what it begins with (▁) the codec also writes before a
// text that has no space there.
bool is_codecs(std::string_view text, bool is_spm) { return is_spm && text.starts_with(kSpaceMark); }

// What to look for in a text: raw, or normalized as the text is by then. For SentencePiece a user-defined token's spaces may
// stand in the text as U+2581 too; runs of plain spaces are the codec's.
class Texts {
 public:
  Texts(const Vocabulary& vocabulary, const SpecialTokens& special, bool is_spm)
      : vocabulary_(vocabulary), special_(special), is_spm_(is_spm) {}

  std::vector<SpecialMatcher::Entry> raw(const Pipeline* pipeline) const {
    std::vector<AddedToken> flags(vocabulary_.size());
    if (pipeline) {
      for (const AddedToken& added : pipeline->added) {
        if (vocabulary_.contains(added.id)) flags[static_cast<std::size_t>(added.id)] = added;
      }
    }
    std::vector<SpecialMatcher::Entry> entries;
    for (std::size_t i = 0; i < vocabulary_.size(); ++i) {
      if (!flags[i].normalized) append(static_cast<TokenId>(i), flags[i], entries);
    }
    return entries;
  }

  std::vector<SpecialMatcher::Entry> normalized(const Pipeline* pipeline, const Normalizer& normalizer) const {
    std::vector<SpecialMatcher::Entry> entries;
    for (const AddedToken& added : pipeline ? std::span(pipeline->added) : std::span<const AddedToken>()) {
      if (added.normalized && vocabulary_.contains(added.id)) append(added.id, added, entries);
    }
    for (SpecialMatcher::Entry& entry : entries) entry.text = normalizer.apply(entry.text, false);
    return entries;
  }

 private:
  void append(TokenId id, const AddedToken& flags, std::vector<SpecialMatcher::Entry>& entries) const {
    const bool control = special_.control[static_cast<std::size_t>(id)];
    const std::string_view text = vocabulary_.text(id);
    if (!control && (vocabulary_.kind(id) != TokenKind::user_defined || is_codecs(text, is_spm_))) return;
    SpecialMatcher::Entry entry{.id = id,
                                .control = control,
                                .strips_left = flags.strips_left,
                                .strips_right = flags.strips_right,
                                .single_word = flags.single_word};
    auto add = [&](std::string written) {
      entry.text = std::move(written);
      entries.push_back(entry);
    };
    const bool has_spaces = is_spm_ && !control && text.find(' ') != std::string_view::npos;
    if (has_spaces) add(with_marked_spaces(text));
    if (!has_spaces || text.find_first_not_of(' ') != std::string_view::npos) add(std::string(text));
  }

  const Vocabulary& vocabulary_;
  const SpecialTokens& special_;
  bool is_spm_;
};

// What a file without a pipeline of its own does to a text before its codec sees it.
std::vector<NormalizerStep> steps_of(const VocabularyData& data, const PreTokenizer& pre) {
  using Kind = NormalizerStep::Kind;
  std::vector<NormalizerStep> steps;
  auto add = [&](Kind kind, std::string from = {}, std::string to = {}) {
    steps.push_back({kind, std::move(from), std::move(to)});
  };
  const std::string mark(kSpaceMark);
  if (pre.normalizes) add(Kind::nfc);
  if (pre.characters) add(Kind::replace, " ", mark);
  if (data.model == "t5") {
    if (!data.charsmap.empty()) add(Kind::charsmap, std::string(data.charsmap));
    if (data.remove_extra_whitespaces.value_or(false)) add(Kind::collapse_spaces);
    if (data.add_space_prefix.value_or(true)) add(Kind::prepend, {}, mark);
    add(Kind::replace, " ", mark);
  } else if (data.model == "bert") {
    const bool lowercase = data.lowercase.value_or(true);
    const bool accents = !data.strip_accents.value_or(lowercase);
    add(Kind::clean);
    add(Kind::space_ideographs);
    if (!accents) add(Kind::nfd);
    if (!accents) add(Kind::strip_accents);
    if (lowercase) add(Kind::lowercase);
  }
  return steps;
}

// What differs between the kinds of vocabulary, where the file does not say.
struct Defaults {
  std::string_view model;
  bool adds_bos = false;
  bool adds_eos = false;
  bool adds_space_prefix = false;
  bool marks_spaces = false;  // spaces are U+2581 in the vocabulary
};
constexpr std::array kDefaults{
    Defaults{.model = "llama", .adds_bos = true, .adds_space_prefix = true, .marks_spaces = true},
    Defaults{.model = "t5", .adds_eos = true, .adds_space_prefix = true, .marks_spaces = true},
    Defaults{.model = "bert", .adds_bos = true, .adds_eos = true, .adds_space_prefix = true, .marks_spaces = true},
    Defaults{.model = "rwkv"},
};

Result<Defaults> defaults_of(const VocabularyData& data, const PreTokenizer& pre) {
  if (row_of_model(data.model)) {
    const bool characters = data.pipeline ? data.pipeline->characters : pre.characters;
    return Defaults{.model = data.model, .adds_bos = pre.adds_bos, .marks_spaces = characters};
  }
  for (const Defaults& row : kDefaults) {
    if (row.model == data.model) return row;
  }
  return fail(ErrorKind::unsupported, "tokenizer.ggml.model is '{}'; known kinds are gpt2, llama, t5, bert and rwkv", data.model);
}

Result<PreTokenizer> pretokenizer_of(const VocabularyData& data) {
  const auto own = row_of_model(data.model);
  if (!own || data.pipeline) return PreTokenizer{};
  const bool names_none = data.pre.empty() || data.pre == "default";
  auto row = find_pretokenizer(names_none && !own->empty() ? *own : std::string_view(data.pre));
  if (!row && !data.pre.empty()) return std::unexpected(std::move(row).error().within("tokenizer.ggml.pre"));
  return row;
}

}  // namespace

struct Tokenizer::Parts {
  Parts(Vocabulary v, SpecialTokens s, Normalizer n, const VocabularyData& data)
      : vocabulary(std::move(v)),
        special(std::move(s)),
        normalizer(std::move(n)),
        is_spm(data.model == "llama"),
        matcher(Texts(vocabulary, special, is_spm).raw(data.pipeline)),
        after_normalizer(Texts(vocabulary, special, is_spm).normalized(data.pipeline, normalizer)) {}

  Result<std::unique_ptr<Codec>> make_codec(const VocabularyData& data, const PreTokenizer& pre) const;
  void encode_text(std::string_view text, bool at_start, const EncodeOptions& options, std::vector<TokenId>& out) const;

  const Vocabulary vocabulary;
  const SpecialTokens special;
  const Normalizer normalizer;
  const bool is_spm;
  const SpecialMatcher matcher;
  const SpecialMatcher after_normalizer;  // for tokens that are looked for in the normalized text
  std::unique_ptr<Codec> codec;
  std::string model;
  std::string pre;
  std::optional<TokenId> first;  // what add_special puts before a text
  std::optional<TokenId> last;   // … after it
  bool adds_space_prefix = false;
  bool marks_spaces = false;
};

Result<std::unique_ptr<Codec>> Tokenizer::Parts::make_codec(const VocabularyData& data, const PreTokenizer& row) const {
  const TokenId unk = special.unk.value_or(kNoToken);
  if (data.model == "llama") return SentencePieceBpe::make(data, vocabulary, unk);
  if (data.model == "t5") return Unigram::make(data, vocabulary, unk);
  if (data.model == "rwkv") return GreedyBytes::make(vocabulary, unk);
  if (data.model == "bert") return std::make_unique<WordPiece>(vocabulary, unk);
  Bpe::Words words{.whole_words = row.whole_words, .characters = row.characters, .unk = unk};
  words.adds_space = !row.characters && data.add_space_prefix.value_or(false);
  if (const Pipeline* pipeline = data.pipeline) {
    words.whole_words = pipeline->whole_words;
    words.characters = pipeline->characters;
    words.fuses_unk = pipeline->fuses_unk;
    words.adds_space = pipeline->adds_space;
    words.splitter = PUNA_TRY(WordSplitter::make(pipeline->splits));
  } else {
    words.splitter = PUNA_TRY(WordSplitter::make(row));
  }
  return Bpe::make(data, vocabulary, std::move(words));
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::make(const VocabularyData& data) {
  const PreTokenizer pre = PUNA_TRY(pretokenizer_of(data));
  const Defaults defaults = PUNA_TRY(defaults_of(data, pre));
  Vocabulary vocabulary = PUNA_TRY(Vocabulary::make(data));
  SpecialTokens special = PUNA_TRY(SpecialTokens::make(data, vocabulary));
  Normalizer normalizer = PUNA_TRY(Normalizer::make(data.pipeline ? data.pipeline->normalizer : steps_of(data, pre)));
  auto parts = std::make_unique<Parts>(std::move(vocabulary), std::move(special), std::move(normalizer), data);
  parts->codec = PUNA_TRY(parts->make_codec(data, pre));
  parts->model = data.model;
  parts->pre = pre.name;
  if (data.add_bos.value_or(defaults.adds_bos)) parts->first = parts->special.bos;
  const bool is_bert = data.model == "bert";
  const bool ends = is_bert ? data.add_sep.value_or(defaults.adds_eos) : data.add_eos.value_or(defaults.adds_eos);
  if (ends) parts->last = is_bert ? parts->special.sep : parts->special.eos;
  parts->adds_space_prefix = data.add_space_prefix.value_or(defaults.adds_space_prefix);
  parts->marks_spaces = defaults.marks_spaces;
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(parts)));
}

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  PUNA_CHECK(text.size() < std::size_t{1} << 30, "a text of 1 GiB or more");
  std::vector<TokenId> out;
  if (options.add_special && parts_->first) out.push_back(*parts_->first);
  encode_segments(text, options, out);
  const auto last = options.add_special ? parts_->last : std::nullopt;
  if (last && (out.empty() || out.back() != *last)) out.push_back(*last);
  return out;
}

void Tokenizer::encode_segments(std::string_view text, const EncodeOptions& options, std::vector<TokenId>& out) const {
  const std::size_t n_before = out.size();  // 1: a BOS was put there
  SpecialMatcher::Walk walk(parts_->matcher, text, options);
  std::size_t begin = 0;
  while (true) {
    const SpecialMatcher::Match match = walk.next();
    parts_->encode_text(text.substr(begin, match.begin - begin), begin == 0, options, out);
    if (match.id == kNoToken) break;
    const bool second_bos = n_before == 1 && match.begin == 0 && match.id == parts_->special.bos;
    if (!second_bos) out.push_back(match.id);
    begin = match.end;
  }
}

// What holds no special token any more, but for those that only the normalized text shows.
void Tokenizer::Parts::encode_text(std::string_view given, bool at_start, const EncodeOptions& options,
                                   std::vector<TokenId>& out) const {
  if (given.empty()) return;
  const std::string changed = normalizer.empty() ? std::string() : normalizer.apply(given, at_start);
  const std::string_view text = normalizer.empty() ? given : std::string_view(changed);
  // Marks are places in the text as it was given.
  const EncodeOptions as_text{.parse_special = options.parse_special && !options.has_literal_marks};
  SpecialMatcher::Walk walk(after_normalizer, text, as_text);
  for (std::size_t begin = 0; begin < text.size();) {
    const SpecialMatcher::Match match = walk.next();
    codec->encode(text.substr(begin, match.begin - begin), out);
    if (match.id != kNoToken) out.push_back(match.id);
    begin = match.end;
  }
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skip_special) const {
  std::string out;
  bool at_start = true;
  for (const TokenId id : ids) {
    if (!contains(id)) continue;
    if (!skip_special || !is_control(id)) append_piece(id, at_start, out);
    at_start = is_cut_out(id);
  }
  return out;
}

// Whether the tokenizer finds it in a text before the codec sees the text. Runs of spaces are the codec's.
bool Tokenizer::is_cut_out(TokenId id) const {
  if (is_control(id) || kind(id) == TokenKind::unknown) return true;
  if (kind(id) != TokenKind::user_defined || is_codecs(token_text(id), parts_->is_spm)) return false;
  return !parts_->marks_spaces || with_plain_spaces(token_text(id)).find_first_not_of(' ') != std::string::npos;
}

void Tokenizer::append_piece(TokenId id, bool at_start, std::string& out) const {
  const TokenKind kind = this->kind(id);
  if (kind == TokenKind::control || kind == TokenKind::unknown || (kind == TokenKind::user_defined && !parts_->marks_spaces)) {
    out += token_text(id);
    return;
  }
  const std::size_t begin = out.size();
  parts_->codec->append_bytes(id, out);
  const bool prefixed = at_start && parts_->adds_space_prefix && !is_cut_out(id);
  if (prefixed && out.size() > begin && out[begin] == ' ') out.erase(begin, 1);
}

std::size_t Tokenizer::size() const { return parts_->vocabulary.size(); }

std::string_view Tokenizer::token_text(TokenId id) const {
  return contains(id) ? parts_->vocabulary.text(id) : std::string_view();
}

std::string Tokenizer::token_bytes(TokenId id) const {
  std::string out;
  if (contains(id)) append_piece(id, false, out);
  return out;
}

TokenKind Tokenizer::kind(TokenId id) const { return contains(id) ? parts_->vocabulary.kind(id) : TokenKind::unused; }

bool Tokenizer::is_control(TokenId id) const { return contains(id) && parts_->special.control[static_cast<std::size_t>(id)]; }

std::optional<TokenId> Tokenizer::find(std::string_view token_text) const {
  const TokenId id = parts_->vocabulary.find(token_text);
  return id == kNoToken ? std::nullopt : std::optional(id);
}

std::span<const TokenId> Tokenizer::eog_tokens() const { return parts_->special.eog; }

bool Tokenizer::is_eog(TokenId id) const {
  return std::binary_search(parts_->special.eog.begin(), parts_->special.eog.end(), id);
}

std::optional<TokenId> Tokenizer::bos() const { return parts_->special.bos; }
std::optional<TokenId> Tokenizer::eos() const { return parts_->special.eos; }
std::optional<TokenId> Tokenizer::unk() const { return parts_->special.unk; }
std::optional<TokenId> Tokenizer::eot() const { return parts_->special.eot; }
std::optional<TokenId> Tokenizer::eom() const { return parts_->special.eom; }
std::optional<TokenId> Tokenizer::sep() const { return parts_->special.sep; }
std::optional<TokenId> Tokenizer::pad() const { return parts_->special.pad; }
std::optional<TokenId> Tokenizer::mask() const { return parts_->special.mask; }
std::optional<TokenId> Tokenizer::fim_pre() const { return parts_->special.fim_pre; }
std::optional<TokenId> Tokenizer::fim_suf() const { return parts_->special.fim_suf; }
std::optional<TokenId> Tokenizer::fim_mid() const { return parts_->special.fim_mid; }
bool Tokenizer::adds_bos() const { return parts_->first.has_value(); }
bool Tokenizer::adds_eos() const { return parts_->last.has_value(); }
bool Tokenizer::adds_space_prefix() const { return parts_->adds_space_prefix; }
std::string_view Tokenizer::model_name() const { return parts_->model; }
std::string_view Tokenizer::pre_name() const { return parts_->pre; }

}  // namespace puna::text
