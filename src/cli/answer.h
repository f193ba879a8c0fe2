// An answer as it comes: generated, taken apart into text, thoughts and calls of tools, and shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/chat_format.h"
#include "cli/console.h"
#include "engine/engine.h"
#include "text/tool_calls/output_parser.h"

namespace puna::cli {

struct ReasoningOptions {
  std::string format = "auto";  // "none": thoughts are text like the rest, marks and all
  std::int64_t budget = -1;     // tokens that a thought may have; 0: no thoughts; < 0: no limit
};

void add_reasoning_options(Table& table, ReasoningOptions& options);

// How this model's answers are read: learned once from its template.
struct AnswerFormat {
  text::tool_calls::OutputForm form;
  std::vector<std::string> control_texts;
};
AnswerFormat learn_answers(const ChatFormat& format);
// Says so where there are tools and no call of them would be understood.
void note_deaf_to_tools(Console& console, const ChatFormat& format, const AnswerFormat& answers);

struct AnswerSettings {
  const AnswerFormat* format = nullptr;  // null: the answer is plain text
  ReasoningOptions reasoning = {};
  Value tools = {};
  std::string begun = {};  // what the template wrote to begin it
  std::vector<std::string> stops = {};
  bool skip_special = true;  // control tokens give no text
  bool is_silent = false;    // nothing is shown
};

struct Answer {
  text::tool_calls::Message message;
  Result<engine::Completion> completion = engine::Completion{};  // an error: `message` has what came before it
  bool was_interrupted = false;                                  // by Ctrl-C
};

// Shows the text on standard output as it grows; thoughts dimmed, on a terminal only; calls as lines on standard error. Ctrl-C
// is ErrorKind::cancelled.
Answer stream_answer(Console& console, engine::Engine& engine, engine::Request request, const AnswerSettings& settings);

}  // namespace puna::cli
