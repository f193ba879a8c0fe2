#include "base/log.h"

namespace puna::log {

namespace {
struct State {
  Sink sink;
  Level least = Level::info;
};
State& state() {
  static State instance;
  return instance;
}
}  // namespace

void set_sink(Sink sink, Level least) {
  state().sink = std::move(sink);
  state().least = least;
}

bool wanted(Level level) { return state().sink && level >= state().least; }

void write(Level level, std::string_view message) {
  if (wanted(level)) state().sink(level, message);
}

}  // namespace puna::log
