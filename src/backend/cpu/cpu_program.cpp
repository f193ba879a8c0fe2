#include "backend/cpu/cpu_program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "backend/cpu/attend_step.h"
#include "backend/cpu/rope_table.h"
#include "backend/cpu/scratch.h"
#include "base/check.h"
#include "base/checked.h"

namespace puna::backend::cpu {

using graph::Node;
using graph::ValueId;

namespace {

// Rows of a weight that a kernel takes together: what is packed for this use only should still be in the nearest cache for a
// few columns, and make the most of its unpacking for many.
std::int64_t rows_at_once(std::int64_t n_columns) { return n_columns > 16 ? kPanelsAtOnce * kPanelRows : kPanelRows; }

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// visit(weight id) for the weights of norms, the biases and RoPE's factors of a node.
template <class Visit>
void each_vector(const Node& node, Visit visit) {
  if (const auto* norm = std::get_if<graph::RmsNorm>(&node.op)) visit(norm->weight);
  if (const auto* norm = std::get_if<graph::RmsNormQuantize>(&node.op)) visit(norm->weight);
  if (const auto* linear = std::get_if<graph::Linear>(&node.op); linear && linear->bias) visit(*linear->bias);
  if (const auto* rope = std::get_if<graph::RopeTable>(&node.op); rope && rope->factors) visit(*rope->factors);
}

}  // namespace

std::size_t value_row_bytes(const graph::ValueInfo& value) {
  const std::int64_t n = value.shape.row_elements();
  switch (value.format) {
    case graph::Format::int8:
      return activation_row_bytes(n);
    case graph::Format::int8_fine:
      return 2 * activation_row_bytes(n);
    case graph::Format::i32:
    case graph::Format::f32:
      break;
  }
  return static_cast<std::size_t>(n) * 4;
}

std::size_t thread_scratch(const graph::Graph& graph) {
  const std::size_t panel_bytes = PackedWeights::panel_bytes(graph);
  std::size_t bytes = 0;
  for (const Node& node : graph.nodes) {
    if (const auto* linear = std::get_if<graph::Linear>(&node.op))
      bytes = std::max(bytes, linear_scratch(graph.weights[linear->weight].row) + kPanelsAtOnce * panel_bytes);
    if (const auto* attend = std::get_if<graph::Attend>(&node.op)) {
      const graph::StoreInfo& store = graph.stores[attend->store];
      const std::int64_t heads = graph.values[node.inputs[0]].shape.rest[0];
      bytes = std::max(bytes, attend_scratch(store.head_dim, heads / store.n_kv_heads));
    }
    // A row on its way from one fused half to the other.
    for (ValueId id : node.inputs) bytes = std::max(bytes, static_cast<std::size_t>(graph.values[id].shape.row_elements()) * 4);
  }
  return round_up(bytes, std::size_t{4096});
}

std::size_t partials_floats(const graph::Graph& graph, int n_threads) {
  std::size_t floats = 0;
  for (const Node& node : graph.nodes)
    if (const auto* attend = std::get_if<graph::Attend>(&node.op)) {
      const graph::StoreInfo& store = graph.stores[attend->store];
      const std::int64_t heads = graph.values[node.inputs[0]].shape.rest[0];
      floats = std::max(floats, attend_partials_floats(store.head_dim, heads / store.n_kv_heads, n_threads));
    }
  return floats;
}

Result<std::unique_ptr<Program>> CpuProgram::make(const CompileRequest& request, const KernelTable& kernels,
                                                  const Threads& threads) {
  std::unique_ptr<CpuProgram> program(new CpuProgram(request, kernels, threads));
  const std::size_t values = round_up(program->plan_.bytes, std::size_t{4096});
  const std::size_t scratch = program->scratch_bytes_ * static_cast<std::size_t>(threads.most());
  const std::size_t n_partials = partials_floats(program->graph_, threads.most());
  program->arena_ = PUNA_TRY(os::Reservation::make(values + scratch + n_partials * sizeof(float)));
  program->scratch_base_ = program->arena_.data() + values;
  program->packed_ = PUNA_TRY(PackedWeights::make(request));
  if (request.keep_packed) program->copy_vectors();
  program->partials_ = {reinterpret_cast<float*>(program->scratch_base_ + scratch), n_partials};
  return program;
}

CpuProgram::CpuProgram(const CompileRequest& request, const KernelTable& kernels, const Threads& threads)
    : graph_(*request.graph),
      segment_(request.segment),
      plan_(graph::plan(graph_, request.sizes, value_row_bytes)),
      weights_(request.weights.begin(), request.weights.end()),
      may_release_(request.keep_packed),
      kernels_(kernels),
      threads_(threads),
      scratch_bytes_(thread_scratch(graph_)),
      input_place_(graph_.values.size(), -1) {
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) input_place_[graph_.inputs[i]] = static_cast<int>(i);
}

