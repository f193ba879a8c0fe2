// Text to token ids and back. A tokenizer is built from plain data (text knows no file format), never changes afterwards
// and may be used by any number of threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/token.h"
#include "text/span.h"

namespace puna::text {

struct Pipeline;

// What a token is: the numbers of tokenizer.ggml.token_type.
enum class TokenKind : std::uint8_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

// A vocabulary as a file describes it. The names in the comments are GGUF's keys; errors name them. The views are needed
// during Tokenizer::make() only. An empty optional means that the file does not say.
struct VocabularyData {
  // tokenizer.ggml.model: "gpt2" (BPE), "llama" (SentencePiece BPE), "t5" (Unigram), "bert" (WordPiece), "rwkv" (the longest
  // token), or the name of a BPE row of text/pretokenizers
  std::string model;
  std::string pre;                       // tokenizer.ggml.pre, or the user's --pre: a row of text/pretokenizers; BPE only
  std::vector<std::string_view> tokens;  // tokenizer.ggml.tokens
  std::vector<float> scores;             // tokenizer.ggml.scores; llama and t5 need them, the others do not look
  std::vector<std::int64_t> kinds;       // tokenizer.ggml.token_type; none: every token is normal
  std::vector<std::string_view> merges;  // tokenizer.ggml.merges, best first, "left right"; BPE only
  std::string_view charsmap;             // tokenizer.ggml.precompiled_charsmap, as bytes; t5 only

  std::optional<std::int64_t> bos;      // tokenizer.ggml.bos_token_id; llama without it: token 1, where that is a control token
  std::optional<std::int64_t> eos;      // tokenizer.ggml.eos_token_id; llama without it: token 2, where that is a control token
  std::optional<std::int64_t> unk;      // tokenizer.ggml.unknown_token_id; without it: the first token of kind unknown
  std::optional<std::int64_t> eot;      // tokenizer.ggml.eot_token_id
  std::optional<std::int64_t> eom;      // tokenizer.ggml.eom_token_id
  std::optional<std::int64_t> sep;      // tokenizer.ggml.seperator_token_id (the format's spelling)
  std::optional<std::int64_t> pad;      // tokenizer.ggml.padding_token_id
  std::optional<std::int64_t> cls;      // tokenizer.ggml.cls_token_id; bert only: its bos
  std::optional<std::int64_t> mask;     // tokenizer.ggml.mask_token_id
  std::optional<std::int64_t> fim_pre;  // tokenizer.ggml.fim_pre_token_id; fill in the middle: before the prefix,
  std::optional<std::int64_t> fim_suf;  // tokenizer.ggml.fim_suf_token_id; … the suffix,
  std::optional<std::int64_t> fim_mid;  // tokenizer.ggml.fim_mid_token_id; … the middle
  std::optional<std::int64_t> fim_pad;  // tokenizer.ggml.fim_pad_token_id; these three also end a generation
  std::optional<std::int64_t> fim_rep;  // tokenizer.ggml.fim_rep_token_id
  std::optional<std::int64_t> fim_sep;  // tokenizer.ggml.fim_sep_token_id
  std::vector<std::int64_t> extra_eog;  // more ids that end a generation (a file's eos_token_ids, a user's choice)

  std::optional<bool>
      add_bos;  // tokenizer.ggml.add_bos_token; default: llama and bert yes, BPE as the row of `pre` says, others no
  std::optional<bool> add_eos;                   // tokenizer.ggml.add_eos_token; default: t5 yes, others no
  std::optional<bool> add_sep;                   // tokenizer.ggml.add_sep_token: bert's `sep` as its EOS; default: yes
  std::optional<bool> add_space_prefix;          // tokenizer.ggml.add_space_prefix; default: llama and t5 yes, others no
  std::optional<bool> remove_extra_whitespaces;  // tokenizer.ggml.remove_extra_whitespaces; t5 only; default: no
  std::optional<bool> lowercase;                 // tokenizer.ggml.normalizer.lowercase; bert only; default: yes
  std::optional<bool> strip_accents;             // tokenizer.ggml.normalizer.strip_accents; bert only; default: as lowercase

