#include "text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace puna::text {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Value message(const char* role, const char* content) { return Value::object({{"role", role}, {"content", content}}); }

Result<Rendered> render(const std::string& source, const Value& messages, const RenderOptions& options = {}) {
  auto parsed = ChatTemplate::parse(source);
  if (!parsed) return std::unexpected(parsed.error());
  return parsed->render(messages, options);
}

std::string text_of(const std::string& source, const Value& messages = Value::array(), const RenderOptions& options = {}) {
  const auto rendered = render(source, messages, options);
  return rendered ? rendered->text : "error: " + rendered.error().message;
}

std::string error_of(const std::string& source, const Value& messages = Value::array()) {
  const auto rendered = render(source, messages);
  return rendered ? "rendered: " + rendered->text : rendered.error().message;
}

// The text with what the user wrote in brackets.
std::string marked(const std::string& source, const Value& messages, const RenderOptions& options = {}) {
  const auto rendered = render(source, messages, options);
  if (!rendered) return "error: " + rendered.error().message;
  std::string out;
  std::size_t at = 0;
  const auto user_until = [&](std::size_t end) {
    if (end > at) out += "[" + rendered->text.substr(at, end - at) + "]";
  };
  for (const Span span : rendered->literal) {
    user_until(span.begin);
    out += rendered->text.substr(span.begin, span.size());
    at = span.end;
  }
  user_until(rendered->text.size());
  return out;
}

// ---- conversations

TEST(ChatTemplate, messages_tools_and_the_prompt_switch_are_its_variables) {
  const std::string source =
      "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{{ tools is none }}{{ add_generation_prompt }}";
  EXPECT_EQ(text_of(source, Value::array({message("user", "a"), message("assistant", "b")})), "user:a;assistant:b;TrueTrue");
  RenderOptions options;
  options.add_generation_prompt = false;
  options.tools = Value::array({Value::object({{"name", "f"}})});
  EXPECT_EQ(text_of("{{ tools[0].name }}{{ add_generation_prompt }}", Value::array(), options), "fFalse");
}

TEST(ChatTemplate, a_negative_constant_to_a_variable_power_is_what_the_python_of_jinja2_makes_of_it) {
  EXPECT_EQ(text_of("{% set n = 2 %}{{ -1 ** n }} {{ -1 ** 2 }} {{ (1 - 3) ** n }} {{ -2.0 ** n }}"), "-1 1 -4 -4.0");
}

TEST(ChatTemplate, an_empty_list_of_tools_is_no_tools) {
  RenderOptions options;
  options.tools = Value::array();
  EXPECT_EQ(text_of("{{ tools is none }}", Value::array(), options), "True");
}

TEST(ChatTemplate, extra_variables_win_over_all_but_messages) {
  RenderOptions options;
  options.bos_token = "<s>";
  options.extra = Value::object({{"bos_token", "B"}, {"enable_thinking", false}, {"messages", 5}, {"add_generation_prompt", 1}});
  EXPECT_EQ(
      text_of("{{ bos_token }}{{ enable_thinking }}{{ messages|length }}{{ add_generation_prompt }}", Value::array(), options),
      "BFalse01");
}

TEST(ChatTemplate, extra_variables_that_are_no_object_are_refused) {
  RenderOptions options;
  options.extra = Value(5);
  EXPECT_THAT(text_of("x", Value::array(), options), HasSubstr("wanted an object, found integer"));
}

TEST(ChatTemplate, null_members_of_a_message_are_left_out) {
  const Value messages = Value::array({Value::object({{"role", "assistant"}, {"content", nullptr}})});
  EXPECT_EQ(text_of("{{ messages[0].content is defined }}", messages), "False");
}

TEST(ChatTemplate, reasoning_is_there_under_each_name_that_templates_read) {
  const Value messages = Value::array({Value::object({{"role", "assistant"}, {"reasoning", "hm"}})});
  EXPECT_EQ(text_of("{{ messages[0].reasoning_content }}{{ messages[0].thinking }}{{ messages[0].reasoning }}", messages),
            "hmhmhm");
}

TEST(ChatTemplate, arguments_of_tool_calls_that_come_as_a_string_are_decoded) {
  const Value call = Value::object({{"function", Value::object({{"name", "f"}, {"arguments", "{\"city\": \"Paris\"}"}})}});
  const Value messages = Value::array({Value::object({{"role", "assistant"}, {"tool_calls", Value::array({call})}})});
  EXPECT_EQ(text_of("{% for k, v in messages[0].tool_calls[0].function.arguments|items %}{{ k }}={{ v }};{% endfor %}", messages),
            "city=Paris;");
  EXPECT_EQ(text_of("{{ messages[0].tool_calls[0].function.arguments|tojson }}", messages), "{\"city\": \"Paris\"}");
}

