#include "text/tool_calls/families/families.h"

namespace puna::text::tool_calls {

std::span<const Family> families() {
  static const std::vector<Family> all = {
      harmony(),   deepseek(), deepseek_tags(), kimi(),
      kimi_tags(), mistral(),  command_r(),     command_r_plus(),
      granite(),   minimax(),  minimax_names(), minimax_json(),
      glm(),       hunyuan(),  seed(),          qwen_tags(),
      hermes(),    nemotron(), functionary(),   functionary_channels(),
      apertus(),   lfm(),      gemma(),         gigachat(),
      minicpm(),   solar(),    firefunction(),  apriel(),
      glimmer(),   llama(),    plain_json(),
  };
  return all;
}

}  // namespace puna::text::tool_calls
