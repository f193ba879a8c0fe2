#include "text/grammar/json_schema.h"

#include "text/grammar/json_schema_emit.h"
#include "text/grammar/prune.h"

namespace puna::text::grammar {

Result<Grammar> json_schema_grammar(const Value& schema) {
  auto document = SchemaDocument::read(schema);
  if (!document) return std::unexpected(std::move(document).error().within("JSON schema"));
  Budget budget;
  SchemaTexts texts(budget);
  SchemaExpander expander(*document, texts);
  auto grammar = SchemaEmitter(expander).run(document->root());
  if (!grammar) return std::unexpected(std::move(grammar).error().within("JSON schema"));
  Grammar result = pruned(*grammar);
  if (!has_word(result))
    return std::unexpected(error(ErrorKind::invalid, "JSON schema: no value is valid")
                               .with_hint("Keywords exclude each other, such as a minimum above the maximum."));
  return result;
}

}  // namespace puna::text::grammar
