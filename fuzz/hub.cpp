// Any text as MODEL and as a hub's answer: whatever is accepted stays inside its folder.
#include <cstdint>
#include <string_view>

#include "tasks/model_ref.h"
#include "tasks/pull/hub.h"

using namespace puna;

namespace {

void demand(bool condition) {
  if (!condition) __builtin_trap();
}

bool is_inside(const std::filesystem::path& path) {
  if (path.empty() || path.is_absolute()) return false;
  for (const auto& piece : path)
    if (piece == ".." || piece == "." || piece.empty()) return false;
  return true;
}

}  // namespace

// The text up to the first newline is MODEL, the rest the hub's answer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  tasks::HubModel model{.owner = "o", .repository = "r", .file = {}, .quantization = {}};
  if (const auto parsed = tasks::parse_model(text.substr(0, end), {})) {
    if (const auto* web = std::get_if<tasks::WebModel>(&parsed->source))
      demand(is_inside(web->file_name) && web->file_name.find('/') == std::string::npos);
    if (const auto* hub = std::get_if<tasks::HubModel>(&parsed->source)) {
      demand(is_inside(hub->owner) && is_inside(hub->repository) && (hub->file.empty() || is_inside(hub->file)));
      model = *hub;
    }
  }
  if (end == std::string_view::npos) return 0;
  const auto files = tasks::parse_listing(text.substr(end + 1));
  if (!files) return 0;
  for (const tasks::HubFile& file : *files) demand(is_inside(file.path));
  if (const auto choice = tasks::choose(*files, model, 1ull << 30)) {
    demand(!choice->files.empty());
    for (const tasks::HubFile& file : choice->files) demand(is_inside(file.path));
  }
  return 0;
}
