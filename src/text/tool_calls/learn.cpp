#include "text/tool_calls/learn.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "text/tool_calls/families/families.h"
#include "text/tool_calls/output_parser.h"
#include "text/tool_calls/read_off.h"

namespace puna::text::tool_calls {

namespace {

// Words that no template has.
const KnownCall kFirst{"puna_probe_one", "probe_city", "Huaraz-probe", "probe_when", "noon-probe"};
const KnownCall kSecond{"puna_probe_two", "probe_city", "Puno-probe", "probe_when", "dusk-probe"};
constexpr const char* kThought = "puna-probe-thought";
constexpr const char* kAnswer = "puna-probe-answer";

std::string common_prefix(const std::string& a, const std::string& b) {
  return a.substr(0, static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin()));
}

Value definition(const KnownCall& call) {
  Value properties = Value::object();
  for (const std::string& key : {call.key1, call.key2})
    properties.set(key, Value::object({{"type", "string"}, {"description", "A text."}}));
  const Value parameters = Value::object(
      {{"type", "object"}, {"properties", std::move(properties)}, {"required", Value::array({call.key1, call.key2})}});
  return Value::object(
      {{"type", "function"},
       {"function", Value::object({{"name", call.name}, {"description", "Probes."}, {"parameters", parameters}})}});
}

class Probe {
 public:
  Probe(const ChatTemplate& chat_template, RenderOptions options) : template_(chat_template), options_(std::move(options)) {
    options_.tools = Value::array({definition(kFirst), definition(kSecond)});
  }

  // What the template makes of an assistant's message, after all that it writes without it: the part that is also there when
  // an answer is only begun, and the rest. Empty: it refuses.
  struct Turn {
    std::string begun, rest;
  };
  std::optional<Turn> turn(const Value& message) const {
    const Value user = Value::object({{"role", "user"}, {"content", "Hello."}});
    const auto whole = render(Value::array({user, message}), false), before = render(Value::array({user}), false);
    const auto begun = render(Value::array({user}), true);
    if (!whole || !before || !begun) return std::nullopt;
    const std::size_t shared = common_prefix(*before, *whole).size();
    const std::size_t opened = std::max(common_prefix(*begun, *whole).size(), shared);
    return Turn{whole->substr(shared, opened - shared), whole->substr(opened)};
  }

  std::optional<std::string> render(const Value& messages, bool begins) const {
    RenderOptions options = options_;
    options.add_generation_prompt = begins;
    Result<Rendered> rendered = template_.render(messages, options);
    return rendered ? std::optional(std::move(rendered->text)) : std::nullopt;
  }

  bool has(std::string_view text) const { return template_.source().find(text) != std::string::npos; }
  const Value& tools() const { return options_.tools; }
  void set_thinking(bool on) {
    for (const char* name : {"enable_thinking", "thinking"}) options_.extra.set(name, Value(on));
  }

 private:
  const ChatTemplate& template_;
  RenderOptions options_;
};

Value call_message(const std::vector<KnownCall>& calls, const char* content) {
  Value list = Value::array();
  for (const KnownCall& call : calls)
    list.push_back(
        Value::object({{"id", "probe" + std::to_string(1000 + list.if_array()->size())},
                       {"type", "function"},
                       {"function", Value::object({{"name", call.name}, {"arguments", json::write(call.arguments())}})}}));
  return Value::object({{"role", "assistant"}, {"content", content}, {"tool_calls", std::move(list)}});
}

// Whether the form gives back just these calls.
bool reads(const OutputForm& form, const Probe& probe, const Probe::Turn& turn, const std::vector<KnownCall>& calls) {
  OutputParser parser(form, {.tools = probe.tools(), .holds_calls = true});
  parser.prime(turn.begun);
  Message message;
  for (const Event& event : parser.push(turn.rest)) message.add(event);
  for (const Event& event : parser.finish()) message.add(event);
  if (message.calls.size() != calls.size()) return false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Result<Value> arguments = json::parse(message.calls[i].arguments);
    if (message.calls[i].name != calls[i].name || !arguments || *arguments != calls[i].arguments()) return false;
  }
  return message.content.find("probe_city") == std::string::npos;
}

struct Shown {
  std::vector<KnownCall> calls;
  Probe::Turn turn;
};

// Two calls in one message, or one where the template takes no more; none: it shows no calls.
std::optional<Shown> shown_calls(const Probe& probe) {
  for (const std::vector<KnownCall>& calls : {std::vector{kFirst, kSecond}, std::vector{kFirst}}) {
    std::optional<Probe::Turn> turn = probe.turn(call_message(calls, ""));
    if (!turn) turn = probe.turn(call_message(calls, kAnswer));
    if (!turn || turn->rest.find(calls.back().value1) == std::string::npos) continue;
    return Shown{calls, *std::move(turn)};
  }
  return std::nullopt;
}

