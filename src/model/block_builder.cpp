#include "model/block_builder.h"

#include <algorithm>

namespace puna::model {
namespace {

std::string shape_text(std::int64_t row, std::int64_t n_rows, bool is_vector) {
  return is_vector ? fmt::format("[{}]", row) : fmt::format("[{}, {}]", row, n_rows);
}

std::string shape_text(const gguf::TensorInfo& tensor) {
  std::string text = "[";
  for (int i = 0; i < std::max(tensor.n_dims, 1); ++i)
    text += fmt::format("{}{}", i ? ", " : "", tensor.ne[static_cast<std::size_t>(i)]);
  return text + "]";
}

}  // namespace

graph::WeightId WeightSource::get(graph::WeightInfo wanted, bool is_vector) {
  const std::string name = wanted.name;
  const std::int64_t row = wanted.row, n_rows = wanted.n_rows;
  const gguf::TensorInfo* tensor = file_.find_tensor(name);
  if (tensor) wanted.dtype = tensor->dtype;
  const graph::WeightId id = builder_.weight(std::move(wanted));
  if (id < data_.size()) return id;
  data_.push_back(tensor ? tensor->data : nullptr);
  if (!tensor) {
    remember(error(ErrorKind::invalid, "{}: tensor '{}' is missing, wanted {}", file_.name(), name,
                   shape_text(row, n_rows, is_vector)));
  } else if (tensor->ne != std::array<std::int64_t, 4>{row, n_rows, 1, 1}) {
    remember(error(ErrorKind::invalid, "{}: tensor '{}' has the shape {}, wanted {}", file_.name(), name, shape_text(*tensor),
                   shape_text(row, n_rows, is_vector)));
  } else if (is_vector && tensor->dtype != tensor::DType::F32) {
    remember(error(ErrorKind::unsupported, "{}: tensor '{}' is {}, wanted F32 as vectors are stored", file_.name(), name,
                   tensor::name(tensor->dtype)));
  } else if (is_vector && reinterpret_cast<std::uintptr_t>(tensor->data) % alignof(float) != 0) {
    remember(error(ErrorKind::invalid, "{}: tensor '{}' is not aligned to 4 bytes", file_.name(), name));
  }
  return id;
}

bool Block::has(std::string_view name) const { return shared_.weights.has(full(name)); }

std::optional<graph::WeightId> Block::bias(std::string_view name, std::int64_t n) {
  const std::string whole = full(name, "bias");
  if (!shared_.weights.has(whole)) return std::nullopt;
  return shared_.weights.vector(whole, n);
}

ValueId Block::rms_norm(ValueId x, std::string_view weight) {
  const std::int64_t width = shared_.builder.graph().values[x].shape.rest.back();
  return shared_.builder.add(graph::RmsNorm{shared_.weights.vector(full(weight), width), hparams().norm_eps}, {x});
}

Block::QkvValues Block::qkv(ValueId x) {
  const HyperParams& h = hparams();
  const std::int64_t q_width = h.n_heads * h.head_dim, kv_width = h.n_kv_heads * h.head_dim;
  graph::Qkv op;
  op.q = shared_.weights.sensitive_matrix(full("attn_q"), h.dim, q_width);
  op.k = shared_.weights.sensitive_matrix(full("attn_k"), h.dim, kv_width);
  op.v = shared_.weights.sensitive_matrix(full("attn_v"), h.dim, kv_width);
  op.q_bias = bias("attn_q", q_width);
  op.k_bias = bias("attn_k", kv_width);
  op.v_bias = bias("attn_v", kv_width);
  const auto made = shared_.builder.add_many(op, {x});
  shared_.builder.reshape(made[0], {h.n_heads, h.head_dim});
  shared_.builder.reshape(made[1], {h.n_kv_heads, h.head_dim});
  shared_.builder.reshape(made[2], {h.n_kv_heads, h.head_dim});
  return {made[0], made[1], made[2]};
}

ValueId Block::rope(ValueId x) {
  auto& tables = shared_.rope_tables;
  auto found = std::ranges::find(tables, rope_, &std::pair<graph::RopeParams, ValueId>::first);
  if (found == tables.end()) {
    graph::RopeTable op{rope_, {}};
    // Llama 3's divisors, made for the model's own base: a layer with another base does not use them.
    if (shared_.weights.has("rope_freqs.weight") && rope_ == hparams().rope)
      op.factors = shared_.weights.vector("rope_freqs.weight", rope_.rope_dim / 2);
    tables.emplace_back(rope_, shared_.builder.add(op, {shared_.positions}));
    found = tables.end() - 1;
  }
  return shared_.builder.add(graph::Rope{shared_.interleaved_rope}, {x, found->second});
}

std::size_t Block::group_of(std::int64_t window) {
  auto& groups = shared_.groups;
  const auto found = std::ranges::find(groups, window, &CacheGroup::window);
  if (found != groups.end()) return static_cast<std::size_t>(found - groups.begin());
  groups.push_back({window ? fmt::format("window {}", window) : "full", window});
  return groups.size() - 1;
}

ValueId Block::attend(QkvValues qkv, const AttentionShape& shape) {
  const HyperParams& h = hparams();
  const graph::StoreId store =
      shared_.builder.store({fmt::format("blk.{}", layer_), group_of(shape.window), h.n_kv_heads, h.head_dim, shape.window});
  shared_.builder.add_many(graph::KvWrite{store}, {qkv.k, qkv.v});
  return shared_.builder.add(graph::Attend{store, shape.scale, shape.soft_cap}, {qkv.q});
}

ValueId Block::linear(ValueId x, std::string_view weight, std::int64_t n_out) {
  const std::int64_t n_in = shared_.builder.graph().values[x].shape.row_elements();
  return shared_.builder.add(graph::Linear{shared_.weights.matrix(full(weight), n_in, n_out), bias(weight, n_out)}, {x});
}

ValueId Block::gated_ffn(ValueId x, graph::Gate act) {
  const HyperParams& h = hparams();
  graph::GatedFfn op;
  op.gate = shared_.weights.matrix(full("ffn_gate"), h.dim, h.ffn_dim);
  op.up = shared_.weights.matrix(full("ffn_up"), h.dim, h.ffn_dim);
  op.down = shared_.weights.matrix(full("ffn_down"), h.ffn_dim, h.dim);
  op.gate_bias = bias("ffn_gate", h.ffn_dim);
  op.up_bias = bias("ffn_up", h.ffn_dim);
  op.down_bias = bias("ffn_down", h.dim);
  op.act = act;
  return shared_.builder.add(op, {x});
}

ValueId Block::add(ValueId a, ValueId b) { return shared_.builder.add(graph::Add{}, {a, b}); }

}  // namespace puna::model
