// A schema and the texts that its grammar must and must not have.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/grammar/json_schema.h"
#include "text/grammar_walk.h"

namespace puna::text::grammar {

inline Result<Grammar> compile_schema(std::string_view text) { return json_schema_grammar(PUNA_TRY(json::parse(text, 256))); }

inline void expect_texts(std::string_view schema, const std::vector<std::string>& accepted,
                         const std::vector<std::string>& refused) {
  SCOPED_TRACE(schema);
  const auto grammar = compile_schema(schema);
  ASSERT_TRUE(grammar) << grammar.error().message;
  Recognizer recognizer(*grammar);
  for (const auto& text : accepted) EXPECT_TRUE(recognizer.matches(text)) << text;
  for (const auto& text : refused) EXPECT_FALSE(recognizer.matches(text)) << text;
}

inline void expect_refused(std::string_view schema, const std::string& message) {
  const auto grammar = compile_schema(schema);
  ASSERT_FALSE(grammar) << schema;
  EXPECT_THAT(grammar.error().message, ::testing::HasSubstr(message)) << schema;
}

}  // namespace puna::text::grammar
