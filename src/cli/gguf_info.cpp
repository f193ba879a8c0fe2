// puna gguf info: what a GGUF file holds.
#include "base/os.h"
#include "base/value.h"
#include "cli/commands.h"
#include "cli/engine_options.h"
#include "cli/escapes.h"
#include "cli/model_options.h"
#include "gguf/describe.h"
#include "gguf/reader.h"

namespace puna::cli {
namespace {

struct GgufInfoOptions {
  ModelOptions model;
  EngineOptions engine;  // of it the file options
  bool json = false;
};

constexpr std::size_t kMostText = 100;  // of a long value this much is shown

Table make_table(GgufInfoOptions& options, Console& console) {
  Table table("gguf info", "What a GGUF file holds: metadata, tensors, types and sizes.", "[MODEL] [options]",
              "puna gguf info model.gguf\n"
              "puna gguf info model.gguf --json");
  add_model_options(table, options.model);
  table.group("Output");
  table.add("--json", "one JSON object", flag(options.json));
  add_file_options(table, options.engine);
  add_general_options(table, console);
  return table;
}

std::string number(const Value* value) { return value ? json::write(*value) : "?"; }

std::string shortened(std::string text) {
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + " …";
}

std::string value_text(const Value& value) {
  if (const std::string* text = value.if_string()) return shortened(encode_escapes(*text));
  const Value* first = value.find("first");
  if (!first) return shortened(json::write(value));
  return shortened(
      fmt::format("{} of {}: {}", number(value.find("count")), *value.find("type")->if_string(), json::write(*first)));
}

std::string size_of(const Value* bytes) {
  const std::int64_t* n = bytes ? bytes->if_int() : nullptr;
  return n ? os::size_text(static_cast<std::uint64_t>(*n)) : "?";
}

std::string text_of(const Value& parent, std::string_view key) {
  const Value* value = parent.find(key);
  const std::string* text = value ? value->if_string() : nullptr;
  return text ? *text : "";
}

const Value::Array& items_of(const Value& parent, std::string_view key) {
  static const Value::Array kNone;
  const Value* value = parent.find(key);
  return value && value->if_array() ? *value->if_array() : kNone;
}

std::string as_text(const Console& console, const Value& file) {
  const auto title = [&console](std::string_view text) { return console.paint(Colour::bold, text) + "\n"; };
  std::string out = title(text_of(file, "path"));
  out += fmt::format("  GGUF version {}, alignment {}, {}, {} parameters, {} tensors\n", number(file.find("version")),
                     number(file.find("alignment")), size_of(file.find("size")), number(file.find("parameters")),
                     items_of(file, "tensors").size());
  for (const Value& shard : items_of(file, "shards")) out += fmt::format("  shard {}\n", *shard.if_string());
  out += title("metadata");
  if (const Value* metadata = file.find("metadata"); metadata && metadata->if_object())
    for (const auto& [key, value] : *metadata->if_object())
      out += fmt::format("  {:<42}  {}\n", encode_escapes(key), value_text(value));
  out += title("types");
  for (const Value& type : items_of(file, "types"))
    out += fmt::format("  {:<8} {:>6} tensors  {:>9}\n", text_of(type, "type"), number(type.find("tensors")),
                       size_of(type.find("bytes")));
  out += title("tensors");
  for (const Value& tensor : items_of(file, "tensors"))
    out += fmt::format("  {:<42}  {:<6} {:<20} {:>9}\n", encode_escapes(text_of(tensor, "name")), text_of(tensor, "type"),
                       number(tensor.find("shape")), size_of(tensor.find("bytes")));
  return out;
}

}  // namespace

Table gguf_info_table() {
  static GgufInfoOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_gguf_info(Console& console, Words words) {
  GgufInfoOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  if (options.model.model.empty() && options.model.hub_repo.empty())
    return refuse(console, error(ErrorKind::invalid, "no file named").with_hint("puna gguf info FILE"));
  const std::filesystem::path path = PUNA_TRY(obtain_model(console, options.model));
  options.engine.engine.file.any_type = true;
  const gguf::File file = PUNA_TRY(gguf::File::open(path, options.engine.engine.file));
  const Value described = gguf::describe(file);
  console.answer(options.json ? json::write(described) + "\n" : as_text(console, described));
  return 0;
}

}  // namespace puna::cli
