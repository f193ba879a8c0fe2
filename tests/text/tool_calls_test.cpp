// What models write, taken apart: each family's form, and what holds for all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/tool_calls/families/families.h"
#include "text/tool_calls/learn.h"
#include "text/tool_calls/openai_delta.h"
#include "text/tool_calls/output_parser.h"

namespace puna::text::tool_calls {
namespace {

using testing::HasSubstr;

const OutputForm& form_of(std::string_view name) {
  for (const Family& family : families())
    if (family.name == name) return family.form;
  throw std::runtime_error("no family " + std::string(name));
}

Value tool(const char* name) {
  const auto typed = [](const char* type) { return Value::object({{"type", type}}); };
  return Value::object(
      {{"name", name},
       {"parameters",
        Value::object({{"properties",
                        Value::object({{"city", typed("string")}, {"days", typed("integer")}, {"sure", typed("boolean")}})}})}});
}
const Value kTools = Value::array({tool("get_weather"), tool("now")});

// "content[reasoning]f{arguments}!" where ! marks a broken call; ids left out.
std::string shown(const Message& message) {
  std::string out = message.content;
  if (!message.reasoning.empty()) out += "[" + message.reasoning + "]";
  for (const Message::Call& call : message.calls) out += "|" + call.name + call.arguments + (call.is_whole ? "" : "!");
  return out;
}

Message parse_pieces(const OutputForm& form, const ParserOptions& options, const std::vector<std::string>& pieces,
                     const std::string& prompt = "") {
  OutputParser parser(form, options);
  parser.prime(prompt);
  Message message;
  for (const std::string& piece : pieces)
    for (const Event& event : parser.push(piece)) message.add(event);
  for (const Event& event : parser.finish()) message.add(event);
  return message;
}

// Parsed whole, at every cut in two and byte by byte, streaming and holding back: always the same.
std::string read(const std::string& family, const std::string& text, const std::string& prompt = "") {
  std::string result;
  for (const bool holds : {false, true}) {
    const ParserOptions options{.tools = kTools, .holds_calls = holds};
    const Message whole = parse_pieces(form_of(family), options, {text}, prompt);
    const auto check = [&](const std::vector<std::string>& pieces) {
      const Message cut = parse_pieces(form_of(family), options, pieces, prompt);
      EXPECT_TRUE(cut == whole) << shown(cut) << "\nbut whole " << shown(whole) << "\nafter " << pieces[0];
    };
    std::vector<std::string> bytes;
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      check({text.substr(0, cut), text.substr(cut)});
      bytes.push_back(text.substr(cut, 1));
    }
    if (!bytes.empty()) check(bytes);
    if (!holds) result = shown(whole);
    if (result.find('!') == std::string::npos) EXPECT_EQ(shown(whole), result) << "held back";
  }
  return result;
}

constexpr const char* kParis = R"(|get_weather{"city": "Paris", "days": 2})";
constexpr const char* kParisShort = R"(|get_weather{"city":"Paris","days":2})";

TEST(ToolCalls, hermes_writes_json_between_tags) {
  EXPECT_EQ(
      read("hermes", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 2}}\n</tool_call>"),
      kParis);
  EXPECT_EQ(
      read("hermes",
           "Let me see.\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>\n<tool_call>\n{\"arguments\": {\"a\": [1]}, "
           "\"name\": \"now\"}\n</tool_call>\nDone."),
      "Let me see.Done.|now{}|now{\"a\": [1]}");
  EXPECT_EQ(read("hermes", "<think>\nHm, <tool_call>?\n</think>\n\nNo."), "No.[Hm, <tool_call>?]");
}