void CpuProgram::copy_vectors() {
  for (std::size_t i = segment_.first; i < segment_.last; ++i)
    each_vector(graph_.nodes[i], [&](graph::WeightId id) {
      const float* values = vector_weight(id);
      vectors_.emplace_back(values, values + graph_.weights[id].row * graph_.weights[id].n_rows);
      weights_[id] = reinterpret_cast<const std::byte*>(vectors_.back().data());
    });
}

bool CpuProgram::run(const StepData& step) {
  step_ = &step;
  packed_.begin_step();
  pool_ = &threads_.for_rows(std::max(step.sizes[graph::kTokens], step.sizes[graph::kRows]));
  for (std::size_t i = segment_.first; i < segment_.last;) {
    if (step.stop.stop_requested()) return false;
    const std::span<const Node> nodes = run_together(i);
    if (nodes.size() > 1)
      multiply(nodes);
    else
      std::visit([&](const auto& op) { execute(op, nodes[0]); }, nodes[0].op);
    i += nodes.size();
  }
  return true;
}

const float* CpuProgram::output(std::size_t index) const {
  return reinterpret_cast<const float*>(arena_.data() + plan_.offset[graph_.outputs.at(index).value]);
}

CpuProgram::Rows CpuProgram::rows(ValueId id) const {
  const graph::ValueInfo& value = graph_.values[id];
  const std::int64_t n = step_->sizes[value.shape.lead];
  const int place = input_place_[id];
  // Inputs are only read; one pointer type serves both.
  std::byte* data = place < 0 ? arena_.data() + plan_.offset[id]
                              : static_cast<std::byte*>(const_cast<void*>(step_->inputs[static_cast<std::size_t>(place)]));
  return {data, value_row_bytes(value), n};
}

template <class Body>
void CpuProgram::for_rows(std::int64_t n, std::int64_t row_elements, Body&& body) const {
  constexpr std::int64_t kWorthSharing = 4096;  // elements; below, a wake-up costs more than it saves
  if (n * row_elements < kWorthSharing)
    for (std::int64_t row = 0; row < n; ++row) body(0, row);
  else
    pool_->parallel_for(n, body);
}

void CpuProgram::execute(const graph::Embed& op, const Node& node) {
  const Rows out = rows(node.outputs[0]);
  const std::int32_t* ids = rows(node.inputs[0]).i32();
  const graph::WeightInfo& table = graph_.weights[op.table];
  const std::size_t stride = tensor::row_bytes(table.dtype, static_cast<std::size_t>(table.row));
  // Each row looked up brought its neighbours' pages with it: 64 KiB or, where the system holds files so, 2 MiB. Not within the
  // step that looked them up: its logits may be products with the same table.
  constexpr std::int64_t kMostLookups = 8;
  if (may_release_ && n_lookups_ >= kMostLookups) {
    os::release_file_pages({weights_[op.table], stride * static_cast<std::size_t>(table.n_rows)});
    n_lookups_ = 0;
  }
  n_lookups_ += out.n;
  for_rows(out.n, table.row, [&](int, std::int64_t row) {
    kernels_.dequantize_row(table.dtype, weights_[op.table] + static_cast<std::size_t>(ids[row]) * stride, table.row,
                            out.f32(row));
    if (op.factor != 1.0f) kernels_.scale(out.f32(row), op.factor, table.row, out.f32(row));
  });
}

