// A loaded model that answers: the one door to everything below it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/result.h"
#include "base/token.h"
#include "gguf/reader.h"
#include "model/rope_overrides.h"
#include "sample/params.h"
#include "tensor/dtype.h"
#include "text/tokenizer.h"

namespace puna::text::grammar {
class Constraint;  // text/grammar/constraint.h
struct Grammar;    // text/grammar/grammar.h
}  // namespace puna::text::grammar

namespace puna::engine {

// How keys and values are kept: F32, F16, BF16, Q8_0 or Q4_0, each for itself.
struct CacheTypes {
  tensor::DType k = tensor::DType::F16;
  tensor::DType v = tensor::DType::F16;
  friend bool operator==(const CacheTypes&, const CacheTypes&) = default;
};

// The types by name, as -ctk and -ctv spell them: "f32", "f16", "bf16", "q8_0", "q4_0".
std::string cache_type_name(tensor::DType type);
std::vector<std::string> cache_type_names();
Result<tensor::DType> cache_type_named(std::string_view name);

struct Options {
  std::filesystem::path model;   // a GGUF file, or any shard of a set
  gguf::OpenOptions file;        // mmap, mlock, overrides, check_tensors
  model::RopeOverrides rope;     // --rope-*, --yarn-*; empty fields leave the model's own
  std::string pre_tokenizer;     // --pre: instead of the file's tokenizer.ggml.pre; empty: the file's
  std::int64_t n_ctx = 0;        // positions in the cache; 0: the model's, cut to what fits in memory
  std::int64_t n_batch = 2048;   // tokens submitted together at most
  std::int64_t n_ubatch = 512;   // tokens computed in one step at most; 1 … n_batch
  std::int64_t n_sequences = 1;  // that run at once and share the n_ctx positions
  int n_threads = 0;             // for single tokens; ≤ 0: one per physical core this process may use
  int n_threads_batch = 0;       // for prompts; ≤ 0: as n_threads
  std::vector<int> cpus;         // processors to pin the threads to; empty: no pinning
  Numa numa = Numa::off;         // on machines with several memory nodes
  bool repack = true;            // keep mapped weights as the kernels like them, for the file's pages
  CacheTypes cache;              // of keys and values
  bool exact = false;            // float32 from dequantized weights with float32 keys and values: the oracle
  std::string isa;               // "scalar", "avx2", "avxvnni", "avx512", "amx"; empty: the best this machine has
  std::string dump_graph_after;  // a pass: "build", "place", "lower", "fuse", "cut"; empty: none
  std::function<void(std::string_view)> on_dump;  // gets each graph as text after that pass
};

// What the engine asks of memory, computed before anything is allocated.
struct MemoryPlan {
  std::uint64_t weights = 0;    // bytes of the file's tensors (mapped: shared, and given back under pressure)
  std::uint64_t cache = 0;      // keys and values of n_ctx positions
  std::uint64_t compute = 0;    // the arena of a step, scratch of the threads, the head's slice
  std::uint64_t available = 0;  // what the machine had free
  std::uint64_t total() const { return weights + cache + compute; }
};

struct Request {
  std::vector<TokenId> prompt;
  sample::Params sampling;
  std::int64_t n_predict = -1;  // tokens to generate at most; < 0: until an end token or a full context
  bool stop_at_end = true;      // false (--no-stop): end-of-generation tokens are tokens like others
  bool ban_end = false;         // --ignore-eos: they are never drawn
  bool context_shift = false;   // when the context is full: keep n_keep tokens and the newest half, recompute, go on
  std::int64_t n_keep = 0;      // < 0: the whole prompt
  // What the answer must look like, from Engine::constraint(); null: anything. End tokens are drawn only where it is complete.
  std::shared_ptr<const text::grammar::Constraint> constraint = {};
};

enum class Finish {
  end_token,
  length,
  context_full,
  stopped,
  constraint_met,  // the answer is complete, and nothing more may follow
};
std::string_view name(Finish finish);  // "end_token", "length", …

struct Timings {
  std::int64_t n_prompt = 0;  // prompt tokens, cached ones included
  std::int64_t n_cached = 0;  // of those, taken from the cache
  std::int64_t n_generated = 0;
  double load_seconds = 0;         // of the model
  double prompt_seconds = 0;       // computing the prompt
  double first_token_seconds = 0;  // from the request to its first token
  double generation_seconds = 0;   // from the first token to the last
  double cpu_share = 1;            // processor time obtained ÷ asked for during the request; well below 1: other programs
                                   // were on the cores
  int n_context_shifts = 0;
};

struct Completion {
  std::vector<TokenId> tokens;  // the end token included, where one ended it
  Finish finish = Finish::length;
  bool is_complete = true;  // false: only the beginning of what Request::constraint asks for
  Timings timings;
};

struct Score {
  std::vector<double> nll;                     // minus log-probability of each token after the first
  std::vector<std::pair<TokenId, float>> top;  // the largest logits after the last token
};

// Sequences of random tokens, for measuring: their speed depends on how many there are, not on which, and none is drawn.
struct TokenTiming {
  std::int64_t n_sequences = 1;  // that run together; at most Options::n_sequences
  std::int64_t n_depth = 0;      // tokens of each that are in the cache beforehand; not timed
  std::int64_t n_prompt = 0;     // then so many of each at once
  std::int64_t n_gen = 0;        // then so many of each, one after the other
  bool shared_prompt = false;    // depth and prompt are computed once, and all sequences go on from there
  std::uint64_t seed = 0;        // of the tokens behind the depth
};
struct TokenTimes {
  double prompt_seconds = 0;
  double generation_seconds = 0;
};

// What tokens cost at least, to hold speeds against what the machine can do.
struct TokenCosts {
  struct Layer {
    std::uint64_t position_bytes = 0;  // keys and values of one position
    std::int64_t window = 0;           // positions that a token sees, itself included; 0: all
  };
  std::uint64_t weight_bytes = 0;   // read in each step; of an embedding, which is only looked up, nothing, unless it is the head
  std::uint64_t products = 0;       // of weights and activations, for each token
  std::uint64_t head_products = 0;  // and for each token whose logits are wanted
  std::vector<Layer> layers;

