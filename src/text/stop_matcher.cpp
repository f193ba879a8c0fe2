#include "text/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace puna::text {

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
  std::ranges::stable_sort(stops_, std::ranges::greater{}, &std::string::size);
  for (const std::string& stop : stops_) begins_[static_cast<unsigned char>(stop[0])] = true;
}

std::string StopMatcher::push(std::string_view piece) {
  if (stopped_) return {};
  if (stops_.empty()) return std::string(piece);
  held_ += piece;
  return take(false);
}

std::string StopMatcher::finish() { return take(true); }

std::string StopMatcher::take(bool is_end) {
  for (std::size_t at = 0; at < held_.size(); ++at) {
    if (!begins_[static_cast<unsigned char>(held_[at])]) continue;
    const std::string_view rest = std::string_view(held_).substr(at);
    const auto match = std::ranges::find_if(stops_, [rest](const std::string& stop) { return rest.starts_with(stop); });
    const bool may_match = match == stops_.end() && !is_end &&
                           std::ranges::any_of(stops_, [rest](const std::string& stop) { return stop.starts_with(rest); });
    if (match == stops_.end() && !may_match) continue;
    std::string out = held_.substr(0, at);
    held_.erase(0, at);
    if (may_match) return out;
    stopped_ = true;
    stop_ = *match;
    held_.clear();
    return out;
  }
  return std::exchange(held_, {});
}

}  // namespace puna::text
