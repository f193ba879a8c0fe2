#include "text/tokenizer.h"

#include <algorithm>

#include "base/check.h"
#include "text/bpe.h"
#include "text/pretokenizers.h"
#include "text/space_mark.h"
#include "text/special_matcher.h"
#include "text/special_tokens.h"
#include "text/spm.h"

namespace puna::text {

namespace {

// A user-defined token that the codec makes, since what it begins with (▁) the codec also writes before a text that has no
// space there.
bool is_codecs(std::string_view text, bool marks_spaces) { return marks_spaces && text.starts_with(kSpaceMark); }

// What to look for in a text. Where spaces are U+2581 in the vocabulary, a user-defined token's spaces may stand in the text
// as these too; runs of plain spaces are the codec's.
std::vector<SpecialMatcher::Entry> texts_of(const Vocabulary& vocabulary, const SpecialTokens& special, bool marks_spaces) {
  std::vector<SpecialMatcher::Entry> entries;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const bool control = special.control[i];
    if (!control && vocabulary.kind(id) != TokenKind::user_defined) continue;
    const std::string_view text = vocabulary.text(id);
    if (!control && is_codecs(text, marks_spaces)) continue;
    const bool has_spaces = marks_spaces && !control && text.find(' ') != std::string_view::npos;
    if (has_spaces) entries.push_back({with_marked_spaces(text), id, control});
    if (!has_spaces || text.find_first_not_of(' ') != std::string_view::npos) entries.push_back({std::string(text), id, control});
  }
  return entries;
}

}  // namespace

struct Tokenizer::Parts {
  Parts(Vocabulary v, SpecialTokens s, bool marks)
      : vocabulary(std::move(v)), special(std::move(s)), marks_spaces(marks), matcher(texts_of(vocabulary, special, marks)) {}

  const Vocabulary vocabulary;
  const SpecialTokens special;
  const bool marks_spaces;  // spaces are U+2581 in the vocabulary
  const SpecialMatcher matcher;
  std::unique_ptr<Codec> codec;
  std::string model;
  std::string pre;
  bool adds_bos = false;
  bool adds_eos = false;
  bool adds_space_prefix = false;
};

Result<std::unique_ptr<Tokenizer>> Tokenizer::make(const VocabularyData& data) {
  const bool is_bpe = data.model == "gpt2";
  if (!is_bpe && data.model != "llama") {
    return fail(ErrorKind::unsupported, "tokenizer.ggml.model is '{}'; known kinds are gpt2 and llama", data.model);
  }
  PreTokenizer pre{};
  if (is_bpe) pre = PUNA_TRY(find_pretokenizer(data.pre));
  Vocabulary vocabulary = PUNA_TRY(Vocabulary::make(data));
  SpecialTokens special = PUNA_TRY(SpecialTokens::make(data, vocabulary));
  auto parts = std::make_unique<Parts>(std::move(vocabulary), std::move(special), !is_bpe);
  if (is_bpe) {
    parts->codec = PUNA_TRY(ByteLevelBpe::make(data, parts->vocabulary, pre));
    parts->pre = data.pre;
  } else {
    parts->codec = PUNA_TRY(SentencePieceBpe::make(data, parts->vocabulary, parts->special.unk.value_or(kNoToken)));
  }
  parts->model = data.model;
  parts->adds_bos = parts->special.bos && data.add_bos.value_or(is_bpe ? pre.adds_bos : true);
  parts->adds_eos = parts->special.eos && data.add_eos.value_or(false);
  parts->adds_space_prefix = data.add_space_prefix.value_or(!is_bpe);
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(parts)));
}

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  PUNA_CHECK(text.size() < std::size_t{1} << 30, "a text of 1 GiB or more");
  std::vector<TokenId> out;
  const bool bos = options.add_special && parts_->adds_bos;
  const bool eos = options.add_special && parts_->adds_eos;
  if (bos) out.push_back(*parts_->special.bos);
  encode_segments(text, options, out);
  if (eos && (out.empty() || out.back() != *parts_->special.eos)) out.push_back(*parts_->special.eos);
  return out;
}

void Tokenizer::encode_segments(std::string_view text, const EncodeOptions& options, std::vector<TokenId>& out) const {
  const std::size_t n_before = out.size();  // 1: a BOS was put there
  SpecialMatcher::Walk walk(parts_->matcher, text, options);
  std::size_t begin = 0;
  while (true) {
    const SpecialMatcher::Match match = walk.next();
    parts_->codec->encode(text.substr(begin, match.begin - begin), out);
    if (match.id == kNoToken) break;
    const bool second_bos = n_before == 1 && match.begin == 0 && match.id == parts_->special.bos;
    if (!second_bos) out.push_back(match.id);
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
  if (kind(id) != TokenKind::user_defined || is_codecs(token_text(id), parts_->marks_spaces)) return false;
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
std::optional<TokenId> Tokenizer::fim_pre() const { return parts_->special.fim_pre; }
std::optional<TokenId> Tokenizer::fim_suf() const { return parts_->special.fim_suf; }
std::optional<TokenId> Tokenizer::fim_mid() const { return parts_->special.fim_mid; }
bool Tokenizer::adds_bos() const { return parts_->adds_bos; }
bool Tokenizer::adds_eos() const { return parts_->adds_eos; }
bool Tokenizer::adds_space_prefix() const { return parts_->adds_space_prefix; }
std::string_view Tokenizer::model_name() const { return parts_->model; }
std::string_view Tokenizer::pre_name() const { return parts_->pre; }

}  // namespace puna::text