TEST(ToolCalls, arguments_may_be_a_string_of_json_null_or_left_out) {
  EXPECT_EQ(read("hermes", R"(<tool_call>{"name": "now", "arguments": "{\"a\": \"x\\n\"}"}</tool_call>)"), R"(|now{"a": "x\n"})");
  EXPECT_EQ(read("hermes", R"(<tool_call>{"name": "now", "arguments": null}</tool_call>)"), "|now{}");
  EXPECT_EQ(read("hermes", R"(<tool_call>{"name": "now"}</tool_call>)"), "|now{}");
  EXPECT_EQ(read("hermes", R"(<tool_call>{"type": "function", "function": {"name": "now", "arguments": {"n": 1}}}</tool_call>)"),
            R"(|now{"n": 1})");
}

TEST(ToolCalls, a_line_end_inside_of_a_string_is_escaped) {
  EXPECT_EQ(read("hermes", "<tool_call>{\"name\": \"now\", \"arguments\": {\"a\": \"x\ny\"}}</tool_call>"),
            R"(|now{"a": "x\ny"})");
}

TEST(ToolCalls, llama_writes_json_alone_or_after_a_token) {
  const std::string call = R"({"name": "get_weather", "parameters": {"city": "Paris", "days": 2}})";
  EXPECT_EQ(read("llama", call), kParis);
  EXPECT_EQ(read("llama", "\n\n" + call + "; " + call), std::string(kParis) + kParis);
  EXPECT_EQ(read("llama", "<|python_tag|>" + call), kParis);
  EXPECT_EQ(read("llama", R"(<|python_tag|>now.call(city="Paris", days=2))"), R"(|now{"city":"Paris","days":2})");
  EXPECT_EQ(read("llama", "<|python_tag|>import os"), "<|python_tag|>import os");
}

TEST(ToolCalls, json_alone_is_a_call_only_where_it_names_a_tool_and_begins_the_answer) {
  for (const std::string family : {"llama", "plain-json"}) {
    for (const std::string answer :
         {R"({"name": "Ada", "age": 36})", R"({"name": "Ada", "parameters": {"a": 1}})", R"({"name": "now"})", R"([1, 2])", "[]",
          "{}", "{", R"(The answer: {"name": "now", "parameters": {}})"})
      EXPECT_EQ(read(family, answer), answer);
  }
  const std::string fenced = "```json\n{\n  \"name\": \"now\",\n  \"arguments\": {\"city\": \"Lima\"}\n}\n```";
  EXPECT_EQ(read("plain-json", fenced), R"(|now{"city": "Lima"})");
  EXPECT_EQ(read("plain-json", "```json\n[{\"name\": \"now\", \"arguments\": {}}]\n```\nSo."), "So.|now{}");
  EXPECT_EQ(read("plain-json", "Like this:\n" + fenced), "Like this:\n" + fenced);
  EXPECT_EQ(read("plain-json", "```json\n{\"name\": \"Ada\", \"arguments\": {}}\n```"),
            "```json\n{\"name\": \"Ada\", \"arguments\": {}}\n```");
  EXPECT_EQ(read("plain-json", "``"), "``");
  EXPECT_EQ(read("plain-json", "```python\nf()\n```"), "```python\nf()\n```");
  EXPECT_EQ(read("plain-json", R"([{"tool": "now", "args": {"a": 1}}, {"name": "now", "input": {}}])"), R"(|now{"a": 1}|now{})");
}

TEST(ToolCalls, mistral_writes_a_list_or_a_name) {
  EXPECT_EQ(read("mistral", R"([TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}, "id": "abc"}])"),
            kParis);
  EXPECT_EQ(read("mistral", R"([TOOL_CALLS]get_weather[CALL_ID]abc[ARGS]{"city": "Paris", "days": 2}[TOOL_CALLS]now[ARGS]{})"),
            std::string(kParis) + "|now{}");
  EXPECT_EQ(read("mistral", "[THINK]a[/THINK]b"), "b[a]");
}

TEST(ToolCalls, deepseek_writes_a_fence_or_none_or_tags) {
  EXPECT_EQ(read("deepseek",
                 "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Paris\", "
                 "\"days\": 2}\n```"
                 "<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><"
                 "｜tool▁calls▁end｜>"),
            std::string(kParis) + "|now{}");
  EXPECT_EQ(read("deepseek",
                 "Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Paris\", \"days\": "
                 "2}<｜tool▁call▁end｜>"
                 "<｜tool▁calls▁end｜>"),
            std::string("Hm.") + kParis);
  EXPECT_EQ(
      read("deepseek-tags",
           "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" "
           "string=\"true\">Paris"
           "</｜DSML｜parameter>\n<｜DSML｜parameter name=\"days\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n"
           "</｜DSML｜function_calls>"),
      kParisShort);
  EXPECT_EQ(read("deepseek", "I see.</think>It is 3.", "<｜Assistant｜><think>\n"), "It is 3.[I see.]");
}

TEST(ToolCalls, qwen_coder_writes_values_on_lines) {
  const std::string call =
      "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n</"
      "function>\n</tool_call>";
  EXPECT_EQ(read("qwen-tags", call), kParisShort);
  EXPECT_EQ(read("qwen-tags", "<function=now>\n</function>"), "|now{}");
  EXPECT_EQ(
      read("qwen-tags", "<tool_call>\n<function=now>\n<parameter=city>\n\n a \"b\"\n\n</parameter>\n</function>\n</tool_call>"),
      R"(|now{"city":"\n a \"b\"\n"})");
}

