// The operations of a graph, as plain data. What an op reads and makes stands in its Node (graph.h); what it needs besides
// stands here. Shapes: T tokens of the step, S rows that need output.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "graph/rope_params.h"

namespace puna::graph {

using ValueId = std::uint32_t;
using WeightId = std::uint32_t;  // index into Graph::weights
using StoreId = std::uint32_t;   // index into Graph::stores
using DeviceId = std::uint32_t;  // index into the devices that `place` was given; 0 is the CPU

enum class Gate : std::uint8_t { silu, gelu_tanh };

// --- basic: every device of full rank has them ---

struct Embed {  // ids [T] → [T, dim]: rows of the table times a factor
  WeightId table;
  float factor = 1.0f;
};
struct RmsNorm {  // x […, dim] → the same shape: x / sqrt(mean(x²) + eps) · weight
  WeightId weight;
  float eps;
};
struct Quantize {     // x [T, k] float32 → the same as int8 rows with scales, laid out by the device
  bool fine = false;  // in two parts, for weights that feel the rounding most
};
struct Linear {  // x [T, k] → [T, rows of the weight]; float32 or quantized x
  WeightId weight;
  std::optional<WeightId> bias;
};
struct RopeTable {  // positions [T] → [T, rope_dim]: cosines and sines, once for all layers that turn alike
  RopeParams params;
  std::optional<WeightId> factors;  // [rope_dim / 2], llama3's and long contexts' divisors
};
struct Rope {  // x [T, heads, head_dim], table → x turned
  bool interleaved;
};
struct KvWrite {  // k, v [T, kv_heads, head_dim] → the store
  StoreId store;
};
struct Attend {  // q [T, heads, head_dim] → the same shape, over what the store holds up to each row's position
  StoreId store;
  float scale;
  float soft_cap = 0;  // 0: none
};
struct Add {};  // a, b of one shape
struct Gated {  // gate, up [T, n] → act(gate) · up
  Gate act;
};
struct SoftCap {  // x → cap · tanh(x / cap)
  float cap;
};
struct GetRows {};   // x [T, …], rows [S] → [S, …]
struct Transfer {};  // x on one device → x on this node's device; set by `cut`

// --- coarse: `lower` makes basic ones of them where the device refuses ---

struct Qkv {  // x [T, dim] → q [T, heads, head_dim], k and v [T, kv_heads, head_dim]
  WeightId q, k, v;
  std::optional<WeightId> q_bias, k_bias, v_bias;
};
struct GatedFfn {  // x [T, dim] → down(act(gate(x)) · up(x))
  WeightId gate, up, down;
  std::optional<WeightId> gate_bias, up_bias, down_bias;
  Gate act;
};

// --- fused: `fuse` makes them of neighbours where the device accepts ---

struct RmsNormQuantize {  // RmsNorm whose result is only wanted quantized
  WeightId weight;
  float eps;
  bool fine = false;
};
struct GatedQuantize {  // Gated whose result is only wanted quantized
  Gate act;
  bool fine = false;
};
struct RopeKvWrite {  // k [T, kv_heads, head_dim], table, v → the store, k turned on the way
  StoreId store;
  bool interleaved;
};

using Op = std::variant<Embed, RmsNorm, Quantize, Linear, RopeTable, Rope, KvWrite, Attend, Add, Gated, SoftCap, GetRows,
                        Transfer, Qkv, GatedFfn, RmsNormQuantize, GatedQuantize, RopeKvWrite>;

std::string_view name(const Op& op);  // "rms_norm", …

// For std::visit over a few kinds of op.
template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace puna::graph
