#include "model/hparams.h"

#include <algorithm>
#include <cmath>

namespace puna::model {
namespace {

// Beyond these a file is broken or hostile: no model known comes near.
constexpr std::int64_t kMaxLayers = 4096;
constexpr std::int64_t kMaxWidth = std::int64_t{1} << 24;
constexpr std::int64_t kMaxContext = std::int64_t{1} << 28;

// Keys of one architecture: "block_count" is read as "llama.block_count".
class Keys {
 public:
  Keys(const gguf::File& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  std::string full(std::string_view key) const { return fmt::format("{}.{}", prefix_, key); }

  Result<std::optional<std::int64_t>> integer(std::string_view key, std::int64_t least, std::int64_t most) const {
    const auto value = PUNA_TRY(first_integer(full(key)));
    if (value && (*value < least || *value > most))
      return fail("{}: key '{}' is {}, wanted {} to {}", file_.name(), full(key), *value, least, most);
    return value;
  }
  Result<std::int64_t> needed(std::string_view key, std::int64_t least, std::int64_t most) const {
    const auto value = PUNA_TRY(integer(key, least, most));
    if (!value) return fail("{}: key '{}' is missing", file_.name(), full(key));
    return *value;
  }
  Result<std::optional<float>> number(std::string_view key, double least, double most) const {
    const auto value = PUNA_TRY(file_.get_float(full(key)));
    if (!value) return std::optional<float>();
    if (!std::isfinite(*value) || *value < least || *value > most)
      return fail("{}: key '{}' is {}, wanted {} to {}", file_.name(), full(key), *value, least, most);
    return std::optional(static_cast<float>(*value));
  }
  Result<std::optional<std::string_view>> text(std::string_view key) const { return file_.get_string(full(key)); }

 private:
  // Some files give a list, one number per layer. Lists whose layers differ belong to architectures this engine lacks.
  Result<std::optional<std::int64_t>> first_integer(const std::string& key) const {
    const gguf::MetaValue* value = file_.find(key);
    if (!value || value->type() != gguf::ValueType::array) return file_.get_int(key);
    const auto list = PUNA_TRY(file_.get_ints(key));
    if (list->empty()) return fail("{}: key '{}' is an empty list", file_.name(), key);
    if (std::ranges::adjacent_find(*list, std::not_equal_to{}) != list->end())
      return fail(ErrorKind::unsupported, "{}: key '{}' differs from layer to layer, wanted one number for all", file_.name(),
                  key);
    return std::optional(list->front());
  }

  const gguf::File& file_;
  std::string prefix_;
};

Result<void> read_scaling(const Keys& keys, HyperParams& h, const gguf::File& file) {
  graph::RopeParams& rope = h.rope;
  const std::string_view type = PUNA_TRY(keys.text("rope.scaling.type"))
  .value_or("");
  const auto factor = PUNA_TRY(keys.number("rope.scaling.factor", 1e-3, 1e6));
  const auto old_factor = PUNA_TRY(keys.number("rope.scale_linear", 1e-3, 1e6));  // the key before rope.scaling.* existed
  const float stretch = factor.value_or(old_factor.value_or(1.0f));
  if (type == "yarn") {
    rope.scaling = graph::RopeScaling::yarn;
  } else if (type == "linear" || (type.empty() && stretch != 1.0f)) {
    rope.scaling = graph::RopeScaling::linear;
  } else if (!type.empty() && type != "none" && type != "llama3" && type != "longrope") {
    return fail(ErrorKind::unsupported, "{}: key '{}' is '{}', wanted none, linear, yarn, llama3 or longrope", file.name(),
                keys.full("rope.scaling.type"), type);
  }
  if (rope.scaling != graph::RopeScaling::none) rope.freq_scale = 1.0f / stretch;
  rope.original_context = PUNA_TRY(keys.integer("rope.scaling.original_context_length", 1, kMaxContext))
  .value_or(h.n_ctx_train);
  rope.attn_factor = PUNA_TRY(keys.number("rope.scaling.attn_factor", 1e-3, 1e3))
  .value_or(1.0f);
  if (const auto attn = PUNA_TRY(keys.number("rope.scaling.yarn_attn_factor", 1e-3, 1e3))) rope.attn_factor = *attn;
  rope.ext_factor = PUNA_TRY(keys.number("rope.scaling.yarn_ext_factor", 0, 1))
  .value_or(1.0f);
  rope.beta_fast = PUNA_TRY(keys.number("rope.scaling.yarn_beta_fast", 1e-3, 1e6))
  .value_or(32.0f);
  rope.beta_slow = PUNA_TRY(keys.number("rope.scaling.yarn_beta_slow", 1e-3, 1e6))
  .value_or(1.0f);
  return {};
}

Result<void> apply(const RopeOverrides& overrides, HyperParams& h) {
  graph::RopeParams& rope = h.rope;
  const auto positive = [](std::string_view flag, float value) -> Result<void> {
    if (std::isfinite(value) && value > 0) return {};
    return fail("{} is {}, wanted a number above 0", flag, value);
  };
  if (overrides.scaling) {
    if (*overrides.scaling == "none") {
      rope.scaling = graph::RopeScaling::none;
      rope.freq_scale = 1.0f;
    } else if (*overrides.scaling == "linear") {
      rope.scaling = graph::RopeScaling::linear;
    } else if (*overrides.scaling == "yarn") {
      rope.scaling = graph::RopeScaling::yarn;
    } else {
      return fail("--rope-scaling is '{}', wanted none, linear or yarn", *overrides.scaling);
    }
  }
  if (overrides.freq_base) {
    PUNA_TRY(positive("--rope-freq-base", *overrides.freq_base));
    rope.freq_base = *overrides.freq_base;
  }
  if (overrides.freq_scale) {
    PUNA_TRY(positive("--rope-freq-scale", *overrides.freq_scale));
    rope.freq_scale = *overrides.freq_scale;
    if (rope.scaling == graph::RopeScaling::none && !overrides.scaling) rope.scaling = graph::RopeScaling::linear;
  }
  if (overrides.yarn_orig_ctx && *overrides.yarn_orig_ctx > 0) rope.original_context = *overrides.yarn_orig_ctx;
  if (overrides.yarn_ext_factor && !(*overrides.yarn_ext_factor < 0)) {
    if (!(*overrides.yarn_ext_factor <= 1)) return fail("--yarn-ext-factor is {}, wanted 0 to 1", *overrides.yarn_ext_factor);
    rope.ext_factor = *overrides.yarn_ext_factor;
  }
  const auto set = [&](const std::optional<float>& wish, std::string_view flag, float& place) -> Result<void> {
    if (!wish || *wish < 0) return {};  // as in llama.cpp, below 0 is "not given"
    PUNA_TRY(positive(flag, *wish));
    place = *wish;
    return {};
  };
  PUNA_TRY(set(overrides.yarn_attn_factor, "--yarn-attn-factor", rope.attn_factor));
  PUNA_TRY(set(overrides.yarn_beta_fast, "--yarn-beta-fast", rope.beta_fast));
  return set(overrides.yarn_beta_slow, "--yarn-beta-slow", rope.beta_slow);
}

Result<void> read_heads(const Keys& keys, HyperParams& h, const gguf::File& file) {
  h.n_heads = PUNA_TRY(keys.needed("attention.head_count", 1, 65536));
  h.n_kv_heads = PUNA_TRY(keys.integer("attention.head_count_kv", 1, 65536))
  .value_or(h.n_heads);
  if (h.n_heads % h.n_kv_heads != 0)
    return fail("{}: {} query heads cannot share {} key heads evenly ('{}')", file.name(), h.n_heads, h.n_kv_heads,
                keys.full("attention.head_count_kv"));
  const auto key_length = PUNA_TRY(keys.integer("attention.key_length", 2, 65536));
  if (!key_length && h.dim % h.n_heads != 0)
    return fail("{}: width {} does not divide into {} heads ('{}')", file.name(), h.dim, h.n_heads,
                keys.full("attention.head_count"));
  h.head_dim = key_length.value_or(h.dim / h.n_heads);
  const auto value_length = PUNA_TRY(keys.integer("attention.value_length", 2, 65536));
  if (value_length && *value_length != h.head_dim)
    return fail(ErrorKind::unsupported, "{}: key '{}' is {}, wanted {} as the keys have", file.name(),
                keys.full("attention.value_length"), *value_length, h.head_dim);
  h.rope.rope_dim = PUNA_TRY(keys.integer("rope.dimension_count", 2, h.head_dim))
  .value_or(h.head_dim);
  if (h.rope.rope_dim % 2 != 0)
    return fail("{}: key '{}' is {}, wanted an even number", file.name(), keys.full("rope.dimension_count"), h.rope.rope_dim);
  return {};
}

}  // namespace

Result<HyperParams> read_hparams(const gguf::File& file, const RopeOverrides& overrides) {
  HyperParams h;
  const auto architecture = PUNA_TRY(file.get_string("general.architecture"));
  if (!architecture) return fail("{}: key 'general.architecture' is missing", file.name());
  h.architecture = *architecture;
  const Keys keys(file, h.architecture);
  h.n_layers = PUNA_TRY(keys.needed("block_count", 1, kMaxLayers));
  h.dim = PUNA_TRY(keys.needed("embedding_length", 1, kMaxWidth));
  h.n_ctx_train = PUNA_TRY(keys.needed("context_length", 1, kMaxContext));
  h.ffn_dim = PUNA_TRY(keys.needed("feed_forward_length", 1, kMaxWidth));
  const auto eps = PUNA_TRY(keys.number("attention.layer_norm_rms_epsilon", 0, 1));
  if (!eps) return fail("{}: key '{}' is missing", file.name(), keys.full("attention.layer_norm_rms_epsilon"));
  h.norm_eps = *eps;
  PUNA_TRY(read_heads(keys, h, file));
  h.rope.freq_base = PUNA_TRY(keys.number("rope.freq_base", 1, 1e12))
  .value_or(10000.0f);
  h.local_rope_freq_base = PUNA_TRY(keys.number("rope.freq_base_swa", 1, 1e12));
  PUNA_TRY(read_scaling(keys, h, file));
  PUNA_TRY(apply(overrides, h));
  h.window = PUNA_TRY(keys.integer("attention.sliding_window", 0, kMaxContext))
  .value_or(0);
  const gguf::MetaValue* pattern = file.find(keys.full("attention.sliding_window_pattern"));
  if (pattern && pattern->type() != gguf::ValueType::array)
    h.window_pattern = PUNA_TRY(keys.integer("attention.sliding_window_pattern", 1, kMaxLayers));
  h.attention_soft_cap = PUNA_TRY(keys.number("attn_logit_softcapping", 0, 1e6))
  .value_or(0.0f);
  h.final_soft_cap = PUNA_TRY(keys.number("final_logit_softcapping", 0, 1e6))
  .value_or(0.0f);
  return h;
}

}  // namespace puna::model
