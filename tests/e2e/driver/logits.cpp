// Every position's logits of a text, as the default path and as the exact one see them, for full_divergence_test.py:
// logits MODEL IDS fast|exact → float32 [ids, n_vocab] on standard output. IDS: a JSON array.
#include <cstdio>

#include "base/value.h"
#include "engine/engine.h"

namespace {

puna::Result<void> write_logits(const char* model, const char* ids_text, bool exact) {
  const puna::Value parsed = PUNA_TRY(puna::json::parse(ids_text));
  if (parsed.if_array() == nullptr) return puna::fail("{}: wanted a JSON array of token ids", ids_text);
  std::vector<puna::TokenId> ids;
  for (const puna::Value& id : *parsed.if_array()) ids.push_back(static_cast<puna::TokenId>(*id.if_int()));
  puna::engine::Options options;
  options.model = model;
  options.n_ctx = 2048;
  options.exact = exact;
  const auto engine = PUNA_TRY(puna::engine::Engine::load(options));
  return engine->all_logits(
      ids, [](std::int64_t, std::span<const float> logits) { std::fwrite(logits.data(), sizeof(float), logits.size(), stdout); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto written = write_logits(argv[1], argv[2], std::string_view(argv[3]) == "exact");
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
