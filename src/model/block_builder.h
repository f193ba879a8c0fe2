// What a family's file writes a layer with. Weights are asked for by name; what the file lacks, or has in another shape,
// is remembered as the first error, and the graph goes on with the wanted shape, so that a family needs no error handling.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/reader.h"
#include "graph/builder.h"
#include "model/hparams.h"

namespace puna::model {

using graph::ValueId;

// A layer group shares one set of block tables: layers with the same window.
struct CacheGroup {
  std::string name;         // "full", "window 512"
  std::int64_t window = 0;  // 0: full attention
};

// Collects weights of one graph, with where their bytes lie in the file.
class WeightSource {
 public:
  WeightSource(const gguf::File& file, graph::Builder& builder) : file_(file), builder_(builder) {}

  bool has(const std::string& name) const { return file_.find_tensor(name) != nullptr; }
  // Shapes as GGUF writes them: a matrix [row, n_rows] has rows of `row` elements. n_rows 0: a vector.
  graph::WeightId matrix(const std::string& name, std::int64_t row, std::int64_t n_rows) {
    return get({name, {}, row, n_rows, false}, false);
  }
  // One whose inputs' rounding the answer feels most. Measured: with int8 inputs of queries, keys, values and the head, the
  // answer is twice as far from the exact one as with fine inputs there; they are a tenth of the work.
  graph::WeightId sensitive_matrix(const std::string& name, std::int64_t row, std::int64_t n_rows) {
    return get({name, {}, row, n_rows, true}, false);
  }
  // Vectors meet float32 arithmetic as they are.
  graph::WeightId vector(const std::string& name, std::int64_t n) { return get({name, {}, n, 1, false}, true); }

  const std::vector<const std::byte*>& data() const { return data_; }  // by WeightId
  Result<void> status() const { return first_error_ ? Result<void>(std::unexpected(*first_error_)) : Result<void>(); }

 private:
  graph::WeightId get(graph::WeightInfo wanted, bool is_vector);  // the type is the file's to say
  void remember(Error error) {
    if (!first_error_) first_error_ = std::move(error);
  }

  const gguf::File& file_;
  graph::Builder& builder_;
  std::vector<const std::byte*> data_;
  std::optional<Error> first_error_;
};

// One layer's attention, as its family wants it.
struct AttentionShape {
  float scale = 0;
  float soft_cap = 0;
  std::int64_t window = 0;
};

class Block {
 public:
  struct Shared {  // by all layers of a graph
    const HyperParams& hparams;
    graph::Builder& builder;
    WeightSource& weights;
    ValueId positions;
    std::vector<CacheGroup>& groups;
    bool interleaved_rope;
    // One table for every set of rope parameters that the layers use.
    std::vector<std::pair<graph::RopeParams, ValueId>> rope_tables{};
  };
  Block(Shared& shared, std::int64_t layer) : shared_(shared), layer_(layer), rope_(shared.hparams.rope) {}

  const HyperParams& hparams() const { return shared_.hparams; }
  std::int64_t layer() const { return layer_; }
  bool has(std::string_view name) const;  // is there a tensor blk.N.name.weight?

  ValueId rms_norm(ValueId x, std::string_view weight);  // over the last dimension
  struct QkvValues {
    ValueId q, k, v;  // [T, heads, head_dim]; [T, kv_heads, head_dim] twice
  };
  QkvValues qkv(ValueId x);                                       // with biases where the file has them
  void set_rope(const graph::RopeParams& rope) { rope_ = rope; }  // for this layer, instead of the model's
  ValueId rope(ValueId x);
  ValueId attend(QkvValues qkv, const AttentionShape& shape);  // writes k and v to this layer's store; [T, heads · head_dim]
  ValueId linear(ValueId x, std::string_view weight, std::int64_t n_out);
  ValueId gated_ffn(ValueId x, graph::Gate act);
  ValueId add(ValueId a, ValueId b);

 private:
  std::string full(std::string_view name, std::string_view kind = "weight") const {
    return fmt::format("blk.{}.{}.{}", layer_, name, kind);
  }
  std::optional<graph::WeightId> bias(std::string_view name, std::int64_t n);
  std::size_t group_of(std::int64_t window);

  Shared& shared_;
  std::int64_t layer_;
  graph::RopeParams rope_;
};

}  // namespace puna::model
