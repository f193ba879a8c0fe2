// puna pull: brings a model to this machine and says where it lies.
#include "tasks/pull.h"
#include "cli/commands.h"
#include "cli/model_options.h"

namespace puna::cli {
namespace {

Table make_table(ModelOptions& options, Console& console) {
  Table table("pull", "Brings a model to this machine, unless it is here, and writes its path to standard output.",
              "[MODEL] [options]",
              "puna pull NAME                     a model that puna knows by name (puna list)\n"
              "puna pull hf:org/repo              Q4_K_M, or the best quantization that fits in memory\n"
              "puna pull hf:org/repo:Q6_K         another one\n"
              "puna pull hf:org/repo:model.gguf   that file");
  add_model_options(table, options);
  add_general_options(table, console);
  return table;
}

}  // namespace

Table pull_table() {
  static ModelOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_pull(Console& console, Words words) {
  ModelOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  const std::filesystem::path path = PUNA_TRY(obtain_model(console, options));
  // A path is taken as it is until here: is there a file?
  PUNA_TRY(tasks::find_local({.text = path.string(), .source = tasks::PathModel{path}}, {}));
  console.answer(path.string() + "\n");
  return 0;
}

}  // namespace puna::cli
