// One call written as a JSON object, read byte by byte.
#pragma once

#include <string>
#include <string_view>

#include "text/tool_calls/json_scanner.h"
#include "text/tool_calls/output_form.h"

namespace puna::text::tool_calls {

// Where calls go as they are read.
class CallSink {
 public:
  virtual ~CallSink() = default;
  // Whether there is a tool of that name; where none are known every name will do.
  virtual bool knows(std::string_view name) const = 0;
  virtual void begin_call(std::string_view name, std::string_view id) = 0;
  virtual void add_arguments(std::string_view piece) = 0;  // together: one JSON object
  virtual void end_call() = 0;
};

// One byte of JSON for whoever reads it strictly: control characters in strings are escaped.
void append_json_byte(std::string& out, char c, bool in_string);

class JsonCall {
 public:
  enum class Step { more, done, failed };

  JsonCall(const ToolForm& form, CallSink& sink) : form_(&form), sink_(&sink) {}
  Step feed(char c);

 private:
  enum class Member { name, arguments, id, other };

  Member member_of(std::string_view key) const;
  Step begin_value(char c);
  Step continue_value(char c);
  Step end_value();
  Step take_arguments();
  Step finish();
  void begin_call();
  void emit(char c);

  const ToolForm* form_;
  CallSink* sink_;
  JsonScanner scanner_;
  std::size_t level_ = 1;  // how deep the members are: 2 inside of {"type": "function", "function": {…}}
  Member member_ = Member::other;
  bool is_reading_ = false;    // a member's value
  bool is_number_ = false;     // it ends with the byte after it
  bool is_streaming_ = false;  // it goes to the sink
  std::string key_, value_;
  std::string name_, id_, arguments_;
  bool has_begun_ = false;
  bool has_arguments_ = false;
};

}  // namespace puna::text::tool_calls
