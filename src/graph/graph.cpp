#include "graph/graph.h"

#include <fmt/format.h>

#include <set>

#include "base/check.h"

namespace puna::graph {

std::string_view name(const Op& op) {
  static constexpr std::string_view kNames[] = {"embed",
                                                "rms_norm",
                                                "quantize",
                                                "linear",
                                                "rope_table",
                                                "rope",
                                                "kv_write",
                                                "attend",
                                                "add",
                                                "gated",
                                                "soft_cap",
                                                "get_rows",
                                                "transfer",
                                                "qkv",
                                                "gated_ffn",
                                                "rms_norm_quantize",
                                                "gated_quantize",
                                                "rope_kv_write"};
  static_assert(std::size(kNames) == std::variant_size_v<Op>);
  return kNames[op.index()];
}

std::vector<WeightId> weights_of(const Op& op) {
  std::vector<WeightId> found;
  const auto add = [&](std::optional<WeightId> id) {
    if (id) found.push_back(*id);
  };
  std::visit(Overloaded{[&](const Embed& o) { add(o.table); }, [&](const RmsNorm& o) { add(o.weight); },
                        [&](const RmsNormQuantize& o) { add(o.weight); }, [&](const Linear& o) { add(o.weight), add(o.bias); },
                        [&](const RopeTable& o) { add(o.factors); },
                        [&](const Qkv& o) { add(o.q), add(o.k), add(o.v), add(o.q_bias), add(o.k_bias), add(o.v_bias); },
                        [&](const GatedFfn& o) {
                          add(o.gate), add(o.up), add(o.down), add(o.gate_bias), add(o.up_bias), add(o.down_bias);
                        },
                        [](const auto&) {}},
             op);
  return found;
}

std::optional<StoreId> store_of(const Op& op) {
  return std::visit(
      Overloaded{[](const KvWrite& o) { return std::optional(o.store); },
                 [](const RopeKvWrite& o) { return std::optional(o.store); },
                 [](const Attend& o) { return std::optional(o.store); }, [](const auto&) { return std::optional<StoreId>(); }},
      op);
}

namespace {

// Shapes and formats of what each op makes. One overload an op; a broken rule is a Bug that names the op.
class Inference {
 public:
  Inference(const Graph& graph, const Op& op, const std::vector<ValueId>& inputs) : graph_(graph), op_(op), inputs_(inputs) {}

  std::vector<ValueInfo> run() {
    return std::visit([this](const auto& o) { return make(o); }, op_);
  }

 private:
  const ValueInfo& in(std::size_t i) const {
    need(i < inputs_.size(), "an input is missing");
    need(inputs_[i] < graph_.values.size(), "an input does not exist");
    return graph_.values[inputs_[i]];
  }
  const WeightInfo& weight(WeightId id) const {
    need(id < graph_.weights.size(), "a weight does not exist");
    return graph_.weights[id];
  }
  const StoreInfo& store(StoreId id) const {
    need(id < graph_.stores.size(), "a store does not exist");
    return graph_.stores[id];
  }
  void need(bool holds, const char* what) const {
    PUNA_CHECK(holds, fmt::format("graph {}: {}: {}", graph_.name, name(op_), what));
  }
  void count(std::size_t n) const { need(inputs_.size() == n, "number of inputs"); }
  void is_f32(std::size_t i) const { need(in(i).format == Format::f32, "wants float32"); }
  std::int64_t last(std::size_t i) const {
    need(!in(i).shape.rest.empty(), "wants rows");
    return in(i).shape.rest.back();
  }

  using Made = std::vector<ValueInfo>;
  static ValueInfo value(Shape shape, Format format = Format::f32) { return {{}, std::move(shape), format}; }

