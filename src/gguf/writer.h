// Writes GGUF files. What was read and is written back unchanged equals the input byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gguf/reader.h"
#include "gguf/value.h"
#include "tensor/dtype.h"

namespace puna::gguf {

// A value that owns its payload, made by encode().
struct Encoded {
  ValueType type;
  std::vector<std::byte> payload;
};
Encoded encode(std::uint8_t value);
Encoded encode(std::int8_t value);
Encoded encode(std::uint16_t value);
Encoded encode(std::int16_t value);
Encoded encode(std::uint32_t value);
Encoded encode(std::int32_t value);
Encoded encode(std::uint64_t value);
Encoded encode(std::int64_t value);
Encoded encode(float value);
Encoded encode(double value);
Encoded encode(bool value);
Encoded encode(std::string_view value);
inline Encoded encode(const char* value) { return encode(std::string_view(value)); }
Encoded encode_strings(std::span<const std::string_view> values);
Encoded encode_strings(std::span<const std::string> values);
Encoded encode_ints(std::span<const std::int32_t> values);  // an array of i32
Encoded encode_floats(std::span<const float> values);       // an array of f32
Encoded encode_bytes(std::span<const std::byte> values);    // an array of u8

// Takes the next bytes of a tensor.
using Put = std::function<Result<void>(std::span<const std::byte>)>;

struct TensorSpec {
  std::string name;
  tensor::DType dtype = tensor::DType::F32;
  int n_dims = 1;
  std::array<std::int64_t, 4> ne{1, 1, 1, 1};  // ne[0] = row length
  // Called once, while the file is written, in the order of the tensors: hands all bytes of the tensor to `put`, in one
  // piece or many. So a converter never holds more than it works on.
  std::function<Result<void>(const Put& put)> produce{};
};

class Writer {
 public:
  explicit Writer(std::uint32_t version = 3) : version_(version) {}
  // All of `file` (opened without any_type), whose bytes must outlive the writer: same version, order, offsets and even
  // padding. A split set becomes one file, laid out anew, without its split.* keys.
  static Writer copy_of(const File& file);

  // Adds a key, or replaces its value in its place. general.alignment takes effect when the file is written.
  void set(std::string_view key, Encoded value);
  void set(std::string_view key, const MetaValue& value);  // a view: what it points to must outlive the writer
  bool remove(std::string_view key);                       // whether it was there

  void add_tensor(TensorSpec spec);
  void add_tensor(TensorSpec spec, std::span<const std::byte> data);  // a view

  // Writes beside `path`, then renames: the name holds the old content or the whole new one, never a part.
  Result<void> write(const std::filesystem::path& path) const;
  Result<std::vector<std::byte>> bytes() const;

 private:
  struct Pair {
    std::string key;
    ValueType type;
    std::vector<std::byte> owned;
    std::span<const std::byte> view;  // used where `owned` is empty
  };
  struct Layout;

  Pair& pair(std::string_view key);
  Result<Layout> lay_out() const;
  Result<void> place_tensors(Layout& layout) const;
  Result<void> put_header(const Layout& layout, const Put& put) const;
  Result<void> emit(const Put& put) const;

  std::uint32_t version_;
  std::vector<Pair> pairs_;
  std::vector<TensorSpec> tensors_;
  // Of copy_of() one file: offsets and padding come from it while tensors and alignment are unchanged.
  struct Kept {
    std::span<const std::byte> bytes;
    std::uint64_t header_end, data_start, alignment;
    std::vector<std::uint64_t> offsets;
  };
  std::optional<Kept> kept_;
};

}  // namespace puna::gguf