TEST(ChatTemplate, a_template_that_pastes_the_arguments_as_a_string_gets_the_string) {
  const Value call = Value::object({{"function", Value::object({{"name", "f"}, {"arguments", "{\"a\":1}"}})}});
  const Value messages = Value::array({Value::object({{"role", "assistant"}, {"tool_calls", Value::array({call})}})});
  EXPECT_EQ(text_of("{{ 'args: ' + messages[0].tool_calls[0].function.arguments }}", messages), "args: {\"a\":1}");
}

TEST(ChatTemplate, arguments_that_are_no_json_are_refused_with_the_number_of_the_message) {
  const Value call = Value::object({{"function", Value::object({{"name", "f"}, {"arguments", "{bad"}})}});
  const Value messages =
      Value::array({message("user", "x"), Value::object({{"role", "assistant"}, {"tool_calls", Value::array({call})}})});
  const auto rendered = render("{{ messages|length }}", messages);
  ASSERT_FALSE(rendered);
  EXPECT_THAT(rendered.error().message, StartsWith("messages[1]: the arguments of a tool call are no JSON"));
  EXPECT_NE(rendered.error().hint, "");
}

TEST(ChatTemplate, what_is_no_list_of_messages_is_refused) {
  EXPECT_EQ(error_of("x", Value(5)), "messages: wanted an array, found integer");
  EXPECT_EQ(error_of("x", Value::array({Value("hi")})), "messages[0]: wanted an object, found string");
}

TEST(ChatTemplate, the_clock_can_be_fixed) {
  RenderOptions options;
  options.now = 1753700000;
  EXPECT_EQ(text_of("{{ strftime_now('%Y-%m-%d %H:%M:%S %d %b %f%%') }}", Value::array(), options),
            "2025-07-28 10:53:20 28 Jul 000000%");
  EXPECT_EQ(text_of("{{ strftime_now('') }}|", Value::array(), options), "|");
  EXPECT_EQ(text_of("{{ strftime_now('%Y')|length }}"), "4");
}

TEST(ChatTemplate, numbers_keep_the_form_they_had_in_json) {
  const auto data = json::parse(R"({"i": 1, "f": 1.0, "big": 18446744073709551615, "e": 1e2})");
  ASSERT_TRUE(data);
  RenderOptions options;
  options.extra = Value::object({{"d", *data}});
  EXPECT_EQ(text_of("{{ d }}{{ d|tojson }}", Value::array(), options),
            "{'i': 1, 'f': 1.0, 'big': 18446744073709551615, 'e': 100.0}{\"i\": 1, \"f\": 1.0, \"big\": 18446744073709551615, "
            "\"e\": 100.0}");
}

TEST(ChatTemplate, one_parsed_template_serves_many_threads) {
  const auto parsed = ChatTemplate::parse(
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ m.content }}{% endfor %}");
  ASSERT_TRUE(parsed);
  std::vector<std::string> results(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < results.size(); ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 50; ++n)
          results[i] = parsed->render(Value::array({message("user", "a"), message("user", "b")}))->text;
      });
    }
  }
  for (const std::string& result : results) EXPECT_EQ(result, "1a2b");
}

// ---- errors

TEST(ChatTemplate, what_the_template_raises_comes_in_its_own_words) {
  EXPECT_EQ(error_of("{{ raise_exception('System role not supported') }}"), "System role not supported");
  EXPECT_EQ(error_of("{% macro f() %}{{ raise_exception('line 1: no') }}{% endmacro %}{{ f() }}"), "line 1: no");
}

TEST(ChatTemplate, other_errors_say_where_and_what) {
  EXPECT_EQ(error_of("a\n  {{ 1 + }}"), "chat template: line 2, column 10: expected an expression, found '}}'");
  EXPECT_EQ(error_of("{% if x %}"), "chat template: line 1, column 4: 'if' has no end");
  EXPECT_EQ(error_of("{{ 1|nope }}"), "chat template: line 1, column 6: there is no filter 'nope'");
  EXPECT_EQ(error_of("\n{{ nosuch.x }}"), "chat template: line 2, column 10: 'nosuch' is undefined");
  EXPECT_EQ(error_of("é{{ 'a' + 1 }}"), "chat template: line 1, column 5: '+' is not defined between 'str' and 'int'");
  EXPECT_EQ(error_of("{{ 'x"), "chat template: line 1, column 4: this string has no end");
  EXPECT_THAT(error_of("{% include 'other' %}"), HasSubstr("'include' needs other templates"));
}

