// GGUF files put together byte by byte, right and wrong ones, without the room's own writer.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/reader.h"

namespace puna::gguf::test {

class Bytes {
 public:
  template <class T>
  Bytes& number(T value) {
    data_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& u32(std::uint32_t value) { return number(value); }
  Bytes& u64(std::uint64_t value) { return number(value); }
  Bytes& text(std::string_view value) { return u64(value.size()).raw(value); }  // with its length
  Bytes& raw(std::string_view value) {
    data_ += value;
    return *this;
  }
  Bytes& zeros(std::size_t n) {
    data_.append(n, '\0');
    return *this;
  }
  Bytes& pad_to(std::size_t alignment) { return zeros((alignment - data_.size() % alignment) % alignment); }

  std::size_t size() const { return data_.size(); }
  const std::string& str() const { return data_; }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(data_)); }

 private:
  std::string data_;
};

enum Type : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };
enum DTypeNumber : std::uint32_t {
  kF32Tensor = 0,
  kF16Tensor = 1,
  kQ4_0Tensor = 2,
  kQ8_0Tensor = 8,
  kQ4_KTensor = 12,
  kIQ2_XXSTensor = 16
};

// A file's header and data. Counts can be made to lie.
struct FileBuilder {
  std::uint32_t version = 3;
  std::optional<std::uint64_t> n_keys, n_tensors;
  std::size_t alignment = 32;

  FileBuilder& key(std::string_view name, std::uint32_t type, const Bytes& value) {
    keys_.text(name).u32(type).raw(value.str());
    ++n_keys_;
    return *this;
  }
  FileBuilder& string(std::string_view name, std::string_view value) { return key(name, kString, Bytes().text(value)); }
  FileBuilder& u32(std::string_view name, std::uint32_t value) { return key(name, kU32, Bytes().u32(value)); }
  FileBuilder& u16(std::string_view name, std::uint16_t value) { return key(name, kU16, Bytes().number(value)); }
  FileBuilder& tensor(std::string_view name, std::vector<std::uint64_t> ne, std::uint32_t type, std::uint64_t offset) {
    tensors_.text(name).u32(static_cast<std::uint32_t>(ne.size()));
    for (const std::uint64_t n : ne) tensors_.u64(n);
    tensors_.u32(type).u64(offset);
    ++n_tensors_;
    return *this;
  }
  FileBuilder& data(std::string_view bytes) {
    data_.raw(bytes);
    return *this;
  }

  Bytes build() const {
    Bytes out;
    out.raw("GGUF").u32(version).u64(n_tensors.value_or(n_tensors_)).u64(n_keys.value_or(n_keys_));
    out.raw(keys_.str()).raw(tensors_.str()).pad_to(alignment).raw(data_.str());
    return out;
  }

 private:
  Bytes keys_, tensors_, data_;
  std::uint64_t n_keys_ = 0, n_tensors_ = 0;
};

// A small right model: two F32 tensors of 8 and 4 values.
inline FileBuilder small_model() {
  FileBuilder file;
  file.string("general.architecture", "llama").u32("llama.block_count", 2);
  file.tensor("a.weight", {4, 2}, kF32Tensor, 0).tensor("b.bias", {4}, kF32Tensor, 32);
  return file.data(std::string(48, '\x01'));
}

inline Result<File> parse(const Bytes& bytes, const OpenOptions& options = {}) {
  return File::parse(bytes.span(), "m.gguf", options);
}

// The message of a file that must be refused, "" where it was not.
inline std::string refusal(const Bytes& bytes, const OpenOptions& options = {}) {
  const auto file = parse(bytes, options);
  return file ? std::string() : file.error().message;
}

inline std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A directory of its own for each test.
class TempDirectory {
 public:
  TempDirectory() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ =
        std::filesystem::temp_directory_path() / (std::string("puna-gguf-") + std::to_string(::getpid()) + "-" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TempDirectory() { std::filesystem::remove_all(path_); }

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace puna::gguf::test
