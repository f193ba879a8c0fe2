#include "cli/sampling_options.h"

#include <limits>
#include <memory>
#include <random>

#include "base/log.h"
#include "cli/escapes.h"
#include "text/grammar/constraint.h"

namespace puna::cli {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

void add_order_options(Table& table, sample::Params& sampling) {
  table.add("--samplers LIST",
            "the steps and their order, separated by ';' (default: " + sample::order_text(sampling.order) + ")",
            [&sampling](std::string_view text) -> Result<void> {
              sampling.order = PUNA_TRY(sample::parse_order(text));
              return {};
            });
  table.add("--sampler-seq, --sampling-seq LETTERS", "the same, a letter each (default: edskypmxt)",
            [&sampling](std::string_view text) -> Result<void> {
              sampling.order = PUNA_TRY(sample::parse_order_letters(text));
              return {};
            });
}

void add_repetition_options(Table& table, sample::Params& sampling) {
  table.add("--repeat-last-n N", "the penalties look back so far; -1: all (default 64)",
            into(sampling.penalty_last_n, -1, kMost));
  table.add("--repeat-penalty N", "divides the logits of tokens seen; 1: off (default 1)", into(sampling.repeat_penalty));
  table.add("--presence-penalty N", "taken off the logit of each token seen (default 0)", into(sampling.presence_penalty));
  table.add("--frequency-penalty N", "the same for each time it was seen (default 0)", into(sampling.frequency_penalty));
  table.add("--dry-multiplier N", "DRY: strength of the penalty for going on a repetition; 0: off (default 0)",
            into(sampling.dry_multiplier));
  table.add("--dry-base N", "DRY: how fast it grows with the repetition's length (default 1.75)", into(sampling.dry_base));
  table.add("--dry-allowed-length N", "DRY: repetitions shorter than this are free (default 2)",
            into(sampling.dry_allowed_length, -kMost, kMost));
  table.add("--dry-penalty-last-n N", "DRY: looks back so far; -1: all, 0: off (default -1)",
            into(sampling.dry_penalty_last_n, -kMost, kMost));
  table.add("--dry-sequence-breaker TEXT",
            "DRY: repetitions do not reach across it; the first use clears the defaults; none: none",
            [&sampling, is_first = std::make_shared<bool>(true)](std::string_view text) -> Result<void> {
              if (*is_first) sampling.dry_sequence_breakers.clear();
              *is_first = false;
              if (text != "none") sampling.dry_sequence_breakers.push_back(decode_escapes(text));
              return {};
            });
}

}  // namespace

void add_generation_options(Table& table, GenerationOptions& options) {
  table.group("Answer");
  table.add("-n, --predict, --n-predict N", "tokens to generate at most; -1: until the end (default -1)",
            into(options.n_predict, -2, kMost));
  table.add("--ignore-eos", "end tokens are never drawn", flag(options.ignore_end));
  table.add("--no-stop", "go on past end tokens; the logits stay as they are", flag(options.stop_at_end, false));
  table.add("-r, --reverse-prompt TEXT", "end the answer before TEXT; may be given several times; escapes are decoded",
            [&options](std::string_view text) -> Result<void> {
              if (text.empty()) return fail("an empty text ends nothing");
              options.stops.push_back(decode_escapes(text));
              return {};
            });
  table.add("--context-shift", "when the context is full: keep --keep tokens and the newest half, and go on",
            flag(options.context_shift));
  table.add("--no-context-shift", "when the context is full: stop", flag(options.context_shift, false));
  table.add("--keep N", "tokens of the prompt that a shift keeps; -1: all of it",
            [&options](std::string_view text) -> Result<void> {
              options.n_keep = PUNA_TRY(parse_integer(text, -1, kMost));
              return {};
            });
}

