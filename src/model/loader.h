// From a GGUF file to a model that can be run: numbers, graphs, where each weight lies, the tokenizer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/reader.h"
#include "graph/graph.h"
#include "model/block_builder.h"
#include "model/hparams.h"
#include "text/tokenizer.h"

namespace puna::model {

struct LoadOptions {
  RopeOverrides rope;
  std::string pre_tokenizer;
  bool map_pages = false;  // of a mapped file's weights, on another thread while the vocabulary is read
};

struct GraphWithWeights {
  graph::Graph graph;
  std::vector<const std::byte*> weights;  // by graph::WeightId; they live as long as the file
};

struct Model {
  gguf::File file;
  HyperParams hparams;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::vector<CacheGroup> groups;
  // ids [T], positions [T], rows [S] → "hidden" [S, dim], normed, of the rows asked for
  GraphWithWeights body;
  // hidden [S, dim] → "logits" [S, n_vocab]
  GraphWithWeights head;
};

// Takes the file over. Errors name it and the key or tensor at fault; an unknown architecture lists the known ones.
Result<Model> load(gguf::File file, const LoadOptions& options = {});

}  // namespace puna::model
