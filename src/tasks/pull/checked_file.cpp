#include "tasks/pull/checked_file.h"

#include <sys/stat.h>

#include "base/mapped_file.h"
#include "base/os.h"
#include "base/value.h"
#include "tasks/pull/sha256.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

fs::path record_of(const fs::path& file) { return file.string() + ".checked"; }

// What would change if the file did: {"size", "modified"} in bytes and nanoseconds.
std::optional<Value> fingerprint(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  const std::int64_t modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return Value::object({{"size", std::int64_t{status.st_size}}, {"modified", modified}});
}

}  // namespace

std::optional<std::string> remembered_sha256(const fs::path& file) {
  auto text = os::read_file(record_of(file));
  if (!text) return std::nullopt;
  auto record = json::parse(*text);
  const auto now = fingerprint(file);
  if (!record || !now || record->find("file") == nullptr || *record->find("file") != *now) return std::nullopt;
  const Value* sha256 = record->find("sha256");
  if (!sha256 || !sha256->if_string() || !is_sha256(*sha256->if_string())) return std::nullopt;
  return *sha256->if_string();
}

void remember_sha256(const fs::path& file, const std::string& sha256) {
  const auto now = fingerprint(file);
  if (!now) return;
  const Value record = Value::object({{"sha256", sha256}, {"file", *now}});
  (void)os::write_file(record_of(file), json::write(record) + "\n");
}

Result<std::string> file_sha256(const fs::path& file, Meter& meter, const std::stop_token& stop) {
  if (auto known = remembered_sha256(file)) return *known;
  constexpr std::size_t kStep = 4 << 20;
  const MappedFile mapped = PUNA_TRY(MappedFile::open(file));
  const auto bytes = mapped.bytes();
  Sha256 sum;
  for (std::size_t at = 0; at < bytes.size(); at += kStep) {
    if (stop.stop_requested()) return fail(ErrorKind::cancelled, "{}: check stopped", file.string());
    sum.add(bytes.subspan(at, std::min(kStep, bytes.size() - at)));
    meter.at(std::min(at + kStep, bytes.size()), bytes.size());
  }
  std::string sha256 = sum.finish();
  remember_sha256(file, sha256);
  return sha256;
}

}  // namespace puna::tasks
