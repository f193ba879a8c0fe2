// Token masks for other programs to be held against. usage: grammar_masks MODEL.gguf < requests
//
// First one line: {"tokens": ["hex", …], "ends": [ids]}, the bytes of each token that stands for text ("" for others). Then for
// each line {"gbnf": …, "tokens": [ids]} (or "schema": …, or "regex": …) one line: {"masks": ["hex", …]}, before each token and
// after the last, bit i of the bytes being token i; or {"error": …}.
#include <fmt/core.h>

#include <iostream>
#include <string>

#include "base/value.h"
#include "gguf/reader.h"
#include "model/vocabulary.h"
#include "text/grammar/constraint.h"
#include "text/grammar/gbnf.h"
#include "text/grammar/json_schema.h"
#include "text/grammar/regex_grammar.h"

namespace {

using namespace puna;
using namespace puna::text::grammar;

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

Result<Grammar> grammar_of(const Value& request) {
  if (const Value* schema = request.find("schema")) return json_schema_grammar(*schema);
  if (const Value* regex = request.find("regex")) return regex_grammar(*regex->if_string());
  return parse_gbnf(*request.find("gbnf")->if_string());
}

Result<Value> masks(const std::string& line, const text::Tokenizer& tokenizer, const std::shared_ptr<const TokenTrie>& trie) {
  const Value request = PUNA_TRY(json::parse(line));
  TokenMatcher matcher(PUNA_TRY(Constraint::make(PUNA_TRY(grammar_of(request)), tokenizer, trie)));
  Value::Array result;
  const auto add_mask = [&]() -> Result<void> {
    std::string bits((tokenizer.size() + 7) / 8, '\0');
    PUNA_TRY(matcher.mask())
    ->for_each([&](TokenId id) { bits[static_cast<std::size_t>(id) / 8] |= static_cast<char>(1 << (id % 8)); });
    result.push_back(hex(bits));
    return {};
  };
  for (const Value& token : *request.find("tokens")->if_array()) {
    PUNA_TRY(add_mask());
    if (!PUNA_TRY(matcher.accept(static_cast<TokenId>(*token.if_int())))) return fail("token {} is refused", *token.if_int());
  }
  PUNA_TRY(add_mask());
  return Value::object({{"masks", std::move(result)}});
}

}  // namespace

int main(int, char** arguments) {
  const auto file = gguf::File::open(arguments[1], {.metadata_only = true}).value();
  const auto tokenizer = model::load_tokenizer(file).value();
  const auto trie = TokenTrie::make(*tokenizer);
  Value::Array tokens, ends;
  for (std::size_t i = 0; i < tokenizer->size(); ++i) tokens.push_back(hex(trie->bytes(static_cast<TokenId>(i))));
  for (const TokenId id : tokenizer->eog_tokens()) ends.push_back(std::int64_t{id});
  std::cout << json::write(Value::object({{"tokens", std::move(tokens)}, {"ends", std::move(ends)}})) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto result = masks(line, *tokenizer, trie);
    std::cout << json::write(result ? *result : Value::object({{"error", result.error().message}})) << std::endl;
  }
}
