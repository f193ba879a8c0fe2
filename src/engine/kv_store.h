// The memory of keys and values: one reservation per layer, touched only as it is used. Which block holds what is the kv
// room's to say.
#pragma once

#include <span>
#include <vector>

#include "backend/kv_view.h"
#include "base/os.h"
#include "engine/engine.h"
#include "graph/graph.h"
#include "kv/spec.h"

namespace puna::engine {

class KvStore {
 public:
  static std::uint64_t bytes(const std::vector<graph::StoreInfo>& stores, const kv::Spec& spec, const CacheTypes& types);
  static Result<KvStore> make(const std::vector<graph::StoreInfo>& stores, const kv::Spec& spec, const CacheTypes& types);

  std::span<const backend::KvView> views() const { return views_; }  // by graph::StoreId
  // In the order given.
  void run(std::span<const kv::Copy> copies);

 private:
  std::vector<os::Reservation> memory_;
  std::vector<backend::KvView> views_;
  std::vector<std::size_t> groups_;  // by StoreId
};

}  // namespace puna::engine
