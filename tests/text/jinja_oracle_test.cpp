// Templates with what jinja2, set up as transformers sets it up, makes of them (tools/make_template_cases.py).
#include <gtest/gtest.h>

#include "base/os.h"
#include "text/chat_template.h"

namespace puna::text {
namespace {

struct Cases {
  Value variables;
  Value::Array cases;
};

Cases read_cases(const std::string& name) {
  const auto text = os::read_file(std::string(PUNA_TEST_DATA "/templates/") + name);
  if (!text) return {};
  const auto data = json::parse(*text, 256);
  if (!data || data->find("cases") == nullptr) return {};
  return {*data->find("variables"), *data->find("cases")->if_array()};
}

void check_cases(const std::string& name, std::size_t at_least) {
  const Cases all = read_cases(name);
  ASSERT_GE(all.cases.size(), at_least);
  RenderOptions options;
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  options.extra = all.variables;
  for (const Value& one : all.cases) {
    const std::string source = *one.find("template")->if_string();
    SCOPED_TRACE(source);
    const auto parsed = ChatTemplate::parse(source);
    const auto rendered = parsed ? parsed->render(Value::array(), options) : Result<Rendered>(std::unexpected(parsed.error()));
    const Value* expected = one.find("text");
    if (expected == nullptr) {
      EXPECT_FALSE(rendered) << "it should be refused, but rendered: " << rendered->text;
    } else if (rendered) {
      EXPECT_EQ(rendered->text, *expected->if_string());
    } else {
      ADD_FAILURE() << rendered.error().message;
    }
  }
}

TEST(JinjaOracle, small_templates_render_as_jinja2_renders_them_or_are_refused_as_there) { check_cases("small.json", 150); }
TEST(JinjaOracle, generated_programs_render_as_jinja2_renders_them_or_are_refused_as_there) {
  check_cases("generated.json", 300);
}

}  // namespace
}  // namespace puna::text