TEST(ToolCalls, a_value_without_quotes_has_the_type_that_the_tool_says) {
  const auto value = [](const std::string& key, const std::string& text) {
    return read("glm", "<tool_call>now\n<arg_key>" + key + "</arg_key>\n<arg_value>" + text + "</arg_value>\n</tool_call>");
  };
  EXPECT_EQ(value("city", "2"), R"(|now{"city":"2"})");
  EXPECT_EQ(value("city", "true"), R"(|now{"city":"true"})");
  EXPECT_EQ(value("days", "2"), R"(|now{"days":2})");
  EXPECT_EQ(value("days", "two"), R"(|now{"days":"two"})");
  EXPECT_EQ(value("sure", "True"), R"(|now{"sure":true})");
  EXPECT_EQ(value("other", "[1, \"a\"]"), R"(|now{"other":[1, "a"]})");
  EXPECT_EQ(value("other", "{'a': None}"), R"(|now{"other":{"a":null}})");
  EXPECT_EQ(value("other", "\"quoted\""), R"(|now{"other":"\"quoted\""})");
}

TEST(ToolCalls, glm_minimax_seed_kimi_and_hunyuan_tag_theirs) {
  EXPECT_EQ(
      read("glm",
           "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>\n<tool_call>now</tool_call>"),
      R"(|get_weather{"city":"Paris"}|now{})");
  EXPECT_EQ(
      read(
          "minimax",
          "<think>a</think>\n\n<minimax:tool_call>\n<invoke name=\"now\">\n<parameter name=\"city\">Lima</parameter>\n</invoke>\n"
          "<invoke name=\"now\">\n</invoke>\n</minimax:tool_call>"),
      R"([a]|now{"city":"Lima"}|now{})");
  EXPECT_EQ(read("minimax-json",
                 "<tool_calls>\n{\"name\": \"now\", \"arguments\": {}}\n{\"name\": \"now\", \"arguments\": {}}\n</tool_calls>"),
            "|now{}|now{}");
  EXPECT_EQ(read("minimax-names",
                 "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"now\">]<]minimax[>[<city>Lima]<]minimax[>[</city>"
                 "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"),
            R"(|now{"city":"Lima"})");
  EXPECT_EQ(read("seed", "<seed:tool_call>\n<function=now>\n<parameter=city>Lima\n</parameter>\n</function>\n</seed:tool_call>"),
            R"(|now{"city":"Lima\n"})");
  EXPECT_EQ(read("kimi",
                 "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
                 "<|tool_calls_section_end|>"),
            "|now{}");
  EXPECT_EQ(
      read("kimi-tags",
           "<|open|>response<|sep|>Hm.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool=\"now\" index=\"1\"<|sep|>"
           "<|open|>argument key=\"n\" type=\"number\"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"),
      R"(Hm.|now{"n":2})");
  EXPECT_EQ(read("minicpm", "<function name=\"now\"><param name=\"city\"><![CDATA[<b> ]] </param>]]></param></function>"),
            R"(|now{"city":"<b> ]] </param>"})");
}

TEST(ToolCalls, functionary_has_a_channel_for_each_function_and_the_prompt_opens_the_first) {
  EXPECT_EQ(read("functionary", "<function=now>{\"a\": 1}</function><function=now>{}</function>"), R"(|now{"a": 1}|now{})");
  const std::string prompt = "<|start_header_id|>assistant<|end_header_id|>\n\n>>>";
  EXPECT_EQ(read("functionary-channels", "now\n{\"a\": 1}>>>now\n{}", prompt), R"(|now{"a": 1}|now{})");
  EXPECT_EQ(read("functionary-channels", "all\nHello > there >>>now\n{}", prompt), "Hello > there|now{}");
  EXPECT_EQ(read("functionary-channels", "Hello >>>  \t now\n{}", prompt), "Hello|now{}");
  EXPECT_EQ(read("functionary-channels", "Hello", prompt), "Hello");
}