// Norms over the last dimension: a token's row may hold several heads, each normed alone.
void CpuProgram::execute(const graph::RmsNorm& op, const Node& node) const {
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.weights[op.weight].row;
  const std::int64_t per_row = graph_.values[node.inputs[0]].shape.row_elements();
  for_rows(x.n, per_row, [&](int, std::int64_t row) {
    for (std::int64_t i = 0; i < per_row; i += width)
      kernels_.rms_norm(x.f32(row) + i, vector_weight(op.weight), op.eps, width, y.f32(row) + i);
  });
}

void CpuProgram::execute(const graph::RmsNormQuantize& op, const Node& node) const {
  const auto quantize = op.fine ? kernels_.quantize_row_fine : kernels_.quantize_row;
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.weights[op.weight].row;
  for_rows(x.n, width, [&](int thread, std::int64_t row) {
    auto* normed = reinterpret_cast<float*>(scratch(thread));
    kernels_.rms_norm(x.f32(row), vector_weight(op.weight), op.eps, width, normed);
    quantize(normed, width, y.at(row));
  });
}

void CpuProgram::execute(const graph::Quantize& op, const Node& node) const {
  const auto quantize = op.fine ? kernels_.quantize_row_fine : kernels_.quantize_row;
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.values[node.inputs[0]].shape.row_elements();
  for_rows(x.n, width, [&](int, std::int64_t row) { quantize(x.f32(row), width, y.at(row)); });
}

std::span<const Node> CpuProgram::run_together(std::size_t first) const {
  const std::span<const Node> nodes(graph_.nodes);
  std::size_t last = first + 1;
  const auto is_product_too = [&](const Node& node) {
    return std::holds_alternative<graph::Linear>(node.op) && node.inputs[0] == nodes[first].inputs[0];
  };
  if (std::holds_alternative<graph::Linear>(nodes[first].op))
    while (last < segment_.last && last - first < kProductsAtOnce && is_product_too(nodes[last])) ++last;
  return nodes.subspan(first, last - first);
}

void CpuProgram::execute(const graph::Linear&, const Node& node) { multiply({&node, 1}); }

namespace {

// Rows that one item of a loop over small weights has: as many as a kernel takes together, or fewer where all threads are then
// done sooner. Two threads have 36 panels as 12 times 3 rather than as 9 times 4.
std::int64_t rows_of_item(std::span<const std::int64_t> rows_of_weights, std::int64_t n_columns, int n_threads) {
  const std::int64_t most = rows_at_once(n_columns) / kPanelRows;
  const auto last_done = [=](std::int64_t panels) {
    std::int64_t n_items = 0;
    for (const std::int64_t n_rows : rows_of_weights) n_items += quotient_up(n_rows, panels * kPanelRows);
    return quotient_up(n_items, n_threads) * panels;
  };
  std::int64_t best = most;
  for (std::int64_t panels = most - 1; 2 * panels >= most; --panels)
    if (last_done(panels) < last_done(best)) best = panels;
  return best * kPanelRows;
}

}  // namespace

// A product on its way through a loop that it may share with others.
struct CpuProgram::Product {
  LinearArgs args;  // but for the rows and the scratch
  std::int64_t n_rows, n_items;
  PackedWeights::Part part;
  graph::WeightId weight;
};

CpuProgram::Product CpuProgram::begin_product(const Node& node) {
  const auto& op = std::get<graph::Linear>(node.op);
  const graph::WeightInfo& weight = graph_.weights[op.weight];
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  return {.args = {.type = weight.dtype,
                   .weight = weights_[op.weight],
                   .k = weight.row,
                   .row_begin = 0,
                   .row_end = 0,
                   .x = x.data,
                   .x_stride = x.stride,
                   .n_cols = x.n,
                   .y = y.f32(0),
                   .y_stride = weight.n_rows,
                   .bias = op.bias ? vector_weight(*op.bias) : nullptr,
                   .scratch = nullptr,
                   .fine = graph_.values[node.inputs[0]].format == graph::Format::int8_fine},
          .n_rows = weight.n_rows,
          .n_items = 0,
          .part = packed_.begin_use(op.weight),
          .weight = op.weight};
}

