#include "base/cores.h"

#include <numeric>
#include <thread>

#include "base/temporary_folder.h"

namespace puna {
namespace {

// A machine made of files: what /proc and /sys say.
class Machine {
 public:
  // Cores of `threads_per_core` neighbouring processors, as Linux numbers them on one socket.
  explicit Machine(int n_cpus, int threads_per_core = 1) : cpus_(static_cast<std::size_t>(n_cpus)) {
    std::iota(cpus_.begin(), cpus_.end(), 0);
    for (int cpu = 0; cpu < n_cpus; ++cpu) {
      const int first = cpu / threads_per_core * threads_per_core;
      write(fmt::format("sys/devices/system/cpu/cpu{}/topology/core_cpus_list", cpu),
            threads_per_core == 1 ? fmt::format("{}\n", cpu) : fmt::format("{}-{}\n", first, first + threads_per_core - 1));
    }
  }
  Machine& write(const std::string& path, const std::string& content) {
    folder_.file(path, content);
    return *this;
  }
  CoreChoice choose() const { return choose_threads(cpus_, folder_.path()); }
  Places places(Numa numa, const std::vector<int>& cpus, int here) const { return numa_places(numa, cpus, here, folder_.path()); }
  CoreChoice choose(std::vector<int> cpus) const { return choose_threads(std::move(cpus), folder_.path()); }

 private:
  TemporaryFolder folder_;
  std::vector<int> cpus_;
};

TEST(Cores, OneThreadPerCoreNotPerProcessor) {
  EXPECT_EQ(Machine(8).choose().n_threads, 8);
  EXPECT_EQ(Machine(8, 2).choose().n_threads, 4);
}

TEST(Cores, OnlyWhatTheAffinityMaskAllows) {
  const Machine machine(8, 2);
  EXPECT_EQ(machine.choose({0, 1}).n_threads, 1);
  EXPECT_EQ(machine.choose({0, 2, 5}).n_threads, 3);
  EXPECT_EQ(machine.choose({0, 2, 5}).cpus, (std::vector<int>{0, 2, 5}));
}

TEST(Cores, AnOldKernelsNameForSiblingsIsUnderstood) {
  Machine machine(0);
  for (int cpu = 0; cpu < 4; ++cpu)
    machine.write(fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu), cpu % 2 ? "1,3" : "0,2");
  EXPECT_EQ(machine.choose({0, 1, 2, 3}).n_threads, 2);
}

TEST(Cores, WithoutTopologyEveryProcessorCounts) { EXPECT_EQ(Machine(0).choose({0, 1, 2}).n_threads, 3); }

TEST(Cores, QuotaOfCgroupVersion2) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "0::/\n").write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 4);
  EXPECT_NE(machine.choose().reason.find("cgroup quota 4"), std::string::npos) << machine.choose().reason;
}

TEST(Cores, AQuotaIsRoundedDownButNeverToNothing) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "0::/\n").write("sys/fs/cgroup/cpu.max", "765000 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 7);
  machine.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 1);
}

TEST(Cores, ALargeQuotaDoesNotAddCores) {
  Machine machine(4);
  machine.write("proc/self/cgroup", "0::/\n").write("sys/fs/cgroup/cpu.max", "1600000 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 4);
}

TEST(Cores, MaxIsNoQuota) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "0::/\n").write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 8);
  EXPECT_EQ(machine.choose().reason.find("quota"), std::string::npos);
}

TEST(Cores, TheTightestGroupOnTheWayUpBinds) {
  Machine machine(16);
  machine.write("proc/self/cgroup", "0::/user.slice/app.slice/run-1.scope\n")
      .write("sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n")
      .write("sys/fs/cgroup/user.slice/app.slice/cpu.max", "max 100000\n")
      .write("sys/fs/cgroup/user.slice/app.slice/run-1.scope/cpu.max", "900000 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 3);
}

TEST(Cores, APathOfTheHostFallsBackToTheContainersMount) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "0::/docker/0123abcd\n").write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(machine.choose().n_threads, 2);
}

TEST(Cores, QuotaOfCgroupVersion1) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "11:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n")
      .write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "250000\n")
      .write("sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.choose().n_threads, 2);
}

