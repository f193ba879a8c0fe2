// Gemma 2 (arXiv 2408.00118) and Gemma 3 (arXiv 2503.19786): norms before and after each half, local layers with a
// sliding window between global ones, GELU gates, embeddings scaled by √dim. The +1 of Gemma's norms is in the file's
// weights already.
#include <cmath>

#include "model/families/families.h"

namespace puna::model {
namespace {

constexpr std::int64_t kGemma2WindowPattern = 2;  // every 2nd layer is global
constexpr std::int64_t kGemma3WindowPattern = 6;  // every 6th layer is global: 5 local ones to 1
constexpr std::int64_t kGemma2Window = 4096;      // where the file does not say
constexpr float kGemma2AttentionSoftCap = 50.0f;  // where the file does not say
constexpr float kGemma3LocalRopeBase = 10000.0f;  // of local layers; global ones have the file's base

// The 27B models divide q·k by √(dim / heads), the others by √head_dim (`query_pre_attn_scalar` of their configurations);
// no key tells, the number of layers does.
constexpr std::int64_t kGemma2LayersOf27B = 46;
constexpr std::int64_t kGemma3LayersOf27B = 62;

float attention_scale(const HyperParams& h, std::int64_t layers_of_27b) {
  return 1.0f / std::sqrt(static_cast<float>(h.n_layers == layers_of_27b ? h.dim / h.n_heads : h.head_dim));
}

bool is_local(const Block& b, std::int64_t pattern) {
  return (b.layer() + 1) % b.hparams().window_pattern.value_or(pattern) != 0;
}

ValueId finish_block(Block& b, ValueId x, ValueId mixed) {
  const HyperParams& h = b.hparams();
  x = b.add(x, b.rms_norm(b.linear(mixed, "attn_output", h.dim), "post_attention_norm"));
  const ValueId ffn = b.gated_ffn(b.rms_norm(x, "ffn_norm"), graph::Gate::gelu_tanh);
  return b.add(x, b.rms_norm(ffn, "post_ffw_norm"));
}

}  // namespace

float gemma_embedding_factor(const HyperParams& h) { return std::sqrt(static_cast<float>(h.dim)); }

ValueId gemma2_block(Block& b, ValueId x) {  // x: [T, dim]
  const HyperParams& h = b.hparams();
  auto [q, k, v] = b.qkv(b.rms_norm(x, "attn_norm"));
  const AttentionShape shape{.scale = attention_scale(h, kGemma2LayersOf27B),
                             .soft_cap = h.attention_soft_cap > 0 ? h.attention_soft_cap : kGemma2AttentionSoftCap,
                             .window = is_local(b, kGemma2WindowPattern) ? (h.window > 0 ? h.window : kGemma2Window) : 0};
  return finish_block(b, x, b.attend({b.rope(q), b.rope(k), v}, shape));
}

ValueId gemma3_block(Block& b, ValueId x) {  // x: [T, dim]
  const HyperParams& h = b.hparams();
  const bool local = h.window > 0 && is_local(b, kGemma3WindowPattern);
  if (local) {
    graph::RopeParams rope;  // unscaled: what stretches the context is for the global layers
    rope.rope_dim = h.rope.rope_dim;
    rope.freq_base = h.local_rope_freq_base.value_or(kGemma3LocalRopeBase);
    b.set_rope(rope);
  }
  auto [q, k, v] = b.qkv(b.rms_norm(x, "attn_norm"));
  q = b.rope(b.rms_norm(q, "attn_q_norm"));
  k = b.rope(b.rms_norm(k, "attn_k_norm"));
  const AttentionShape shape{
      .scale = attention_scale(h, kGemma3LayersOf27B), .soft_cap = h.attention_soft_cap, .window = local ? h.window : 0};
  return finish_block(b, x, b.attend({q, k, v}, shape));
}

}  // namespace puna::model
