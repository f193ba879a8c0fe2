// How the next token is drawn, and when an answer ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/grammar_options.h"
#include "cli/options.h"
#include "engine/engine.h"
#include "sample/params.h"

namespace puna::cli {

struct GenerationOptions {
  sample::Params sampling;
  std::optional<std::uint64_t> seed;  // empty: another one each time
  std::int64_t n_predict = -1;
  bool ignore_end = false;  // --ignore-eos
  bool stop_at_end = true;  // --no-stop
  bool context_shift = false;
  std::optional<std::int64_t> n_keep;
  std::vector<std::string> stops = {};  // -r: texts that end an answer
  GrammarOptions grammar = {};
  std::shared_ptr<const text::grammar::Constraint> constraint = {};  // what set_constraint() made of it
};

void add_generation_options(Table& table, GenerationOptions& options);
void add_sampling_options(Table& table, GenerationOptions& options);

// Errors: sampling values without a meaning, by flag; said before a model is brought or loaded.
Result<void> check_sampling(const GenerationOptions& options);

// What the answers must look like, in the engine's tokens. Errors: a grammar that names tokens which the model lacks, or that is
// too large.
Result<void> set_constraint(GenerationOptions& options, std::optional<text::grammar::Grammar> grammar,
                            const engine::Engine& engine);

// A request without its prompt. `n_vocab` bounds what a logit bias may name. Errors: values without a meaning, by flag.
Result<engine::Request> make_request(const GenerationOptions& options, std::int64_t n_vocab);

// "15043+1.5", "15043-1", "15043-inf"
Result<std::pair<TokenId, float>> parse_logit_bias(std::string_view text);

}  // namespace puna::cli
