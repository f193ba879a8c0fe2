// What an answer must look like: --grammar, --json-schema, --regex and their files.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "text/grammar/grammar.h"

namespace puna::cli {

struct GrammarOptions {
  std::optional<std::string> gbnf = {};
  std::string gbnf_file = {};
  std::optional<std::string> json_schema = {};
  std::string json_schema_file = {};
  std::optional<std::string> regex = {};
};

void add_grammar_options(Table& table, GrammarOptions& options);

// Empty: the answer may be anything. Errors: two of them at once; what is wrong in a grammar, schema or expression, by option.
Result<std::optional<text::grammar::Grammar>> read_grammar(const GrammarOptions& options);

}  // namespace puna::cli
