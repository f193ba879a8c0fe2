#include "cli/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace puna::cli {
namespace {

using testing::HasSubstr;

// A byte-level vocabulary: every byte is a token, and so are the two marks of the template below.
struct Vocabulary {
  std::vector<std::string> texts;
  std::unique_ptr<text::Tokenizer> tokenizer;

  Vocabulary() {
    for (int byte = 0; byte < 256; ++byte) texts.push_back(fmt::format("<0x{:02X}>", byte));
    for (const char* text : {"<unk>", "<s>", "</s>", "<|user|>", "<|bot|>"}) texts.push_back(text);
    text::VocabularyData data;
    data.model = "llama";
    data.tokens = std::vector<std::string_view>(texts.begin(), texts.end());
    data.scores.assign(texts.size(), 0.0f);
    data.kinds.assign(256, 6);
    data.kinds.insert(data.kinds.end(), {2, 3, 3, 3, 3});
    data.unk = 256;
    data.bos = 257;
    data.eos = 258;
    data.add_bos = true;
    data.add_space_prefix = false;
    tokenizer = std::move(text::Tokenizer::make(data).value());
  }
};

constexpr const char* kTemplate =
    "{{ bos_token }}{% for m in messages %}<|{{ 'bot' if m.role == 'assistant' else 'user' }}|>{{ m.content }}"
    "{% endfor %}{% if add_generation_prompt %}<|bot|>{% endif %}";

constexpr TokenId kBos = 257, kUser = 259, kBot = 260;

Conversation with_template(const Vocabulary& vocabulary, TemplateOptions options = {}) {
  auto made = Conversation::make(*vocabulary.tokenizer, kTemplate, options);
  if (!made) throw std::runtime_error(made.error().message);
  return *std::move(made);
}

TEST(Conversation, IsRenderedByTheModelsTemplateWithOneBeginning) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary);
  conversation.add("user", "a");
  EXPECT_EQ(*conversation.tokens(), (std::vector<TokenId>{kBos, kUser, 'a', kBot}));
  conversation.add("assistant", "b");
  conversation.add("user", "c");
  EXPECT_EQ(*conversation.tokens(), (std::vector<TokenId>{kBos, kUser, 'a', kBot, 'b', kUser, 'c', kBot}));
}

TEST(Conversation, NobodysMessageBecomesAControlToken) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary);
  conversation.add("user", "<|bot|>");
  const std::vector<TokenId> tokens = *conversation.tokens();
  EXPECT_EQ(std::ranges::count(tokens, kBot), 1);
  EXPECT_EQ(tokens.size(), 3 + std::string_view("<|bot|>").size());
}

TEST(Conversation, TheSystemPromptComesFirstAndIsWhatAShiftKeeps) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary, {.system = "s\\n", .escape = true});
  conversation.add("user", "a");
  const std::vector<TokenId> tokens = *conversation.tokens();
  EXPECT_EQ(tokens, (std::vector<TokenId>{kBos, kUser, 's', '\n', kUser, 'a', kBot}));
  EXPECT_EQ(conversation.n_system_tokens(tokens), 4u);
  conversation.set_system("");
  EXPECT_EQ(conversation.n_system_tokens(*conversation.tokens()), 0u);
}

TEST(Conversation, WithoutATemplateMessagesAreText) {
  const Vocabulary vocabulary;
  auto made = Conversation::make(*vocabulary.tokenizer, std::nullopt, {});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->has_template());
  made->add("user", "a");
  made->add("assistant", "b");
  made->add("user", "c");
  EXPECT_EQ(*made->tokens(), (std::vector<TokenId>{kBos, 'a', 'b', 'c'}));
}

TEST(Conversation, SurvivesBeingWrittenAndRead) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary, {.system = "s"});
  conversation.add("user", "a");
  conversation.add("assistant", "b");
  Conversation other = with_template(vocabulary);
  ASSERT_TRUE(other.set_messages(conversation.messages()));
  EXPECT_EQ(other.system(), "s");
  EXPECT_EQ(other.messages(), conversation.messages());
}

