// How the attention of a step is shared among the threads. A tile is some rows of a sequence for one KV head with its whole
// group of query heads. Enough tiles are dealt whole; few of them (one sequence far into its text, a model with few KV heads)
// are cut by chunks of positions, whose partial sums are kept and merged afterwards, left to right: the same bits either way.
#pragma once

#include <span>

#include "backend/cpu/kernel_table.h"
#include "base/thread_pool.h"

namespace puna::backend::cpu {

struct AttendStep {
  const KernelTable& kernels;
  ThreadPool& pool;
  std::span<const SequenceRows> sequences;
  const std::uint32_t* const* block_tables;  // by place in `sequences`
  AttendArgs shared;   // what all tiles have in common: blocks, rows, kv_head and scratch are each tile's own
  std::byte* scratch;  // [pool.size()], scratch_bytes apart: attend_scratch
  std::size_t scratch_bytes;
  std::span<float> partials;  // attend_partials_floats at least
};
void attend(const AttendStep& step);

// Room for the partial sums. More means fewer rounds of a very long text, nothing else.
std::size_t attend_partials_floats(std::int64_t head_dim, std::int64_t group, int n_threads);

}  // namespace puna::backend::cpu
