// How many threads are worth starting: one per physical core that this process may use. What a container or a task
// set forbids is not used, however many processors the machine shows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace puna {

// The processors this process may run on (its affinity mask, cpusets included), ascending; at least one.
std::vector<int> allowed_cpus();

struct CoreChoice {
  int n_threads = 1;
  std::vector<int> cpus;  // the processors it was made from
  std::string reason;     // "4 threads: 8 processors allowed, 8 cores, cgroup quota 4"
};

// One thread per core among `cpus`, no more than the cgroup's CPU quota (rounded down, at least one). Reads /proc and
// /sys below `root`; what is missing there sets no limit.
CoreChoice choose_threads(std::vector<int> cpus = allowed_cpus(), const std::filesystem::path& root = "/");

// "0-3,8" as the kernel writes sets of processors; ascending.
Result<std::vector<int>> parse_cpu_list(std::string_view text);
// "0x1f" or "1f": a bit per processor, the lowest bit processor 0; ascending.
Result<std::vector<int>> parse_cpu_mask(std::string_view text);

// Keeps the calling thread on `cpus`; false where the system refuses.
bool pin_this_thread(const std::vector<int>& cpus);

}  // namespace puna