TEST(ToolCalls, gpt_oss_has_channels) {
  const std::string prompt = "<|start|>assistant";
  EXPECT_EQ(read("harmony",
                 "<|channel|>analysis<|message|>Think.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather "
                 "<|constrain|>json<|message|>{\"city\": \"Paris\", \"days\": 2}<|call|>",
                 prompt),
            std::string("[Think.]") + kParis);
  EXPECT_EQ(read("harmony", " to=functions.now<|channel|>commentary json<|message|>{}<|call|>", prompt), "|now{}");
  EXPECT_EQ(read("harmony",
                 "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>I will look.<|end|>"
                 "<|start|>assistant<|channel|>final<|message|>Warm.<|return|>",
                 prompt),
            "I will look.Warm.[a]");
}

TEST(ToolCalls, command_r_granite_apertus_lfm_gemma_and_others) {
  EXPECT_EQ(read("command-r",
                 "<|START_THINKING|>a<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"now\", "
                 "\"parameters\": {}}"
                 "\n]<|END_ACTION|>"),
            "[a]|now{}");
  EXPECT_EQ(read("command-r", "<|START_RESPONSE|>Hello.<|END_RESPONSE|>"), "Hello.");
  EXPECT_EQ(read("command-r-plus", "Action:\n```json\n[\n{\"tool_name\": \"now\", \"parameters\": {\"a\": 1}}\n]\n```"),
            R"(|now{"a": 1})");
  EXPECT_EQ(read("granite", R"(<|tool_call|>[{"name": "now", "arguments": {}}])"), "|now{}");
  EXPECT_EQ(read("nemotron", R"(<TOOLCALL>[{"name": "now", "arguments": {}}]</TOOLCALL>)"), "|now{}");
  EXPECT_EQ(read("apriel", R"(<tool_calls>[{"name": "now", "arguments": {}, "id": "x"}]</tool_calls>)"), "|now{}");
  EXPECT_EQ(read("firefunction", R"( functools[{"name": "now", "arguments": {}}])"), "|now{}");
  EXPECT_EQ(read("apertus", R"(<|tools_prefix|>[{"now": {"a": 1}}, {"now": {}}]<|tools_suffix|>)"), R"(|now{"a": 1}|now{})");
  EXPECT_EQ(read("lfm", R"(<|tool_call_start|>[now(city="Li\"ma", l=[1, None, {'a': True}]), now()]<|tool_call_end|>Hm.)"),
            R"(Hm.|now{"city":"Li\"ma","l":[1,null,{"a":true}]}|now{})");
  EXPECT_EQ(read("gemma", R"(<|tool_call>call:now{a:<|"|>}x"<|"|>,n:1,l:[true,<|"|>y<|"|>],o:{}}<tool_call|>)"),
            R"(|now{"a":"}x\"","n":1,"l":[true,"y"],"o":{}})");
  EXPECT_EQ(read("gemma", "<|channel>thought\na\n<channel|>b"), "b[a]");
  EXPECT_EQ(read("gigachat", "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"now\", \"arguments\": {}}"), "|now{}");
  EXPECT_EQ(
      read("solar",
           "<|think|>a<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>id7<|tool_call:name|>now<|tool_call:args|>{}"
           "<|tool_call:end|><|calls|>"),
      "[a]|now{}");
}

TEST(ToolCalls, ids_are_the_models_own_or_made_up) {
  const auto id = [](const char* family, const std::string& text, std::uint64_t seed) {
    return parse_pieces(form_of(family), {.id_seed = seed}, {text}).calls.at(0).id;
  };
  EXPECT_EQ(id("mistral", "[TOOL_CALLS]now[CALL_ID]abc123def[ARGS]{}", 0), "abc123def");
  EXPECT_EQ(id("solar", "<|tool_calls|><|tool_call:begin|>id7<|tool_call:name|>now<|tool_call:args|>{}", 0), "id7");
  EXPECT_EQ(id("kimi", "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:3<|tool_call_argument_begin|>{}", 0),
            "functions.now:3");
  EXPECT_EQ(id("hermes", R"(<tool_call>{"id": "x9", "name": "now", "arguments": {}}</tool_call>)", 0), "x9");
  const std::string call = R"(<tool_call>{"name": "now", "arguments": {}}</tool_call>)";
  EXPECT_EQ(id("hermes", call, 1), id("hermes", call, 1));
  EXPECT_NE(id("hermes", call, 1), id("hermes", call, 2));
  EXPECT_EQ(id("hermes", call, 1).size(), 9u);
  const Message two = parse_pieces(form_of("hermes"), {}, {call + call});
  EXPECT_NE(two.calls.at(0).id, two.calls.at(1).id);
}

