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

// Where threads are kept: thread i on one of the processors of places[i mod size]; empty: wherever the system puts them.
using Places = std::vector<std::vector<int>>;

// What machines with several memory nodes are asked for: threads on all nodes in turn, or on the node of the caller only.
enum class Numa { off, distribute, isolate };
// Of `cpus`, by the nodes that /sys below `root` names; `here`: the processor of the caller. Numa::off, or a machine of one
// node: `cpus` as the one place.
Places numa_places(Numa numa, const std::vector<int>& cpus, int here, const std::filesystem::path& root = "/");
int current_cpu();  // that the calling thread runs on just now

// "0-3,8" as the kernel writes sets of processors; ascending.
Result<std::vector<int>> parse_cpu_list(std::string_view text);
// "0x1f" or "1f": a bit per processor, the lowest bit processor 0; ascending.
Result<std::vector<int>> parse_cpu_mask(std::string_view text);

// Keeps the calling thread on `cpus`; false where the system refuses.
bool pin_this_thread(const std::vector<int>& cpus);

}  // namespace puna