TEST(Cores, MinusOneIsNoQuotaInVersion1) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "4:cpu,cpuacct:/\n")
      .write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(machine.choose().n_threads, 8);
}

TEST(Cores, ADifferentMountOfVersion1IsFound) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "4:cpuacct,cpu:/job\n")
      .write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n")
      .write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(machine.choose().n_threads, 2);
}

TEST(Cores, CpusetsAndCpuacctAloneSetNoQuota) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "4:cpuset:/job\n5:cpuacct:/job\n")
      .write("sys/fs/cgroup/cpuset/job/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(machine.choose().n_threads, 8);
}

TEST(Cores, BrokenFilesSetNoLimit) {
  Machine machine(8);
  machine.write("proc/self/cgroup", "nonsense\n0::\n:::\n").write("sys/fs/cgroup/cpu.max", "many\n");
  EXPECT_EQ(machine.choose().n_threads, 8);
  machine.write("sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(machine.choose().n_threads, 8);
}

// Two nodes of four processors, a node of memory alone, and a gap in the numbers.
struct TwoNodes : Machine {
  TwoNodes() : Machine(8) {
    write("sys/devices/system/node/node0/cpulist", "0-3\n").write("sys/devices/system/node/node1/cpulist", "\n");
    write("sys/devices/system/node/node3/cpulist", "4-7\n");
  }
};

TEST(Numa, DistributedThreadsTakeTheNodesInTurn) {
  EXPECT_EQ(TwoNodes().places(Numa::distribute, {0, 1, 2, 3, 4, 5, 6, 7}, 0), (Places{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(TwoNodes().places(Numa::distribute, {2, 3, 4}, 3), (Places{{2, 3}, {4}})) << "only what is allowed";
}

TEST(Numa, IsolatedThreadsStayOnTheCallersNode) {
  EXPECT_EQ(TwoNodes().places(Numa::isolate, {0, 1, 2, 3, 4, 5, 6, 7}, 5), (Places{{4, 5, 6, 7}}));
  EXPECT_EQ(TwoNodes().places(Numa::isolate, {0, 6}, 0), (Places{{0}}));
}

TEST(Numa, WithoutNodesOrWithoutTheWishAllProcessorsAreOnePlace) {
  EXPECT_EQ(TwoNodes().places(Numa::off, {1, 2, 6}, 1), (Places{{1, 2, 6}}));
  EXPECT_EQ(Machine(2).places(Numa::distribute, {0, 1}, 0), (Places{{0, 1}}));
  EXPECT_EQ(Machine(2).places(Numa::isolate, {0, 1}, 0), (Places{{0, 1}}));
}

TEST(Cores, ThisMachineHasSome) {
  const CoreChoice here = choose_threads();
  EXPECT_GE(here.n_threads, 1);
  EXPECT_LE(here.n_threads, static_cast<int>(here.cpus.size()));
  EXPECT_EQ(here.cpus, allowed_cpus());
}

TEST(Cores, AThreadCanBePinned) {
  std::thread([] {
    const int last = allowed_cpus().back();
    EXPECT_TRUE(pin_this_thread({last}));
    EXPECT_EQ(allowed_cpus(), std::vector<int>{last});
    EXPECT_FALSE(pin_this_thread({}));
  }).join();
}

TEST(Cores, ListsOfProcessorsAreRead) {
  EXPECT_EQ(*parse_cpu_list("0"), std::vector<int>{0});
  EXPECT_EQ(*parse_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(*parse_cpu_list("8,1-2,2"), (std::vector<int>{1, 2, 8}));
  for (const char* text : {"", "a", "3-1", "1-", "-1", "1,,2", "0-99999", "1 2"}) EXPECT_FALSE(parse_cpu_list(text)) << text;
}

TEST(Cores, MasksOfProcessorsAreRead) {
  EXPECT_EQ(*parse_cpu_mask("1"), std::vector<int>{0});
  EXPECT_EQ(*parse_cpu_mask("0x1F"), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(*parse_cpu_mask("80000000000000000"), std::vector<int>{67});
  for (const char* text : {"", "0x", "0", "xyz", "1 "}) EXPECT_FALSE(parse_cpu_mask(text)) << text;
  EXPECT_NE(parse_cpu_mask("xyz").error().message.find("xyz"), std::string::npos);
}

}  // namespace
}  // namespace puna
