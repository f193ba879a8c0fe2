#include "text/jinja/parameters.h"

#include <algorithm>
#include <limits>

namespace puna::text::jinja {

Result<Parameters> Parameters::bind(const Signature& signature, Arguments arguments) {
  Parameters bound;
  bound.signature_ = &signature;
  const auto end = std::find(signature.names.begin(), signature.names.end(), std::string_view());
  const auto n_names = static_cast<std::size_t>(end - signature.names.begin());
  if (arguments.positional.size() > n_names) {
    return fail("{}() takes at most {} arguments, {} were given", signature.function, n_names, arguments.positional.size());
  }
  std::move(arguments.positional.begin(), arguments.positional.end(), bound.values_.begin());
  for (auto& [name, value] : arguments.named) {
    const auto found = std::find(signature.names.begin(), end, std::string_view(name->bytes));
    if (found == end) return fail("{}() has no argument '{}'", signature.function, name->bytes);
    Any& slot = bound.values_[static_cast<std::size_t>(found - signature.names.begin())];
    if (!slot.is_missing()) return fail("{}() got two values for the argument '{}'", signature.function, name->bytes);
    slot = std::move(value);
  }
  for (std::size_t i = 0; i < signature.n_required; ++i) {
    if (!bound.has(i)) return fail("{}() misses its argument '{}'", signature.function, signature.names[i]);
  }
  return bound;
}

Result<std::int64_t> to_index(const Any& value, std::string_view what) {
  if (value.is_undefined()) return undefined_error(value);
  const auto number = value.if_integer();
  if (!number) return fail("{} must be an integer, not {}", what, type_name(value));
  if (*number > std::numeric_limits<std::int64_t>::max() || *number < std::numeric_limits<std::int64_t>::min()) {
    return fail("{} is too large", what);
  }
  return static_cast<std::int64_t>(*number);
}

Result<std::int64_t> Parameters::integer(std::size_t i, std::int64_t otherwise) const {
  if (!has(i)) return otherwise;
  return to_index(values_[i], fmt::format("the argument '{}' of {}()", signature_->names[i], signature_->function));
}

Result<TextRef> Parameters::text(std::size_t i) const {
  if (values_[i].is(Kind::text)) return values_[i].text_ref();
  return fail("the argument '{}' of {}() must be a string, not {}", signature_->names[i], signature_->function,
              type_name(values_[i]));
}

}  // namespace puna::text::jinja
