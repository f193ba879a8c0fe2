#include "model/page_mapper.h"

#include <algorithm>
#include <span>
#include <stop_token>
#include <vector>

#include "base/os.h"

namespace puna::model {

PageMapper::PageMapper(const gguf::File& file) {
  const bool has_head = file.find_tensor("output.weight") != nullptr;
  std::vector<std::span<const std::byte>> weights;
  for (const gguf::TensorInfo& tensor : file.tensors())
    if (!has_head || tensor.name != "token_embd.weight")  // of an embedding that is nothing else, few rows are looked up
      weights.emplace_back(tensor.data, static_cast<std::size_t>(tensor.bytes));
  thread_ = std::jthread([weights = std::move(weights)](const std::stop_token& stop) {
    constexpr std::size_t kAtOnce = std::size_t{128} << 10;  // what is asked for is not stopped, and others wait to map theirs
    for (const std::span<const std::byte> weight : weights)
      for (std::size_t at = 0; at < weight.size(); at += kAtOnce)
        if (stop.stop_requested() || !os::map_file_pages(weight.subspan(at, std::min(kAtOnce, weight.size() - at)))) return;
  });
}

}  // namespace puna::model
