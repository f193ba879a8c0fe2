#include "base/cpu_name.h"

#include <gtest/gtest.h>

#include "base/os.h"

namespace puna {
namespace {

TEST(CpuName, IsOneLineOfWhatTheSystemSays) {
  const std::string name = cpu_name();
  EXPECT_EQ(name.find('\n'), name.npos);
  EXPECT_NE(os::read_file("/proc/cpuinfo").value_or("").find(name), std::string::npos);
}

}  // namespace
}  // namespace puna
