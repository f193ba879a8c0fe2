// How a model writes what is more than text: thoughts and calls of tools, as data. One parser reads all of them; a family of
// models is a table of these (families/), and what no table knows is read off the chat template (learn.h).
//
// Markers are texts, in which '~' stands for any white space or none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace puna::text {
class Tokenizer;
}

namespace puna::text::tool_calls {

enum class Body {
  json,        // {"name": "f", "arguments": {…}}
  json_map,    // {"f": {…}}
  named_json,  // f MARKER {…}
  tagged,      // f, then each argument between markers of its own
  python,      // f(a=1, b="x")
  braces,      // f{a:1,b:<|"|>x<|"|>}
};

struct ToolForm {
  std::string name;  // of the form, for tests and for people
  Body body = Body::json;

  // Around all calls together; empty: each stands alone.
  std::string section_open = {};
  std::string section_close = {};
  // Around each call. Without call_open and section_open a call is looked for where the answer begins, and nowhere else.
  std::string call_open = {};
  std::string call_close = {};  // may be missing in the text
  std::string separator = {};   // between calls, may be missing too
  bool is_list = false;         // the calls stand in [ … , … ]
  // call_open stands for other things too: it counts only where the answer begins, and only before JSON that names a tool.
  bool is_doubtful = false;

  // json: the members' names.
  std::vector<std::string> name_keys = {"name"};
  std::vector<std::string> argument_keys = {"arguments", "parameters"};
  std::vector<std::string> id_keys = {"id"};

  // named_json, tagged, python, braces: what stands before and after the name.
  std::string name_open = {};
  std::vector<std::string> name_close = {};
  std::string id_open = {};      // named_json: after the name, may be missing; the id goes until name_close
  std::string id_close = {};     // named_json: after an id that stands before the name
  bool is_id_a_number = false;   // what stands there is no id to go by later
  bool is_name_an_id = false;    // "functions.f:0" is f's id
  std::string name_prefix = {};  // taken off the name: "functions."
  std::string name_suffix = {};  // and off its end: ".call"

  // tagged: an argument is key_open KEY key_close VALUE value_close; the call ends with arguments_close.
  std::string key_open = {};
  std::string key_close = {};
  std::string key_close_string = {};             // a key_close that says: the value is a string,
  std::vector<std::string> key_close_json = {};  // or: it is JSON
  std::string value_close = {};                  // "{key}" in it: the key; braces: what stands around strings
  std::string arguments_close = {};
  bool may_be_cdata = false;       // a value may stand in <![CDATA[ … ]]>
  bool is_value_on_lines = false;  // a line end after key_close and one before value_close belong to them

  bool is_bare() const { return section_open.empty() && call_open.empty(); }
  bool needs_a_known_tool() const { return is_bare() || is_doubtful; }
};

struct ThinkForm {
  std::string open = {};  // empty: this model's thoughts have no marks
  std::string close = {};
};

struct OutputForm {
  ThinkForm think = {};
  std::vector<std::string> silent = {};  // markers that only say: here is the answer
  std::vector<ToolForm> tools = {};      // of those that open alike, the first that can read a call does
};

// All texts that it looks for.
std::vector<std::string> markers_of(const OutputForm& form);

// Those of the vocabulary's control tokens that stand in markers: ParserOptions::control_texts.
std::vector<std::string> control_texts(const OutputForm& form, const Tokenizer& tokenizer);

}  // namespace puna::text::tool_calls
