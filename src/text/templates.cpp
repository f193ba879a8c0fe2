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
    {"command-r", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' ~ (message.content | trim) ~ '<|END_OF_TURN_TOKEN|>' }}
{%- elif message.role == 'user' -%}
{{ '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>' ~ (message.content | trim) ~ '<|END_OF_TURN_TOKEN|>' }}
{%- elif message.role == 'assistant' -%}
{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' ~ (message.content | trim) ~ '<|END_OF_TURN_TOKEN|>' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}
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
    {"deepseek-coder", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ message.content ~ '\n' }}
{%- elif message.role == 'user' -%}
{{ '### Instruction:\n' ~ message.content ~ '\n' }}
{%- elif message.role == 'assistant' -%}
{{ '### Response:\n' ~ message.content ~ '\n<|EOT|>\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '### Response:\n' }}
{%- endif -%})"},
    {"exaone", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '[|system|]' ~ (message.content | trim) ~ '[|endofturn|]\n' }}
{%- elif message.role == 'user' -%}
{{ '[|user|]' ~ (message.content | trim) ~ '\n' }}
{%- elif message.role == 'assistant' -%}
{{ '[|assistant|]' ~ (message.content | trim) ~ '[|endofturn|]\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '[|assistant|]' }}
{%- endif -%})"},
    {"falcon3", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '<|system|>\n' ~ message.content ~ '\n' }}
{%- elif message.role == 'user' -%}
{{ '<|user|>\n' ~ message.content ~ '\n' }}
{%- elif message.role == 'assistant' -%}
{{ '<|assistant|>\n' ~ message.content ~ eos_token ~ '\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|assistant|>\n' }}
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
    {"glm4", R"({{ '[gMASK]<sop>' }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '<|system|>\n' ~ message.content }}
{%- elif message.role == 'user' -%}
{{ '<|user|>\n' ~ message.content }}
{%- elif message.role == 'assistant' -%}
{{ '<|assistant|>\n' ~ message.content }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|assistant|>\n' }}
{%- endif -%})"},
    {"gpt-oss", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '<|start|>system<|message|>' ~ message.content ~ '<|end|>' }}
{%- elif message.role == 'user' -%}
{{ '<|start|>user<|message|>' ~ message.content ~ '<|end|>' }}
{%- elif message.role == 'assistant' -%}
{{ '<|start|>assistant<|channel|>final<|message|>' ~ message.content ~ '<|end|>' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|start|>assistant' }}
{%- endif -%})"},
    {"granite", R"({%- for message in messages -%}
{{ '<|start_of_role|>' ~ message.role ~ '<|end_of_role|>' ~ message.content ~ '<|end_of_text|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|start_of_role|>assistant<|end_of_role|>' }}
{%- endif -%})"},
    {"kimi-k2", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '<|im_system|>system<|im_middle|>' ~ message.content ~ '<|im_end|>' }}
{%- elif message.role == 'user' -%}
{{ '<|im_user|>user<|im_middle|>' ~ message.content ~ '<|im_end|>' }}
{%- elif message.role == 'assistant' -%}
{{ '<|im_assistant|>assistant<|im_middle|>' ~ message.content ~ '<|im_end|>' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_assistant|>assistant<|im_middle|>' }}
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
    {"llama4", R"({{ bos_token }}
{%- for message in messages -%}
{{ '<|header_start|>' ~ message.role ~ '<|header_end|>\n\n' ~ (message.content | trim) ~ '<|eot|>' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|header_start|>assistant<|header_end|>\n\n' }}
{%- endif -%})"},
    {"minicpm", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ (message.content | trim) }}
{%- elif message.role == 'user' -%}
{{ '<用户>' ~ (message.content | trim) }}
{%- elif message.role == 'assistant' -%}
{{ '<AI>' ~ (message.content | trim) }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<AI>' }}
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
    {"mistral-v7", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '[SYSTEM_PROMPT] ' ~ message.content ~ '[/SYSTEM_PROMPT]' }}
{%- elif message.role == 'user' -%}
{{ '[INST] ' ~ message.content ~ '[/INST]' }}
{%- elif message.role == 'assistant' -%}
{{ ' ' ~ (message.content | trim) ~ eos_token }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '' }}
{%- endif -%})"},
    {"olmo", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '<|system|>\n' ~ message.content ~ '\n' }}
{%- elif message.role == 'user' -%}
{{ '<|user|>\n' ~ message.content ~ '\n' }}
{%- elif message.role == 'assistant' -%}
{{ '<|assistant|>\n' ~ message.content ~ eos_token ~ '\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|assistant|>\n' }}
{%- endif -%})"},
    {"openchat", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ message.content ~ '<|end_of_turn|>' }}
{%- elif message.role == 'user' -%}
{{ 'GPT4 Correct User: ' ~ message.content ~ '<|end_of_turn|>' }}
{%- elif message.role == 'assistant' -%}
{{ 'GPT4 Correct Assistant: ' ~ message.content ~ '<|end_of_turn|>' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ 'GPT4 Correct Assistant:' }}
{%- endif -%})"},
    {"orion", R"({{ bos_token }}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'user' -%}
{{ 'Human: ' ~ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'assistant' -%}
{{ 'Assistant: ' ~ eos_token ~ (message.content | trim) ~ eos_token }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ 'Assistant: ' ~ eos_token }}
{%- endif -%})"},
    {"phi3", R"({%- for message in messages -%}
{{ '<|' ~ message.role ~ '|>\n' ~ message.content ~ '<|end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|assistant|>\n' }}
{%- endif -%})"},
    {"phi4", R"({%- for message in messages -%}
{{ '<|im_start|>' ~ message.role ~ '<|im_sep|>' ~ message.content ~ '<|im_end|>' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant<|im_sep|>' }}
{%- endif -%})"},
    {"rwkv-world", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ 'System: ' ~ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'user' -%}
{{ 'User: ' ~ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'assistant' -%}
{{ 'Assistant: ' ~ (message.content | trim) ~ '\n\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ 'Assistant:' }}
{%- endif -%})"},
    {"seed-oss", R"({%- for message in messages -%}
{{ '<seed:bos>' ~ message.role ~ '\n' ~ (message.content | trim) ~ '<seed:eos>' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<seed:bos>assistant\n' }}
{%- endif -%})"},
    {"solar", R"({%- for message in messages -%}
{%- if message.role == 'system' -%}
{{ '### System:\n' ~ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'user' -%}
{{ '### User:\n' ~ (message.content | trim) ~ '\n\n' }}
{%- elif message.role == 'assistant' -%}
{{ '### Assistant:\n' ~ (message.content | trim) ~ '\n\n' }}
{%- else -%}
{{ raise_exception('this template knows the roles system, user and assistant, not ' ~ message.role) }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '### Assistant:\n' }}
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