void CpuProgram::end_product(const Product& product) {
  const PackedWeights::Part& part = product.part;
  if (part.until > part.kept) {  // by one call: each interrupts all threads
    const std::size_t row_bytes = tensor::row_bytes(product.args.type, static_cast<std::size_t>(product.args.k));
    os::abandon_file_pages({product.args.weight + static_cast<std::size_t>(part.kept) * row_bytes,
                            static_cast<std::size_t>(part.until - part.kept) * row_bytes});
  }
  packed_.end_use(product.weight, part);
}

void CpuProgram::multiply(std::span<const Node> nodes) {
  if (rows(nodes[0].inputs[0]).n == 0) return;
  std::array<Product, kProductsAtOnce> room;
  std::array<std::int64_t, kProductsAtOnce> n_rows{};
  const std::span products = std::span(room).first(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    products[i] = begin_product(nodes[i]);
    n_rows[i] = products[i].n_rows;
  }
  std::int64_t per_item = rows_of_item(std::span(n_rows).first(nodes.size()), products[0].args.n_cols, pool_->size());
  // Enough items for a late thread to catch up, few enough that memory is read in long runs.
  per_item *= std::max<std::int64_t>(1, std::reduce(n_rows.begin(), n_rows.end()) / (per_item * pool_->size() * 8));
  std::int64_t n_items = 0;
  for (Product& product : products) n_items += product.n_items = quotient_up(product.n_rows, per_item);
  const bool in_float = graph_.values[nodes[0].inputs[0]].format == graph::Format::f32;
  pool_->parallel_for(n_items, [&](int thread, std::int64_t item) {
    const Product* product = products.data();
    for (; item >= product->n_items; ++product) item -= product->n_items;
    LinearArgs args = product->args;
    args.row_begin = item * per_item;
    args.row_end = std::min(product->n_rows, (item + 1) * per_item);
    args.scratch = scratch(thread);
    if (in_float)
      float_product(args, product->part);
    else
      packed_product(args, product->part);
  });
  for (const Product& product : products) end_product(product);
}

void CpuProgram::packed_product(LinearArgs args, const PackedWeights::Part& part) const {
  const std::size_t row_bytes = tensor::row_bytes(args.type, static_cast<std::size_t>(args.k));
  const auto at_row = [=](auto* first, std::int64_t row) { return first + static_cast<std::size_t>(row) * row_bytes; };
  const std::byte* file = args.weight;
  const std::int64_t begin = args.row_begin, end = args.row_end;
  const std::int64_t kept = std::clamp(part.kept, begin, end), until = std::clamp(part.until, kept, end);
  if (kept > begin) {
    args.row_end = kept;
    args.weight = at_row(part.panels, begin);
    kernels_.linear_int8(args);
  }
  const std::int64_t most = rows_at_once(args.n_cols);
  for (std::int64_t row = kept; row < end; row = args.row_end) {
    std::byte* panels = row < until ? at_row(part.panels, row) : args.scratch + linear_scratch(args.k);
    args.row_begin = row;
    args.row_end = std::min(row < until ? until : end, row + most);
    kernels_.pack_rows(
        {.type = args.type, .weight = at_row(file, row), .k = args.k, .n_rows = args.row_end - row, .out = panels});
    args.weight = panels;
    // What is packed next is on its way meanwhile.
    args.ahead = reinterpret_cast<std::intptr_t>(at_row(file, args.row_end)) - reinterpret_cast<std::intptr_t>(panels);
    kernels_.linear_int8(args);
  }
}