ThinkForm learn_thoughts(const Probe& probe) {
  const Value message = Value::object({{"role", "assistant"}, {"content", kAnswer}, {"reasoning_content", kThought}});
  const std::optional<Probe::Turn> turn = probe.turn(message);
  const std::string text = turn ? turn->begun + turn->rest : std::string();
  std::vector<ThinkForm> known;
  for (const Family& family : families())
    if (!family.form.think.open.empty()) known.push_back(family.form.think);
  const auto between = [&](const ThinkForm& think) {
    const std::size_t open = text.find(think.open), thought = text.find(kThought), close = text.find(think.close, thought);
    return thought != text.npos && open < thought && close != text.npos;
  };
  if (const auto found = std::ranges::find_if(known, between); found != known.end()) return *found;
  if (const std::optional<ThinkForm> marks = read_off_marks(text, kThought)) return *marks;
  // History may come without thoughts; then the template itself names the marks, to begin an answer or to cut them out.
  const auto is_named = [&](const ThinkForm& think) { return probe.has(think.open) && probe.has(think.close); };
  if (const auto found = std::ranges::find_if(known, is_named); found != known.end()) return *found;
  const auto is_cut = [&](const ThinkForm& think) {
    return probe.has("'" + think.close + "'") || probe.has("\"" + think.close + "\"");
  };
  if (const auto found = std::ranges::find_if(known, is_cut); found != known.end()) return *found;
  return {};
}

// The end of a turn, which stands after a call as after any answer.
std::string turn_end(const Probe& probe) {
  const auto turn = probe.turn(Value::object({{"role", "assistant"}, {"content", kAnswer}}));
  if (!turn) return {};
  const std::size_t at = turn->rest.find(kAnswer);
  return at == std::string::npos ? std::string() : turn->rest.substr(at + std::string_view(kAnswer).size());
}

std::optional<ToolForm> read_off(const Probe& probe, const ThinkForm& think) {
  const std::vector<KnownCall> one = {kFirst};
  const std::optional<Probe::Turn> turn = probe.turn(call_message(one, ""));
  if (!turn) return std::nullopt;
  std::string text = turn->rest;
  if (const std::string end = turn_end(probe); !end.empty() && text.ends_with(end)) text.resize(text.size() - end.size());
  std::optional<ToolForm> form = read_off_call(text, kFirst);
  if (!form || !reads({.think = think, .tools = {*form}}, probe, *turn, one)) return std::nullopt;
  return form;
}

void learn_calls(const Probe& probe, Learned& learned) {
  const ThinkForm think = learned.form.think;
  const Family& plain = families().back();
  const auto take = [&](const Family& family) {
    learned.form = family.form;
    learned.form.think = think;
    learned.family = family.name;
    // Small models forget their own marks.
    if (&family != &plain) std::ranges::copy(plain.form.tools, std::back_inserter(learned.form.tools));
  };
  const std::optional<Shown> shown = shown_calls(probe);
  const auto is_read = [&](const Family& family) {
    return reads({.think = think, .silent = family.form.silent, .tools = family.form.tools}, probe, shown->turn, shown->calls);
  };
  const auto is_told = [&](const Family& family) {
    return !family.told_by.empty() && std::ranges::all_of(family.told_by, [&](std::string_view text) { return probe.has(text); });
  };
  const auto known = shown ? std::ranges::find_if(families(), is_read) : std::ranges::find_if(families(), is_told);
  if (known != families().end()) return take(*known);
  if (shown) {
    if (std::optional<ToolForm> form = read_off(probe, think)) {
      learned.form.tools = plain.form.tools;
      learned.form.tools.insert(learned.form.tools.begin(), *std::move(form));
      learned.family = "template";
      return;
    }
  }
  // A template that tells the model of its tools but not how to call them.
  const auto told = probe.render(Value::array({Value::object({{"role", "user"}, {"content", "Hello."}})}), true);
  if (told && told->find(kFirst.name) != std::string::npos) take(plain);
}

}  // namespace

Learned learn_output_form(const ChatTemplate& chat_template, const RenderOptions& options) {
  Probe probe(chat_template, options);
  Learned learned;
  learned.form.think = learn_thoughts(probe);
  if (learned.form.think.open.empty()) {
    Probe thinking(chat_template, options);
    thinking.set_thinking(true);
    learned.form.think = learn_thoughts(thinking);
  }
  learn_calls(probe, learned);
  return learned;
}

}  // namespace puna::text::tool_calls
