#include "cli/bench_report.h"

#include <algorithm>
#include <cmath>

#include "base/cpu_name.h"
#include "base/os.h"
#include "cli/version.h"

namespace puna::cli {
namespace {

using tasks::BenchRow;
using tasks::Spread;

std::string type_k(const BenchRow& row) { return engine::cache_type_name(row.options.cache.k); }
std::string type_v(const BenchRow& row) { return engine::cache_type_name(row.options.cache.v); }

// Tokens per second of each repetition; none where there are no tokens.
std::vector<double> rates(std::int64_t n_tokens, const std::vector<double>& seconds) {
  std::vector<double> found;
  if (n_tokens > 0)
    for (const double s : seconds) found.push_back(s > 0 ? static_cast<double>(n_tokens) / s : 0);
  return found;
}
std::vector<double> prompt_rates(const BenchRow& row) { return rates(row.prompt_tokens(), row.prompt_seconds); }
std::vector<double> generation_rates(const BenchRow& row) { return rates(row.generation_tokens(), row.generation_seconds); }
std::vector<double> all_rates(const BenchRow& row) { return rates(row.prompt_tokens() + row.generation_tokens(), row.seconds()); }

std::string rate_text(const std::vector<double>& found) {
  if (found.empty()) return "-";
  const Spread s = tasks::spread(found);
  return fmt::format("{:.2f} ± {:.2f}", s.mean, s.deviation);
}

std::string share_text(const BenchRow& row) { return fmt::format("{:.0f} %", row.ceiling_share() * 100); }

Value nanoseconds(const std::vector<double>& seconds) {
  Value out = Value::array();
  for (const double s : seconds) out.push_back(static_cast<std::int64_t>(std::llround(s * 1e9)));
  return out;
}

// mean and deviation of `values`, as the fields avg_… and stddev_…
void add_spread(Value& out, const std::string& name, const std::vector<double>& values) {
  const Spread s = tasks::spread(values);
  out.set("avg_" + name, s.mean);
  out.set("stddev_" + name, s.deviation);
}

// Characters, where a "±" is one.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string csv_field(const Value& value) {
  const std::string* text = value.if_string();
  if (!text) return json::write(value);
  std::string out = "\"";
  for (const char c : *text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// One line of all members that are no lists: their names, or their values.
std::string csv_line(const Value& row, bool names) {
  std::string line;
  for (const auto& [name, value] : *row.if_object()) {
    if (value.if_array()) continue;
    line += (line.empty() ? "" : ",") + (names ? name : csv_field(value));
  }
  return line + "\n";
}

bool all_are(const tasks::BenchSpec& spec, const auto& holds) { return std::ranges::all_of(spec.engines, holds); }

}  // namespace

Value bench_value(const BenchRow& row) {
  Value out = Value::object({
      {"build_version", version()},
      {"cpu_info", cpu_name()},
      {"backends", "CPU"},
      {"isa", row.isa},
      {"model_filename", row.model.file_name},
      {"model_type", row.model.type},
      {"model_size", row.model.bytes},
      {"model_n_params", row.model.n_parameters},
      {"n_batch", row.options.n_batch},
      {"n_ubatch", row.n_ubatch},
      {"n_threads", row.n_threads},
      {"type_k", type_k(row)},
      {"type_v", type_v(row)},
      {"use_mmap", row.options.file.use_mmap},
      {"n_prompt", row.test.n_prompt},
      {"n_gen", row.test.n_gen},
      {"n_depth", row.test.n_depth},
      {"n_parallel", row.test.n_parallel},
      {"shared_prompt", row.shared_prompt},
      {"test_time", row.test_time},
  });
  std::vector<double> whole = row.seconds();
  for (double& s : whole) s *= 1e9;
  const Spread ns = tasks::spread(whole);
  out.set("avg_ns", static_cast<std::int64_t>(std::llround(ns.mean)));
  out.set("stddev_ns", static_cast<std::int64_t>(std::llround(ns.deviation)));
  add_spread(out, "ts", all_rates(row));
  add_spread(out, "prompt_ts", prompt_rates(row));
  add_spread(out, "gen_ts", generation_rates(row));
  out.set("ceiling_share", row.ceiling_share());
  out.set("ceiling_read_bytes_per_second", row.ceilings.read_bytes_per_second);
  out.set("ceiling_int8_ops_per_second", row.ceilings.int8_ops_per_second);
  out.set("samples_ns", nanoseconds(row.seconds()));
  const std::vector<double> all = all_rates(row), prompt = prompt_rates(row), generation = generation_rates(row);
  out.set("samples_ts", Value::Array(all.begin(), all.end()));
  out.set("samples_prompt_ts", Value::Array(prompt.begin(), prompt.end()));
  out.set("samples_gen_ts", Value::Array(generation.begin(), generation.end()));
  return out;
}

BenchReport::BenchReport(BenchFormat format, const tasks::BenchSpec& spec) : format_(format) {
  const engine::Options usual;
  columns_ = {
      {"model", 30, false, [](const BenchRow& row) { return row.model.type; }},
      {"size", 10, true, [](const BenchRow& row) { return os::size_text(row.model.bytes); }},
      {"backend", 10, false, [](const BenchRow& row) { return "CPU " + row.isa; }},
      {"threads", 7, true, [](const BenchRow& row) { return fmt::format("{}", row.n_threads); }},
  };
  const auto add = [&](std::string title, std::size_t width, std::string (*text)(const BenchRow&)) {
    columns_.push_back({std::move(title), width, true, text});
  };
  if (!all_are(spec, [&](const engine::Options& o) { return o.n_batch == usual.n_batch; }))
    add("n_batch", 7, [](const BenchRow& row) { return fmt::format("{}", row.options.n_batch); });
  if (!all_are(spec, [&](const engine::Options& o) { return o.n_ubatch == usual.n_ubatch; }))
    add("n_ubatch", 8, [](const BenchRow& row) { return fmt::format("{}", row.n_ubatch); });
  if (!all_are(spec, [&](const engine::Options& o) { return o.cache == usual.cache; })) {
    add("type_k", 6, type_k);
    add("type_v", 6, type_v);
  }
  const bool together = std::ranges::any_of(spec.tests, [](const tasks::BenchTest& test) { return test.n_parallel > 1; });
  add("test", 18, [](const BenchRow& row) { return tasks::name(row.test); });
  if (together) {
    add("parallel", 8, [](const BenchRow& row) { return fmt::format("{}", row.test.n_parallel); });
    add("PP t/s", 20, [](const BenchRow& row) { return rate_text(prompt_rates(row)); });
    add("TG t/s", 20, [](const BenchRow& row) { return rate_text(generation_rates(row)); });
  }
  add(together ? "total t/s" : "t/s", 20, [](const BenchRow& row) { return rate_text(all_rates(row)); });
  add("of ceiling", 10, share_text);
}

std::string BenchReport::cell(const Column& column, const std::string& text) {
  const std::string gap(column.width - std::min(column.width, columns_of(text)), ' ');
  return column.is_number ? fmt::format(" {}{} |", gap, text) : fmt::format(" {}{} |", text, gap);
}

std::string BenchReport::table_head() const {
  std::string titles = "|", rule = "|";
  for (const Column& column : columns_) {
    titles += cell(column, column.title);
    rule += " " + std::string(column.width - 1, '-') + (column.is_number ? ": |" : "- |");
  }
  return titles + "\n" + rule + "\n";
}

std::string BenchReport::table_row(const BenchRow& row) const {
  std::string line = "|";
  for (const Column& column : columns_) line += cell(column, column.text(row));
  return line + "\n";
}

std::string BenchReport::row(const BenchRow& row) {
  const bool is_first = n_rows_++ == 0;
  ceilings_ = row.ceilings;
  if (format_ == BenchFormat::md) return (is_first ? table_head() : "") + table_row(row);
  const Value value = bench_value(row);
  if (format_ == BenchFormat::csv) return (is_first ? csv_line(value, true) : "") + csv_line(value, false);
  return (is_first ? "[\n" : ",\n") + json::write(value, {.indent = 2});
}

std::string BenchReport::end() const {
  if (format_ == BenchFormat::json) return n_rows_ == 0 ? "[]\n" : "\n]\n";
  if (format_ == BenchFormat::csv || n_rows_ == 0) return {};
  return fmt::format("\nceiling: {:.1f} GB/s read from memory, {:.2f} TOPS in int8 ({} kernels, {} threads); puna {}\n",
                     ceilings_.read_bytes_per_second / 1e9, ceilings_.int8_ops_per_second / 1e12, ceilings_.isa,
                     ceilings_.n_threads, version());
}

}  // namespace puna::cli