TEST(ToolCalls, a_call_streams_its_name_once_and_then_its_arguments) {
  OutputParser parser(form_of("hermes"), {});
  using Kind = Event::Kind;
  EXPECT_TRUE(parser.push("<tool_call>\n{\"name\": \"no").empty());
  EXPECT_TRUE(parser.push("w\", \"arguments\":").empty());
  const std::vector<Event> begun = parser.push(" {\"a");
  ASSERT_EQ(begun.size(), 2u);
  EXPECT_EQ(begun[0].kind, Kind::call_begin);
  EXPECT_EQ(begun[0].name, "now");
  EXPECT_EQ(begun[0].text, "");
  EXPECT_EQ(begun[1].kind, Kind::arguments);
  EXPECT_EQ(begun[1].text, "{\"a");
  const std::vector<Event> more = parser.push("\": 1}}");
  ASSERT_EQ(more.size(), 2u);
  EXPECT_EQ(more[0].text, "\": 1}");
  EXPECT_EQ(more[1].kind, Kind::call_end);
  EXPECT_TRUE(more[1].is_whole);
  EXPECT_TRUE(parser.push("\n</tool_call>").empty());
  EXPECT_TRUE(parser.finish().empty());
  EXPECT_EQ(parser.n_calls(), 1);
}

TEST(ToolCalls, a_call_that_is_none_is_text_to_the_byte) {
  for (const std::string text :
       {"<tool_call>", "<tool_call>\n{\"name\": 3}</tool_call>", "a <tool_call> tag", "<tool_call>{\"name\": \"f\", \"x\"",
        "<tool_call>{\"name\": \"\", \"arguments\": {}}", "<tool_call>{\"arguments\": [1], \"name\": \"f\"}", "x <tool", "<",
        "<tool_call><tool_call>", "<tool_call>{}</tool_call>"})
    EXPECT_EQ(read("hermes", text), text);
  EXPECT_EQ(read("mistral", "[TOOL_CALLS] {1}"), "[TOOL_CALLS] {1}");
  EXPECT_EQ(read("deepseek", "<｜tool▁calls▁begin｜> none"), "<｜tool▁calls▁begin｜> none");
  EXPECT_EQ(read("lfm", "<|tool_call_start|>[f(a=b)]<|tool_call_end|>"), "<|tool_call_start|>[f(a=b)]<|tool_call_end|>");
  EXPECT_EQ(read("hermes", R"(<tool_call>x<tool_call>{"name": "now", "arguments": {}}</tool_call>)"), "<tool_call>x|now{}");
}

TEST(ToolCalls, a_call_that_breaks_off_is_told_and_held_back_it_is_text) {
  const std::string text = R"(<tool_call>{"name": "now", "arguments": {"a": oops}})";
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {}, {text})), "oops}}|now{\"a\": !");
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {.holds_calls = true}, {text})), text);
  const std::string cut = R"(<tool_call>{"name": "now", "arguments": {"a": 1)";
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {}, {cut})), "|now{\"a\": 1!");
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {.holds_calls = true}, {cut})), cut);
  const std::string tagged = "<tool_call>now<arg_key>city</arg_key><arg_value>Li";
  EXPECT_EQ(shown(parse_pieces(form_of("glm"), {}, {tagged})), R"(|now{"city":"Li!)");
  EXPECT_EQ(shown(parse_pieces(form_of("glm"), {.tools = kTools}, {tagged})), R"(|now{"city":"Li!)");
}

TEST(ToolCalls, white_space_that_touches_a_marker_is_the_markers_and_all_other_stays) {
  EXPECT_EQ(read("hermes", "  a \n b  \n"), "  a \n b  \n");
  EXPECT_EQ(read("hermes", "<think>\n\n</think>\n\n  a\n"), "a\n");
  EXPECT_EQ(read("hermes", "a \n <think> b \n c </think> d"), "ad[b \n c]");
}

