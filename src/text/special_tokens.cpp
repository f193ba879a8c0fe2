#include "text/special_tokens.h"

#include <algorithm>
#include <array>

namespace puna::text {

namespace {

// Texts that end a turn or a text in the models that have such a token. They count where the token exists and is control
// or user-defined: files often name only one of them as eos.
constexpr std::array<std::string_view, 25> kEndTexts{
    "</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>",
    "<|END_OF_TURN_TOKEN|>", "<|return|>", "<|call|>", "<EOT>", "_<EOT>", "<|eot|>", "<|eom|>", "<|eos|>", "<|endofturn|>",
    "<|end_of_turn|>", "<｜end▁of▁sentence｜>", "<end_of_utterance>",
    // Models trained to fill in the middle end with these.
    "<|fim_pad|>", "<fim_pad>", "<|repo_name|>", "<|file_sep|>"};

// Where there is <|return|>, <|end|> closes one message of an answer, and the answer goes on.
constexpr std::string_view kEndOfMessage = "<|end|>";
constexpr std::string_view kEndOfAnswer = "<|return|>";

bool may_be_special(TokenKind kind) {
  return kind == TokenKind::control || kind == TokenKind::user_defined || kind == TokenKind::unknown;
}

class Roles {
 public:
  Roles(const VocabularyData& data, const Vocabulary& vocabulary) : data_(data), vocabulary_(vocabulary) {
    special_.control.resize(vocabulary.size());
  }

  Result<SpecialTokens> find() {
    special_.bos = PUNA_TRY(named(data_.bos, "bos_token_id"));
    special_.eos = PUNA_TRY(named(data_.eos, "eos_token_id"));
    special_.unk = PUNA_TRY(in_range(data_.unk, "unknown_token_id"));
    special_.eot = PUNA_TRY(named(data_.eot, "eot_token_id"));
    special_.eom = PUNA_TRY(named(data_.eom, "eom_token_id"));
    special_.sep = PUNA_TRY(named(data_.sep, "seperator_token_id"));
    special_.pad = PUNA_TRY(in_range(data_.pad, "padding_token_id"));
    special_.mask = PUNA_TRY(named(data_.mask, "mask_token_id"));
    special_.fim_pre = PUNA_TRY(named(data_.fim_pre, "fim_pre_token_id"));
    special_.fim_suf = PUNA_TRY(named(data_.fim_suf, "fim_suf_token_id"));
    special_.fim_mid = PUNA_TRY(named(data_.fim_mid, "fim_mid_token_id"));
    ends(PUNA_TRY(named(data_.fim_pad, "fim_pad_token_id")));
    ends(PUNA_TRY(named(data_.fim_rep, "fim_rep_token_id")));
    ends(PUNA_TRY(named(data_.fim_sep, "fim_sep_token_id")));
    for (const std::int64_t id : data_.extra_eog) ends(PUNA_TRY(named(id, "eos_token_ids")));
    const auto cls = PUNA_TRY(named(data_.cls, "cls_token_id"));
    if (data_.model == "llama") defaults_of_sentencepiece();
    if (data_.model == "bert") defaults_of_bert(cls);
    ends(special_.eos);
    ends(special_.eot);
    ends(special_.eom);
    ends_by_text();
    controls_by_kind();
    return std::move(special_);
  }

 private:
  Result<std::optional<TokenId>> in_range(std::optional<std::int64_t> id, std::string_view key) const {
    if (!id) return std::optional<TokenId>{};
    if (*id < 0 || static_cast<std::uint64_t>(*id) >= vocabulary_.size()) {
      return fail("tokenizer.ggml.{} is {}, but the vocabulary has {} tokens", key, *id, vocabulary_.size());
    }
    return static_cast<TokenId>(*id);
  }

  // A role makes a token control, unless it is a piece of text in its own right.
  Result<std::optional<TokenId>> named(std::optional<std::int64_t> id, std::string_view key) {
    auto token = PUNA_TRY(in_range(id, key));
    if (token) mark_control(*token);
    return token;
  }

  void mark_control(TokenId id) {
    if (data_.kinds.empty() || may_be_special(vocabulary_.kind(id))) special_.control[static_cast<std::size_t>(id)] = true;
  }

  void defaults_of_sentencepiece() {
    auto control = [&](TokenId id) {
      return vocabulary_.contains(id) && vocabulary_.kind(id) == TokenKind::control ? std::optional(id) : std::nullopt;
    };
    if (!special_.bos) special_.bos = control(1);
    if (!special_.eos) special_.eos = control(2);
  }

  void defaults_of_bert(std::optional<TokenId> cls) {
    auto by_text = [&](std::optional<TokenId>& role, std::string_view text) {
      if (const TokenId id = vocabulary_.find(text); !role && id != kNoToken) role = id;
    };
    if (!special_.bos) special_.bos = cls;
    by_text(special_.bos, "[CLS]");
    by_text(special_.sep, "[SEP]");
    by_text(special_.unk, "[UNK]");
  }

  void ends(std::optional<TokenId> id) {
    if (id) special_.eog.push_back(*id);
  }

  void ends_by_text() {
    const bool answers_have_messages = vocabulary_.find(kEndOfAnswer) != kNoToken;
    for (const auto text : kEndTexts) {
      if (text == kEndOfMessage && answers_have_messages) continue;
      const TokenId id = vocabulary_.find(text);
      if (id == kNoToken || !may_be_special(vocabulary_.kind(id))) continue;
      mark_control(id);
      ends(id);
    }
    std::sort(special_.eog.begin(), special_.eog.end());
    special_.eog.erase(std::unique(special_.eog.begin(), special_.eog.end()), special_.eog.end());
  }

  void controls_by_kind() {
    for (std::size_t i = 0; i < vocabulary_.size(); ++i) {
      const auto id = static_cast<TokenId>(i);
      const TokenKind kind = vocabulary_.kind(id);
      const std::string_view text = vocabulary_.text(id);
      const bool marker = text.size() > 4 && text.starts_with("<|") && text.ends_with("|>");
      if (kind == TokenKind::control || kind == TokenKind::unknown || (kind == TokenKind::user_defined && marker)) {
        special_.control[i] = true;
      }
      if (kind == TokenKind::unknown && !special_.unk) special_.unk = id;
    }
  }

  const VocabularyData& data_;
  const Vocabulary& vocabulary_;
  SpecialTokens special_;
};

}  // namespace

Result<SpecialTokens> SpecialTokens::make(const VocabularyData& data, const Vocabulary& vocabulary) {
  return Roles(data, vocabulary).find();
}

}  // namespace puna::text
