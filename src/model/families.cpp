// The families: one line each.
#include "model/families/families.h"

#include <algorithm>
#include <array>

#include "model/family.h"

namespace puna::model {
namespace {

constexpr std::array kFamilies{
    Family{.architecture = "llama", .interleaved_rope = true, .block = llama_block},
    Family{.architecture = "qwen2", .block = qwen2_block},
    Family{.architecture = "qwen3", .block = qwen3_block},
    Family{.architecture = "gemma2", .block = gemma2_block, .embedding_factor = gemma_embedding_factor},
    Family{.architecture = "gemma3", .block = gemma3_block, .embedding_factor = gemma_embedding_factor},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

const Family* find_family(std::string_view architecture) {
  const auto found = std::ranges::find(kFamilies, architecture, &Family::architecture);
  return found == kFamilies.end() ? nullptr : &*found;
}

}  // namespace puna::model
