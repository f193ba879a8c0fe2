// How a model writes thoughts and calls, learned from its chat template: conversations with calls in them are rendered, and
// what stands around the calls is what the model was trained to write.
#pragma once

#include <string>

#include "text/chat_template.h"
#include "text/tool_calls/output_form.h"

namespace puna::text::tool_calls {

struct Learned {
  OutputForm form;
  std::string family;  // a name of families/, "template" where the markers were read off, empty where nothing is known
};

// `options`: what the rest of the conversation is rendered with (variables, bos, eos). Never fails: what a template does not
// show and no family tells is left out of the form. A few dozen renderings.
Learned learn_output_form(const ChatTemplate& chat_template, const RenderOptions& options);

}  // namespace puna::text::tool_calls
