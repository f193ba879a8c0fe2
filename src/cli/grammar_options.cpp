#include "cli/grammar_options.h"

#include <vector>

#include "base/os.h"
#include "base/value.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/json_schema.h"
#include "text/grammar/regex_grammar.h"

namespace puna::cli {
namespace {

using text::grammar::Grammar;

Result<Grammar> schema_grammar(std::string_view text) { return text::grammar::json_schema_grammar(PUNA_TRY(json::parse(text))); }

}  // namespace

void add_grammar_options(Table& table, GrammarOptions& options) {
  table.group("What the answer must look like");
  table.add("--grammar TEXT", "a grammar in GBNF", into(options.gbnf));
  table.add("--grammar-file FILE", "the same from a file", into_name(options.gbnf_file));
  table.add("-j, --json-schema TEXT", "JSON that a schema holds of; {}: any JSON", into(options.json_schema));
  table.add("-jf, --json-schema-file FILE", "the same from a file", into_name(options.json_schema_file));
  table.add("--regex TEXT", "text that all of a regular expression matches", into(options.regex));
}

Result<std::optional<Grammar>> read_grammar(const GrammarOptions& options) {
  struct Source {
    const char* option;
    const std::optional<std::string>* text;
    const std::string* file;
    Result<Grammar> (*read)(std::string_view text);
  };
  const Source sources[] = {
      {"--grammar", &options.gbnf, nullptr, text::grammar::parse_gbnf},
      {"--grammar-file", nullptr, &options.gbnf_file, text::grammar::parse_gbnf},
      {"--json-schema", &options.json_schema, nullptr, schema_grammar},
      {"--json-schema-file", nullptr, &options.json_schema_file, schema_grammar},
      {"--regex", &options.regex, nullptr, text::grammar::regex_grammar},
  };
  const Source* chosen = nullptr;
  for (const Source& source : sources) {
    if (source.text ? !source.text->has_value() : source.file->empty()) continue;
    if (chosen) return fail("{} and {}: leave one out", chosen->option, source.option);
    chosen = &source;
  }
  if (!chosen) return std::optional<Grammar>();
  const std::string text = chosen->text ? **chosen->text : PUNA_TRY(os::read_file(*chosen->file));
  Result<Grammar> grammar = chosen->read(text);
  if (!grammar) return std::unexpected(std::move(grammar).error().within(chosen->text ? chosen->option : *chosen->file));
  return std::optional(*std::move(grammar));
}

}  // namespace puna::cli
