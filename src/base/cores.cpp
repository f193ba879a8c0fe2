#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace puna {
namespace fs = std::filesystem;
namespace {

constexpr int kMaxCpus = 8192;  // what Linux can be built for
constexpr int kMaxNodes = 1024;

// A set of processors as sched_*affinity wants it, large enough for every machine.
struct CpuSet {
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  CpuSet() { CPU_ZERO_S(bytes, set); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;
  ~CpuSet() { CPU_FREE(set); }
};

std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// Processors that share a core name the same set of siblings.
int count_cores(const std::vector<int>& cpus, const fs::path& root) {
  std::set<std::string> cores;
  for (int cpu : cpus) {
    const fs::path topology = root / fmt::format("sys/devices/system/cpu/cpu{}/topology", cpu);
    auto siblings = first_line(topology / "core_cpus_list");
    if (!siblings) siblings = first_line(topology / "thread_siblings_list");
    cores.insert(siblings ? *siblings : fmt::format("only {}", cpu));
  }
  return static_cast<int>(cores.size());
}

std::optional<double> ratio(std::string_view quota, std::string_view period) {
  double parts[2] = {};
  for (int i = 0; i < 2; ++i) {
    const std::string_view text = i == 0 ? quota : period;
    if (std::from_chars(text.data(), text.data() + text.size(), parts[i]).ec != std::errc{}) return std::nullopt;  // "max"
  }
  if (parts[0] <= 0 || parts[1] <= 0) return std::nullopt;  // -1: none
  return parts[0] / parts[1];
}

// cgroup v2: "400000 100000" or "max 100000".
std::optional<double> quota_v2(const fs::path& group) {
  const auto line = first_line(group / "cpu.max");
  if (!line) return std::nullopt;
  const std::size_t space = line->find(' ');
  if (space == line->npos) return std::nullopt;
  return ratio(std::string_view(*line).substr(0, space), std::string_view(*line).substr(space + 1));
}

std::optional<double> quota_v1(const fs::path& group) {
  const auto quota = first_line(group / "cpu.cfs_quota_us");
  const auto period = first_line(group / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return ratio(*quota, *period);
}

void keep_less(std::optional<double>& least, std::optional<double> other) {
  if (other && (!least || *other < *least)) least = other;
}

// The tightest quota from `group` up to the mount: a limit on a parent binds its children. Within a container the path
// may be the host's and not exist here; then the mount itself is the container's group.
template <class Quota>
void walk_up(std::optional<double>& least, const fs::path& mount, std::string_view group, Quota quota) {
  fs::path relative = fs::path(group).relative_path().lexically_normal();
  for (; !relative.empty() && relative != "."; relative = relative.parent_path()) keep_less(least, quota(mount / relative));
  keep_less(least, quota(mount));
}

// Processors' worth of time that the control groups leave us; empty where they set no limit.
std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> least;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "id:controllers:path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) {
      walk_up(least, mounts, path, quota_v2);
      walk_up(least, mounts / "unified", path, quota_v2);  // both versions side by side
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      walk_up(least, mounts / controllers, path, quota_v1);
      walk_up(least, mounts / "cpu", path, quota_v1);
    }
  }
  return least;
}

}  // namespace

std::vector<int> allowed_cpus() {
  CpuSet allowed;
  std::vector<int> cpus;
  if (::sched_getaffinity(0, allowed.bytes, allowed.set) == 0)
    for (int cpu = 0; cpu < kMaxCpus; ++cpu)
      if (CPU_ISSET_S(cpu, allowed.bytes, allowed.set)) cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

CoreChoice choose_threads(std::vector<int> cpus, const fs::path& root) {
  CoreChoice choice;
  const int n_cores = std::max(1, count_cores(cpus, root));
  const std::optional<double> quota = cpu_quota(root);
  choice.n_threads = n_cores;
  if (quota && *quota < n_cores) choice.n_threads = std::max(1, static_cast<int>(std::floor(*quota)));
  choice.reason = fmt::format("{} thread{}: {} processor{} allowed, {} core{}{}", choice.n_threads,
                              choice.n_threads == 1 ? "" : "s", cpus.size(), cpus.size() == 1 ? "" : "s", n_cores,
                              n_cores == 1 ? "" : "s", quota ? fmt::format(", cgroup quota {:.3g}", *quota) : "");
  choice.cpus = std::move(cpus);
  return choice;
}

Places numa_places(Numa numa, const std::vector<int>& cpus, int here, const fs::path& root) {
  Places nodes;
  for (int node = 0; numa != Numa::off && node < kMaxNodes; ++node) {
    const auto line = first_line(root / fmt::format("sys/devices/system/node/node{}/cpulist", node));
    const auto near = line ? parse_cpu_list(*line) : fail("no such node");
    if (!near) continue;  // nodes of memory alone have an empty list; numbers may have gaps
    std::vector<int> both;
    std::ranges::set_intersection(cpus, *near, std::back_inserter(both));
    const bool wanted = numa == Numa::distribute || std::ranges::binary_search(both, here);
    if (!both.empty() && wanted) nodes.push_back(std::move(both));
  }
  if (nodes.empty()) nodes.push_back(cpus);
  return nodes;
}

int current_cpu() { return std::max(0, ::sched_getcpu()); }

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::set<int> cpus;
  const auto wrong = [&] { return fail("'{}' is no list of processors, wanted one like 0-3,8", text); };
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, comma);
    rest.remove_prefix(std::min(rest.size(), comma + 1));
    int low = -1, high = -1;
    auto [stop, code] = std::from_chars(item.data(), item.data() + item.size(), low);
    if (code != std::errc{}) return wrong();
    high = low;
    if (stop != item.data() + item.size()) {
      if (*stop != '-') return wrong();
      auto [end, second] = std::from_chars(stop + 1, item.data() + item.size(), high);
      if (second != std::errc{} || end != item.data() + item.size()) return wrong();
    }
    if (low < 0 || high < low || high >= kMaxCpus) return wrong();
    for (int cpu = low; cpu <= high; ++cpu) cpus.insert(cpu);
  }
  if (cpus.empty()) return wrong();
  return std::vector<int>(cpus.begin(), cpus.end());
}

Result<std::vector<int>> parse_cpu_mask(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::vector<int> cpus;
  bool valid = !digits.empty() && digits.size() <= kMaxCpus / 4;
  for (int place = 0; valid && !digits.empty(); ++place, digits.remove_suffix(1)) {
    int digit = 0;
    valid = std::from_chars(&digits.back(), &digits.back() + 1, digit, 16).ec == std::errc{};
    for (int bit = 0; bit < 4; ++bit)
      if (digit >> bit & 1) cpus.push_back(4 * place + bit);
  }
  if (!valid || cpus.empty()) return fail("'{}' is no processor mask, wanted hexadecimal digits like 0xff", text);
  return cpus;
}

bool pin_this_thread(const std::vector<int>& cpus) {
  CpuSet wanted;
  for (int cpu : cpus)
    if (cpu >= 0 && cpu < kMaxCpus) CPU_SET_S(cpu, wanted.bytes, wanted.set);
  return ::sched_setaffinity(0, wanted.bytes, wanted.set) == 0;
}

}  // namespace puna
