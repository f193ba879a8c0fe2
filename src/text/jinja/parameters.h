// Arguments of a call matched with the parameters of a built-in function, by Python's rules.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "text/jinja/render.h"

namespace puna::text::jinja {

struct Signature {
  std::string_view function;
  std::array<std::string_view, 5> names{};  // in order; empty ones at the end
  std::size_t n_required = 0;
};

class Parameters {
 public:
  // Errors: too many, unknown, repeated or missing arguments.
  static Result<Parameters> bind(const Signature& signature, Arguments arguments);

  const Any& operator[](std::size_t i) const { return values_[i]; }
  bool has(std::size_t i) const { return !values_[i].is_missing(); }
  bool is_given(std::size_t i) const { return has(i) && !values_[i].is_none(); }  // and not None
  bool flag(std::size_t i) const { return has(i) && truth(values_[i]); }
  // An integer (or boolean). Error: another type, or beyond 64 bits.
  Result<std::int64_t> integer(std::size_t i, std::int64_t otherwise) const;
  Result<TextRef> text(std::size_t i) const;  // Error: no string

 private:
  const Signature* signature_ = nullptr;
  std::array<Any, 5> values_;
};

Result<std::int64_t> to_index(const Any& value, std::string_view what);

}  // namespace puna::text::jinja
