#include "backend/cpu/dispatch.h"

#include <gtest/gtest.h>

namespace puna::backend::cpu {
namespace {

TEST(Dispatch, always_has_the_scalar_table_and_lists_it_first) {
  ASSERT_FALSE(runnable_tables().empty());
  EXPECT_EQ(runnable_tables().front()->name, "scalar");
}

TEST(Dispatch, takes_the_best_table_where_none_is_named) {
  const auto table = choose_table();
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(*table, runnable_tables().back());
}

TEST(Dispatch, takes_any_runnable_table_by_its_name) {
  for (const KernelTable* table : runnable_tables()) {
    const auto chosen = choose_table(table->name);
    ASSERT_TRUE(chosen.has_value());
    EXPECT_EQ(*chosen, table);
  }
}

TEST(Dispatch, says_which_tables_there_are_where_the_name_is_unknown) {
  const auto table = choose_table("sse9");
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().kind, ErrorKind::not_found);
  EXPECT_NE(table.error().message.find("'sse9'"), std::string::npos);
  EXPECT_NE(table.error().hint.find("scalar"), std::string::npos);
}

TEST(Dispatch, fills_every_slot_of_every_table) {
  for (const KernelTable* table : runnable_tables()) {
    EXPECT_TRUE(table->quantize_row && table->linear_int8 && table->linear_float && table->dequantize_row);
    EXPECT_TRUE(table->rms_norm && table->add && table->scale && table->soft_cap && table->gated && table->rope);
    EXPECT_TRUE(table->kv_write && table->attend && table->int8_peak && table->read_bytes);
  }
}

}  // namespace
}  // namespace puna::backend::cpu
