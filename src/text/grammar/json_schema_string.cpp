#include "text/grammar/json_schema_string.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "text/grammar/char_set.h"
#include "text/grammar/nfa.h"

namespace puna::text::grammar {
namespace {

struct Piece {
  std::string_view name;
  std::string_view pattern;  // may hold <pieces> that stand above it
};
constexpr Piece kPieces[] = {
    // RFC 3339's dates, with the days that each month has. The year 0 is left out: many libraries have none.
    {"year", R"((?:000[1-9]|00[1-9]\d|0[1-9]\d\d|[1-9]\d{3}))"},
    {"leap-year", R"((?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00))"},
    {"month-day",
     R"((?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))"},
    {"date", R"((?:<year>-<month-day>|<leap-year>-02-29))"},
    // Without leap seconds.
    {"zone", R"((?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))"},
    {"time", R"((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?<zone>)"},
    {"clock", R"((?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))"},
    {"byte", R"((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))"},
    {"ipv4", R"((?:<byte>(?:\.<byte>){3}))"},
    // RFC 4291: eight groups, of which one run may be "::", and the last two may be an IPv4 address.
    {"h", "[0-9A-Fa-f]{1,4}"},
    {"last", "(?:<h>:<h>|<ipv4>)"},
    {"ipv6-short",
     "(?:<h>)?::(?:<h>:){4}<last>|(?:(?:<h>:){0,1}<h>)?::(?:<h>:){3}<last>|(?:(?:<h>:){0,2}<h>)?::(?:<h>:){2}<last>"},
    {"ipv6-shorter",
     "(?:(?:<h>:){0,3}<h>)?::<h>:<last>|(?:(?:<h>:){0,4}<h>)?::<last>|(?:(?:<h>:){0,5}<h>)?::<h>|(?:(?:<h>:){0,6}<h>)?::"},
    {"ipv6", "(?:(?:<h>:){6}<last>|::(?:<h>:){5}<last>|<ipv6-short>|<ipv6-shorter>)"},
    // Such that a host name keeps to 253 characters, and an address to 254, whatever their parts.
    {"label", "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"},
    {"short", "[0-9A-Za-z](?:[0-9A-Za-z-]{0,28}[0-9A-Za-z])?"},
    {"host", R"((?:<label>(?:\.<label>)?(?:\.<short>){0,4}))"},
    {"mail-host", R"((?:<label>(?:\.<label>)?(?:\.<short>){0,2}))"},
    {"atom", "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]"},
    // RFC 3986, without what its obsolete rules allow.
    {"hex", "%[0-9A-Fa-f]{2}"},
    {"pchar", "(?:[0-9A-Za-z._~!$&'()*+,;=:@-]|<hex>)"},
    {"user", "(?:(?:[0-9A-Za-z._~!$&'()*+,;=:-]|<hex>)*@)?"},
    {"server", R"((?:(?:[0-9A-Za-z._~!$&'()*+,;=-]|<hex>)*|\[<ipv6>\])(?::\d*)?)"},
    {"slashes", "(?:/<pchar>*)*"},
    {"hier", "(?://<user><server><slashes>|/(?:<pchar>+<slashes>)?|<pchar>+<slashes>|)"},
    {"tail", R"((?:\?(?:<pchar>|[/?])*)?(?:#(?:<pchar>|[/?])*)?)"},
};

constexpr StringFormat kFormats[] = {
    {"date", "<date>", false},
    {"time", "<time>", false},
    {"date-time", "<date>T<time>", false},
    {"uuid", "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}", true},
    {"email", R"(<atom>(?:\.?<atom>){0,31}@<mail-host>)", false},
    {"hostname", "<host>", false},
    {"ipv4", "<ipv4>", true},
    {"ipv6", "<ipv6>", true},
    {"uri", "[A-Za-z][0-9A-Za-z+.-]*:<hier><tail>", false},
    // ISO 8601 as RFC 3339's appendix A writes it.
    {"duration", R"(P(?:(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)(?:T<clock>)?|T<clock>|\d+W))", true},
    {"json-pointer", "(?:/(?:[^/~]|~[01])*)*", false},
};

// Said by OpenAPI, and by the tools that write schemas.
constexpr std::string_view kLoose[] = {"password", "binary", "byte", "float", "double", "path", "file-path", "directory-path"};

}  // namespace

Result<Dfa> json_character(Budget& budget) {
  Nfa nfa;
  const auto begin = nfa.add(), end = nfa.add();
  add_char(nfa, CharSet::all(), Spelling::json, begin, end);
  return nfa.determine(begin, end, budget);
}

Result<Dfa> json_text(Budget& budget) {
  const Dfa one = PUNA_TRY(json_character(budget));
  return star(one, budget);
}

namespace {

// A state of the texts' automaton, one of the character that is being read, and the characters before it.
class LengthCounter {
 public:
  LengthCounter(const Dfa& texts, const Dfa& character, std::uint64_t min, std::optional<std::uint64_t> max)
      : texts_(texts), character_(character), min_(min), max_(max) {}

