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
  for (const graph::StoreInfo& store : stores) {
    backend::KvView view = view_of(store, spec, types);
    const std::uint64_t n_blocks = spec.groups.at(store.group).n_blocks;
    const std::uint64_t keys = static_cast<std::uint64_t>(view.k_block_bytes()) * n_blocks;
    result.memory_.push_back(PUNA_TRY(os::Reservation::make(keys + static_cast<std::uint64_t>(view.v_block_bytes()) * n_blocks)));
    view.k = result.memory_.back().data();
    view.v = view.k + keys;
    result.views_.push_back(view);
    result.groups_.push_back(store.group);
  }
  return result;
}

// Whole blocks: the rows behind `n_tokens` are read by nobody before they are written.
void KvStore::run(std::span<const kv::Copy> copies) {
  for (const kv::Copy& copy_of : copies)
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (groups_[i] != copy_of.group) continue;
      const backend::KvView& view = views_[i];
      const auto copy = [&](std::byte* side, std::int64_t block_bytes) {
        const auto bytes = static_cast<std::size_t>(block_bytes);
        std::memcpy(side + copy_of.to * bytes, side + copy_of.from * bytes, bytes);
      };
      copy(view.k, view.k_block_bytes());
      copy(view.v, view.v_block_bytes());
    }
}

}  // namespace puna::engine
