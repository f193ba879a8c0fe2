// Llama 1 to 3, Mistral, SmolLM and their kin (arXiv 2302.13971, 2407.21783, 2310.06825).
#include <cmath>

#include "model/families/families.h"

namespace puna::model {

ValueId llama_block(Block& b, ValueId x) {  // x: [T, dim]
  const HyperParams& h = b.hparams();
  auto [q, k, v] = b.qkv(b.rms_norm(x, "attn_norm"));
  // A window is Mistral's first generation's; it holds for every layer.
  const AttentionShape shape{.scale = 1.0f / std::sqrt(static_cast<float>(h.head_dim)), .window = h.window};
  const ValueId mixed = b.attend({b.rope(q), b.rope(k), v}, shape);
  x = b.add(x, b.linear(mixed, "attn_output", h.dim));
  return b.add(x, b.gated_ffn(b.rms_norm(x, "ffn_norm"), graph::Gate::silu));
}

}  // namespace puna::model
