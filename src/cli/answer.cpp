#include "cli/answer.h"

#include <algorithm>

#include "cli/escapes.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "text/detokenizer.h"
#include "text/stop_matcher.h"
#include "text/tool_calls/learn.h"

namespace puna::cli {

namespace {

using text::tool_calls::Event;
using text::tool_calls::OutputParser;

// Tokens to what is shown and kept.
class Reader {
 public:
  Reader(Console& console, const text::Tokenizer& tokenizer, const AnswerSettings& settings, TokenId previous)
      : console_(console),
        tokenizer_(tokenizer),
        settings_(settings),
        detokenizer_(tokenizer, {.previous = previous, .skip_special = settings.skip_special && !settings.format}),
        stops_(settings.stops),
        parser_(settings.format ? settings.format->form : text::tool_calls::OutputForm{},
                {.tools = settings.tools,
                 .control_texts = settings.format ? settings.format->control_texts : std::vector<std::string>(),
                 .reads_thoughts = settings.reasoning.format != "none",
                 .reads_calls = settings.tools.if_array() && !settings.tools.if_array()->empty(),
                 .holds_calls = true,
                 .shows_control = !settings.skip_special}) {
    parser_.prime(settings.begun);
  }

  void push(TokenId id) {
    const bool is_control = settings_.format && tokenizer_.is_control(id);
    if (is_control) take(parser_.push(detokenizer_.finish()));
    take(parser_.push(detokenizer_.push(id), is_control));
  }
  void push_text(std::string_view text) { take(parser_.push(text, true)); }

  void finish() {
    take(parser_.push(detokenizer_.finish()));
    take(parser_.finish());
    put(stops_.finish());
    end_thought();
  }

  bool stopped() const { return stops_.stopped(); }
  bool in_reasoning() const { return parser_.in_reasoning(); }
  text::tool_calls::Message& message() { return message_; }

 private:
  void take(const std::vector<Event>& events) {
    for (const Event& event : events) {
      if (event.kind == Event::Kind::content) {
        put(stops_.push(event.text));
        continue;
      }
      message_.add(event);
      if (event.kind == Event::Kind::reasoning) show_thought(event.text);
      if (event.kind == Event::Kind::call_end && !settings_.is_silent) {
        const auto& call = message_.calls.back();
        console_.note(console_.paint(Colour::dim, "→ " + one_line(call.name + call.arguments)));
      }
    }
  }

  void put(const std::string& text) {
    if (text.empty()) return;
    end_thought();
    message_.content += text;
    if (!settings_.is_silent) console_.stream(text);
  }

  void show_thought(const std::string& text) {
    if (settings_.is_silent || !console_.writes_terminal()) return;
    if (!in_shown_thought_ && !console_.has_colours()) console_.answer("(thinking) ");
    in_shown_thought_ = true;
    console_.answer(console_.paint(Colour::dim, harmless(text)));
  }

  void end_thought() {
    if (std::exchange(in_shown_thought_, false)) console_.answer("\n\n");
  }

  Console& console_;
  const text::Tokenizer& tokenizer_;
  const AnswerSettings& settings_;
  text::Detokenizer detokenizer_;
  text::StopMatcher stops_;
  OutputParser parser_;
  text::tool_calls::Message message_;
  bool in_shown_thought_ = false;
};

// What ends a thought that has become too long, as text and as tokens.
struct ThoughtEnd {
  std::string text;
  std::vector<TokenId> tokens;
  ThoughtEnd(const text::Tokenizer& tokenizer, const AnswerSettings& settings) {
    if (settings.format) text = "\n" + settings.format->form.think.close + "\n\n";
    tokens = tokenizer.encode(text, {.add_special = false, .parse_special = true});
  }
};

}  // namespace

void add_reasoning_options(Table& table, ReasoningOptions& options) {
  table.add("--reasoning-format FORMAT", "auto (default): thoughts are told from the answer; none: they are text like the rest",
            [&options](std::string_view text) -> Result<void> {
              if (text != "auto" && text != "none") return fail("'{}' is no format: auto or none", text);
              options.format = text;
              return {};
            });
  table.add("--reasoning-budget N", "tokens that a thought may have; 0: none; -1: no limit (default)",
            into(options.budget, -1, 1'000'000'000));
}

AnswerFormat learn_answers(const ChatFormat& format) {
  AnswerFormat made;
  if (!format.has_template()) return made;
  made.form = text::tool_calls::learn_output_form(format.chat_template(), format.render_options()).form;
  made.control_texts = text::tool_calls::control_texts(made.form, format.tokenizer());
  return made;
}

Answer stream_answer(Console& console, engine::Engine& engine, engine::Request request, const AnswerSettings& settings) {
  const text::Tokenizer& tokenizer = engine.tokenizer();
  Reader reader(console, tokenizer, settings, request.prompt.empty() ? kNoToken : request.prompt.back());
  const ThoughtEnd thought_end(tokenizer, settings);
  std::int64_t left = settings.reasoning.budget;
  const auto end_thought = [&] {
    request.prompt.insert(request.prompt.end(), thought_end.tokens.begin(), thought_end.tokens.end());
    reader.push_text(thought_end.text);
  };
  if (left == 0 && reader.in_reasoning()) end_thought();
  bool is_cut = false;
  Interruptible interruptible;
  const auto on_token = [&](TokenId token) {
    reader.push(token);
    is_cut = settings.reasoning.budget >= 0 && reader.in_reasoning() && --left == 0;
    return !reader.stopped() && !is_cut;
  };
  Answer answer;
  answer.completion = engine.complete(request, on_token, interruptible.token(), show_progress(console));
  if (answer.completion && is_cut && !interruptible.happened()) {
    std::vector<TokenId> before = answer.completion->tokens;
    request.prompt.insert(request.prompt.end(), before.begin(), before.end());
    end_thought();
    if (request.n_predict >= 0) request.n_predict = std::max<std::int64_t>(request.n_predict - std::ssize(before), 0);
    answer.completion = engine.complete(request, on_token, interruptible.token(), show_progress(console));
    if (answer.completion) answer.completion->tokens.insert(answer.completion->tokens.begin(), before.begin(), before.end());
  }
  reader.finish();
  answer.was_interrupted = interruptible.happened();
  answer.message = std::move(reader.message());
  return answer;
}

}  // namespace puna::cli