TEST(Conversation, RefusesMessagesOfAnotherShapeAndStaysAsItWas) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary);
  conversation.add("user", "a");
  const Value before = conversation.messages();
  for (const char* text : {"{}", "[1]", "[{\"role\":\"user\"}]", "[{\"role\":1,\"content\":\"x\"}]"})
    EXPECT_FALSE(conversation.set_messages(*json::parse(text))) << text;
  EXPECT_EQ(conversation.messages(), before);
}

TEST(Conversation, CallsWaitForTheirResultsOneAfterTheOther) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary);
  conversation.add("user", "a");
  EXPECT_EQ(conversation.open_call(), nullptr);
  text::tool_calls::Message answer;
  answer.reasoning = "hm";
  answer.calls = {{.id = "1", .name = "f", .arguments = "{}"},
                  {.id = "2", .name = "g", .arguments = "{\"a\":1}"},
                  {.id = "3", .name = "broken", .arguments = "{", .is_whole = false}};
  conversation.add_answer(answer);
  ASSERT_NE(conversation.open_call(), nullptr);
  EXPECT_EQ(*conversation.open_call()->find("id"), Value("1"));
  conversation.add_result("x");
  EXPECT_EQ(*conversation.open_call()->find("id"), Value("2"));
  conversation.add_result("y");
  EXPECT_EQ(conversation.open_call(), nullptr);
  const Value messages = conversation.messages();
  const Value::Array& all = *messages.if_array();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(*all[1].find("reasoning_content"), Value("hm"));
  EXPECT_EQ(all[1].find("tool_calls")->if_array()->size(), 2u);
  EXPECT_EQ(all[3], Value::object({{"role", "tool"}, {"content", "y"}, {"tool_call_id", "2"}, {"name", "g"}}));
  Conversation other = with_template(vocabulary);
  ASSERT_TRUE(other.set_messages(messages));
  EXPECT_EQ(other.messages(), messages);
}

TEST(Conversation, ThePromptSaysWhatTheTemplateWroteToBeginTheAnswer) {
  const Vocabulary vocabulary;
  Conversation conversation = with_template(vocabulary);
  conversation.add("user", "a");
  EXPECT_EQ(conversation.prompt()->begun, "<|bot|>");
  EXPECT_EQ(conversation.prompt()->text, "<s><|user|>a<|bot|>");
}

TEST(Conversation, TheTemplatesOwnRefusalIsTheError) {
  const Vocabulary vocabulary;
  auto made = Conversation::make(
      *vocabulary.tokenizer, "{% if messages[0].role == 'system' %}{{ raise_exception('No system prompt, please') }}{% endif %}",
      {.system = "s"});
  ASSERT_TRUE(made);
  made->add("user", "a");
  EXPECT_THAT(made->tokens().error().message, HasSubstr("No system prompt, please"));
}

TEST(Conversation, AnotherTemplateComesByNameOrAsText) {
  const Vocabulary vocabulary;
  EXPECT_TRUE(Conversation::make(*vocabulary.tokenizer, std::nullopt, {.chat_template = "chatml"})->has_template());
  auto own = Conversation::make(*vocabulary.tokenizer, kTemplate,
                                {.chat_template = "{{ x }}{{ messages[0].content }}", .variables = R"({"x":"v"})"});
  ASSERT_TRUE(own);
  own->add("user", "a");
  EXPECT_EQ(*own->tokens(), (std::vector<TokenId>{kBos, 'v', 'a'}));
  EXPECT_FALSE(Conversation::make(*vocabulary.tokenizer, kTemplate, {.chat_template = "nonesuch"}));
  EXPECT_FALSE(Conversation::make(*vocabulary.tokenizer, kTemplate, {.chat_template = "{% if %}"}));
  EXPECT_FALSE(Conversation::make(*vocabulary.tokenizer, kTemplate, {.variables = "[1]"}));
  EXPECT_FALSE(Conversation::make(*vocabulary.tokenizer, kTemplate, {.chat_template = "chatml", .template_file = "x"}));
}

}  // namespace
}  // namespace puna::cli
