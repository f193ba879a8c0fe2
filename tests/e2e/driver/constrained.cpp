// What a model writes under JSON schemas, for full_constrained_answers_test.py: constrained MODEL; standard input has one JSON
// object a line: {"schema" (its text), "prompt", "samples", "temperature", "seed", "tokens"} → {"texts": ["…"], "unfinished": n}
// or {"error"}.
#include <iostream>
#include <string>

#include "base/value.h"
#include "engine/engine.h"
#include "text/grammar/json_schema.h"

namespace {

using puna::Result;
using puna::Value;

Result<Value> answers(puna::engine::Engine& engine, const Value& asked) {
  const Value schema = PUNA_TRY(puna::json::parse(*asked.find("schema")->if_string()));
  puna::engine::Request request;
  request.constraint = PUNA_TRY(engine.constraint(PUNA_TRY(puna::text::grammar::json_schema_grammar(schema))));
  request.prompt = engine.tokenizer().encode(*asked.find("prompt")->if_string());
  request.n_predict = *asked.find("tokens")->if_int();
  const Value& temperature = *asked.find("temperature");
  request.sampling.temp =
      static_cast<float>(temperature.if_double() ? *temperature.if_double() : static_cast<double>(*temperature.if_int()));
  const std::int64_t samples = *asked.find("samples")->if_int();
  Value texts = Value::array();
  std::int64_t unfinished = 0;
  for (std::int64_t seed = *asked.find("seed")->if_int(); static_cast<std::int64_t>(texts.if_array()->size()) < samples; ++seed) {
    if (unfinished > 4 * samples) return puna::fail("{} answers did not end", unfinished);
    request.sampling.seed = static_cast<std::uint32_t>(seed);
    const auto completion = PUNA_TRY(engine.complete(request));
    if (completion.finish == puna::engine::Finish::constraint_met || completion.finish == puna::engine::Finish::end_token)
      texts.push_back(engine.tokenizer().decode(completion.tokens, true));
    else
      ++unfinished;
  }
  return Value::object({{"texts", texts}, {"unfinished", unfinished}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  puna::engine::Options options;
  options.model = argv[1];
  options.n_ctx = 2048;
  options.n_threads = 1;  // one program per core: that writes more answers than all cores on one
  const auto engine = puna::engine::Engine::load(options);
  if (!engine) {
    std::cerr << engine.error().message << "\n";
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const auto asked = puna::json::parse(line, 256);
    const auto written = asked ? answers(**engine, *asked) : Result<Value>(std::unexpected(asked.error()));
    std::cout << puna::json::write(written ? *written : Value::object({{"error", written.error().message}})) << "\n"
              << std::flush;
  }
}
