// A model loaded for a command, with progress where it takes long.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/value.h"
#include "cli/console.h"
#include "cli/engine_options.h"
#include "cli/model_options.h"
#include "engine/engine.h"

namespace puna::cli {

// Progress of loading or of a prompt, shown once it takes over half a second.
engine::OnProgress show_progress(Console& console);

Result<std::unique_ptr<engine::Engine>> load_engine(Console& console, const ModelOptions& model, const EngineOptions& options);

// "prompt 35 tokens (12 cached), 350.1 t/s | answer 20 tokens, 80.2 t/s | first token 0.12 s | memory 301 MiB"
std::string statistics(const engine::Timings& timings);

// The same as data, for --json.
Value timings_value(const engine::Completion& completion);

}  // namespace puna::cli