void CpuProgram::float_product(LinearArgs args, const PackedWeights::Part& part) const {
  const std::byte* file = args.weight;
  if (part.kept >= args.row_end) args.weight = part.panels;
  kernels_.linear_float(args);
  const std::int64_t begin = std::max(args.row_begin, part.kept), end = std::min(args.row_end, part.until);
  if (begin >= end) return;
  const std::size_t row_bytes = tensor::row_bytes(args.type, static_cast<std::size_t>(args.k));
  const std::size_t first = static_cast<std::size_t>(begin) * row_bytes,
                    bytes = static_cast<std::size_t>(end - begin) * row_bytes;
  std::memcpy(part.panels + first, file + first, bytes);
}

void CpuProgram::execute(const graph::RopeTable& op, const Node& node) const {
  const Rows out = rows(node.outputs[0]);
  const std::int32_t* positions = rows(node.inputs[0]).i32();
  graph::RopeParams params = op.params;
  params.freq_factors = op.factors ? vector_weight(*op.factors) : nullptr;
  // Sines cost far more than elements of other loops do.
  for_rows(out.n, params.rope_dim * 32, [&](int, std::int64_t row) { fill_rope_row(params, positions[row], out.f32(row)); });
}

void CpuProgram::execute(const graph::Rope& op, const Node& node) const {
  const Rows x = rows(node.inputs[0]), angles = rows(node.inputs[1]), y = rows(node.outputs[0]);
  const auto& rest = graph_.values[node.inputs[0]].shape.rest;
  const std::int64_t rope_dim = graph_.values[node.inputs[1]].shape.rest[0];
  for_rows(x.n, rest[0] * rest[1], [&](int, std::int64_t row) {
    std::memcpy(y.f32(row), x.f32(row), static_cast<std::size_t>(rest[0] * rest[1]) * sizeof(float));
    kernels_.rope({y.f32(row), rest[0], rest[1], angles.f32(row), rope_dim, op.interleaved});
  });
}

std::int64_t CpuProgram::sequence_of(std::int64_t row) const {
  const auto after = std::ranges::upper_bound(step_->sequences, row, {}, &SequenceRows::first_row);
  return after - step_->sequences.begin() - 1;
}

const std::uint32_t* CpuProgram::table(graph::StoreId store, std::int64_t sequence) const {
  return step_->block_tables[graph_.stores[store].group * step_->sequences.size() + static_cast<std::size_t>(sequence)];
}

CpuProgram::Slot CpuProgram::slot_of(graph::StoreId store, std::int64_t row) const {
  const std::int64_t sequence = sequence_of(row);
  const SequenceRows& own = step_->sequences[static_cast<std::size_t>(sequence)];
  const std::int64_t position = own.start + row - own.first_row;
  const std::int64_t block_tokens = step_->stores[store].block_tokens;
  return {table(store, sequence)[position / block_tokens], position % block_tokens};
}

// An element of a key goes to a line of its own (README.md), which takes as long as so many of other loops.
constexpr std::int64_t kWriteCost = 16;

void CpuProgram::execute(const graph::KvWrite& op, const Node& node) const {
  const Rows k = rows(node.inputs[0]), v = rows(node.inputs[1]);
  const KvView& store = step_->stores[op.store];
  for_rows(k.n, store.n_kv_heads * store.head_dim * kWriteCost, [&](int, std::int64_t row) {
    const Slot slot = slot_of(op.store, row);
    kernels_.kv_write(store, slot.block, slot.position_in_block, k.f32(row), v.f32(row));
  });
}

void CpuProgram::execute(const graph::RopeKvWrite& op, const Node& node) const {
  const Rows k = rows(node.inputs[0]), angles = rows(node.inputs[1]), v = rows(node.inputs[2]);
  const KvView& store = step_->stores[op.store];
  const std::int64_t elements = store.n_kv_heads * store.head_dim;
  const std::int64_t rope_dim = graph_.values[node.inputs[1]].shape.rest[0];
  for_rows(k.n, elements * kWriteCost, [&](int thread, std::int64_t row) {
    auto* turned = reinterpret_cast<float*>(scratch(thread));
    std::memcpy(turned, k.f32(row), static_cast<std::size_t>(elements) * sizeof(float));
    kernels_.rope({turned, store.n_kv_heads, store.head_dim, angles.f32(row), rope_dim, op.interleaved});
    const Slot slot = slot_of(op.store, row);
    kernels_.kv_write(store, slot.block, slot.position_in_block, turned, v.f32(row));
  });
}

