// Random weights of any type for the kernel tests, in memory that ends where they end.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <vector>

#include "backend/kernel_tables.h"
#include "tensor/dequantize.h"
#include "tensor/half.h"

namespace puna::backend::cpu {

// Bytes with nothing readable right after them: a kernel that reads further dies.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t size) : size_(size) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (size + page - 1) / page * page + page;
    base_ = static_cast<std::byte*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + mapped_ - page, page, PROT_NONE);
    data_ = base_ + mapped_ - page - size;
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() { munmap(base_, mapped_); }
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0, mapped_ = 0;
  std::byte* base_ = nullptr;
  std::byte* data_ = nullptr;
};

// Where the half floats of a block lie; its other bytes may be anything.
inline std::vector<std::size_t> half_offsets(tensor::DType type) {
  using tensor::DType;
  switch (type) {
    case DType::Q4_1:
    case DType::Q5_1:
    case DType::Q4_K:
    case DType::Q5_K:
      return {0, 2};
    case DType::Q2_K:
      return {80, 82};
    case DType::Q3_K:
      return {108};
    case DType::Q6_K:
      return {208};
    default:
      return {0};
  }
}

// Weights [n_rows, k] of magnitudes around 1.
inline void fill_weights(tensor::DType type, std::span<std::byte> bytes, std::uint64_t seed) {
  using tensor::DType;
  Numbers numbers(seed);
  const tensor::DTypeTraits& traits = tensor::traits(type);
  for (std::size_t i = 0; i < bytes.size(); i += traits.block_bytes) {
    std::byte* block = bytes.data() + i;
    if (type == DType::F32) {
      const float x = numbers.next();
      std::memcpy(block, &x, 4);
    } else if (traits.block_size == 1) {
      const std::uint16_t half = type == DType::F16 ? tensor::f32_to_f16(numbers.next()) : tensor::f32_to_bf16(numbers.next());
      std::memcpy(block, &half, 2);
    } else {
      for (std::size_t b = 0; b < traits.block_bytes; ++b) block[b] = static_cast<std::byte>(numbers.bits());
      for (const std::size_t offset : half_offsets(type)) {
        const std::uint16_t half = tensor::f32_to_f16(numbers.next() / 16);
        std::memcpy(block + offset, &half, 2);
      }
    }
  }
}

struct Weights {
  Weights(tensor::DType weight_type, std::int64_t n_rows, std::int64_t width, std::uint64_t seed)
      : type(weight_type),
        rows(n_rows),
        k(width),
        row_bytes(tensor::row_bytes(weight_type, static_cast<std::size_t>(width))),
        bytes(row_bytes * static_cast<std::size_t>(n_rows)) {
    fill_weights(type, {bytes.data(), bytes.size()}, seed);
  }
  std::vector<float> row(std::int64_t r) const {
    std::vector<float> out(static_cast<std::size_t>(k));
    tensor::dequantize_row(type, bytes.data() + static_cast<std::size_t>(r) * row_bytes, k, out.data());
    return out;
  }
  tensor::DType type;
  std::int64_t rows, k;
  std::size_t row_bytes;
  GuardedBytes bytes;
};

}  // namespace puna::backend::cpu