  Result<Dfa> run(Budget& budget) {
    find_classes();
    if (texts_.empty()) return Dfa();
    number({0, 0, 0});
    for (std::size_t i = 0; i < places_.size(); ++i) {
      PUNA_TRY(budget.spend(4 * examples_.size(), "a text of limited length"));
      if ((i + 1) * examples_.size() > Dfa::kMaxCells) {
        return fail(ErrorKind::unsupported, "texts of {} to {} characters have more than {} states", min_, max_.value_or(min_),
                    i);
      }
      for (const auto byte : examples_) table_.next.push_back(next(i, byte));
    }
    return Dfa::from(std::move(table_), budget);
  }

 private:
  struct Place {
    Dfa::State text, character;
    std::uint64_t count;
    auto operator<=>(const Place&) const = default;
  };

  void find_classes() {
    std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint8_t> classes;
    for (unsigned i = 0; i < 256; ++i) {
      const auto byte = static_cast<unsigned char>(i);
      const auto [place, fresh] =
          classes.try_emplace({texts_.class_of(byte), character_.class_of(byte)}, static_cast<std::uint8_t>(examples_.size()));
      if (fresh) examples_.push_back(byte);
      table_.class_of[i] = place->second;
    }
    table_.n_classes = examples_.size();
  }

  Dfa::State number(Place place) {
    const auto [found, fresh] = numbers_.try_emplace(place, static_cast<Dfa::State>(places_.size()));
    if (fresh) {
      places_.push_back(place);
      table_.accepting.push_back(texts_.accepting(place.text) && place.character == 0 && place.count >= min_);
    }
    return found->second;
  }

  Dfa::State next(std::size_t i, unsigned char byte) {
    Place to = places_[i];
    to.text = texts_.next(to.text, byte);
    to.character = character_.next(to.character, byte);
    if (to.text == Dfa::kDead || to.character == Dfa::kDead) return Dfa::kDead;
    if (character_.accepting(to.character)) {
      to.character = 0;
      if (max_ && to.count == *max_) return Dfa::kDead;
      if (max_ || to.count < min_) ++to.count;  // without an upper bound, enough is enough
    }
    return number(to);
  }

  const Dfa& texts_;
  const Dfa& character_;
  const std::uint64_t min_;
  const std::optional<std::uint64_t> max_;
  Dfa::Table table_;
  std::vector<unsigned char> examples_;  // a byte of each class
  std::map<Place, Dfa::State> numbers_;
  std::vector<Place> places_;
};

}  // namespace

Result<Dfa> of_length(const Dfa& texts, std::uint64_t min, std::optional<std::uint64_t> max, Budget& budget) {
  const Dfa character = PUNA_TRY(json_character(budget));
  return LengthCounter(texts, character, min, max).run(budget);
}

std::string format_pattern(const StringFormat& format) {
  std::string pattern(format.pattern);
  // Pieces hold only such as stand above them: from the last to the first, each is replaced once and for all.
  for (const auto* piece = std::end(kPieces); piece-- != std::begin(kPieces);) {
    const std::string mark = fmt::format("<{}>", piece->name);
    for (auto at = pattern.find(mark); at != pattern.npos; at = pattern.find(mark, at))
      pattern.replace(at, mark.size(), piece->pattern);
  }
  return pattern;
}

const StringFormat* string_format(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& one) { return one.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

bool is_loose_format(std::string_view name) { return std::find(std::begin(kLoose), std::end(kLoose), name) != std::end(kLoose); }

std::string known_formats() {
  std::string all;
  for (const auto& format : kFormats) all += fmt::format("{}{}", all.empty() ? "" : ", ", format.name);
  return all;
}

}  // namespace puna::text::grammar
