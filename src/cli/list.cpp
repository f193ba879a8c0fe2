// puna list: the models on this machine, other programs' too, and those that puna knows by name.
#include <algorithm>

#include "base/os.h"
#include "base/value.h"
#include "cli/catalogue.h"
#include "cli/commands.h"
#include "tasks/local_models.h"

namespace puna::cli {
namespace {

struct ListOptions {
  bool json = false;
};

Table make_table(ListOptions& options, Console& console) {
  Table table("list", "The models on this machine, other programs' too, and those that puna knows by name.", "[options]",
              "puna list\n"
              "puna list --json");
  table.group("Output");
  table.add("--json", "a list of {name, path, size, source, missing_shards} and the catalogue, for scripts", flag(options.json));
  add_general_options(table, console);
  return table;
}

Value as_value(const std::vector<tasks::LocalModel>& models) {
  Value::Array local;
  for (const tasks::LocalModel& model : models)
    local.push_back(Value::object({{"name", model.name},
                                   {"path", model.path.string()},
                                   {"size", model.size},
                                   {"source", model.source},
                                   {"missing_shards", static_cast<std::uint64_t>(model.missing_shards)}}));
  Value::Array known;
  for (const tasks::CatalogueEntry& entry : catalogue())
    known.push_back(
        Value::object({{"name", entry.name}, {"title", entry.title}, {"size", entry.size}, {"licence", entry.licence}}));
  return Value::object({{"models", std::move(local)}, {"catalogue", std::move(known)}});
}

std::string as_text(const Console& console, const std::vector<tasks::LocalModel>& models) {
  std::string out;
  if (models.empty()) out += "no models on this machine yet\n";
  std::size_t width = 0;
  for (const tasks::LocalModel& model : models) width = std::max(width, model.name.size());
  width = std::min<std::size_t>(width, 48);
  std::string source;
  for (const tasks::LocalModel& model : models) {
    if (model.source != source) out += fmt::format("{}\n", console.paint(Colour::bold, model.source));
    source = model.source;
    out += fmt::format("  {:<{}}  {:>9}  {}\n", model.name, width, os::size_text(model.size), model.path.string());
    if (model.missing_shards > 0) out += fmt::format("  {:<{}}  {} of its files are missing\n", "", width, model.missing_shards);
  }
  out += fmt::format("{}\n", console.paint(Colour::bold, "by name, brought when first used"));
  for (const tasks::CatalogueEntry& entry : catalogue())
    out += fmt::format("  {:<20}  {:>9}  {}; {}\n", entry.name, os::size_text(entry.size), entry.title, entry.licence);
  return out;
}

}  // namespace

Table list_table() {
  static ListOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_list(Console& console, Words words) {
  ListOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  const std::vector<tasks::LocalModel> models =
      tasks::list_models(tasks::usual_places(os::environment, os::home(), os::puna_home()));
  console.answer(options.json ? json::write(as_value(models), {.indent = 1}) + "\n" : as_text(console, models));
  return 0;
}

}  // namespace puna::cli
