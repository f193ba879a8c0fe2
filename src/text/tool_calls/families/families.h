// What is known of families of models: how each writes thoughts and calls. One file for each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/tool_calls/output_form.h"

namespace puna::text::tool_calls {

struct Family {
  std::string_view name;
  OutputForm form;
  // A template that shows no call in a conversation's history is this family's if it has all of these texts; none: never.
  std::vector<std::string_view> told_by = {};
};

// Those that say more about a text before those that would read it too.
std::span<const Family> families();

Family harmony();
Family deepseek();
Family deepseek_tags();
Family kimi();
Family kimi_tags();
Family mistral();
Family command_r();
Family command_r_plus();
Family granite();
Family minimax();
Family minimax_names();
Family minimax_json();
Family glm();
Family hunyuan();
Family seed();
Family qwen_tags();
Family hermes();
Family nemotron();
Family functionary();
Family functionary_channels();
Family apertus();
Family lfm();
Family gemma();
Family gigachat();
Family minicpm();
Family solar();
Family firefunction();
Family apriel();
Family glimmer();
Family llama();
Family plain_json();

}  // namespace puna::text::tool_calls
