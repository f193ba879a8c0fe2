#include "cli/model_options.h"

#include "base/log.h"
#include "base/os.h"
#include "cli/catalogue.h"
#include "cli/escapes.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "tasks/local_models.h"
#include "tasks/pull.h"

namespace puna::cli {
namespace {

// Neither a file nor a name that says where it leads; `puna list` may show it all the same, as another program's.
bool names_nothing(const Result<tasks::ModelRef>& model) {
  if (!model) return model.error().kind == ErrorKind::not_found;
  const auto* path = std::get_if<tasks::PathModel>(&model->source);
  std::error_code ignored;
  return path && !std::filesystem::exists(path->path, ignored);
}

}  // namespace

void add_model_options(Table& table, ModelOptions& options) {
  const auto name_model = [&options](std::string_view text) -> Result<void> {
    if (text.empty()) return fail("a model's name may not be empty");
    if (!options.model.empty() && options.model != text) return fail("two models named: '{}' and '{}'", options.model, text);
    options.model = text;
    return {};
  };
  table.positional("MODEL", "a GGUF file, a name that puna list shows, hf:org/repo[:file], or a URL", name_model);
  table.group("Model");
  table.add("-m, --model MODEL", "the same as MODEL", name_model);
  table.add("-hf, -hfr, --hf-repo ORG/REPO[:QUANT]", "a Hugging Face repository; without QUANT puna chooses and says why",
            into(options.hub_repo));
  table.add("-hff, --hf-file FILE", "this file of the repository", into(options.hub_file));
  table.add("-hft, --hf-token TOKEN", "sent to the hub's host only (default: HF_TOKEN)", into(options.hub_token));
  table.add("-mu, --model-url URL", "a file on the web", name_model);
  table.add("--offline", "never ask the network", flag(options.offline));
}

Result<std::string> model_text(const ModelOptions& options) {
  if (options.hub_repo.empty()) {
    if (!options.hub_file.empty()) return fail("--hf-file wants --hf-repo with it");
    return options.model;
  }
  if (!options.model.empty()) return fail("two models named: '{}' and '{}'", options.model, options.hub_repo);
  std::string text = options.hub_repo.starts_with("hf:") ? options.hub_repo : "hf:" + options.hub_repo;
  if (options.hub_file.empty()) return text;
  if (const std::size_t colon = text.find(':', 3); colon != text.npos) text.resize(colon);
  return text + ":" + options.hub_file;
}

Result<void> check_model_name(const ModelOptions& options) {
  const std::string text = PUNA_TRY(model_text(options));
  if (text.empty()) return {};
  const Result<tasks::ModelRef> model = tasks::parse_model(text, catalogue());
  if (model) return {};
  Error problem = model.error();
  if (problem.kind == ErrorKind::not_found && text.find(' ') != text.npos)
    problem = std::move(problem).with_hint("a text goes after -p, and a model before it or nowhere: puna run -p \"…\"");
  return std::unexpected(std::move(problem));
}

Result<std::filesystem::path> obtain_model(Console& console, const ModelOptions& options) {
  std::string text = PUNA_TRY(model_text(options));
  if (text.empty()) {
    text = kDefaultModel;
    log::info("no model named: taking {}", text);
  }
  tasks::PullOptions pull = tasks::pull_options(os::environment, os::home(), os::puna_home());
  const Result<tasks::ModelRef> parsed = tasks::parse_model(text, catalogue());
  if (names_nothing(parsed))
    if (const auto listed = tasks::find_listed(text, pull.places)) return listed->path;
  if (!parsed) return std::unexpected(parsed.error());
  const tasks::ModelRef& model = *parsed;
  if (const auto* path = std::get_if<tasks::PathModel>(&model.source)) return path->path;

  Interruptible interruptible;
  Progress progress(console, Unit::bytes, std::chrono::milliseconds(500));
  if (!options.hub_token.empty()) pull.hf_token = options.hub_token;
  pull.memory_bytes = os::total_memory();
  pull.stop = interruptible.token();
  pull.progress = [&progress](const tasks::Progress& p) { progress.update(p.what, p.done, p.total); };

  Result<tasks::Pulled> found = tasks::find_local(model, pull);
  if (!found && found.error().kind == ErrorKind::not_found && !options.offline) {
    console.note(one_line(fmt::format("puna: {} is not on this machine yet: bringing it", tasks::shown_name(model))));
    found = tasks::pull(model, pull);
  }
  progress.clear();
  if (!found) return std::unexpected(std::move(found).error());
  if (!found->note.empty()) console.note("puna: " + found->note);
  return found->path;
}

}  // namespace puna::cli