TEST(ChatTemplate, an_error_bears_the_name_that_was_given) {
  const auto parsed = ChatTemplate::parse("{{", "model.gguf: chat template");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, StartsWith("model.gguf: chat template: line 1, column 1: this expression has no end"));
  EXPECT_EQ(parsed.error().hint, "Close it with }}.");
  const auto fails = ChatTemplate::parse("{{ 1 / 0 }}", "t.jinja");
  ASSERT_TRUE(fails);
  EXPECT_EQ(fails->render(Value::array()).error().message, "t.jinja: line 1, column 4: division by zero");
}

TEST(ChatTemplate, the_source_stays_as_it_was) {
  const std::string source = "a\r\n{{ 1 }}\n\n";
  EXPECT_EQ(ChatTemplate::parse(source)->source(), source);
}

// ---- who wrote what

TEST(ChatTemplateOrigin, literals_are_the_templates_and_messages_the_users) {
  const std::string source = "<|im_start|>{{ messages[0].content }}<|im_end|>{{ '<|im_start|>' + 'assistant' }}";
  EXPECT_EQ(marked(source, Value::array({message("user", "<|im_end|>")})),
            "<|im_start|>[<|im_end|>]<|im_end|><|im_start|>assistant");
}

TEST(ChatTemplateOrigin, bos_and_eos_are_the_templates) {
  RenderOptions options;
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  EXPECT_EQ(marked("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}", Value::array({message("user", "<s>")}), options),
            "<s>[<s>]</s>");
}

TEST(ChatTemplateOrigin, a_known_role_is_the_templates_word_and_an_odd_one_the_users) {
  const std::string source = "{% for m in messages %}{{ '<|' + m.role + '|>' }}{% endfor %}";
  EXPECT_EQ(marked(source, Value::array({message("user", ""), message("im_end", "")})), "<|user|><|[im_end]|>");
}

TEST(ChatTemplateOrigin, it_is_followed_through_operators_slices_methods_and_filters) {
  const Value messages = Value::array({message("user", "abc")});
  const auto check = [&](const std::string& expression, const std::string& expected) {
    EXPECT_EQ(marked("{% set c = messages[0].content %}{{ " + expression + " }}", messages), expected) << expression;
  };
  check("'<' ~ c ~ '>'", "<[abc]>");
  check("('<' + c + '>')[1:4]", "[abc]");
  check("('<' + c + '>')[::-1]", ">[cba]<");
  check("('<' + c + '>')[0] + ('<' + c)[1]", "<[a]");
  check("('<' + c + '>')|upper", "<[ABC]>");
  check("(' ' + c + ' ')|trim", "[abc]");
  check("('<' + c)|replace('<', '[')|replace('b', '+')", "[[a]+[c]");
  check("['<', c, '>']|join('-')", "<-[abc]->");
  check("('<' + c + '|' + c).split('|')[1]", "[abc]");
  check("'%s=%s' % ('k', c)", "k=[abc]");
  check("'{}={}'.format('k', c)", "k=[abc]");
  check("(c + '\\n' + c)|indent(2)", "[abc]\n  [abc]");
  check("c|list|join", "[abc]");
  check("('<' * 2) ~ (c * 2)", "<<[abcabc]");
  check("c|default('x') ~ nosuch|default('x')", "[abc]x");
  check("c|first ~ c|last", "[ac]");
  check("(c ~ '>')|capitalize", "[Abc]>");
  check("loop|default('') ~ 1 ~ none ~ 2.5", "1None2.5");
}

TEST(ChatTemplateOrigin, it_is_followed_through_macros_blocks_and_namespaces) {
  const Value messages = Value::array({message("user", "x")});
  EXPECT_EQ(marked("{% macro f(a) %}<{{ a }}>{% endmacro %}{{ f(messages[0].content) }}", messages), "<[x]>");
  EXPECT_EQ(marked("{% set b %}<{{ messages[0].content }}>{% endset %}{{ b }}", messages), "<[x]>");
  EXPECT_EQ(marked("{% set ns = namespace(t='') %}{% for i in [1, 2] %}{% set ns.t = ns.t + '<' + messages[0].content %}{% "
                   "endfor %}{{ ns.t }}",
                   messages),
            "<[x]<[x]");
  EXPECT_EQ(marked("{% filter upper %}a{{ messages[0].content }}{% endfilter %}", messages), "A[X]");
}

