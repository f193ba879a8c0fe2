// Any bytes as a JSON schema: compiled in bounded time, and random words of its grammar are JSON that the grammar accepts.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

#include "base/check.h"
#include "text/grammar/json_schema.h"
#include "text/grammar/regex_grammar.h"
#include "text/grammar_walk.h"

using namespace puna;
using namespace puna::text::grammar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto schema = json::parse(text, 256);
  if (!schema) {
    // What is no JSON is an expression of some sort.
    if (const auto regex = regex_grammar(text)) {
      const auto& node = regex->nodes[regex->rules[regex->root].body];
      const auto shortest = std::get<Regular>(node).dfa->shortest();
      PUNA_CHECK(shortest && std::get<Regular>(node).dfa->matches(*shortest), "an expression without its own word");
    }
    return 0;
  }
  const auto grammar = json_schema_grammar(*schema);
  if (!grammar || grammar->nodes.size() > 2000) return 0;
  Recognizer recognizer(*grammar);
  Sampler sampler(*grammar);
  std::mt19937 random(static_cast<unsigned>(size));
  for (int i = 0; i < 2; ++i) {
    const auto word = sampler.word(random, 20 + 60 * static_cast<std::size_t>(i));
    if (word.size() > 10'000) continue;
    PUNA_CHECK(json::parse(word, 1000).has_value(), "a word that is no JSON");
    PUNA_CHECK(recognizer.matches(word), "a word that is refused");
  }
  return 0;
}
