// The passes, on small graphs and made-up devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/check.h"
#include "graph/builder.h"
#include "graph/passes.h"

namespace puna::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kDim = 64, kFfn = 128, kHeads = 4, kKvHeads = 2, kHeadDim = 16;

WeightInfo matrix(const std::string& name, std::int64_t row, std::int64_t n_rows) {
  return {name, tensor::DType::Q8_0, row, n_rows};
}

// A model of `n_layers` layers as the families write it, its head behind it.
Graph small_model(int n_layers) {
  Builder b("model");
  const ValueId ids = b.input("ids", {kTokens, {}}, Format::i32);
  const ValueId positions = b.input("positions", {kTokens, {}}, Format::i32);
  const ValueId rows = b.input("rows", {kRows, {}}, Format::i32);
  b.set_scope("embedding");
  ValueId x = b.add(Embed{b.weight(matrix("embd", kDim, 100))}, {ids});
  const ValueId table = b.add(RopeTable{{.rope_dim = kHeadDim}, {}}, {positions});
  for (int i = 0; i < n_layers; ++i) {
    const std::string blk = "blk." + std::to_string(i);
    b.set_scope(blk);
    const auto weight = [&](const std::string& name, std::int64_t row, std::int64_t n_rows) {
      return b.weight(matrix(blk + name, row, n_rows));
    };
    const WeightId norm = b.weight({blk + ".norm", tensor::DType::F32, kDim, 1});
    const ValueId h = b.add(RmsNorm{norm, 1e-5f}, {x});
    const auto qkv = b.add_many(Qkv{weight(".q", kDim, 64), weight(".k", kDim, 32), weight(".v", kDim, 32), {}, {}, {}}, {h});
    b.reshape(qkv[0], {kHeads, kHeadDim});
    b.reshape(qkv[1], {kKvHeads, kHeadDim});
    b.reshape(qkv[2], {kKvHeads, kHeadDim});
    const StoreId store = b.store({blk, 0, kKvHeads, kHeadDim, 0});
    const ValueId q = b.add(Rope{false}, {qkv[0], table}), k = b.add(Rope{false}, {qkv[1], table});
    b.add_many(KvWrite{store}, {k, qkv[2]});
    const ValueId mixed = b.add(Attend{store, 0.25f}, {q});
    x = b.add(Add{}, {x, b.add(Linear{weight(".o", 64, kDim), {}}, {mixed})});
    const ValueId ffn = b.add(RmsNorm{norm, 1e-5f}, {x});
    x = b.add(
        Add{},
        {x, b.add(
                GatedFfn{
                    weight(".gate", kDim, kFfn), weight(".up", kDim, kFfn), weight(".down", kFfn, kDim), {}, {}, {}, Gate::silu},
                {ffn})});
  }
  b.set_scope("head");
  b.output("hidden", b.add(GetRows{}, {x, rows}));
  return std::move(b).take();
}

template <class... Refused>
Device device(const std::string& name, Packing packing, std::uint64_t memory = UINT64_MAX) {
  return {.name = name,
          .memory = memory,
          .accepts = [](const Graph&, const Op& op) { return !(std::holds_alternative<Refused>(op) || ...); },
          .packing = [packing](const WeightInfo&) { return packing; }};
}

std::vector<std::string> ops(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.emplace_back(name(node.op));
  return names;
}

std::size_t count(const Graph& graph, std::string_view op) {
  return static_cast<std::size_t>(std::ranges::count_if(graph.nodes, [&](const Node& node) { return name(node.op) == op; }));
}

// --- verify ---

TEST(Verify, AcceptsWhatTheBuilderBuilds) { EXPECT_NO_THROW(verify(small_model(2))); }

TEST(Verify, SeesAValueUsedBeforeItIsMade) {
  Graph graph = small_model(1);
  std::swap(graph.nodes[2], graph.nodes[3]);
  EXPECT_THROW(verify(graph), Bug);
}

TEST(Verify, SeesAWrongShape) {
  Graph graph = small_model(1);
  graph.values[graph.nodes[2].outputs[0]].shape.rest = {kDim + 1};
  EXPECT_THROW(verify(graph), Bug);
}

TEST(Verify, SeesAStoreReadBeforeItIsWritten) {
  Graph graph = small_model(1);
  std::erase_if(graph.nodes, [](const Node& node) { return std::holds_alternative<KvWrite>(node.op); });
  EXPECT_THROW(verify(graph), Bug);
}

TEST(Verify, SeesAnOutputThatIsNeverMade) {
  Graph graph = small_model(1);
  graph.nodes.pop_back();
  EXPECT_THROW(verify(graph), Bug);
}

