// The tests: what may follow `is`.
#pragma once

#include "text/jinja/parameters.h"

namespace puna::text::jinja {

struct TestEntry {
  Signature signature;  // .function is the test's name
  Result<bool> (*run)(Render& render, const Any& value, const Parameters& parameters);
};

const TestEntry* find_test(std::string_view name);
Result<bool> apply_test(Render& render, const TestEntry& test, const Any& value, Arguments arguments);

}  // namespace puna::text::jinja
