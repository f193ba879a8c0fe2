#include "engine/scheduler.h"

#include <algorithm>

namespace puna::engine {

std::int64_t StepPlan::n_tokens() const {
  std::int64_t n = 0;
  for (const StepSequence& sequence : sequences) n += static_cast<std::int64_t>(sequence.tokens.size());
  return n;
}

StepPlan next_step(std::span<const Work> work, std::int64_t budget) {
  StepPlan plan;
  for (const Work& item : work) {
    const auto n = static_cast<std::int32_t>(std::min<std::int64_t>(budget, static_cast<std::int64_t>(item.pending.size())));
    if (n == 0) continue;
    budget -= n;
    StepSequence& part = plan.sequences.emplace_back();
    part.id = item.id;
    part.tokens.assign(item.pending.begin(), item.pending.begin() + n);
    const bool ends = n == static_cast<std::int32_t>(item.pending.size());
    if (item.wants == Work::Wants::all_rows)
      for (std::int32_t row = 0; row < n; ++row) part.output_rows.push_back(row);
    else if (ends)
      part.output_rows.push_back(n - 1);
  }
  return plan;
}

}  // namespace puna::engine