void CpuProgram::execute(const graph::Attend& op, const Node& node) const {
  const Rows q = rows(node.inputs[0]), out = rows(node.outputs[0]);
  const KvView& store = step_->stores[op.store];
  const std::int64_t heads = graph_.values[node.inputs[0]].shape.rest[0];
  attend({.kernels = kernels_,
          .pool = *pool_,
          .sequences = step_->sequences,
          .block_tables = step_->block_tables.data() + graph_.stores[op.store].group * step_->sequences.size(),
          .shared = {.store = store,
                     .blocks = nullptr,
                     .rows = {},
                     .kv_head = 0,
                     .group = heads / store.n_kv_heads,
                     .q = q.f32(0),
                     .out = out.f32(0),
                     .row_floats = heads * store.head_dim,
                     .scale = op.scale,
                     .soft_cap = op.soft_cap,
                     .window = graph_.stores[op.store].window,
                     .scratch = nullptr},
          .scratch = scratch_base_,
          .scratch_bytes = scratch_bytes_,
          .partials = partials_});
}

void CpuProgram::execute(const graph::Add&, const Node& node) const {
  const Rows a = rows(node.inputs[0]), b = rows(node.inputs[1]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.values[node.inputs[0]].shape.row_elements();
  for_rows(y.n, width, [&](int, std::int64_t row) { kernels_.add(a.f32(row), b.f32(row), width, y.f32(row)); });
}

namespace {
Activation activation(graph::Gate gate) { return gate == graph::Gate::silu ? Activation::silu : Activation::gelu_tanh; }
}  // namespace

void CpuProgram::execute(const graph::Gated& op, const Node& node) const {
  const Rows gate = rows(node.inputs[0]), up = rows(node.inputs[1]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.values[node.inputs[0]].shape.row_elements();
  for_rows(y.n, width,
           [&](int, std::int64_t row) { kernels_.gated(activation(op.act), gate.f32(row), up.f32(row), width, y.f32(row)); });
}

void CpuProgram::execute(const graph::GatedQuantize& op, const Node& node) const {
  const auto quantize = op.fine ? kernels_.quantize_row_fine : kernels_.quantize_row;
  const Rows gate = rows(node.inputs[0]), up = rows(node.inputs[1]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.values[node.inputs[0]].shape.row_elements();
  for_rows(y.n, width, [&](int thread, std::int64_t row) {
    auto* mixed = reinterpret_cast<float*>(scratch(thread));
    kernels_.gated(activation(op.act), gate.f32(row), up.f32(row), width, mixed);
    quantize(mixed, width, y.at(row));
  });
}

void CpuProgram::execute(const graph::SoftCap& op, const Node& node) const {
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  const std::int64_t width = graph_.values[node.inputs[0]].shape.row_elements();
  for_rows(y.n, width, [&](int, std::int64_t row) { kernels_.soft_cap(x.f32(row), op.cap, width, y.f32(row)); });
}

void CpuProgram::execute(const graph::GetRows&, const Node& node) const {
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  const std::int32_t* wanted = rows(node.inputs[1]).i32();
  for (std::int64_t row = 0; row < y.n; ++row) std::memcpy(y.at(row), x.at(wanted[row]), y.stride);
}

void CpuProgram::execute(const graph::Transfer&, const Node& node) const {
  const Rows x = rows(node.inputs[0]), y = rows(node.outputs[0]);
  std::memcpy(y.data, x.data, static_cast<std::size_t>(x.n) * x.stride);
}

void CpuProgram::execute(const graph::Qkv&, const Node&) const { raise_bug("coarse ops are lowered", __FILE__, __LINE__, "qkv"); }
void CpuProgram::execute(const graph::GatedFfn&, const Node&) const {
  raise_bug("coarse ops are lowered", __FILE__, __LINE__, "gated_ffn");
}

}  // namespace puna::backend::cpu
