// What a loaded engine holds. The order matters: what is below uses what is above.
#pragma once

#include <memory>
#include <mutex>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/threads.h"
#include "engine/engine.h"
#include "engine/kv_store.h"
#include "engine/runner.h"
#include "kv/manager.h"
#include "model/loader.h"
#include "text/grammar/token_trie.h"

namespace puna::engine {

struct State {
  explicit State(model::Model loaded) : model(std::move(loaded)) {}

  Options options;
  model::Model model;
  MemoryPlan memory;
  std::int64_t n_ctx = 0;
  double load_seconds = 0;
  std::unique_ptr<backend::cpu::Threads> threads;
  std::unique_ptr<backend::cpu::CpuBackend> backend;
  std::unique_ptr<kv::Manager> cache;
  KvStore store;
  std::unique_ptr<Runner> runner;
  std::once_flag trie_once;  // most engines never see a grammar
  std::shared_ptr<const text::grammar::TokenTrie> trie;
};

}  // namespace puna::engine
