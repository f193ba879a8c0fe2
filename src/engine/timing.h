// How fast the engine is, and what a token costs it: for measuring, not for answers.
#pragma once

#include "engine/engine.h"

namespace puna::engine {

Result<TokenTimes> time_tokens(State& state, const TokenTiming& timing, const std::stop_token& stop);
TokenCosts token_costs(const State& state);

}  // namespace puna::engine
