// Maps the pages of a file's weights, on a thread of its own, while another one reads the vocabulary: the first answer then does
// not stop for each of them. Ends with its owner, however far it got.
#pragma once

#include <thread>

#include "gguf/reader.h"

namespace puna::model {

class PageMapper {
 public:
  // The file must be mapped, and live longer.
  explicit PageMapper(const gguf::File& file);

 private:
  std::jthread thread_;
};

}  // namespace puna::model
