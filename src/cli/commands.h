// The commands, each in a file of its own, and what they share at their doors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"

namespace puna::cli {

inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

using Words = std::span<const std::string>;

struct Command {
  std::string_view name;  // "chat", "gguf info"
  std::string_view summary;
  // Exit status, or the error that ended it.
  Result<int> (*run)(Console& console, Words words);
  // Its options, for tests and for hints; what they set is thrown away.
  Table (*table)();
};

std::span<const Command> commands();

Result<int> run_chat(Console& console, Words words);
Result<int> run_run(Console& console, Words words);
Result<int> run_tokenize(Console& console, Words words);
Result<int> run_template(Console& console, Words words);
Result<int> run_score(Console& console, Words words);
Result<int> run_bench(Console& console, Words words);
Result<int> run_pull(Console& console, Words words);
Result<int> run_list(Console& console, Words words);
Result<int> run_gguf_info(Console& console, Words words);

Table chat_table();
Table run_table();
Table tokenize_table();
Table template_table();
Table score_table();
Table bench_table();
Table pull_table();
Table list_table();
Table gguf_info_table();

// The whole program: what main() returns.
int run(const std::vector<std::string>& words);

// -v, -lv, --log-disable, --color: in every command.
void add_general_options(Table& table, Console& console);

// Fills in what the table binds. The exit status where that is the end of it: 0 after a help, 2 after a wrong line.
std::optional<int> read_arguments(Console& console, const Table& table, Words words);

// Says what is wrong with the line; 2.
int refuse(Console& console, const Error& error);

}  // namespace puna::cli
