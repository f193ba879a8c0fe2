#include "gguf/tensor_check.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "base/thread_pool.h"
#include "gguf/parse.h"

namespace puna::gguf {
namespace {

using tensor::DType;

// Where a type keeps numbers that can be NaN: little-endian floats at fixed places in each block of so many bytes.
struct Floats {
  std::uint32_t exponent;  // the mask of its bits: all set in NaN and infinities, and only there
  std::uint32_t width;     // bytes of the float
  std::int32_t first;      // byte in the block
  std::int32_t second;     // byte in the block of another one, or -1
};
constexpr std::uint64_t kBytesWorthAThread = 1u << 20;
constexpr std::uint32_t kExponentF32 = 0x7F80'0000, kExponentF16 = 0x7C00, kExponentBF16 = 0x7F80;

Floats floats_of(DType type) {
  switch (type) {
    case DType::F32:
      return {kExponentF32, 4, 0, -1};
    case DType::F16:
      return {kExponentF16, 2, 0, -1};
    case DType::BF16:
      return {kExponentBF16, 2, 0, -1};
    case DType::Q4_0:
    case DType::Q5_0:
    case DType::Q8_0:
    case DType::IQ4_NL:
    case DType::IQ4_XS:
      return {kExponentF16, 2, 0, -1};  // scale, then the quants
    case DType::Q4_1:
    case DType::Q5_1:
    case DType::Q4_K:
    case DType::Q5_K:
      return {kExponentF16, 2, 0, 2};  // scale, minimum
    case DType::Q2_K:
      return {kExponentF16, 2, 80, 82};  // after 16 bytes of sub-scales and 64 of quants
    case DType::Q3_K:
      return {kExponentF16, 2, 108, -1};  // after 32 bytes of high bits, 64 of quants, 12 of sub-scales
    case DType::Q6_K:
      return {kExponentF16, 2, 208, -1};  // after 128 + 64 bytes of quants, 16 of sub-scales
  }
  return {};
}

template <class T>
bool is_wild(const std::byte* from, T exponent) {
  T bits;
  std::memcpy(&bits, from, sizeof bits);
  return (bits & exponent) == exponent;
}

// The first block of `tensor` with such a float.
template <class T>
std::optional<std::uint64_t> find_wild(const TensorInfo& tensor, const Floats& floats) {
  const std::uint64_t step = tensor::traits(tensor.dtype).block_bytes;
  const auto exponent = static_cast<T>(floats.exponent);
  const std::int32_t second = floats.second < 0 ? floats.first : floats.second;
  for (std::uint64_t i = 0; i < tensor.bytes / step; ++i) {
    const std::byte* block = tensor.data + i * step;
    if (is_wild(block + floats.first, exponent) || is_wild(block + second, exponent)) return i;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_wild(const TensorInfo& tensor) {
  const Floats floats = floats_of(tensor.dtype);
  return floats.width == 4 ? find_wild<std::uint32_t>(tensor, floats) : find_wild<std::uint16_t>(tensor, floats);
}

}  // namespace

Result<void> check_tensors(const File& file) {
  const auto tensors = file.tensors();
  std::vector<std::optional<std::uint64_t>> wild(tensors.size());
  std::atomic<std::size_t> next{0};
  const std::size_t wanted = std::min<std::size_t>(tensors.size(), file.size_bytes() / kBytesWorthAThread);
  on_threads(std::min(wanted, std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8)), [&] {
    for (std::size_t i = next++; i < tensors.size(); i = next++) wild[i] = find_wild(tensors[i]);
  });
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!wild[i]) continue;
    const auto& traits = tensor::traits(tensors[i].dtype);
    auto problem = error(ErrorKind::invalid, "{}: tensor {} ({}) has a value that is NaN or infinite in {} {}",
                         file.shards()[tensors[i].shard].name, shown(tensors[i].name), traits.name,
                         traits.block_size == 1 ? "element" : "block", *wild[i]);
    return std::unexpected(
        std::move(problem).with_hint("the file is damaged, or was broken when it was made: download or convert it again"));
  }
  return {};
}

}  // namespace puna::gguf
