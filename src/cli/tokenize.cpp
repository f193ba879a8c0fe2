// puna tokenize: a text's token ids, and a look into the vocabulary.
#include <algorithm>

#include "base/value.h"
#include "cli/commands.h"
#include "cli/engine_options.h"
#include "cli/escapes.h"
#include "cli/model_options.h"
#include "cli/prompt_options.h"
#include "cli/token_line.h"
#include "gguf/reader.h"
#include "model/vocabulary.h"

namespace puna::cli {
namespace {

struct TokenizeOptions {
  ModelOptions model;
  PromptOptions prompt;
  EngineOptions engine;  // of it the file options
  bool json = false;
  bool add_bos = true;
  bool parse_special = true;
  bool in_colours = false;
  bool show_count = false;
  std::optional<std::string> find;
};

constexpr std::size_t kMostFound = 50;

Table make_table(TokenizeOptions& options, Console& console) {
  Table table("tokenize", "A text's token ids, and a look into the vocabulary.", "[MODEL] [-p TEXT | -f FILE] [options]",
              "puna tokenize model.gguf -p \"Hello world\"\n"
              "puna tokenize -m model.gguf --json -f letter.txt\n"
              "puna tokenize model.gguf --color -p \"def f(x):\\n  return x\"\n"
              "puna tokenize model.gguf --find im_end");
  add_model_options(table, options.model);
  add_prompt_options(table, options.prompt);
  table.add("--no-bos", "no token for the beginning of a text", flag(options.add_bos, false));
  table.add("--no-parse-special", "\"<|im_end|>\" and its like in the text are text, not control tokens",
            flag(options.parse_special, false));
  table.group("Output (otherwise a line for each token: id, kind where it is not a normal one, text)");
  table.add("--json, --ids", "one line: [1,2,3]", flag(options.json));
  table.add("--color, --colour", "the text itself, each token in another colour", flag(options.in_colours));
  table.add("--show-count", "also how many tokens there are", flag(options.show_count));
  table.group("Vocabulary");
  table.add("--find TEXT|ID", "the token of that id, or those whose text contains TEXT", into(options.find));
  add_file_options(table, options.engine);
  table.add("--stdin", "", {});
  add_general_options(table, console);
  return table;
}

std::string in_colours(const Console& console, const text::Tokenizer& tokenizer, std::span<const TokenId> ids) {
  // Neighbours differ; backgrounds, so that spaces show. Without colours, bars between the tokens do.
  static constexpr int kBackgrounds[] = {44, 42, 43, 45, 46};
  std::string out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string text = tokenizer.token_bytes(ids[i]);
    if (!console.has_colours()) {
      out += (i ? "|" : "") + text;
      continue;
    }
    // A line end ends the colour first: a background would fill the rest of the line.
    const std::string on = fmt::format("\033[{};30m", kBackgrounds[i % std::size(kBackgrounds)]);
    std::string painted = on;
    for (char c : text) painted += c == '\n' ? "↵\033[0m\n" + on : std::string(1, c);
    out += painted + "\033[0m";
  }
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

Value found_value(const text::Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  Value::Array found;
  for (TokenId id : ids)
    found.push_back(Value::object({{"id", id},
                                   {"text", tokenizer.token_text(id)},
                                   {"bytes", tokenizer.token_bytes(id)},
                                   {"kind", static_cast<int>(tokenizer.kind(id))}}));
  return found;
}

Result<int> find(Console& console, const TokenizeOptions& options, const text::Tokenizer& tokenizer) {
  const std::string& wanted = *options.find;
  std::vector<TokenId> found;
  const bool is_id = !wanted.empty() && wanted.find_first_not_of("0123456789") == wanted.npos;
  if (is_id) {
    const auto last = static_cast<std::int64_t>(tokenizer.size()) - 1;
    const auto id = parse_integer(wanted, 0, last);
    if (!id) return fail(ErrorKind::not_found, "no token {}: the vocabulary's ids are 0 to {}", wanted, last);
    found.push_back(static_cast<TokenId>(*id));
  }
  const std::string text = decode_escapes(wanted);
  std::size_t more = 0;
  for (TokenId id = 0; !is_id && tokenizer.contains(id); ++id) {
    const bool is_whole = tokenizer.token_bytes(id) == text || tokenizer.token_text(id) == text;
    if (!is_whole && tokenizer.token_bytes(id).find(text) == std::string::npos) continue;
    if (is_whole)
      found.insert(found.begin(), id);
    else if (found.size() < kMostFound || options.json)
      found.push_back(id);
    else
      ++more;
  }
  if (found.empty()) return fail(ErrorKind::not_found, "no token contains '{}'", wanted);
  if (options.json) {
    console.answer(json::write(found_value(tokenizer, found)) + "\n");
    return 0;
  }
  std::string out;
  for (TokenId id : found) out += token_line(console, tokenizer, id);
  console.answer(out);
  if (more > 0) console.note(fmt::format("puna: and {} more", more));
  return 0;
}

}  // namespace

Table tokenize_table() {
  static TokenizeOptions options;
  static Console console;
  return make_table(options, console);
}

Result<int> run_tokenize(Console& console, Words words) {
  TokenizeOptions options;
  const Table table = make_table(options, console);
  if (auto end = read_arguments(console, table, words)) return *end;
  const std::filesystem::path path = PUNA_TRY(obtain_model(console, options.model));
  options.engine.engine.file.metadata_only = true;
  const gguf::File file = PUNA_TRY(gguf::File::open(path, options.engine.engine.file));
  const auto tokenizer = PUNA_TRY(model::load_tokenizer(file, options.engine.engine.pre_tokenizer));
  if (options.find) return find(console, options, *tokenizer);

  const std::string text = PUNA_TRY(prompt_or_input(console, options.prompt));
  const std::vector<TokenId> ids =
      tokenizer->encode(text, {.add_special = options.add_bos, .parse_special = options.parse_special});
  std::string out;
  if (options.json) {
    out = json::write(Value(Value::Array(ids.begin(), ids.end()))) + "\n";
  } else if (options.in_colours) {
    out = in_colours(console, *tokenizer, ids);
  } else {
    for (TokenId id : ids) out += token_line(console, *tokenizer, id);
  }
  if (options.show_count) out += fmt::format("Total number of tokens: {}\n", ids.size());
  console.answer(out);
  return 0;
}

}  // namespace puna::cli