void add_sampling_options(Table& table, GenerationOptions& options) {
  sample::Params& sampling = options.sampling;
  table.group("Sampling");
  table.add("-s, --seed N", "the same seed gives the same answer (default, or -1: another one each time)",
            [&options](std::string_view text) -> Result<void> {
              const std::int64_t seed = PUNA_TRY(parse_integer(text, -1, std::numeric_limits<std::int64_t>::max()));
              options.seed = seed < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(seed));
              return {};
            });
  table.add("--temp, --temperature N", "0: always the likeliest token (default 0.8)", into(sampling.temp));
  table.add("--top-k N", "among the N likeliest; 0: off (default 40)", into(sampling.top_k, -kMost, kMost));
  table.add("--top-p N", "among the likeliest that make up this share; 1: off (default 0.95)", into(sampling.top_p));
  table.add("--min-p N", "at least this share of the likeliest one's; 0: off (default 0.05)", into(sampling.min_p));
  table.add("--min-keep N", "the cuts from --typical to XTC leave at least N tokens (default 0)",
            into(sampling.min_keep, 0, kMost));
  table.add("--typical, --typical-p N", "locally typical sampling; 1: off (default 1)", into(sampling.typical_p));
  table.add("--top-nsigma, --top-n-sigma N", "within N standard deviations of the best logit; -1: off (default -1)",
            into(sampling.top_n_sigma));
  table.add("--xtc-probability N", "how often XTC takes the top choices away; 0: off (default 0)",
            into(sampling.xtc_probability));
  table.add("--xtc-threshold N", "from which probability on it does (default 0.1)", into(sampling.xtc_threshold));
  table.add("--dynatemp-range N", "dynamic temperature: --temp ± N by entropy; 0: off (default 0)",
            into(sampling.dynatemp_range));
  table.add("--dynatemp-exp N", "dynamic temperature: the exponent (default 1)", into(sampling.dynatemp_exponent));
  table.add("--mirostat N", "1 or 2: mirostat in place of the other cuts; 0: off (default 0)", into(sampling.mirostat, 0, 2));
  table.add("--mirostat-lr N", "mirostat: the learning rate (default 0.1)", into(sampling.mirostat_eta));
  table.add("--mirostat-ent N", "mirostat: the surprise aimed at (default 5)", into(sampling.mirostat_tau));
  add_repetition_options(table, sampling);
  table.add("-l, --logit-bias ID(+|-)BIAS", "added to a token's logit: 15043+1, 15043-inf; may be repeated",
            [&sampling](std::string_view text) -> Result<void> {
              sampling.logit_bias.push_back(PUNA_TRY(parse_logit_bias(text)));
              return {};
            });
  add_order_options(table, sampling);
}

Result<void> check_sampling(const GenerationOptions& options) {
  return sample::validate(options.sampling, std::numeric_limits<std::size_t>::max());
}

Result<void> set_constraint(GenerationOptions& options, std::optional<text::grammar::Grammar> grammar,
                            const engine::Engine& engine) {
  if (grammar) options.constraint = PUNA_TRY(engine.constraint(*std::move(grammar)));
  return {};
}

Result<engine::Request> make_request(const GenerationOptions& options, std::int64_t n_vocab) {
  engine::Request request;
  request.sampling = options.sampling;
  request.sampling.seed = options.seed ? *options.seed : std::random_device{}();
  PUNA_TRY(sample::validate(request.sampling, static_cast<std::size_t>(n_vocab)));
  if (!options.seed && request.sampling.temp > 0) log::info("seed {}", request.sampling.seed);
  request.n_predict = options.n_predict;
  request.stop_at_end = options.stop_at_end;
  request.ban_end = options.ignore_end;
  request.context_shift = options.context_shift;
  request.n_keep = options.n_keep.value_or(0);
  request.constraint = options.constraint;
  return request;
}

Result<std::pair<TokenId, float>> parse_logit_bias(std::string_view text) {
  const std::size_t sign = text.find_first_of("+-");
  const auto id = parse_integer(text.substr(0, sign), 0, kMost);
  const auto bias = sign == text.npos ? Result<double>(fail("")) : parse_number(text.substr(sign));
  if (!id || !bias) return fail("'{}' is no bias such as 15043+1 or 15043-inf", text);
  return std::pair(static_cast<TokenId>(*id), static_cast<float>(*bias));
}

}  // namespace puna::cli
