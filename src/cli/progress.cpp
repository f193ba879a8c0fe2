#include "cli/progress.h"

#include <algorithm>
#include <cmath>

#include "base/os.h"

namespace puna::cli {

namespace {
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};  // between lines where the line cannot move

std::string amount(std::uint64_t n, Unit unit) { return unit == Unit::bytes ? os::size_text(n) : fmt::format("{} tokens", n); }

std::string part(std::uint64_t done, std::uint64_t total, Unit unit) {
  return fmt::format("{} of {}", unit == Unit::bytes ? os::size_text(done) : fmt::format("{}", done), amount(total, unit));
}
}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string Progress::line(std::string_view what, std::uint64_t done, std::uint64_t total, double rate, Unit unit,
                           std::size_t width) {
  std::string tail;
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    tail = fmt::format("{:3.0f} %  {}", std::floor(share * 100), part(done, total, unit));
  } else {
    tail = amount(done, unit);
  }
  if (rate >= 1) {
    tail += fmt::format("  {}/s", amount(static_cast<std::uint64_t>(rate), unit));
    if (total > done) tail += fmt::format("  {} left", duration_text(static_cast<double>(total - done) / rate));
  }
  const std::size_t used = what.size() + 2 + tail.size();
  std::string bar;
  if (total > 0 && used + 16 <= width) {
    const std::size_t cells = std::min<std::size_t>(30, width - used - 4);
    const std::size_t full = std::min(
        cells, static_cast<std::size_t>(static_cast<double>(done) / static_cast<double>(total) * static_cast<double>(cells)));
    bar = fmt::format("[{}{}]  ", std::string(full, '#'), std::string(cells - full, ' '));
  }
  std::string text = fmt::format("{}  {}{}", what, bar, tail);
  if (text.size() >= width) text.resize(width > 0 ? width - 1 : 0);
  return text;
}

Progress::Progress(Console& console, Unit unit, std::chrono::milliseconds delay, std::function<Clock::time_point()> now)
    : console_(console), unit_(unit), delay_(delay), now_(std::move(now)), start_(now_()), last_shown_(start_) {}

void Progress::update(std::string_view what, std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = now_();
  if (is_new_ || what != what_) {
    if (!what_.empty() || done == 0) start_ = now;
    what_ = what;
    first_done_ = done;
    at_end_ = is_new_ = false;
  }
  const bool moves = console_.notes_terminal();
  const bool is_end = total > 0 && done >= total && shown_ && !at_end_;
  if (!shown_ && now - start_ < delay_) return;
  if (shown_ && !is_end && now - last_shown_ < (moves ? kRedraw : std::chrono::milliseconds(kPlainLine))) return;
  if (!shown_ && !moves && now - start_ < std::chrono::seconds(1)) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0.2 ? static_cast<double>(done - std::min(done, first_done_)) / seconds : 0;
  shown_ = true;
  at_end_ = total > 0 && done >= total;
  last_shown_ = now;
  const std::string text = line(what, done, total, rate, unit_, moves ? console_.width() : 200);
  if (moves)
    console_.note_raw("\r\033[K" + text);
  else
    console_.note(text);
}

void Progress::clear() {
  if (shown_ && console_.notes_terminal()) console_.note_raw("\r\033[K");
  shown_ = false;
  is_new_ = true;
}

}  // namespace puna::cli