TEST(ToolCalls, a_control_token_counts_only_where_it_was_drawn) {
  const ParserOptions options{.control_texts = {"[TOOL_CALLS]", "[ARGS]", "[END]"}};
  OutputParser parser(form_of("mistral"), options);
  Message message;
  const auto push = [&](const char* piece, bool is_control) {
    for (const Event& event : parser.push(piece, is_control)) message.add(event);
  };
  push("Say [TOOL_CALLS]f[ARGS]{} so: ", false);
  push("[TOOL_CALLS]", true);
  push("now", false);
  push("[ARGS]", true);
  push("{}", false);
  push("[END]", true);
  for (const Event& event : parser.finish()) message.add(event);
  EXPECT_EQ(shown(message), "Say [TOOL_CALLS]f[ARGS]{} so:|now{}");
}

TEST(ToolCalls, thoughts_and_calls_can_be_left_where_they_are) {
  const std::string text = R"(<think>a</think><tool_call>{"name": "now", "arguments": {}}</tool_call>)";
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {.reads_thoughts = false, .reads_calls = false}, {text})), text);
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {.reads_calls = false}, {text})),
            R"(<tool_call>{"name": "now", "arguments": {}}</tool_call>[a])");
}

TEST(ToolCalls, the_end_of_a_prompt_may_open_a_thought_or_close_it) {
  OutputParser open(form_of("hermes"), {});
  open.prime("<|im_start|>assistant\n<think>\n");
  EXPECT_TRUE(open.in_reasoning());
  EXPECT_EQ(read("hermes", "a\n</think>\n\nb", "<|im_start|>assistant\n<think>\n"), "b[a]");
  OutputParser closed(form_of("hermes"), {});
  closed.prime("<|im_start|>assistant\n<think>\n\n</think>\n\n");
  EXPECT_FALSE(closed.in_reasoning());
}

