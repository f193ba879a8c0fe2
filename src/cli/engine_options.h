// How a model is opened and computed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "engine/engine.h"

namespace puna::cli {

struct EngineOptions {
  engine::Options engine;
  std::string cache_type_k = "f16";
  std::string cache_type_v = "f16";
};

// The types that -ctk and -ctv take.
const std::vector<std::string>& cache_types();

// How a file is read: --mmap, --mlock, --load-mode, --override-kv, --check-tensors, --pre.
void add_file_options(Table& table, EngineOptions& options);
// Context, batches, threads, cache, RoPE, --exact, and what llama.cpp has for other devices.
void add_engine_options(Table& table, EngineOptions& options);

// What the options say together with PUNA_ISA and PUNA_THREADS. Errors: values that do not go together.
Result<engine::Options> finish(const EngineOptions& options);

// "a=int:1,b=str:x,y" → "a=int:1", "b=str:x,y": a comma parts only before another KEY=TYPE:.
std::vector<std::string> split_overrides(std::string_view text);

}  // namespace puna::cli
