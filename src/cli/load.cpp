#include "cli/load.h"

#include "base/log.h"
#include "base/os.h"
#include "cli/progress.h"

namespace puna::cli {

namespace {

double per_second(std::int64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }

// Of n tokens generated, the first came with the prompt.
double generation_rate(const engine::Timings& t) { return per_second(t.n_generated - 1, t.generation_seconds); }

}  // namespace

engine::OnProgress show_progress(Console& console) {
  auto bar = std::make_shared<Progress>(console, Unit::bytes, std::chrono::milliseconds(500));
  auto prompt_bar = std::make_shared<Progress>(console, Unit::tokens, std::chrono::milliseconds(500));
  return [bar, prompt_bar](std::string_view what, std::uint64_t done, std::uint64_t total) {
    Progress& shown = what == "prompt" ? *prompt_bar : *bar;
    shown.update(what, done, total);
    if (done >= total) shown.clear();
  };
}

Result<std::unique_ptr<engine::Engine>> load_engine(Console& console, const ModelOptions& model, const EngineOptions& options) {
  engine::Options engine = PUNA_TRY(finish(options));
  engine.model = PUNA_TRY(obtain_model(console, model));
  engine.on_dump = [&console](std::string_view graph) { console.note_raw(graph); };
  std::unique_ptr<engine::Engine> loaded = PUNA_TRY(engine::Engine::load(engine, show_progress(console)));
  const engine::MemoryPlan& memory = loaded->memory();
  log::info("{}: {}, {} kernels, {} threads, context {} of {}; weights {}, cache {}, compute {}, available {}",
            engine.model.string(), loaded->architecture(), loaded->isa(), loaded->n_threads(), loaded->n_ctx(),
            loaded->n_ctx_train(), os::size_text(memory.weights), os::size_text(memory.cache), os::size_text(memory.compute),
            os::size_text(memory.available));
  return loaded;
}

std::string statistics(const engine::Timings& t) {
  std::string cached = t.n_cached > 0 ? fmt::format(" ({} cached)", t.n_cached) : "";
  std::string text =
      fmt::format("prompt {} tokens{}, {:.1f} t/s | answer {} tokens, {:.1f} t/s | first token {:.2f} s | memory {}", t.n_prompt,
                  cached, per_second(t.n_prompt - t.n_cached, t.prompt_seconds), t.n_generated, generation_rate(t),
                  t.first_token_seconds, os::size_text(os::peak_resident()));
  if (t.n_context_shifts > 0) text += fmt::format(" | context shifted {} times", t.n_context_shifts);
  if (t.cpu_share < 0.9) text += fmt::format(" | other programs were on the cores: puna got {:.0f} % of them", t.cpu_share * 100);
  return text;
}

Value timings_value(const engine::Completion& completion) {
  const engine::Timings& t = completion.timings;
  return Value::object({
      {"prompt_tokens", t.n_prompt},
      {"cached_tokens", t.n_cached},
      {"generated_tokens", t.n_generated},
      {"load_seconds", t.load_seconds},
      {"prompt_seconds", t.prompt_seconds},
      {"first_token_seconds", t.first_token_seconds},
      {"generation_seconds", t.generation_seconds},
      {"prompt_per_second", per_second(t.n_prompt - t.n_cached, t.prompt_seconds)},
      {"generated_per_second", generation_rate(t)},
      {"cpu_share", t.cpu_share},
      {"context_shifts", t.n_context_shifts},
      {"peak_memory_bytes", os::peak_resident()},
      {"finish", engine::name(completion.finish)},
  });
}

}  // namespace puna::cli