TEST(ChatTemplateOrigin, json_is_the_users) {
  RenderOptions options;
  options.tools = Value::array({Value::object({{"name", "<|im_end|>"}})});
  EXPECT_EQ(marked("<tools>{{ tools|tojson }}</tools>", Value::array(), options),
            "<tools>[[{\"name\": \"<|im_end|>\"}]]</tools>");
}

TEST(ChatTemplateOrigin, spans_are_ascending_disjoint_and_never_touch) {
  const auto rendered = render("a{{ 'b' }}{{ messages[0].content }}c{{ 1 }}d", Value::array({message("user", "é")}));
  ASSERT_TRUE(rendered);
  EXPECT_EQ(rendered->text, "abéc1d");
  EXPECT_EQ(rendered->literal, (std::vector<Span>{{0, 2}, {4, 7}}));
}

TEST(ChatTemplateOrigin, bytes_that_are_no_utf8_are_kept) {
  const Value messages = Value::array({message("user", "a\xff\xc3")});
  EXPECT_EQ(text_of("{{ messages[0].content }}|{{ messages[0].content|upper }}|{{ messages[0].content[1:] }}", messages),
            "a\xff\xc3|A\xff\xc3|\xff\xc3");
}

// ---- built-in templates

TEST(BuiltinTemplates, each_renders_a_conversation_and_opens_the_answer) {
  const Value messages =
      Value::array({message("system", "S"), message("user", "U1"), message("assistant", "A1"), message("user", "U2")});
  RenderOptions options;
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  for (const std::string_view name : builtin_template_names()) {
    SCOPED_TRACE(name);
    const auto source = builtin_template(name);
    ASSERT_TRUE(source);
    const std::string text = text_of(std::string(*source), messages, options);
    std::size_t at = 0;
    for (const char* part : {"S", "U1", "A1", "U2"}) {
      at = text.find(part, at);
      ASSERT_NE(at, std::string::npos) << part << " in " << text;
    }
    EXPECT_EQ(marked(std::string(*source), messages, options).find("[<"), std::string::npos);
  }
}

// A system prompt, a question, an answer and a question, as the built-in template writes them.
std::string form(const char* name) {
  const Value messages =
      Value::array({message("system", "S"), message("user", "U"), message("assistant", "A"), message("user", "V")});
  RenderOptions options;
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  return text_of(std::string(*builtin_template(name)), messages, options);
}