TEST(ToolCalls, hostile_answers_take_linear_time_and_little_stack) {
  const std::vector<std::string> bad = {std::string(50'000, '\n'),
                                        std::string(50'000, '<'),
                                        std::string(50'000, '['),
                                        "<tool_call>{\"name\": \"now\", \"arguments\": " + std::string(50'000, '{'),
                                        "<tool_call>{\"name\": \"now\", \"arguments\": {\"a\":" + std::string(50'000, '['),
                                        "<tool_call>" + std::string(50'000, ' ') + "x",
                                        "<tool_call>{\"" + std::string(50'000, 'k')};
  for (const char* family : {"hermes", "llama", "lfm", "glm", "plain-json"}) {
    for (const std::string& text : bad) {
      OutputParser parser(form_of(family), {});
      for (std::size_t at = 0; at < text.size(); at += 3) parser.push(text.substr(at, 3));
      parser.finish();
    }
  }
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += "<tool_call>{\"name";
  EXPECT_EQ(read("hermes", "a"), "a");
  EXPECT_EQ(shown(parse_pieces(form_of("hermes"), {}, {many})), many);
}

// ---- as OpenAI's API sends it

TEST(OpenAiDeltas, a_call_comes_first_with_all_that_names_it_and_then_only_with_pieces) {
  OutputParser parser(form_of("hermes"), {});
  std::vector<std::string> sent;
  const std::string text =
      R"(Hm.<tool_call>{"id": "a", "name": "f", "arguments": {"x": 1}}</tool_call><tool_call>{"id": "b", "name": "g", "arguments": {}})";
  for (const char c : text)
    for (const Event& event : parser.push(std::string_view(&c, 1)))
      if (const std::optional<Value> delta = openai_delta(event)) sent.push_back(json::write(*delta));
  ASSERT_GT(sent.size(), 8u);
  const std::string first = R"({"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]})";
  const std::string second = R"({"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]})";
  EXPECT_EQ(sent[3], first);
  EXPECT_EQ(sent[4], R"({"tool_calls":[{"index":0,"function":{"arguments":"{"}}]})");
  EXPECT_EQ(std::ranges::count(sent, first), 1);
  EXPECT_EQ(std::ranges::count(sent, second), 1);
  EXPECT_EQ(std::ranges::count_if(sent, [](const std::string& delta) { return delta.find("\"name\"") != std::string::npos; }), 2);
}

TEST(OpenAiDeltas, a_message_of_calls_alone_has_no_content) {
  Message message;
  message.calls = {{.id = "a", .name = "f", .arguments = "{}"}};
  EXPECT_EQ(
      json::write(openai_message(message)),
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]})");
  EXPECT_EQ(json::write(openai_message({.content = "x", .reasoning = "y", .calls = {}})),
            R"({"role":"assistant","content":"x","reasoning_content":"y"})");
}

// ---- learned from templates

OutputForm learned_from(const std::string& source, std::string* family = nullptr) {
  const auto parsed = ChatTemplate::parse(source);
  EXPECT_TRUE(parsed);
  const Learned learned = learn_output_form(*parsed, {});
  if (family) *family = learned.family;
  return learned.form;
}

std::string template_with(const std::string& call) {
  return "{% for m in messages %}[{{ m.role }}]{% if m.reasoning_content %}<hm>{{ m.reasoning_content }}</hm>{% endif %}{{ "
         "m.content }}"
         "{% for c in m.tool_calls or [] %}{% set f = c.function %}" +
         call + "{% endfor %}[end]{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";
}

TEST(LearnedForms, a_familys_form_is_recognized_by_what_the_template_writes) {
  std::string family;
  learned_from(template_with("<tool_call>{\"name\": \"{{ f.name }}\", \"arguments\": {{ f.arguments|tojson }}}</tool_call>"),
               &family);
  EXPECT_EQ(family, "hermes");
  learned_from(template_with("[TOOL_CALLS]{{ f.name }}[ARGS]{{ f.arguments|tojson }}"), &family);
  EXPECT_EQ(family, "mistral");
}

TEST(LearnedForms, a_model_that_forgets_its_marks_is_understood_where_the_json_names_a_tool) {
  const OutputForm form =
      learned_from(template_with("<tool_call>{\"name\": \"{{ f.name }}\", \"arguments\": {{ f.arguments|tojson }}}</tool_call>"));
  const auto read_it = [&](const char* text) { return shown(parse_pieces(form, {.tools = kTools}, {text})); };
  EXPECT_EQ(read_it("```json\n{\"name\": \"now\", \"arguments\": {}}\n```"), "|now{}");
  EXPECT_EQ(read_it("{\"name\": \"now\", \"arguments\": {}}"), "|now{}");
  EXPECT_EQ(read_it("{\"name\": \"Ada\", \"arguments\": {}}"), "{\"name\": \"Ada\", \"arguments\": {}}");
}

TEST(LearnedForms, an_unknown_form_is_read_off_the_template) {
  const std::string odd_json = "<<call>>{\"fn\": \"{{ f.name }}\", \"with\": {{ f.arguments|tojson }}}<</call>>";
  const std::string odd_named = "<<call {{ f.name }}>>{{ f.arguments|tojson }}<</call>>";
  const std::string odd_tags =
      "<<do {{ f.name }}>>{% for k, v in f.arguments|items %}<<let {{ k }}>>{{ v }}<<tel>>{% endfor %}<<done>>";
  const auto check = [](const std::string& call, const std::string& text) {
    std::string family;
    const OutputForm form = learned_from(template_with(call), &family);
    EXPECT_EQ(family, "template");
    return shown(parse_pieces(form, {.tools = kTools}, {text}));
  };
  EXPECT_EQ(check(odd_json, R"(Hm. <<call>>{"fn": "now", "with": {"a": 1}}<</call>>)"), R"(Hm.|now{"a": 1})");
  EXPECT_EQ(check(odd_named, "<<call now>>{\"a\": 1}<</call>><<call now>>{}<</call>>"), R"(|now{"a": 1}|now{})");
  EXPECT_EQ(check(odd_tags, "<<do now>><<let city>>Lima<<tel>><<let days>>2<<tel>><<done>>"), R"(|now{"city":"Lima","days":2})");
}

TEST(LearnedForms, the_marks_of_thoughts_are_read_off_too) {
  EXPECT_EQ(learned_from(template_with("")).think.open, "<hm>");
  EXPECT_EQ(learned_from(template_with("")).think.close, "</hm>");
  EXPECT_EQ(learned_from("{{ messages[0].content }}{% if add_generation_prompt %}<think>\n{% endif %}").think.open, "");
  EXPECT_EQ(learned_from("{{ messages[-1].content.split('</think>')[-1] }}{% if add_generation_prompt %}<think>\n{% endif %}")
                .think.close,
            "</think>");
}

TEST(LearnedForms, a_template_that_knows_no_tools_gives_no_form) {
  std::string family;
  EXPECT_TRUE(learned_from("{% for m in messages %}{{ m.content }}{% endfor %}", &family).tools.empty());
  EXPECT_EQ(family, "");
  learned_from("{{ tools|tojson }}{% for m in messages %}{{ m.content }}{% endfor %}", &family);
  EXPECT_EQ(family, "plain-json");
}

}  // namespace
}  // namespace puna::text::tool_calls
