#include "engine/kv_store.h"

#include <cstring>

namespace puna::engine {
namespace {

// Bytes of one block's keys (the values have as many).
std::size_t block_bytes(const graph::StoreInfo& store, const kv::Spec& spec, tensor::DType type) {
  return tensor::row_bytes(type, static_cast<std::size_t>(store.n_kv_heads * store.head_dim) * spec.block_tokens);
}

}  // namespace

std::uint64_t KvStore::bytes(const std::vector<graph::StoreInfo>& stores, const kv::Spec& spec, tensor::DType type) {
  std::uint64_t total = 0;
  for (const graph::StoreInfo& store : stores) total += 2 * block_bytes(store, spec, type) * spec.groups.at(store.group).n_blocks;
  return total;
}

Result<KvStore> KvStore::make(const std::vector<graph::StoreInfo>& stores, const kv::Spec& spec, tensor::DType type) {
  KvStore result;
  for (const graph::StoreInfo& store : stores) {
    const std::size_t half = block_bytes(store, spec, type) * spec.groups.at(store.group).n_blocks;
    result.memory_.push_back(PUNA_TRY(os::Reservation::make(2 * half)));
    std::byte* base = result.memory_.back().data();
    result.views_.push_back({.type = type,
                             .k = base,
                             .v = base + half,
                             .n_kv_heads = store.n_kv_heads,
                             .head_dim = store.head_dim,
                             .block_tokens = spec.block_tokens});
    result.groups_.push_back(store.group);
  }
  return result;
}

// Whole blocks: the rows behind `n_tokens` are read by nobody before they are written.
void KvStore::run(std::span<const kv::Copy> copies) {
  for (const kv::Copy& copy : copies)
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (groups_[i] != copy.group) continue;
      const backend::KvView& view = views_[i];
      const std::size_t bytes = tensor::row_bytes(view.type, static_cast<std::size_t>(view.block_elements()));
      std::memcpy(view.k + copy.to * bytes, view.k + copy.from * bytes, bytes);
      std::memcpy(view.v + copy.to * bytes, view.v + copy.from * bytes, bytes);
    }
}

}  // namespace puna::engine