  const Pipeline* pipeline = nullptr;  // instead of `pre` and the flags of the text's normalization; needed as long as the views
};

struct EncodeOptions {
  // BOS before and EOS after the text, as the vocabulary says (adds_bos(), adds_eos()). A text that already begins with the
  // BOS token, or ends with the EOS token, gets no second one.
  bool add_special = true;
  // The texts of control tokens in `text` become these tokens; otherwise they are text like any other. What counts as
  // control: see Tokenizer::is_control(). The texts of other user-defined tokens always become these tokens.
  bool parse_special = true;
  // With has_literal_marks, control tokens are recognised only where their whole text lies inside one of these ranges of
  // bytes (ascending, disjoint): the parts that a chat template wrote itself, so that nobody's message becomes one.
  std::span<const Span> literal{};
  bool has_literal_marks = false;
};

class Tokenizer {
 public:
  // Errors name the key (of GGUF), the index and the value at fault; an unknown `pre` lists the known ones.
  static Result<std::unique_ptr<Tokenizer>> make(const VocabularyData& data);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // Any bytes, less than 1 GiB of them (PUNA_CHECK); the time is at most n log n. Bytes that are not UTF-8 are kept: each is a
  // symbol of its own for the pre-tokenizer, and decode() gives it back.
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;

  // The text that these tokens stand for, as bytes: decode(encode(x)) is x where the vocabulary can write every byte, up to
  // what its normalization changes (NFC for qwen2; U+2581 is a space for llama and t5; bert keeps little of the text). Where the
  // vocabulary adds a space prefix, one space is taken away at the start and after each control token and each user-defined one
  // that does not begin with a space itself (▁). Ids outside the vocabulary are nothing. skip_special leaves out control tokens.
  std::string decode(std::span<const TokenId> ids, bool skip_special = false) const;

  std::size_t size() const;
  bool contains(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < size(); }

  // Of an id outside the vocabulary: empty, empty, unused.
  std::string_view token_text(TokenId id) const;  // as the vocabulary writes it: "Ġthe", "▁the", "<0x0A>", "<|im_end|>"
  std::string token_bytes(TokenId id) const;      // what it stands for in a text: " the", " the", "\n", "<|im_end|>"
  TokenKind kind(TokenId id) const;
  // Control and unknown tokens; user-defined ones that end a generation, that the file names as bos, eos, eot … or fim, or
  // that are written <|…|>. Never matched in text unless parse_special.
  bool is_control(TokenId id) const;
  // The text after this token starts anew: a space prefix that a token has there is not shown.
  bool begins_text_anew(TokenId id) const { return contains(id) && is_cut_out(id); }
  // The token with that text as the vocabulary writes it (of several: the first).
  std::optional<TokenId> find(std::string_view token_text) const;

  // End of generation is a set: eos, eot, eom, fim_pad, fim_rep, fim_sep, extra_eog, and control or user-defined tokens
  // whose text is one of those that models use for it (the list is in text/special_tokens.cpp). Ascending ids.
  std::span<const TokenId> eog_tokens() const;
  bool is_eog(TokenId id) const;

  std::optional<TokenId> bos() const;
  std::optional<TokenId> eos() const;
  std::optional<TokenId> unk() const;
  std::optional<TokenId> eot() const;
  std::optional<TokenId> eom() const;
  std::optional<TokenId> sep() const;
  std::optional<TokenId> pad() const;
  std::optional<TokenId> mask() const;
  std::optional<TokenId> fim_pre() const;
  std::optional<TokenId> fim_suf() const;
  std::optional<TokenId> fim_mid() const;
  bool adds_bos() const;  // and there is a BOS token
  bool adds_eos() const;  // bert: its `sep`
  bool adds_space_prefix() const;

  std::string_view model_name() const;  // "gpt2", "llama", "t5" …
  std::string_view pre_name() const;    // as it was given; empty where there is none

 private:
  friend class Detokenizer;
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  void encode_segments(std::string_view text, const EncodeOptions& options, std::vector<TokenId>& out) const;
  // Appends what `id` stands for; at_start: the text starts here, as far as the space prefix is concerned.
  void append_piece(TokenId id, bool at_start, std::string& out) const;
  bool is_cut_out(TokenId id) const;  // the text after such a token starts anew, as far as the space prefix is concerned

  std::unique_ptr<const Parts> parts_;
};

// The pre-tokenizers that `pre` may name, for help texts.
std::vector<std::string_view> pretokenizer_names();

}  // namespace puna::text
