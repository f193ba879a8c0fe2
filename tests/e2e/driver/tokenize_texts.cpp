// Tokenizes for the long scripts: tokenize_texts FILE [PRE]. FILE: a GGUF file or a tokenizer.json. Each line of standard input
// is a JSON string; for each one line goes out, {"ids": […], "back": the text that the ids stand for}. Of special tokens none is
// added; all are recognised.
#include <iostream>
#include <string>

#include "base/os.h"
#include "base/value.h"
#include "model/vocabulary.h"
#include "text/tokenizer_json.h"

namespace {

using puna::Value;

puna::Result<std::unique_ptr<puna::text::Tokenizer>> load(const std::string& path, const std::string& pre) {
  if (path.ends_with(".json")) {
    const std::string text = PUNA_TRY(puna::os::read_file(path));
    const auto json = PUNA_TRY(puna::text::TokenizerJson::read(PUNA_TRY(puna::json::parse(text))));
    return json.make();
  }
  const auto file = PUNA_TRY(puna::gguf::File::open(path, {.metadata_only = true}));
  return puna::model::load_tokenizer(file, pre);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto tokenizer = load(argv[1], argc > 2 ? argv[2] : "");
  if (!tokenizer) {
    std::cerr << tokenizer.error().message << '\n';
    return 1;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto text = puna::json::parse(line);
    if (!text || text->if_string() == nullptr) return 2;
    const auto ids = (*tokenizer)->encode(*text->if_string(), {.add_special = false});
    const Value answer = Value::object({{"ids", Value::Array(ids.begin(), ids.end())}, {"back", (*tokenizer)->decode(ids)}});
    std::cout << puna::json::write(answer) << '\n';
  }
  return 0;
}
