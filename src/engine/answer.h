// What an engine is asked: to go on with a text, or to say how likely it finds one.
#pragma once

#include "engine/engine.h"

namespace puna::engine {

// Who is told, and who may end it.
struct Listener {
  OnToken on_token;
  OnProgress progress;
  std::stop_token stop;
};

Result<Completion> complete(State& state, const Request& request, const Listener& listener);
Result<Score> score(State& state, std::span<const TokenId> ids, std::size_t n_top, const Listener& listener);
Result<void> visit_logits(State& state, std::span<const TokenId> ids, const Engine::OnLogits& visit, const Listener& listener);

}  // namespace puna::engine
