// Chat templates for files that carry none. Each is the plain form of its family: turns, a system message where the family
// has one, the opening of the next answer. They are chosen by name only, never guessed.
#include <algorithm>
#include <array>

#include "text/chat_template.h"

namespace puna::text {
namespace {

struct NamedTemplate {
  std::string_view name;
  std::string_view source;
};

constexpr std::array kTemplates = std::to_array<NamedTemplate>({
    {"alpaca", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ message.content | trim }}
{{- '\n\n' -}}
{%- elif message.role == 'user' -%}
{{ '### Instruction:\n' ~ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'assistant' -%}
{{ '### Response:\n' ~ (message.content | trim) ~ '\n\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '### Response:\n' }}
{%- endif -%})"},
    {"chatml", R"({%- for message in messages -%}
{{ '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\n' }}
{%- endif -%})"},
    {"deepseek", R"({%- set ns = namespace(system='') -%}
{%- for message in messages if message.role == 'system' -%}
{%- set ns.system = ns.system ~ ('\n\n' if ns.system else '') ~ message.content -%}
{%- endfor -%}
{{ bos_token ~ ns.system }}
{%- for message in messages -%}
{%- if message.role == 'user' -%}
{{ '<｜User｜>' ~ message.content }}
{%- elif message.role == 'assistant' -%}
{{ '<｜Assistant｜>' ~ message.content ~ '<｜end▁of▁sentence｜>' }}
{%- elif message.role != 'system' -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<｜Assistant｜>' }}
{%- endif -%})"},
    {"gemma", R"({{ bos_token }}
{%- set ns = namespace(system='') -%}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{%- set ns.system = ns.system ~ (message.content | trim) ~ '\n\n' -%}
{%- elif message.role == 'user' -%}
{{ '<start_of_turn>user\n' ~ ns.system ~ (message.content | trim) ~ '<end_of_turn>\n' }}
{%- set ns.system = '' -%}
{%- elif message.role == 'assistant' or message.role == 'model' -%}
{{ '<start_of_turn>model\n' ~ (message.content | trim) ~ '<end_of_turn>\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<start_of_turn>model\n' }}
{%- endif -%})"},
    {"llama2", R"({%- set ns = namespace(system='') -%}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{%- set ns.system = '<<SYS>>\n' ~ message.content ~ '\n<</SYS>>\n\n' -%}
{%- elif message.role == 'user' -%}
{{ bos_token ~ '[INST] ' ~ ns.system ~ (message.content | trim) ~ ' [/INST]' }}
{%- set ns.system = '' -%}
{%- elif message.role == 'assistant' -%}
{{ ' ' ~ (message.content | trim) ~ ' ' ~ eos_token }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%})"},
    {"llama3", R"({{ bos_token }}
{%- for message in messages -%}
{{ '<|start_header_id|>' ~ message.role ~ '<|end_header_id|>\n\n' ~ (message.content | trim) ~ '<|eot_id|>' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif -%})"},
    {"mistral", R"({{ bos_token }}
{%- set ns = namespace(system='') -%}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{%- set ns.system = message.content ~ '\n\n' -%}
{%- elif message.role == 'user' -%}
{{ '[INST] ' ~ ns.system ~ message.content ~ ' [/INST]' }}
{%- set ns.system = '' -%}
{%- elif message.role == 'assistant' -%}
{{ ' ' ~ (message.content | trim) ~ eos_token }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%})"},
    {"phi3", R"({%- for message in messages -%}
{{ '<|' ~ message.role ~ '|>\n' ~ message.content ~ '<|end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|assistant|>\n' }}
{%- endif -%})"},
    {"vicuna", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ message.content ~ '\n\n' }}
{%- elif message.role == 'user' -%}
{{ 'USER: ' ~ message.content ~ '\n' }}
{%- elif message.role == 'assistant' -%}
{{ 'ASSISTANT: ' ~ message.content ~ eos_token ~ '\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ 'ASSISTANT:' }}
{%- endif -%})"},
    {"zephyr", R"({%- for message in messages -%}
{{ '<|' ~ message.role ~ '|>\n' ~ message.content ~ eos_token ~ '\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|assistant|>\n' }}
{%- endif -%})"},
});

}  // namespace

std::vector<std::string_view> builtin_template_names() {
  std::vector<std::string_view> names;
  for (const NamedTemplate& one : kTemplates) names.push_back(one.name);
  return names;
}

Result<std::string_view> builtin_template(std::string_view name) {
  const auto found =
      std::find_if(kTemplates.begin(), kTemplates.end(), [name](const NamedTemplate& one) { return one.name == name; });
  if (found != kTemplates.end()) return found->source;
  std::string known;
  for (const NamedTemplate& one : kTemplates) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
  return std::unexpected(Error{ErrorKind::not_found, fmt::format("there is no built-in chat template '{}'", name),
                               fmt::format("There are: {}. A file works too.", known)});
}

}  // namespace puna::text