  // Bytes of keys and values that the token at `position` reads.
  std::uint64_t cache_bytes(std::int64_t position) const;
};

// Called with each token as it is drawn; false ends the answer (Finish::stopped).
using OnToken = std::function<bool(TokenId)>;
// Progress of loading or of a long prompt: what is done, of how much.
using OnProgress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

struct State;  // state.h

class Engine {
 public:
  // Errors name the file and the tensor, key or number at fault.
  static Result<std::unique_ptr<Engine>> load(const Options& options, const OnProgress& progress = {});
  ~Engine();

  const text::Tokenizer& tokenizer() const;
  const gguf::File& file() const;
  // The file's own chat template, or empty (a base model).
  std::optional<std::string> chat_template() const;

  std::string_view architecture() const;
  std::string isa() const;
  std::int64_t n_ctx() const;
  std::int64_t n_ctx_train() const;
  std::int64_t n_vocab() const;
  int n_threads() const;
  std::int64_t n_ubatch() const;
  const MemoryPlan& memory() const;

  // The prompt's prefix is taken from the cache as far as it is there; the answer is the same bits either way.
  // Errors: an empty prompt, ids outside the vocabulary, a prompt that does not fit (unless context_shift).
  Result<Completion> complete(const Request& request, const OnToken& on_token = {}, std::stop_token stop = {},
                              const OnProgress& progress = {});
  Result<Score> score(std::span<const TokenId> ids, std::size_t n_top, std::stop_token stop = {},
                      const OnProgress& progress = {});

  // A grammar for requests to this engine, any number of them. Errors: text::grammar::Constraint::make()'s.
  Result<std::shared_ptr<const text::grammar::Constraint>> constraint(text::grammar::Grammar grammar) const;

  // Every position's logits, in slices: rows [first, first + logits.size() / n_vocab) → visitor. For comparisons.
  using OnLogits = std::function<void(std::int64_t first, std::span<const float> logits /* [rows, n_vocab] */)>;
  Result<void> all_logits(std::span<const TokenId> ids, const OnLogits& visit, std::stop_token stop = {});

  // Errors: more sequences than Options::n_sequences, more tokens than n_ctx; cancelled.
  Result<TokenTimes> time_tokens(const TokenTiming& timing, std::stop_token stop = {});
  TokenCosts token_costs() const;

  void clear_cache();

 private:
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace puna::engine
