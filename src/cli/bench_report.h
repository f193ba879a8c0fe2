// What puna bench writes: tables for people, JSON and CSV for scripts.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/value.h"
#include "tasks/bench.h"

namespace puna::cli {

enum class BenchFormat { md, json, csv };

// A row as data, its fields named as llama-bench names them where they mean the same. Times are in nanoseconds, speeds (…_ts)
// in tokens per second.
Value bench_value(const tasks::BenchRow& row);

// The rows as text, piece by piece: what begins it, each row as soon as it is measured, and what ends it.
class BenchReport {
 public:
  // Columns that say nothing new (a batch size that is everyone's default) are left out of the table for people.
  BenchReport(BenchFormat format, const tasks::BenchSpec& spec);

  std::string row(const tasks::BenchRow& row);
  std::string end() const;
  bool is_empty() const { return n_rows_ == 0; }

 private:
  struct Column {
    std::string title;
    std::size_t width = 0;
    bool is_number = true;
    std::string (*text)(const tasks::BenchRow& row) = nullptr;
  };
  static std::string cell(const Column& column, const std::string& text);
  std::string table_row(const tasks::BenchRow& row) const;
  std::string table_head() const;

  BenchFormat format_;
  std::vector<Column> columns_;
  std::size_t n_rows_ = 0;
  engine::Ceilings ceilings_;
};

}  // namespace puna::cli
