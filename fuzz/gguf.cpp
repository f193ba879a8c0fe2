// Any bytes: refused with a message, or every value and weight can be touched and the file is written back as it was.
#include <algorithm>
#include <cstdint>

#include "gguf/describe.h"
#include "gguf/reader.h"
#include "gguf/tensor_check.h"
#include "gguf/writer.h"

namespace {

using namespace puna::gguf;

void demand(bool condition) {
  if (!condition) __builtin_trap();
}

void touch_values(const File& file) {
  for (const Entry& entry : file.metadata()) {
    demand(!entry.key.empty() && file.find(entry.key) == &entry.value);
    const MetaValue& value = entry.value;
    const int n_kinds = value.as_bool().has_value() + value.as_string().has_value() + value.as_strings().has_value() +
                        value.as_floats().has_value() + value.as_bools().has_value() + value.as_bytes().has_value();
    const bool number = value.as_float() || value.as_int() || value.as_ints();
    demand(n_kinds == 1 || number || value.type_text() == "array of u64");  // one that does not fit an int64
    if (const auto strings = value.as_strings()) demand(strings->size() == value.count());
    if (const auto ints = value.as_ints()) demand(ints->size() == value.count());
    (void)file.get_int(entry.key);
    (void)file.get_strings(entry.key);
  }
}

void touch_tensors(const File& file) {
  std::uint64_t sum = 0;
  for (const TensorInfo& tensor : file.tensors()) {
    demand(file.find_tensor(tensor.name) == &tensor);
    for (std::uint64_t i = 0; i < tensor.bytes; ++i) sum += std::to_integer<std::uint64_t>(tensor.data[i]);
  }
  [[maybe_unused]] volatile std::uint64_t read = sum;
  (void)check_tensors(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto metadata = File::parse(bytes, "f", {.metadata_only = true});
  const auto file = File::parse(bytes, "f");
  const auto of_any_type = File::parse(bytes, "f", {.any_type = true});
  if (of_any_type) (void)puna::json::write(describe(*of_any_type));
  if (!file) {
    demand(!file.error().message.empty() && file.error().message.size() < 1000 && !file.error().message.contains('\n'));
    return 0;
  }
  demand(of_any_type.has_value() && metadata.has_value() && metadata->metadata().size() == file->metadata().size());
  touch_values(*file);
  touch_tensors(*file);
  (void)puna::json::write(describe(*file));
  const auto copy = Writer::copy_of(*file).bytes();
  demand(copy && std::ranges::equal(*copy, bytes));
  return 0;
}
