// Compiles JSON schemas and regular expressions from standard input, one JSON object a line:
// {"schema" (its text) or "regex", "texts": ["…"], "samples": n, "seed": n}
// → {"accepted": [bool], "samples": ["…"], "milliseconds": x} or {"error", "hint"}.
#include <chrono>
#include <iostream>
#include <string>

#include "text/grammar/json_schema.h"
#include "text/grammar/regex_grammar.h"
#include "text/grammar_walk.h"

namespace {

using namespace puna;
using namespace puna::text::grammar;

Result<Grammar> compile(const Value& request) {
  if (const auto* regex = request.find("regex"); regex && regex->if_string()) return regex_grammar(*regex->if_string());
  const auto* schema = request.find("schema");
  if (!schema || !schema->if_string()) return fail("no schema");
  return json_schema_grammar(PUNA_TRY(json::parse(*schema->if_string(), 256)));
}

Value answer(const std::string& line) {
  const auto request = json::parse(line, 64);
  if (!request) return Value::object({{"error", request.error().message}});
  const auto begin = std::chrono::steady_clock::now();
  const auto grammar = compile(*request);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  if (!grammar) return Value::object({{"error", grammar.error().message}, {"hint", grammar.error().hint}});
  Value accepted = Value::array(), samples = Value::array();
  Recognizer recognizer(*grammar);
  const auto* texts = request->find("texts");
  for (std::size_t i = 0; texts && i < texts->if_array()->size(); ++i) {
    accepted.push_back(recognizer.matches(*(*texts->if_array())[i].if_string()));
  }
  const auto* n_samples = request->find("samples");
  const auto* seed = request->find("seed");
  std::mt19937 random(seed && seed->if_int() ? static_cast<unsigned>(*seed->if_int()) : 1);
  if (n_samples && n_samples->if_int()) {
    Sampler sampler(*grammar);
    for (std::int64_t i = 0; i < *n_samples->if_int(); ++i) samples.push_back(sampler.word(random, 20 + random() % 200));
  }
  return Value::object({{"accepted", accepted}, {"samples", samples}, {"milliseconds", time.count()}});
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) std::cout << json::write(answer(line)) << "\n" << std::flush;
}
