// Names of split models: PREFIX-00002-of-00003.gguf is the second of three files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace puna::gguf {

struct ShardName {
  std::string prefix;  // what stands before "-00002-of-00003.gguf"
  int number = 1;      // from 1
  int count = 1;
};

std::optional<ShardName> parse_shard_name(std::string_view filename);
std::string shard_name(std::string_view prefix, int number, int count);

}  // namespace puna::gguf
