// JSON Schema (draft 2020-12) as a grammar: docs/json_schema.md says which texts of a value are in it, and what is refused.
#pragma once

#include "base/result.h"
#include "base/value.h"
#include "text/grammar/grammar.h"

namespace puna::text::grammar {

// Every word of the grammar is the text of a value that the schema holds of, and every such value has such a text, in the
// normal form. What cannot be said so is an error that names the place as a JSON pointer; nothing is left out.
Result<Grammar> json_schema_grammar(const Value& schema);

}  // namespace puna::text::grammar