TEST(Verify, SeesAValueMadeTwice) {
  Graph graph = small_model(1);
  graph.nodes.push_back(graph.nodes.back());
  EXPECT_THROW(verify(graph), Bug);
}

TEST(Builder, RefusesInputsThatDoNotFit) {
  Builder b("wrong");
  const ValueId ids = b.input("ids", {kTokens, {}}, Format::i32);
  EXPECT_THROW(b.add(Add{}, {ids, ids}), Bug);
  EXPECT_THROW(b.add(RmsNorm{0, 1e-5f}, {ids}), Bug);
  EXPECT_THROW(b.add(GetRows{}, {ids}), Bug);
}

// --- lower ---

TEST(Lower, LeavesCoarseOpsToADeviceThatTakesThem) {
  Graph graph = small_model(1);
  lower(graph, {device<>("all", Packing::float32)});
  EXPECT_EQ(count(graph, "qkv"), 1u);
  EXPECT_EQ(count(graph, "gated_ffn"), 1u);
}

TEST(Lower, ExpandsThemForOneThatDoesNot) {
  Graph graph = small_model(1);
  lower(graph, {device<Qkv, GatedFfn>("basic", Packing::float32)});
  verify(graph);
  EXPECT_THAT(ops(graph),
              ElementsAre("embed", "rope_table", "rms_norm", "linear", "linear", "linear", "rope", "rope", "kv_write", "attend",
                          "linear", "add", "rms_norm", "linear", "linear", "gated", "linear", "add", "get_rows"));
}

TEST(Lower, QuantizesAnInputOnceForAllWhoReadIt) {
  Graph graph = small_model(1);
  lower(graph, {device<Qkv, GatedFfn>("int8", Packing::int8)});
  verify(graph);
  // Of q, k, v; of the output projection; of gate and up; of down.
  EXPECT_EQ(count(graph, "quantize"), 4u);
  EXPECT_EQ(count(graph, "linear"), 7u);
}

TEST(Lower, MovesWhatADeviceRefusesToTheFirstAndNamesItOnce) {
  Graph graph = small_model(2);
  const std::vector<Device> devices{device<Qkv, GatedFfn>("cpu", Packing::float32),
                                    device<Qkv, GatedFfn, Attend>("gpu", Packing::float32)};
  place(graph, devices, 100);
  EXPECT_THAT(lower(graph, devices), ElementsAre("attend"));
  for (const Node& node : graph.nodes) EXPECT_EQ(node.device, std::holds_alternative<Attend>(node.op) ? 0u : 1u) << name(node.op);
}

// --- fuse ---

TEST(Fuse, JoinsNormsGatesAndRopesWithWhatFollows) {
  Graph graph = small_model(1);
  const std::vector<Device> devices{device<Qkv, GatedFfn>("int8", Packing::int8)};
  lower(graph, devices);
  fuse(graph, devices);
  verify(graph);
  EXPECT_THAT(ops(graph), ElementsAre("embed", "rope_table", "rms_norm_quantize", "linear", "linear", "linear", "rope",
                                      "rope_kv_write", "attend", "quantize", "linear", "add", "rms_norm_quantize", "linear",
                                      "linear", "gated_quantize", "linear", "add", "get_rows"));
}

TEST(Fuse, JoinsNothingThatTheDeviceRefuses) {
  Graph graph = small_model(1);
  const std::vector<Device> devices{device<Qkv, GatedFfn, RmsNormQuantize, GatedQuantize, RopeKvWrite>("plain", Packing::int8)};
  lower(graph, devices);
  const auto before = ops(graph);
  fuse(graph, devices);
  EXPECT_EQ(ops(graph), before);
}

TEST(Fuse, KeepsAValueThatSomeoneElseReads) {
  Builder b("two readers");
  const ValueId x = b.input("x", {kTokens, {kDim}}, Format::f32);
  const ValueId normed = b.add(RmsNorm{b.weight({"norm", tensor::DType::F32, kDim, 1}), 1e-5f}, {x});
  b.output("product", b.add(Linear{b.weight(matrix("w", kDim, kDim)), {}}, {normed}));
  b.output("normed", normed);
  Graph graph = std::move(b).take();
  const std::vector<Device> devices{device<>("int8", Packing::int8)};
  lower(graph, devices);
  fuse(graph, devices);
  verify(graph);
  EXPECT_THAT(ops(graph), ElementsAre("rms_norm", "quantize", "linear"));
}

// --- place and cut ---

