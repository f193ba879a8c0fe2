// One GET over HTTP(S), redirects followed by hand: what may be sent to a host is decided anew at each step.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "tasks/pull.h"

namespace puna::tasks {

struct HttpHead {
  int status = 0;
  std::string url{};                           // that answered, after redirects
  std::optional<std::uint64_t> length{};       // bytes of this body
  std::optional<std::uint64_t> range_begin{};  // of a partial answer: its first byte in the file …
  std::optional<std::uint64_t> range_total{};  // … and the file's size
  std::string etag{}, last_modified{};
  std::chrono::seconds retry_after{0};
};

struct HttpGet {
  std::string url;
  std::string token{};         // sent to token_origin's scheme, host and port only, never in clear text over a network
  std::string token_origin{};  // a URL
  std::vector<std::string> headers{};
  std::function<Result<void>(const HttpHead&)> on_head{};  // of a final answer below 400, before its first byte
  std::function<Result<void>(std::span<const std::byte>)> on_body{};
  Patience patience{};
  std::stop_token stop{};
};

struct HttpFailure {
  enum class Kind {
    fatal,        // another try would end the same
    unreachable,  // no connection came about
    broken,       // the connection died or fell silent
  };
  Kind kind = Kind::fatal;
  Error error;
};

// The head of the last answer; its status may be 400 and above (its body is dropped then).
std::expected<HttpHead, HttpFailure> http_get(const HttpGet& get);

// The same scheme, host and port.
bool same_origin(const std::string& url, const std::string& other);

// A URL for messages: without user, password and query.
std::string shown_url(const std::string& url);

// One line about a status of 400 and above, and what to do about it.
Error status_error(const HttpHead& head, bool token_sent);

}  // namespace puna::tasks