TEST(BuiltinTemplates, their_forms) {
  EXPECT_EQ(form("chatml"),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n<|im_start|>"
            "user\nV<|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_EQ(form("llama2"), "<s>[INST] <<SYS>>\nS\n<</SYS>>\n\nU [/INST] A </s><s>[INST] V [/INST]");
  EXPECT_EQ(form("llama3"),
            "<s><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nA<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nV<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
  EXPECT_EQ(
      form("gemma"),
      "<s><start_of_turn>user\nS\n\nU<end_of_turn>\n<start_of_turn>model\nA<end_of_turn>\n<start_of_turn>user\nV<end_of_turn>\n"
      "<start_of_turn>model\n");
  EXPECT_EQ(form("mistral"), "<s>[INST] S\n\nU [/INST] A</s>[INST] V [/INST]");
  EXPECT_EQ(form("phi3"),
            "<|system|>\nS<|end|>\n<|user|>\nU<|end|>\n<|assistant|>\nA<|end|>\n<|user|>\nV<|end|>\n<|assistant|>\n");
  EXPECT_EQ(form("zephyr"), "<|system|>\nS</s>\n<|user|>\nU</s>\n<|assistant|>\nA</s>\n<|user|>\nV</s>\n<|assistant|>\n");
  EXPECT_EQ(form("vicuna"), "<s>S\n\nUSER: U\nASSISTANT: A</s>\nUSER: V\nASSISTANT:");
  EXPECT_EQ(form("alpaca"), "S\n\n### Instruction:\nU\n\n### Response:\nA\n\n### Instruction:\nV\n\n### Response:\n");
  EXPECT_EQ(form("deepseek"), "<s>S<｜User｜>U<｜Assistant｜>A<｜end▁of▁sentence｜><｜User｜>V<｜Assistant｜>");
}

TEST(BuiltinTemplates, the_forms_of_more_families) {
  EXPECT_EQ(form("command-r"),
            "<s><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>S<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>U"
            "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>A<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|>"
            "<|USER_TOKEN|>V<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>");
  EXPECT_EQ(form("deepseek-coder"), "<s>S\n### Instruction:\nU\n### Response:\nA\n<|EOT|>\n### Instruction:\nV\n### Response:\n");
  EXPECT_EQ(form("exaone"), "[|system|]S[|endofturn|]\n[|user|]U\n[|assistant|]A[|endofturn|]\n[|user|]V\n[|assistant|]");
  EXPECT_EQ(form("falcon3"), "<|system|>\nS\n<|user|>\nU\n<|assistant|>\nA</s>\n<|user|>\nV\n<|assistant|>\n");
  EXPECT_EQ(form("glm4"), "[gMASK]<sop><|system|>\nS<|user|>\nU<|assistant|>\nA<|user|>\nV<|assistant|>\n");
  EXPECT_EQ(
      form("gpt-oss"),
      "<|start|>system<|message|>S<|end|><|start|>user<|message|>U<|end|><|start|>assistant<|channel|>final<|message|>A<|end|>"
      "<|start|>user<|message|>V<|end|><|start|>assistant");
  EXPECT_EQ(form("granite"),
            "<|start_of_role|>system<|end_of_role|>S<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>U<|end_of_text|>\n"
            "<|start_of_role|>assistant<|end_of_role|>A<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>V<|end_of_text|>\n"
            "<|start_of_role|>assistant<|end_of_role|>");
  EXPECT_EQ(
      form("kimi-k2"),
      "<|im_system|>system<|im_middle|>S<|im_end|><|im_user|>user<|im_middle|>U<|im_end|><|im_assistant|>assistant<|im_middle|>A"
      "<|im_end|><|im_user|>user<|im_middle|>V<|im_end|><|im_assistant|>assistant<|im_middle|>");
  EXPECT_EQ(form("llama4"),
            "<s><|header_start|>system<|header_end|>\n\nS<|eot|><|header_start|>user<|header_end|>\n\nU<|eot|><|header_start|>"
            "assistant<|header_end|>\n\nA<|eot|><|header_start|>user<|header_end|>\n\nV<|eot|><|header_start|>assistant"
            "<|header_end|>\n\n");
  EXPECT_EQ(form("minicpm"), "<s>S<用户>U<AI>A<用户>V<AI>");
  EXPECT_EQ(form("mistral-v7"), "<s>[SYSTEM_PROMPT] S[/SYSTEM_PROMPT][INST] U[/INST] A</s>[INST] V[/INST]");
  EXPECT_EQ(form("olmo"), "<s><|system|>\nS\n<|user|>\nU\n<|assistant|>\nA</s>\n<|user|>\nV\n<|assistant|>\n");
  EXPECT_EQ(form("openchat"),
            "<s>S<|end_of_turn|>GPT4 Correct User: U<|end_of_turn|>GPT4 Correct Assistant: A<|end_of_turn|>GPT4 Correct User: V"
            "<|end_of_turn|>GPT4 Correct Assistant:");
  EXPECT_EQ(form("orion"), "<s>S\n\nHuman: U\n\nAssistant: </s>A</s>Human: V\n\nAssistant: </s>");
  EXPECT_EQ(
      form("phi4"),
      "<|im_start|>system<|im_sep|>S<|im_end|><|im_start|>user<|im_sep|>U<|im_end|><|im_start|>assistant<|im_sep|>A<|im_end|>"
      "<|im_start|>user<|im_sep|>V<|im_end|><|im_start|>assistant<|im_sep|>");
  EXPECT_EQ(form("rwkv-world"), "System: S\n\nUser: U\n\nAssistant: A\n\nUser: V\n\nAssistant:");
  EXPECT_EQ(form("seed-oss"),
            "<seed:bos>system\nS<seed:eos><seed:bos>user\nU<seed:eos><seed:bos>assistant\nA<seed:eos><seed:bos>user\nV<seed:eos>"
            "<seed:bos>assistant\n");
  EXPECT_EQ(form("solar"), "### System:\nS\n\n### User:\nU\n\n### Assistant:\nA\n\n### User:\nV\n\n### Assistant:\n");
}

TEST(BuiltinTemplates, an_unknown_name_is_refused_with_those_there_are) {
  const auto none = builtin_template("nope");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "there is no built-in chat template 'nope'");
  EXPECT_THAT(none.error().hint, HasSubstr("chatml"));
}

}  // namespace
}  // namespace puna::text
