// SHA-256 of bytes as they pass by.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"

struct evp_md_ctx_st;

namespace puna::tasks {

class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  // 64 lower-case hexadecimal digits; ends the sum and starts a new one.
  std::string finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_of(std::string_view text);

bool is_sha256(std::string_view text);  // 64 lower-case hexadecimal digits

}  // namespace puna::tasks
