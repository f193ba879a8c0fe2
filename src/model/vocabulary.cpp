#include "model/vocabulary.h"

#include "text/pretokenizers.h"

namespace puna::model {

namespace {

// What the user chose is looked at by itself: the file is not to blame for it.
Result<void> check_choice(const gguf::File& file, std::string_view model, std::string_view pre_tokenizer) {
  if (!text::row_of_model(model)) {
    return std::unexpected(error(ErrorKind::unsupported,
                                 "--pre {}: the tokenizer of {} is of the kind '{}', which has no pre-tokenizer", pre_tokenizer,
                                 file.name(), model)
                               .with_hint("leave out --pre"));
  }
  auto row = text::find_pretokenizer(pre_tokenizer);
  if (!row) return std::unexpected(std::move(row).error().within("--pre"));
  return {};
}

}  // namespace

Result<std::unique_ptr<text::Tokenizer>> load_tokenizer(const gguf::File& file, std::string_view pre_tokenizer) {
  text::VocabularyData data;
  const auto model = PUNA_TRY(file.get_string("tokenizer.ggml.model"));
  if (!model) return fail("{}: key 'tokenizer.ggml.model' is missing", file.name());
  data.model = *model;
  if (!pre_tokenizer.empty()) PUNA_TRY(check_choice(file, *model, pre_tokenizer));
  data.pre = pre_tokenizer.empty() ? PUNA_TRY(file.get_string("tokenizer.ggml.pre"))
  .value_or("") : pre_tokenizer;
  auto tokens = PUNA_TRY(file.get_strings("tokenizer.ggml.tokens"));
  if (!tokens) return fail("{}: key 'tokenizer.ggml.tokens' is missing", file.name());
  data.tokens = *std::move(tokens);
  data.scores = PUNA_TRY(file.get_floats("tokenizer.ggml.scores"))
  .value_or(std::vector<float>());
  data.kinds = PUNA_TRY(file.get_ints("tokenizer.ggml.token_type"))
  .value_or(std::vector<std::int64_t>());
  data.merges = PUNA_TRY(file.get_strings("tokenizer.ggml.merges"))
  .value_or(std::vector<std::string_view>());
  if (const auto charsmap = PUNA_TRY(file.get_bytes("tokenizer.ggml.precompiled_charsmap"))) {
    data.charsmap = {reinterpret_cast<const char*>(charsmap->data()), charsmap->size()};
  }
  const struct {
    std::string_view key;
    std::optional<std::int64_t>& place;
  } ids[] = {
      {"bos", data.bos},         {"eos", data.eos},         {"unknown", data.unk},     {"eot", data.eot},
      {"eom", data.eom},         {"seperator", data.sep},   {"padding", data.pad},     {"cls", data.cls},
      {"mask", data.mask},       {"fim_pre", data.fim_pre}, {"fim_suf", data.fim_suf}, {"fim_mid", data.fim_mid},
      {"fim_pad", data.fim_pad}, {"fim_rep", data.fim_rep}, {"fim_sep", data.fim_sep},
  };
  for (const auto& id : ids) id.place = PUNA_TRY(file.get_int(fmt::format("tokenizer.ggml.{}_token_id", id.key)));
  data.extra_eog = PUNA_TRY(file.get_ints("tokenizer.ggml.eos_token_ids"))
  .value_or(std::vector<std::int64_t>());
  data.add_bos = PUNA_TRY(file.get_bool("tokenizer.ggml.add_bos_token"));
  data.add_eos = PUNA_TRY(file.get_bool("tokenizer.ggml.add_eos_token"));
  data.add_sep = PUNA_TRY(file.get_bool("tokenizer.ggml.add_sep_token"));
  data.remove_extra_whitespaces = PUNA_TRY(file.get_bool("tokenizer.ggml.remove_extra_whitespaces"));
  data.lowercase = PUNA_TRY(file.get_bool("tokenizer.ggml.normalizer.lowercase"));
  data.strip_accents = PUNA_TRY(file.get_bool("tokenizer.ggml.normalizer.strip_accents"));
  data.add_space_prefix = PUNA_TRY(file.get_bool("tokenizer.ggml.add_space_prefix"));
  auto tokenizer = text::Tokenizer::make(data);
  if (!tokenizer) return std::unexpected(std::move(tokenizer).error().within(file.name()));
  return tokenizer;
}

}  // namespace puna::model
