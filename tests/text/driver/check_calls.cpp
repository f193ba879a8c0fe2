// For every chat template of a folder: conversations that end with calls are rendered, parsed back, and must give the same
// calls, thoughts and content again, whole and cut at every byte. usage: check_calls FOLDER [PART OF A NAME]
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/os.h"
#include "text/tool_calls/learn.h"
#include "text/tool_calls/output_parser.h"

namespace {

using puna::Value;
using puna::text::ChatTemplate;
using puna::text::RenderOptions;
namespace tool_calls = puna::text::tool_calls;

Value tools() {
  const auto typed = [](const char* type) { return Value::object({{"type", type}, {"description", "Some."}}); };
  const Value all = Value::object({{"city", typed("string")},
                                   {"text", typed("string")},
                                   {"count", typed("integer")},
                                   {"share", typed("number")},
                                   {"sure", typed("boolean")},
                                   {"list", typed("array")},
                                   {"map", typed("object")}});
  const auto tool = [&](const char* name) {
    const Value parameters = Value::object({{"type", "object"}, {"properties", all}, {"required", Value::array({"city"})}});
    return Value::object(
        {{"type", "function"},
         {"function", Value::object({{"name", name}, {"description", "It does."}, {"parameters", parameters}})}});
  };
  return Value::array({tool("get_weather"), tool("now")});
}

struct Case {
  std::string name;
  std::vector<std::pair<std::string, Value>> calls;  // name, arguments
  std::string content, reasoning;
};

std::vector<Case> cases() {
  const Value simple = Value::object({{"city", "Paris"}});
  const Value many = Value::object({{"city", "La Paz"},
                                    {"count", 3},
                                    {"share", 1.5},
                                    {"sure", true},
                                    {"list", Value::array({1, "two"})},
                                    {"map", Value::object({{"a", Value::object({{"b", "c"}})}})}});
  const Value odd = Value::object({{"city", "a \"quote\", a \\ and a\nline: é 🦙 <b>x</b> {\"k\": [1]} it's"}, {"text", ""}});
  std::vector<Case> all;
  for (const char* content : {"", "Let me see."}) {
    for (const char* reasoning : {"", "First this.\nThen that."}) {
      const std::string suffix = std::string(*content ? " content" : "") + (*reasoning ? " thought" : "");
      all.push_back({"one" + suffix, {{"get_weather", simple}}, content, reasoning});
      all.push_back({"two" + suffix, {{"get_weather", simple}, {"now", Value::object({{"city", "UTC"}})}}, content, reasoning});
      all.push_back({"many" + suffix, {{"get_weather", many}}, content, reasoning});
      all.push_back({"odd" + suffix, {{"now", odd}}, content, reasoning});
      all.push_back({"none" + suffix, {{"now", Value::object()}}, content, reasoning});
    }
  }
  all.push_back({"plain", {}, "It is warm today.", ""});
  all.push_back({"plain thought", {}, "It is warm today.", "First this.\nThen that."});
  return all;
}

Value message_of(const Case& one) {
  Value message = Value::object({{"role", "assistant"}, {"content", one.content}});
  if (!one.reasoning.empty()) message.set("reasoning_content", one.reasoning);
  Value calls = Value::array();
  for (const auto& [name, arguments] : one.calls)
    calls.push_back(Value::object({{"id", "abcdef12" + std::to_string(calls.if_array()->size())},
                                   {"type", "function"},
                                   {"function", Value::object({{"name", name}, {"arguments", puna::json::write(arguments)}})}}));
  if (!one.calls.empty()) message.set("tool_calls", std::move(calls));
  return message;
}

std::size_t common(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

struct Turn {
  std::string begun, rest;
};

std::optional<Turn> turn_of(const ChatTemplate& chat_template, const Case& one, RenderOptions options) {
  const Value user = Value::object({{"role", "user"}, {"content", "Hello."}});
  const auto render = [&](const Value& messages, bool begins) {
    options.add_generation_prompt = begins;
    const auto rendered = chat_template.render(messages, options);
    return rendered ? std::optional(rendered->text) : std::nullopt;
  };
  const auto whole = render(Value::array({user, message_of(one)}), false);
  const auto before = render(Value::array({user}), false), begun = render(Value::array({user}), true);
  if (!whole || !before || !begun) return std::nullopt;
  const std::size_t shared = common(*before, *whole), opened = std::max(common(*begun, *whole), shared);
  return Turn{whole->substr(shared, opened - shared), whole->substr(opened)};
}

// Some templates open a thought in the prompt only, and show it closed in the history.
void open_thought(const tool_calls::ThinkForm& think, Turn& turn) {
  const std::string text = turn.begun + turn.rest;
  const std::size_t close = think.open.empty() ? text.npos : text.find(think.close);
  if (close != text.npos && text.find(think.open) > close) turn.begun += think.open;
}

tool_calls::Message parse(const tool_calls::OutputForm& form, const Turn& turn, std::size_t cut) {
  tool_calls::OutputParser parser(form, {.tools = tools()});
  parser.prime(turn.begun);
  tool_calls::Message message;
  for (const std::string& piece : {turn.rest.substr(0, cut), turn.rest.substr(cut)})
    for (const tool_calls::Event& event : parser.push(piece)) message.add(event);
  for (const tool_calls::Event& event : parser.finish()) message.add(event);
  return message;
}

// Members in the order of their names: some templates sort them.
Value sorted(const Value& value) {
  if (const auto* array = value.if_array()) {
    Value all = Value::array();
    for (const Value& item : *array) all.push_back(sorted(item));
    return all;
  }
  const auto* object = value.if_object();
  if (!object) return value;
  Value::Object members;
  for (const auto& [key, member] : *object) members.emplace_back(key, sorted(member));
  std::ranges::sort(members, {}, &Value::Member::first);
  return members;
}

// Where a template keeps less of an answer than the model wrote.
bool is_lossy(const std::string& name, const Case& one) {
  if (name.starts_with("LFM2.5-8B") && one.name.starts_with("odd")) return true;    // strings between ' with ' in them
  if (name.starts_with("MiniMax-M3") && one.name.starts_with("many")) return true;  // tags inside of values
  // The thought that this one opens in the history is never closed.
  return name.starts_with("NVIDIA-Nemotron-Nano-v2") && !one.content.empty();
}

// What is wrong; empty: nothing.
std::string check(const tool_calls::OutputForm& form, const Case& one, const Turn& turn) {
  const tool_calls::Message whole = parse(form, turn, turn.rest.size());
  for (std::size_t cut = 0; cut < turn.rest.size(); ++cut)
    if (parse(form, turn, cut) != whole) return "cut at " + std::to_string(cut) + " differs";
  if (whole.calls.size() != one.calls.size()) return std::to_string(whole.calls.size()) + " calls";
  for (std::size_t i = 0; i < one.calls.size(); ++i) {
    const auto arguments = puna::json::parse(whole.calls[i].arguments);
    if (whole.calls[i].name != one.calls[i].first) return "name " + whole.calls[i].name;
    if (!whole.calls[i].is_whole || !arguments || sorted(*arguments) != sorted(one.calls[i].second))
      return "arguments " + whole.calls[i].arguments;
  }
  if (turn.rest.find("First this.") != std::string::npos && whole.reasoning.find(one.reasoning) == std::string::npos)
    return "thought '" + whole.reasoning + "'";
  // One family's template puts what is said before a call among the thoughts; another's opens a thought and says it there.
  const bool has_content = turn.rest.find(one.content) != std::string::npos;
  if (has_content && (whole.content + whole.reasoning).find(one.content) == std::string::npos)
    return "content '" + whole.content + "'";
  return whole.content.find("Paris") == std::string::npos ? "" : "content '" + whole.content + "'";
}

int check_template(const std::filesystem::path& path) {
  const auto source = puna::os::read_file(path);
  const auto parsed = source ? ChatTemplate::parse(*source) : puna::fail("unreadable");
  std::cout << path.filename().string() << ": ";
  if (!parsed) {
    std::cout << parsed.error().message << "\n";
    return 1;
  }
  RenderOptions options;
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  options.now = 1753700000;
  const tool_calls::Learned learned = tool_calls::learn_output_form(*parsed, options);
  options.tools = tools();
  int n = 0, n_wrong = 0;
  std::string report;
  for (const Case& one : cases()) {
    std::optional<Turn> turn = turn_of(*parsed, one, options);
    // What the template does not show cannot be read.
    if (!turn) continue;
    const bool is_shown =
        std::ranges::all_of(one.calls, [&](const auto& call) { return turn->rest.find(call.first) != std::string::npos; });
    if (!is_shown || is_lossy(path.filename().string(), one)) continue;
    if (turn->rest.find("First this.") != std::string::npos) open_thought(learned.form.think, *turn);
    ++n;
    const std::string wrong = check(learned.form, one, *turn);
    if (wrong.empty()) continue;
    ++n_wrong;
    report += "    " + one.name + ": " + wrong + "\n      in '" + turn->begun + "' | '" + turn->rest + "'\n";
  }
  std::cout << (learned.family.empty() ? "-" : learned.family) << ", thoughts "
            << (learned.form.think.open.empty() ? "-" : learned.form.think.open) << ", " << n << " parsed back, " << n_wrong
            << " wrong\n"
            << report;
  return n_wrong;
}

}  // namespace

int main(int n_arguments, char** arguments) {
  if (n_arguments < 2) return 2;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".jinja") && (n_arguments < 3 || name.find(arguments[2]) != std::string::npos))
      paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  int n_wrong = 0;
  for (const auto& path : paths) n_wrong += check_template(path);
  std::cout << paths.size() << " templates, " << n_wrong << " wrong\n";
  return n_wrong == 0 ? 0 : 1;
}