  Made make(const Embed& o) const {
    count(1);
    need(in(0).format == Format::i32, "wants ids");
    return {value({in(0).shape.lead, {weight(o.table).row}})};
  }
  Made norm(WeightId id, Format format) const {
    count(1), is_f32(0);
    need(weight(id).row == last(0) && weight(id).n_rows == 1, "width of the weight");
    return {value(in(0).shape, format)};
  }
  Made make(const RmsNorm& o) const { return norm(o.weight, Format::f32); }
  static Format quantized(bool fine) { return fine ? Format::int8_fine : Format::int8; }
  Made make(const RmsNormQuantize& o) const { return norm(o.weight, quantized(o.fine)); }
  Made make(const Quantize& o) const {
    count(1), is_f32(0);
    return {value({in(0).shape.lead, {in(0).shape.row_elements()}}, quantized(o.fine))};
  }
  Made make(const Linear& o) const {
    count(1);
    need(in(0).format != Format::i32, "wants numbers");
    need(in(0).shape.row_elements() == weight(o.weight).row, "width of the weight");
    if (o.bias) need(weight(*o.bias).row == weight(o.weight).n_rows, "width of the bias");
    return {value({in(0).shape.lead, {weight(o.weight).n_rows}})};
  }
  Made make(const RopeTable& o) const {
    count(1);
    need(in(0).format == Format::i32, "wants positions");
    if (o.factors) need(weight(*o.factors).row * 2 == o.params.rope_dim, "number of rope factors");
    return {value({in(0).shape.lead, {o.params.rope_dim}})};
  }
  void turns(std::size_t x, std::size_t table) const {
    is_f32(x), is_f32(table);
    need(in(x).shape.rest.size() == 2 && last(table) <= last(x) && last(table) % 2 == 0, "head width and rope table");
  }
  Made make(const Rope&) const {
    count(2), turns(0, 1);
    return {value(in(0).shape)};
  }
  void fits(std::size_t i, StoreId id) const {
    is_f32(i);
    need(in(i).shape.rest == std::vector<std::int64_t>{store(id).n_kv_heads, store(id).head_dim}, "shape of the store");
  }
  Made make(const KvWrite& o) const {
    count(2), fits(0, o.store), fits(1, o.store);
    return {};
  }
  Made make(const RopeKvWrite& o) const {
    count(3), turns(0, 1), fits(0, o.store), fits(2, o.store);
    return {};
  }
  Made make(const Attend& o) const {
    count(1), is_f32(0);
    const auto& rest = in(0).shape.rest;
    need(rest.size() == 2 && rest[1] == store(o.store).head_dim && rest[0] % store(o.store).n_kv_heads == 0,
         "heads of the store");
    return {value(in(0).shape)};
  }
  Made make(const Add&) const {
    count(2), is_f32(0), is_f32(1);
    need(in(0).shape.lead == in(1).shape.lead && in(0).shape.row_elements() == in(1).shape.row_elements(), "two equal shapes");
    return {value(in(0).shape)};
  }
  Made gated(Format format) const {
    count(2), is_f32(0), is_f32(1);
    need(in(0).shape == in(1).shape, "two equal shapes");
    return {value(in(0).shape, format)};
  }
  Made make(const Gated&) const { return gated(Format::f32); }
  Made make(const GatedQuantize& o) const { return gated(quantized(o.fine)); }
  Made make(const SoftCap&) const {
    count(1), is_f32(0);
    return {value(in(0).shape)};
  }
  Made make(const GetRows&) const {
    count(2), is_f32(0);
    need(in(1).format == Format::i32 && in(1).shape.rest.empty(), "wants row numbers");
    return {value({in(1).shape.lead, in(0).shape.rest})};
  }
  Made make(const Transfer&) const {
    count(1);
    return {value(in(0).shape, in(0).format)};
  }
  Made make(const Qkv& o) const {
    count(1), is_f32(0);
    Made made;
    for (WeightId id : {o.q, o.k, o.v}) {
      need(weight(id).row == last(0), "width of the weights");
      made.push_back(value({in(0).shape.lead, {weight(id).n_rows}}));
    }
    return made;
  }
  Made make(const GatedFfn& o) const {
    count(1), is_f32(0);
    need(weight(o.gate).row == last(0) && weight(o.up).row == last(0), "width of gate and up");
    need(weight(o.gate).n_rows == weight(o.down).row && weight(o.up).n_rows == weight(o.down).row, "width of down");
    return {value({in(0).shape.lead, {weight(o.down).n_rows}})};
  }

