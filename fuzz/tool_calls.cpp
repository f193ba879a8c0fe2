// Any bytes as a model's answer, read as one family writes it: the first byte says which, the second where it is cut. A cut
// must make no difference, calls that are whole have arguments that are JSON, and what has no marker comes back as it was.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "text/tool_calls/families/families.h"
#include "text/tool_calls/output_parser.h"

namespace {

using namespace puna::text::tool_calls;

const puna::Value& tools() {
  using puna::Value;
  const auto typed = [](const char* type) { return Value::object({{"type", type}}); };
  static const Value all = Value::array({Value::object(
      {{"name", "f"},
       {"parameters", Value::object({{"properties", Value::object({{"s", typed("string")}, {"n", typed("integer")}})}})}})});
  return all;
}

Message read(const OutputForm& form, bool holds, std::string_view first, std::string_view second) {
  OutputParser parser(form, {.tools = tools(), .holds_calls = holds});
  Message message;
  for (const std::string_view piece : {first, second})
    for (const Event& event : parser.push(piece)) message.add(event);
  for (const Event& event : parser.finish()) message.add(event);
  return message;
}

// Answers are UTF-8 by the time they are read; half of a surrogate pair and a power beyond a double's pass the reader, who goes
// byte by byte, and not the parser.
bool is_for_the_parser(std::string_view text) {
  if (puna::json::quote(text).find("\xEF\xBF\xBD") != std::string::npos || text.find("\\u") != text.npos) return false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] >= '0' && text[i] <= '9' && (text[i + 1] == 'e' || text[i + 1] == 'E')) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const OutputForm& form = families()[data[0] / 2 % families().size()].form;
  const bool holds = data[0] % 2 == 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t cut = text.empty() ? 0 : data[1] % (text.size() + 1);
  const Message whole = read(form, holds, text, "");
  PUNA_CHECK(read(form, holds, text.substr(0, cut), text.substr(cut)) == whole, "a cut makes a difference");
  for (const Message::Call& call : whole.calls) {
    PUNA_CHECK(call.is_whole || !holds, "a broken call was given out");
    if (!is_for_the_parser(text)) continue;
    const auto arguments = puna::json::parse(call.arguments, 256);
    PUNA_CHECK(!call.is_whole || (arguments && arguments->if_object()), "arguments that are no object");
  }
  if (whole.calls.empty() && whole.reasoning.empty() && holds) {
    std::size_t at = 0;  // the content is the text with parts left out
    for (const char c : whole.content) {
      at = text.find(c, at);
      PUNA_CHECK(at != text.npos, "content that was not there");
      ++at;
    }
  }
  return 0;
}
