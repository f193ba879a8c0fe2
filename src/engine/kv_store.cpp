#include "engine/kv_store.h"

#include <cstring>

namespace puna::engine {
namespace {

backend::KvView view_of(const graph::StoreInfo& store, const kv::Spec& spec, const CacheTypes& types) {
  return backend::kv_view({store.n_kv_heads, store.head_dim, spec.block_tokens}, types.k, types.v);
}

}  // namespace

std::uint64_t KvStore::bytes(const std::vector<graph::StoreInfo>& stores, const kv::Spec& spec, const CacheTypes& types) {
  std::uint64_t total = 0;
  for (const graph::StoreInfo& store : stores) {
    const backend::KvView view = view_of(store, spec, types);
    total += static_cast<std::uint64_t>(view.k_block_bytes() + view.v_block_bytes()) * spec.groups.at(store.group).n_blocks;
  }
  return total;
}

Result<KvStore> KvStore::make(const std::vector<graph::StoreInfo>& stores, const kv::Spec& spec, const CacheTypes& types) {
  KvStore result;
  result.groups_.resize(spec.groups.size());
  for (const graph::StoreInfo& store : stores) {
    const backend::KvView view = view_of(store, spec, types);
    result.views_.push_back(view);
    result.groups_.at(store.group).block_bytes += static_cast<std::size_t>(view.k_block_bytes() + view.v_block_bytes());
  }
  for (std::size_t i = 0; i < spec.groups.size(); ++i) {
    Group& group = result.groups_[i];
    group.memory = PUNA_TRY(os::Reservation::make(group.block_bytes * spec.groups[i].n_blocks, os::Reservation::Pages::huge));
    std::byte* next = group.memory.data();
    for (std::size_t s = 0; s < stores.size(); ++s) {
      if (stores[s].group != i) continue;
      backend::KvView& view = result.views_[s];
      view.k_block_stride = view.v_block_stride = static_cast<std::int64_t>(group.block_bytes);
      view.k = next;
      view.v = view.k + view.k_block_bytes();
      next = view.v + view.v_block_bytes();
    }
  }
  return result;
}

// Whole blocks: the rows behind `n_tokens` are read by nobody before they are written.
void KvStore::run(std::span<const kv::Copy> copies) {
  for (const kv::Copy& copy : copies) {
    const Group& group = groups_[copy.group];
    std::memcpy(group.memory.data() + copy.to * group.block_bytes, group.memory.data() + copy.from * group.block_bytes,
                group.block_bytes);
  }
}

}  // namespace puna::engine
