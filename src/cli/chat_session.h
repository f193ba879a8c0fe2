// A chat with one model: what is said to it, what it answers, and the commands that begin with a slash.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/answer.h"
#include "cli/console.h"
#include "cli/conversation.h"
#include "cli/sampling_options.h"
#include "engine/engine.h"

namespace puna::cli {

class ChatSession {
 public:
  // All must outlive this.
  ChatSession(Console& console, engine::Engine& engine, Conversation conversation, const GenerationOptions& generation,
              const ReasoningOptions& reasoning);

  // Says it, streams the answer; where the last answer called tools, it is the result of the first that has none yet, and an
  // answer comes once all have theirs. An interrupted answer stays in the conversation as far as it came; an error takes the
  // message back.
  Result<void> say(std::string message);
  // "/help" and its like; true: leave the chat.
  bool obey(std::string_view line);

  const Conversation& conversation() const { return conversation_; }
  const std::optional<engine::Timings>& last() const { return last_; }

 private:
  void set_system(std::string_view text);
  void save(std::string_view file) const;
  void load(std::string_view file);
  Result<Answer> answer();
  void explain_end(engine::Finish finish) const;

  Console& console_;
  engine::Engine& engine_;
  Conversation conversation_;
  const GenerationOptions& generation_;
  const ReasoningOptions& reasoning_;
  AnswerFormat format_;
  std::optional<engine::Timings> last_;
};

// A message as it is typed, line by line: a backslash at a line's end continues it, and so does everything between two
// lines """.
class MessageReader {
 public:
  // `next`: asks for a line with that prompt; empty: the end. Empty: no message any more.
  using NextLine = std::function<std::optional<std::string>(std::string_view prompt)>;
  static std::optional<std::string> read(const NextLine& next);
};

}  // namespace puna::cli