  const Graph& graph_;
  const Op& op_;
  const std::vector<ValueId>& inputs_;
};

std::string shape_text(const Graph& graph, const ValueInfo& info) {
  static constexpr std::string_view kFormats[] = {"i32", "f32", "int8", "int8_fine"};
  std::string text = fmt::format("[{}", graph.symbols.at(info.shape.lead));
  for (std::int64_t n : info.shape.rest) text += fmt::format(", {}", n);
  return fmt::format("{}] {}", text, kFormats[static_cast<int>(info.format)]);
}

std::string value_list(const Graph& graph, const std::vector<ValueId>& ids, bool with_shape) {
  std::string text;
  for (ValueId id : ids) {
    if (!text.empty()) text += ", ";
    text += fmt::format("%{}", id);
    if (!graph.values[id].name.empty()) text.append(":").append(graph.values[id].name);
    if (with_shape) text.append(" ").append(shape_text(graph, graph.values[id]));
  }
  return text;
}

}  // namespace

std::vector<ValueInfo> infer(const Graph& graph, const Op& op, const std::vector<ValueId>& inputs) {
  return Inference(graph, op, inputs).run();
}

void verify(const Graph& graph) {
  std::vector<bool> made(graph.values.size(), false);
  const auto define = [&](ValueId id, std::string_view by) {
    PUNA_CHECK(id < graph.values.size(), fmt::format("graph {}: {} makes value {}, which does not exist", graph.name, by, id));
    PUNA_CHECK(!made[id], fmt::format("graph {}: {} makes value {} a second time", graph.name, by, id));
    made[id] = true;
  };
  for (ValueId id : graph.inputs) define(id, "the input list");
  std::set<StoreId> written;
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.inputs)
      PUNA_CHECK(id < made.size() && made[id],
                 fmt::format("graph {}: {} in {} reads value {} before it is made", graph.name, name(node.op), node.scope, id));
    for (WeightId id : weights_of(node.op)) PUNA_CHECK(id < graph.weights.size(), "a weight that does not exist");
    if (auto store = store_of(node.op)) {
      if (std::holds_alternative<Attend>(node.op))
        PUNA_CHECK(written.contains(*store),
                   fmt::format("graph {}: {} attends to a store that nothing wrote", graph.name, node.scope));
      else
        written.insert(*store);
    }
    const std::vector<ValueInfo> wanted = infer(graph, node.op, node.inputs);
    PUNA_CHECK(wanted.size() == node.outputs.size(), fmt::format("graph {}: outputs of {}", graph.name, name(node.op)));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      define(node.outputs[i], name(node.op));
      const ValueInfo& found = graph.values[node.outputs[i]];
      PUNA_CHECK(found.format == wanted[i].format && found.shape.lead == wanted[i].shape.lead &&
                     found.shape.row_elements() == wanted[i].shape.row_elements(),
                 fmt::format("graph {}: {} in {} makes {}, not {}", graph.name, name(node.op), node.scope,
                             shape_text(graph, wanted[i]), shape_text(graph, found)));
    }
  }
  for (const Output& output : graph.outputs)
    PUNA_CHECK(output.value < made.size() && made[output.value],
               fmt::format("graph {}: output {} is never made", graph.name, output.name));
}

std::string dump(const Graph& graph) {
  std::string text = fmt::format("graph {} ({}) -> ", graph.name, value_list(graph, graph.inputs, true));
  for (const Output& output : graph.outputs) text += fmt::format("{} = %{} ", output.name, output.value);
  text += "\n";
  for (const Node& node : graph.nodes) {
    text += "  ";
    if (!node.outputs.empty()) text += value_list(graph, node.outputs, true) + " = ";
    text += fmt::format("{}({})", name(node.op), value_list(graph, node.inputs, false));
    for (WeightId id : weights_of(node.op))
      text += fmt::format(" {}:{}", graph.weights[id].name, tensor::name(graph.weights[id].dtype));
    if (auto store = store_of(node.op)) text += fmt::format(" store {}", graph.stores[*store].name);
    text += fmt::format("  @{} dev{}\n", node.scope, node.device);
  }
  return text;
}

}  // namespace puna::graph
