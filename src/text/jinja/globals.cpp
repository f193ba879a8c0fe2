#include "text/jinja/globals.h"

#include <array>
#include <chrono>
#include <ctime>

#include "text/jinja/parameters.h"
#include "text/jinja/show.h"

namespace puna::text::jinja {
namespace {

constexpr std::int64_t kMaxRange = 100'000;  // the sandbox's

Result<Any> make_range(Render& render, Arguments arguments) {
  PUNA_TRY(render.budget.spend());
  if (!arguments.named.empty()) return fail("range() takes no named arguments");
  const auto& given = arguments.positional;
  if (given.empty() || given.size() > 3) return fail("range() takes one to three arguments, {} were given", given.size());
  std::array<std::int64_t, 3> bounds{0, 0, 1};
  for (std::size_t i = 0; i < given.size(); ++i) {
    bounds[given.size() == 1 ? 1 : i] = PUNA_TRY(to_index(given[i], "an argument of range()"));
  }
  const auto [start, stop, step] = bounds;
  if (step == 0) return fail("the step of range() must not be zero");
  constexpr std::int64_t kFar = std::int64_t{1} << 61U;
  if (start > kFar || start < -kFar || stop > kFar || stop < -kFar || step > kFar || step < -kFar) {
    return fail("a range is limited to {} items", kMaxRange);
  }
  const Range range{start, stop, step};
  if (range.size() > kMaxRange) return fail("a range is limited to {} items; this one has {}", kMaxRange, range.size());
  return Any(RangeRef{std::make_shared<const Range>(range)});
}

// dict(mapping or pairs, name=value …)
Result<std::vector<Dict::Entry>> dict_entries(Render& render, Arguments arguments, std::string_view function) {
  std::vector<Dict::Entry> entries;
  if (arguments.positional.size() > 1) return fail("{}() takes at most one argument without a name", function);
  if (!arguments.positional.empty()) {
    const Any& source = arguments.positional.front();
    if (const Dict* dict = source.if_dict()) {
      entries = dict->entries;
    } else {
      for (const Any& pair : PUNA_TRY(collect(render, source))) {
        std::vector<Any> both = PUNA_TRY(collect(render, pair));
        if (both.size() != 2) return fail("{}() needs pairs, not sequences of {}", function, both.size());
        entries.emplace_back(std::move(both[0]), std::move(both[1]));
      }
    }
  }
  for (auto& [name, value] : arguments.named) entries.emplace_back(name, std::move(value));
  return entries;
}

Result<Any> make_dict_of(Render& render, Arguments arguments) {
  return make_dict(render.budget, PUNA_TRY(dict_entries(render, std::move(arguments), "dict")));
}

Result<Any> make_namespace(Render& render, Arguments arguments) {
  const Any fields = PUNA_TRY(make_dict(render.budget, PUNA_TRY(dict_entries(render, std::move(arguments), "namespace"))));
  auto* space = PUNA_TRY(render.make<Namespace>());
  for (const auto& [key, value] : fields.if_dict()->entries) {
    const Text* name = key.if_text();
    if (name == nullptr) return fail("namespace() needs names as keys, not {}", type_name(key));
    if (name->bytes.starts_with('_')) return fail("a namespace takes no name that begins with '_': {}", name->bytes);
    space->fields.emplace_back(key.text_ref(), value);
  }
  return Any(static_cast<Object*>(space));
}

Result<Any> make_cycler(Render& render, Arguments arguments) {
  if (arguments.positional.empty() || !arguments.named.empty()) return fail("cycler() needs at least one item");
  auto* cycler = PUNA_TRY(render.make<Cycler>());
  cycler->items = std::move(arguments.positional);
  return Any(static_cast<Object*>(cycler));
}

Result<Any> make_joiner(Render& render, Arguments arguments) {
  static const Signature kSignature{"joiner", {"sep"}, 0};
  const Parameters parameters = PUNA_TRY(Parameters::bind(kSignature, std::move(arguments)));
  auto* joiner = PUNA_TRY(render.make<Joiner>());
  joiner->separator = parameters.has(0) ? parameters[0] : Any(literal_text(", "));
  return Any(static_cast<Object*>(joiner));
}

Result<Any> raise_exception(Render& render, Arguments arguments) {
  static const Signature kSignature{"raise_exception", {"message"}, 1};
  const Parameters parameters = PUNA_TRY(Parameters::bind(kSignature, std::move(arguments)));
  return render.raise(PUNA_TRY(to_text(render.budget, parameters[0]))->bytes);
}

// The directives that Python answers itself before it asks the C library.
std::string expand_python_directives(std::string_view format, std::int64_t microseconds) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      out += format[i];
      continue;
    }
    const char directive = format[++i];
    if (directive == 'f') {
      out += fmt::format("{:06}", microseconds);
    } else if (directive != 'z' && directive != 'Z') {  // a time without a zone has no name for one
      out += {'%', directive};
    }
  }
  return out;
}

Result<Any> strftime_now(Render& render, Arguments arguments) {
  static const Signature kSignature{"strftime_now", {"format"}, 1};
  const Parameters parameters = PUNA_TRY(Parameters::bind(kSignature, std::move(arguments)));
  const TextRef format = PUNA_TRY(parameters.text(0));
  if (format->bytes.size() > 4096) return fail("the format of strftime_now() is too long");
  std::time_t seconds{};
  std::int64_t microseconds = 0;
  std::tm parts{};
  if (render.now()) {
    seconds = static_cast<std::time_t>(*render.now());
    if (gmtime_r(&seconds, &parts) == nullptr) return fail("strftime_now() has no date for this time");
  } else {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    microseconds = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
    seconds = static_cast<std::time_t>(microseconds / 1'000'000);
    microseconds %= 1'000'000;
    if (localtime_r(&seconds, &parts) == nullptr) return fail("strftime_now() has no date for this time");
  }
  // A mark at the end tells an empty answer from a buffer that is too small.
  const std::string expanded = expand_python_directives(format->bytes, microseconds) + "|";
  std::string buffer(expanded.size() * 32 + 64, '\0');
  const std::size_t written = std::strftime(buffer.data(), buffer.size(), expanded.c_str(), &parts);
  if (written == 0) return fail("strftime_now() cannot write the format '{}'", format->bytes);
  buffer.resize(written - 1);
  TextBuilder out;
  out.add(buffer, !format->literal.empty());
  return make_string(render.budget, out);
}

Result<Any> lipsum(Render&, Arguments) {
  return fail(ErrorKind::unsupported, "lipsum() makes random text, which a chat template cannot use");
}

}  // namespace

const Any* find_global(std::string_view name) {
  static const std::array<Builtin, 8> kBuiltins = {{{"range", make_range},
                                                    {"dict", make_dict_of},
                                                    {"namespace", make_namespace},
                                                    {"cycler", make_cycler},
                                                    {"joiner", make_joiner},
                                                    {"raise_exception", raise_exception},
                                                    {"strftime_now", strftime_now},
                                                    {"lipsum", lipsum}}};
  static const std::array<Any, 8> kValues = [] {
    std::array<Any, 8> values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Any(&kBuiltins[i]);
    return values;
  }();
  for (std::size_t i = 0; i < kBuiltins.size(); ++i) {
    if (kBuiltins[i].name == name) return &kValues[i];
  }
  return nullptr;
}

}  // namespace puna::text::jinja
