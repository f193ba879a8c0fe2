// The web server of server.py as a child of one test, and a folder that is gone after it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tasks/pull.h"

namespace puna::tasks {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Asked {  // a request that the server saw
  std::string path, host, range, if_range, token;
};

class TestServer {
 public:
  TestServer();
  TestServer(const TestServer&) = delete;
  ~TestServer();

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  std::vector<Asked> asked() const;

 private:
  int child_ = -1;
  int to_child_ = -1;
  int port_ = 0;
};

// What the server sends as a file of that size; version 2 where it changed.
std::string content(std::size_t size, int version = 1);

class WithServer : public testing::Test {
 protected:
  WithServer() {
    options.places.puna = home.path();
    options.hf_endpoint = server.url("");
    options.patience = {.retries = 3,
                        .first_wait = std::chrono::milliseconds(5),
                        .connect = std::chrono::seconds(5),
                        .stall = std::chrono::seconds(10)};
  }
  ModelRef model(const std::string& text) const {
    auto parsed = parse_model(text, {});
    EXPECT_TRUE(parsed) << parsed.error().message;
    return parsed ? *std::move(parsed) : ModelRef{};
  }
  Result<Pulled> pull_url(const std::string& path) const { return pull(model(server.url(path)), options); }

  TestServer server;
  TemporaryFolder home;
  PullOptions options;
};

// Every file below the folder, by relative name.
std::vector<std::string> files_in(const std::filesystem::path& folder);

}  // namespace puna::tasks
