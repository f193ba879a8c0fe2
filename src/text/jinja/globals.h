// The functions a template finds without being given them: range, dict, namespace, raise_exception …
#pragma once

#include <string_view>

#include "text/jinja/render.h"

namespace puna::text::jinja {

struct Builtin {
  std::string_view name;
  Result<Any> (*run)(Render& render, Arguments arguments);
};

const Any* find_global(std::string_view name);  // null where there is none

}  // namespace puna::text::jinja
