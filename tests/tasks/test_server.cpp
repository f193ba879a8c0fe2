#include "tasks/test_server.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/value.h"
#include "tasks/pull/download.h"

extern char** environ;

namespace puna::tasks {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "puna-test-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) ADD_FAILURE() << "cannot make a temporary folder";
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TestServer::TestServer() {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::string program = "python3", isolated = "-IS", script = PUNA_TEST_DATA "/../tasks/server.py";
  char* arguments[] = {program.data(), isolated.data(), script.data(), nullptr};
  if (posix_spawnp(&child_, "python3", &actions, nullptr, arguments, environ) != 0) throw std::runtime_error("no python3");
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_child_ = in[1];
  std::string line;
  for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) line += c;
  ::close(out[0]);
  port_ = std::atoi(line.c_str());
  if (port_ == 0) throw std::runtime_error("the test server did not start");
}

TestServer::~TestServer() {
  ::close(to_child_);
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

std::vector<Asked> TestServer::asked() const {
  const auto text = fetch_text({.url = url("/log"), .name = "log", .from_hub = false, .expected = {}}, {});
  const auto log = text ? json::parse(*text) : Result<Value>(Value());
  std::vector<Asked> result;
  if (!log || !log->if_array()) {
    ADD_FAILURE() << "no log";
    return result;
  }
  for (const Value& entry : *log->if_array()) {
    const auto member = [&](const char* name) { return *entry.find(name)->if_string(); };
    result.push_back({member("path"), member("host"), member("range"), member("if_range"), member("token")});
  }
  return result;
}

std::string content(std::size_t size, int version) {
  std::string bytes = "GGUF";
  for (std::size_t i = 4; i < size; ++i)
    bytes += static_cast<char>((i * 131 + i / 251 + static_cast<std::size_t>(version)) & 255);
  return bytes;
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(folder).generic_string());
  std::ranges::sort(names);
  return names;
}

}  // namespace puna::tasks
