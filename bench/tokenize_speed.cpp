// How fast a file's tokenizer is: tokenize_speed FILE.gguf TEXT ROUNDS [PRE]. FILE is opened for its vocabulary alone. One line
// of JSON goes out: {"load": seconds, "seconds": […], "tokens": …}. compare_tokenizers.py puts it beside a peer.
#include <chrono>
#include <iostream>

#include "base/os.h"
#include "base/value.h"
#include "model/vocabulary.h"

namespace {

using puna::Value;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

puna::Result<Value> measure(const char* model, const char* text_path, int rounds, const char* pre) {
  const std::string text = PUNA_TRY(puna::os::read_file(text_path));
  const auto file = PUNA_TRY(puna::gguf::File::open(model, {.metadata_only = true}));
  const auto start = std::chrono::steady_clock::now();
  const auto tokenizer = PUNA_TRY(puna::model::load_tokenizer(file, pre));
  const double load = seconds_since(start);
  Value::Array seconds;
  std::size_t n_tokens = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    n_tokens = tokenizer->encode(text, {.add_special = false}).size();
    seconds.push_back(seconds_since(begin));
  }
  return Value::object({{"load", load}, {"seconds", seconds}, {"tokens", static_cast<std::int64_t>(n_tokens)}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto result = measure(argv[1], argv[2], std::atoi(argv[3]), argc > 4 ? argv[4] : "");
  if (!result) {
    std::cerr << result.error().message << '\n';
    return 1;
  }
  std::cout << puna::json::write(*result) << '\n';
  return 0;
}
