// The memory of keys and values, touched only as it is used: one reservation per layer group, in which a block's keys and
// values of all layers lie together, so that few large pages hold what a few sequences use. Which block holds what is the kv
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
  struct Group {
    os::Reservation memory;
    std::size_t block_bytes = 0;  // of all its layers
  };
  std::vector<Group> groups_;
  std::vector<backend::KvView> views_;
};

}  // namespace puna::engine
