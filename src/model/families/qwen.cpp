// Qwen 2 and 2.5: Llama's layer with biases on q, k and v (arXiv 2407.10671). Qwen 3: norms on the heads of q and k
// instead (arXiv 2505.09388).
#include <cmath>

#include "model/families/families.h"

namespace puna::model {

// The biases follow from the tensors present, so the layer is Llama's.
ValueId qwen2_block(Block& b, ValueId x) { return llama_block(b, x); }

ValueId qwen3_block(Block& b, ValueId x) {  // x: [T, dim]
  const HyperParams& h = b.hparams();
  auto [q, k, v] = b.qkv(b.rms_norm(x, "attn_norm"));
  q = b.rope(b.rms_norm(q, "attn_q_norm"));
  k = b.rope(b.rms_norm(k, "attn_k_norm"));
  const ValueId mixed = b.attend({q, k, v}, {.scale = 1.0f / std::sqrt(static_cast<float>(h.head_dim)), .window = h.window});
  x = b.add(x, b.linear(mixed, "attn_output", h.dim));
  return b.add(x, b.gated_ffn(b.rms_norm(x, "ffn_norm"), graph::Gate::silu));
}

}  // namespace puna::model
