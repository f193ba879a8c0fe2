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

// An answer in one pass or several: a thought that has become too long is closed, and what an answer must look like binds the
// answer and not a thought that its template began.
class Streamer {
 public:
  Streamer(Console& console, engine::Engine& engine, engine::Request request, const AnswerSettings& settings)
      : console_(console),
        engine_(engine),
        request_(std::move(request)),
        constraint_(request_.constraint),
        reader_(console, engine.tokenizer(), settings, request_.prompt.empty() ? kNoToken : request_.prompt.back()),
        thought_end_(engine.tokenizer(), settings),
        budget_(settings.reasoning.budget),
        left_(budget_) {}

  Answer run() {
    if (budget_ == 0 && reader_.in_reasoning()) end_thought();
    Interruptible interruptible;
    std::vector<TokenId> tokens;
    Answer answer;
    while (true) {
      request_.constraint = reader_.in_reasoning() ? nullptr : constraint_;
      is_cut_ = false;
      answer.completion =
          engine_.complete(request_, [&](TokenId token) { return take(token); }, interruptible.token(), show_progress(console_));
      if (!answer.completion) break;
      tokens.insert(tokens.end(), answer.completion->tokens.begin(), answer.completion->tokens.end());
      if (interruptible.happened() || !goes_on(*answer.completion)) break;
      go_on_behind(*answer.completion);
    }
    if (answer.completion) {
      answer.completion->tokens = std::move(tokens);
      answer.completion->is_complete &= !in_free_thought();
    }
    reader_.finish();
    answer.was_interrupted = interruptible.happened();
    answer.message = std::move(reader_.message());
    return answer;
  }

 private:
  // The pass computes a thought, and an answer that must look like something is to come.
  bool in_free_thought() const { return constraint_ && !request_.constraint; }

  bool take(TokenId token) {
    reader_.push(token);
    const bool thinks = reader_.in_reasoning();
    is_cut_ = thinks && !request_.constraint && budget_ >= 0 && --left_ <= 0;
    return !reader_.stopped() && !is_cut_ && (thinks || !in_free_thought());
  }

  bool goes_on(const engine::Completion& completion) const {
    if (reader_.stopped()) return false;
    const bool has_ended = completion.finish == engine::Finish::stopped || completion.finish == engine::Finish::end_token;
    return is_cut_ || (in_free_thought() && has_ended);
  }

  void go_on_behind(const engine::Completion& completion) {
    std::span<const TokenId> before = completion.tokens;
    if (completion.finish == engine::Finish::end_token) before = before.first(before.size() - 1);
    request_.prompt.insert(request_.prompt.end(), before.begin(), before.end());
    if (reader_.in_reasoning()) end_thought();
    if (request_.n_predict >= 0)
      request_.n_predict = std::max<std::int64_t>(request_.n_predict - std::ssize(completion.tokens), 0);
  }

  void end_thought() {
    request_.prompt.insert(request_.prompt.end(), thought_end_.tokens.begin(), thought_end_.tokens.end());
    reader_.push_text(thought_end_.text);
  }

  Console& console_;
  engine::Engine& engine_;
  engine::Request request_;
  const std::shared_ptr<const text::grammar::Constraint> constraint_;
  Reader reader_;
  const ThoughtEnd thought_end_;
  const std::int64_t budget_;
  std::int64_t left_;    // of the budget
  bool is_cut_ = false;  // the pass ended as nothing was left
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

void note_deaf_to_tools(Console& console, const ChatFormat& format, const AnswerFormat& answers) {
  const Value::Array* tools = format.tools().if_array();
  if (!tools || tools->empty() || !answers.form.tools.empty()) return;
  console.note("puna: --tools: the chat template does not show how this model calls tools: nothing is taken for a call");
}

Answer stream_answer(Console& console, engine::Engine& engine, engine::Request request, const AnswerSettings& settings) {
  return Streamer(console, engine, std::move(request), settings).run();
}

}  // namespace puna::cli
