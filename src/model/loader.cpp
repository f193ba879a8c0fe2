#include "model/loader.h"

#include <optional>

#include "base/log.h"
#include "model/family.h"
#include "model/page_mapper.h"
#include "model/vocabulary.h"

namespace puna::model {
namespace {

using graph::Format;
using graph::Shape;

Result<GraphWithWeights> build_body(const Family& family, const gguf::File& file, const HyperParams& h,
                                    std::vector<CacheGroup>& groups) {
  graph::Builder builder("body");
  WeightSource weights(file, builder);
  const ValueId ids = builder.input("ids", Shape{graph::kTokens, {}}, Format::i32);
  const ValueId positions = builder.input("positions", Shape{graph::kTokens, {}}, Format::i32);
  const ValueId rows = builder.input("rows", Shape{graph::kRows, {}}, Format::i32);
  builder.set_scope("embedding");
  const float factor = family.embedding_factor ? family.embedding_factor(h) : 1.0f;
  ValueId x = builder.add(graph::Embed{weights.matrix("token_embd.weight", h.dim, h.n_vocab), factor}, {ids});
  Block::Shared shared{h, builder, weights, positions, groups, family.interleaved_rope};
  for (std::int64_t layer = 0; layer < h.n_layers; ++layer) {
    builder.set_scope(fmt::format("blk.{}", layer));
    Block block(shared, layer);
    x = family.block(block, x);
    PUNA_TRY(weights.status());  // before a hostile layer count builds a million more
  }
  builder.set_scope("head");
  x = builder.add(graph::GetRows{}, {x, rows});
  x = builder.add(graph::RmsNorm{weights.vector("output_norm.weight", h.dim), h.norm_eps}, {x});
  builder.output("hidden", x);
  PUNA_TRY(weights.status());
  return GraphWithWeights{std::move(builder).take(), weights.data()};
}

Result<GraphWithWeights> build_head(const gguf::File& file, const HyperParams& h) {
  graph::Builder builder("head");
  WeightSource weights(file, builder);
  const ValueId hidden = builder.input("hidden", Shape{graph::kRows, {h.dim}}, Format::f32);
  builder.set_scope("head");
  // Without a matrix of its own the output is tied to the embedding.
  const char* name = file.find_tensor("output.weight") ? "output.weight" : "token_embd.weight";
  ValueId logits = builder.add(graph::Linear{weights.sensitive_matrix(name, h.dim, h.n_vocab), {}}, {hidden});
  if (h.final_soft_cap > 0) logits = builder.add(graph::SoftCap{h.final_soft_cap}, {logits});
  builder.output("logits", logits);
  PUNA_TRY(weights.status());
  return GraphWithWeights{std::move(builder).take(), weights.data()};
}

Result<const Family*> family_of(const gguf::File& file, const std::string& architecture) {
  if (const Family* family = find_family(architecture)) return family;
  std::string known;
  for (const Family& family : families()) known += fmt::format("{}{}", known.empty() ? "" : ", ", family.architecture);
  auto problem =
      error(ErrorKind::unsupported, "{}: unknown architecture '{}', wanted one of: {}", file.name(), architecture, known);
  return std::unexpected(std::move(problem).with_hint("a newer puna may know it"));
}

}  // namespace

Result<Model> load(gguf::File file, const LoadOptions& options) {
  const auto architecture = PUNA_TRY(file.get_string("general.architecture"));
  if (!architecture) return fail("{}: key 'general.architecture' is missing", file.name());
  const Family* family = PUNA_TRY(family_of(file, std::string(*architecture)));
  Model model{.file = std::move(file), .hparams = {}, .tokenizer = {}, .groups = {}, .body = {}, .head = {}};
  model.hparams = PUNA_TRY(read_hparams(model.file, options.rope));
  {
    std::optional<PageMapper> mapper;
    if (options.map_pages) mapper.emplace(model.file);
    model.tokenizer = PUNA_TRY(load_tokenizer(model.file, options.pre_tokenizer));
  }
  model.hparams.n_vocab = static_cast<std::int64_t>(model.tokenizer->size());
  model.body = PUNA_TRY(build_body(*family, model.file, model.hparams, model.groups));
  model.head = PUNA_TRY(build_head(model.file, model.hparams));
  const std::size_t used = model.body.graph.weights.size() + (model.file.find_tensor("output.weight") ? 1 : 0);
  if (used < model.file.tensors().size())
    log::info("{}: {} of {} tensors are not used by {}", model.file.name(), model.file.tensors().size() - used,
              model.file.tensors().size(), model.hparams.architecture);
  return model;
}

}  // namespace puna::model
