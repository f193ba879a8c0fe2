// Keys and values of one layer in memory, for the kernel tests: written by a table, read back as kv_view.h draws them.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "backend/kernel_tables.h"
#include "backend/kv_view.h"
#include "tensor/half.h"

namespace puna::backend::cpu {

// Bytes at a multiple of 64.
class Memory {
 public:
  Memory(std::int64_t size, std::byte fill)
      : size_(static_cast<std::size_t>(size)), data_(static_cast<std::byte*>(::operator new(size_, std::align_val_t{64}))) {
    std::memset(data_.get(), static_cast<int>(fill), size_);
  }
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool operator==(const Memory& other) const { return size_ == other.size_ && std::memcmp(data(), other.data(), size_) == 0; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Free> data_;
};

struct Place {
  std::int64_t block, head, slot;
};

struct PagedStore {
  KvView view;
  Memory keys, values;

  PagedStore(const KvShape& shape, tensor::DType k_type, tensor::DType v_type, std::int64_t n_blocks,
             std::byte fill = std::byte{0x5A})
      : view(kv_view(shape, k_type, v_type)),
        keys(n_blocks * view.k_block_bytes(), fill),
        values(n_blocks * view.v_block_bytes(), fill) {
    view.k = keys.data();
    view.v = values.data();
  }

  double key(const Place& at, std::int64_t d) const {
    const std::byte* head = keys.data() + (at.block * view.n_kv_heads + at.head) * view.k_head_bytes;
    const std::int64_t tokens = view.block_tokens, slot = at.slot;
    switch (view.k_type) {
      case tensor::DType::Q8_0:
        return scale(head + width() * tokens, at, d) * read<std::int8_t>(head, (d / 4 * tokens + slot) * 4 + d % 4);
      case tensor::DType::Q4_0: {
        const auto both = read<std::uint8_t>(head, (d / 8 * tokens + slot) * 4 + d % 4);
        return scale(head + width() / 2 * tokens, at, d) * ((d % 8 < 4 ? both & 15 : both >> 4) - 8);
      }
      default:
        return plain(view.k_type, head, d * tokens + slot);
    }
  }
  double value(const Place& at, std::int64_t d) const {
    const std::byte* head = values.data() + (at.block * view.n_kv_heads + at.head) * view.v_head_bytes;
    const std::int64_t tokens = view.block_tokens, slot = at.slot;
    switch (view.v_type) {
      case tensor::DType::Q8_0:
        return scale(head + width() * tokens, at, d) * read<std::int8_t>(head, slot * width() + d);
      case tensor::DType::Q4_0: {
        const auto both = read<std::uint8_t>(head, (slot * width() + d / 32 * 32) / 2 + d % 16);
        return scale(head + width() / 2 * tokens, at, d) * ((d % 32 < 16 ? both & 15 : both >> 4) - 8);
      }
      default:
        return plain(view.v_type, head, slot * view.head_dim + d);
    }
  }

  std::int64_t width() const { return (view.head_dim + 31) / 32 * 32; }

 private:
  template <class T>
  static T read(const std::byte* base, std::int64_t index) {
    T value;
    std::memcpy(&value, base + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
  double scale(const std::byte* scales, const Place& at, std::int64_t d) const {
    return tensor::f16_to_f32(read<std::uint16_t>(scales, d / 32 * view.block_tokens + at.slot));
  }
  static double plain(tensor::DType type, const std::byte* base, std::int64_t index) {
    if (type == tensor::DType::F32) return read<float>(base, index);
    const auto bits = read<std::uint16_t>(base, index);
    return type == tensor::DType::F16 ? tensor::f16_to_f32(bits) : tensor::bf16_to_f32(bits);
  }
};

// Every pair of types, and a name for it: "f16_q8_0".
struct TypePair {
  tensor::DType k, v;
};
inline std::vector<TypePair> type_pairs() {
  std::vector<TypePair> pairs;
  for (tensor::DType k : kKvTypes)
    for (tensor::DType v : kKvTypes) pairs.push_back({k, v});
  return pairs;
}
inline std::string name_of(const TypePair& types) {
  return std::string(tensor::name(types.k)) + " keys, " + std::string(tensor::name(types.v)) + " values";
}

}  // namespace puna::backend::cpu
