// The models puna knows by name. The only place where the program speaks of particular models.
#pragma once

#include <span>
#include <string_view>

#include "tasks/model_ref.h"

namespace puna::cli {

inline constexpr std::string_view kDefaultModel = "smollm2-135m";

std::span<const tasks::CatalogueEntry> catalogue();

}  // namespace puna::cli