TEST(Place, GivesTheLastLayersToTheSecondDeviceAsFarAsItsMemoryGoes) {
  Graph graph = small_model(4);
  // A layer's matrices: q 64, k and v 32, o 64, gate and up 128 rows of 64; down 64 of 128, at 34 bytes per 32.
  const std::uint64_t layer = (64 + 32 + 32 + 64 + 128 + 128) * 68 + 64 * 136 + kDim * 4;
  place(graph, {device<>("cpu", Packing::int8), device<>("gpu", Packing::int8, 2 * layer)}, 100);
  for (const Node& node : graph.nodes) {
    const bool last_two = node.scope == "blk.2" || node.scope == "blk.3" || node.scope == "head";
    EXPECT_EQ(node.device, last_two ? 1u : 0u) << node.scope;
  }
}

TEST(Place, MovesNoMoreLayersThanAskedFor) {
  Graph graph = small_model(4);
  place(graph, {device<>("cpu", Packing::int8), device<>("gpu", Packing::int8)}, 2);  // the head counts as one
  for (const Node& node : graph.nodes)
    EXPECT_EQ(node.device, node.scope == "blk.3" || node.scope == "head" ? 1u : 0u) << node.scope;
}

TEST(Cut, CopiesWhereDevicesMeetAndOnlyThere) {
  Graph graph = small_model(2);
  const std::vector<Device> devices{device<Qkv, GatedFfn>("cpu", Packing::float32),
                                    device<Qkv, GatedFfn>("gpu", Packing::float32)};
  place(graph, devices, 2);
  lower(graph, devices);
  fuse(graph, devices);
  const std::vector<Segment> segments = cut(graph);
  verify(graph);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].last, segments[1].first);
  EXPECT_EQ(segments[1].last, graph.nodes.size());
  // The residual stream, the rope table, the wanted rows: each crosses once, however many read it.
  EXPECT_EQ(count(graph, "transfer"), 3u);
  for (const Segment& segment : segments)
    for (std::size_t i = segment.first; i < segment.last; ++i) EXPECT_EQ(graph.nodes[i].device, segment.device);
}

TEST(Cut, OfOneDeviceIsOneSegment) {
  Graph graph = small_model(3);
  EXPECT_EQ(cut(graph).size(), 1u);
  EXPECT_EQ(count(graph, "transfer"), 0u);
}

// --- plan ---

std::size_t float_rows(const ValueInfo& value) { return static_cast<std::size_t>(value.shape.row_elements()) * 4; }

TEST(Plan, GivesOverlappingLivesSeparatePlaces) {
  Graph graph = small_model(3);
  lower(graph, {device<Qkv, GatedFfn>("basic", Packing::int8)});
  const MaxSizes sizes{{32, 8}};
  const ArenaPlan arena = plan(graph, sizes, float_rows);
  struct Life {
    std::size_t first, last, begin, end;
  };
  std::vector<Life> lives;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId id : graph.nodes[i].outputs) {
      std::size_t last = i;
      for (std::size_t j = i; j < graph.nodes.size(); ++j)
        if (std::ranges::count(graph.nodes[j].inputs, id)) last = j;
      if (id == graph.outputs[0].value) last = graph.nodes.size();
      const std::size_t bytes =
          static_cast<std::size_t>(sizes.of_symbol[graph.values[id].shape.lead]) * float_rows(graph.values[id]);
      EXPECT_EQ(arena.offset[id] % 64, 0u);
      EXPECT_LE(arena.offset[id] + bytes, arena.bytes);
      lives.push_back({i, last, arena.offset[id], arena.offset[id] + bytes});
      sum += bytes;
    }
  for (std::size_t a = 0; a < lives.size(); ++a)
    for (std::size_t b = a + 1; b < lives.size(); ++b) {
      const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
      if (together) {
        EXPECT_TRUE(lives[a].end <= lives[b].begin || lives[b].end <= lives[a].begin) << a << " and " << b;
      }
    }
  EXPECT_LT(arena.bytes * 4, sum);  // places are used again
}

TEST(Plan, DoesNotGrowWithTheNumberOfLayers) {
  const MaxSizes sizes{{32, 8}};
  EXPECT_EQ(plan(small_model(2), sizes, float_rows).bytes, plan(small_model(20), sizes, float_rows).bytes);
}

// --- dump ---

TEST(Dump, NamesOpsWeightsAndShapes) {
  const std::string text = dump(small_model(1));
  EXPECT_THAT(text, HasSubstr("rms_norm(%3) blk.0.norm:F32  @blk.0"));
  EXPECT_THAT(text, HasSubstr("[T, 4, 16] f32"));
  EXPECT_THAT(text, HasSubstr("attend"));
  EXPECT_THAT(text, HasSubstr("store blk.0"));
}

}  // namespace
}  // namespace puna::graph
