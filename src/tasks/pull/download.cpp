#include "tasks/pull/download.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/os.h"
#include "tasks/pull/http.h"
#include "tasks/pull/meter.h"

namespace puna::tasks {
namespace {

constexpr std::size_t kMostText = 16 << 20;
constexpr std::chrono::milliseconds kWorthSaying{2000};  // a shorter silence needs no word

HttpGet request(const Source& source, const PullOptions& options) {
  HttpGet get{.url = source.url, .patience = options.patience, .stop = options.stop};
  if (source.from_hub) get.token = options.hf_token, get.token_origin = options.hf_endpoint;
  return get;
}

std::string text_member(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found && found->if_string() ? *found->if_string() : std::string();
}

std::uint64_t number_member(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  const std::int64_t* number = found ? found->if_int() : nullptr;
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

// What tells one version of a file at one URL from the next. A weak ETag promises no equal bytes, so it tells nothing.
struct Version {
  std::string etag, last_modified;
  std::uint64_t size = 0;  // 0: the server did not say

  static Version of(const HttpHead& head) {
    Version version{.etag = head.etag, .last_modified = head.last_modified};
    if (version.etag.starts_with("W/")) version.etag.clear();
    version.size = head.status == 206 ? head.range_total.value_or(0) : head.length.value_or(0);
    return version;
  }
  static Version of(const Value& memory) {
    return {text_member(memory, "etag"), text_member(memory, "last_modified"), number_member(memory, "size")};
  }
  // For If-Range; empty where the server gave nothing to hold on to.
  const std::string& validator() const { return etag.empty() ? last_modified : etag; }

  bool operator==(const Version&) const = default;
};

// One download through all its tries.
class Download {
 public:
  Download(const Source& source, const PullOptions& options, const std::filesystem::path& folder, PartFile& part)
      : source_(source), options_(options), folder_(folder), part_(part), meter_(options.progress, source.name) {}

  // Runs until the file is there or nothing helps any more.
  Result<void> run();
  bool resumed() const { return resumed_; }
  std::uint64_t total() const { return limit(); }

 private:
  enum class Next { done, again, wait };

  bool can_resume() const;
  bool fits(const HttpHead& head, const Version& found) const;
  // Bytes of the whole file; 0: unknown.
  std::uint64_t limit() const { return version_.size != 0 ? version_.size : source_.expected.size; }
  std::expected<HttpHead, HttpFailure> ask();
  Result<void> begin(const HttpHead& head);
  Result<void> take(std::span<const std::byte> bytes);
  Result<Next> after(const std::expected<HttpHead, HttpFailure>& answer, std::uint64_t before);
  Result<Next> after_status(const HttpHead& head);
  Result<void> pause(std::chrono::milliseconds time) const;

  const Source& source_;
  const PullOptions& options_;
  const std::filesystem::path& folder_;
  PartFile& part_;
  Meter meter_;
  Version version_;         // of the bytes that are here
  bool resumed_ = false;    // bytes of an earlier call are among them
  bool got_bytes_ = false;  // some came in this call
  bool ranged_ = false;     // this try asked for the rest only
  bool stale_ = false;      // the rest did not fit what is here: the next try starts from nothing
  std::chrono::milliseconds wanted_wait_{0};
};

// The bytes here are of this URL, and there is something to recognise their version by.
bool Download::can_resume() const {
  if (part_.size() == 0 || stale_) return false;
  const Value& memory = part_.memory();
  if (text_member(memory, "url") != sha256_of(source_.url)) return false;
  const std::string wanted = text_member(memory, "sha256");
  return wanted == source_.expected.sha256 && (!wanted.empty() || !Version::of(memory).validator().empty());
}

std::expected<HttpHead, HttpFailure> Download::ask() {
  HttpGet get = request(source_, options_);
  ranged_ = can_resume();
  stale_ = false;
  version_ = ranged_ ? Version::of(part_.memory()) : Version();
  if (!got_bytes_) resumed_ = ranged_;
  if (auto kept = part_.keep(ranged_ ? part_.size() : 0, options_.stop); !kept)
    return std::unexpected(HttpFailure{.kind = HttpFailure::Kind::fatal, .error = std::move(kept).error()});
  if (ranged_ && part_.size() == version_.size) {  // only its name is missing
    HttpHead head;
    head.status = 206;
    return head;
  }
  if (ranged_) get.headers.push_back(fmt::format("Range: bytes={}-", part_.size()));
  // A known hash is the better proof, and the same bytes may come from hosts that tag them differently.
  if (ranged_ && source_.expected.sha256.empty()) get.headers.push_back("If-Range: " + version_.validator());
  get.on_head = [this](const HttpHead& head) { return begin(head); };
  get.on_body = [this](std::span<const std::byte> bytes) { return take(bytes); };
  return http_get(get);
}

// Whether a partial answer goes on exactly where the bytes here end.
bool Download::fits(const HttpHead& head, const Version& found) const {
  return head.range_begin == part_.size() && found.size != 0 && (version_.size == 0 || found.size == version_.size) &&
         (!source_.expected.sha256.empty() || found.validator() == version_.validator());
}

// Decides, before the first byte is written, what the bytes that come have to do with those that are here.
Result<void> Download::begin(const HttpHead& head) {
  const Version found = Version::of(head);
  if (head.status == 206 && ranged_ && !fits(head, found)) {
    stale_ = true;
    return fail(ErrorKind::io, "{}: the file changed on the server", source_.name);
  }
  if (head.status == 200) {  // all of it, whatever was asked for: no ranges here, or the file changed
    PUNA_TRY(part_.keep(0, options_.stop));
    resumed_ = false;
  } else if (head.status != 206 || !ranged_) {
    return fail(ErrorKind::io, "{}: the server says HTTP {}, wanted the file", shown_url(head.url), head.status);
  }
  version_ = found;
  const std::uint64_t wanted = source_.expected.size;
  if (wanted != 0 && found.size != 0 && wanted != found.size)
    return fail("{}: wanted {} bytes, the server offers {}", source_.name, wanted, found.size);
  const std::uint64_t size = limit();
  if (size > part_.size()) PUNA_TRY(check_space(folder_, size - part_.size(), source_.name));
  return part_.remember(Value::object({{"url", sha256_of(source_.url)},
                                       {"sha256", source_.expected.sha256},
                                       {"etag", found.etag},
                                       {"last_modified", found.last_modified},
                                       {"size", found.size}}));
}

Result<void> Download::take(std::span<const std::byte> bytes) {
  const std::uint64_t size = limit();
  if (size != 0 && bytes.size() > size - std::min(size, part_.size()))
    return fail("{}: wanted {} bytes, more came", source_.name, size);
  got_bytes_ = true;
  const std::uint64_t before = part_.size();
  PUNA_TRY(part_.append(bytes));
  // Something else, which may have no end, is not worth waiting for; with a known hash the hash will tell.
  if (source_.expected.sha256.empty() && before < PartFile::kStart && part_.size() >= PartFile::kStart)
    if (auto right = part_.check_start(); !right) {
      part_.discard();
      return right;
    }
  meter_.at(part_.size(), size);
  return {};
}

Result<Download::Next> Download::after_status(const HttpHead& head) {
  switch (head.status) {
    case 200:
    case 206:
      return Next::done;
    case 416:  // no such range: the file is shorter now than what is here
      if (!ranged_) return std::unexpected(status_error(head, false));
      stale_ = true;
      return Next::again;
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      wanted_wait_ = head.retry_after;
      return Next::wait;
    default:
      return std::unexpected(status_error(head, source_.from_hub && !options_.hf_token.empty()));
  }
}

Result<Download::Next> Download::after(const std::expected<HttpHead, HttpFailure>& answer, std::uint64_t before) {
  wanted_wait_ = {};
  if (answer) return after_status(*answer);
  const HttpFailure& failure = answer.error();
  using enum HttpFailure::Kind;
  if (failure.kind == broken || (failure.kind == unreachable && got_bytes_)) {
    log::debug("{}: {} after {} bytes", source_.name, failure.error.message, part_.size() - std::min(part_.size(), before));
    return Next::wait;
  }
  if (stale_) return Next::again;
  return std::unexpected(failure.error);
}

Result<void> Download::pause(std::chrono::milliseconds time) const {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end && !options_.stop.stop_requested())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (options_.stop.stop_requested()) return fail(ErrorKind::cancelled, "{}: stopped", source_.name);
  return {};
}

Result<void> Download::run() {
  int fruitless = 0;
  while (true) {
    const std::uint64_t before = part_.size();
    const auto answer = ask();
    const Next next = PUNA_TRY(after(answer, before));
    if (next == Next::done) return {};
    if (next == Next::again) continue;
    fruitless = part_.size() > before ? 0 : fruitless + 1;
    if (fruitless > options_.patience.retries)
      return std::unexpected(answer ? status_error(*answer, source_.from_hub && !options_.hf_token.empty())
                                    : answer.error().error);
    const std::chrono::milliseconds wait = std::max(wanted_wait_, options_.patience.first_wait * (1 << std::min(fruitless, 6)));
    if (wait >= kWorthSaying)
      log::warning("{}: {}; trying again in {} s", source_.name,
                   answer ? fmt::format("the server says HTTP {}", answer->status) : answer.error().error.message,
                   std::chrono::ceil<std::chrono::seconds>(wait).count());
    PUNA_TRY(pause(wait));
  }
}

Result<void> download_once(const Source& source, const std::filesystem::path& target, const PullOptions& options, bool& resumed) {
  PartFile part = PUNA_TRY(PartFile::open(target));
  const std::filesystem::path folder = target.parent_path();
  Download work(source, options, folder, part);
  auto ran = work.run();
  resumed = work.resumed();
  if (!ran) return ran;
  return part.finish({.size = work.total(), .sha256 = source.expected.sha256});
}

}  // namespace

Result<void> download(const Source& source, const std::filesystem::path& target, const PullOptions& options) {
  bool resumed = false;
  auto result = download_once(source, target, options, resumed);
  if (result || result.error().kind != ErrorKind::invalid || !resumed) return result;
  // What lay here from an earlier call may have been the part that was wrong.
  log::info("{}; bringing it again from the start", result.error().message);
  return download_once(source, target, options, resumed);
}

Result<std::string> fetch_text(const Source& source, const PullOptions& options) {
  HttpGet get = request(source, options);
  std::string text;
  get.on_body = [&](std::span<const std::byte> bytes) -> Result<void> {
    if (text.size() + bytes.size() > kMostText) return fail("{}: more than {} came", source.name, os::size_text(kMostText));
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  auto head = http_get(get);
  if (!head) return std::unexpected(std::move(head).error().error);
  if (head->status >= 400) return std::unexpected(status_error(*head, source.from_hub && !options.hf_token.empty()));
  return text;
}

}  // namespace puna::tasks
