// JSON Schema as grammars: references, combinations, and what is refused by its path.
#include "text/json_schema_support.h"

namespace puna::text::grammar {
namespace {

TEST(JsonSchemaCombined, follows_references_by_pointer_anchor_and_id) {
  expect_texts(R"({"$ref":"#/$defs/e","$defs":{"e":{"enum":["x","y"]}}})", {R"("x")"}, {R"("z")", "{}"});
  expect_texts(
      R"({"properties":{"p":{"$ref":"#/$defs/a/anyOf/1"}},"required":["p"],"type":"object","$defs":{"a":{"anyOf":[{"type":"null"},{"type":"integer"}]}}})",
      {R"({"p": 1})"}, {R"({"p": null})"});
  expect_texts(R"({"$ref":"#/$defs/a~1b%25~0","$defs":{"a/b%~":{"type":"null"}}})", {"null"}, {"1"});
  expect_texts(R"({"$ref":"#here","$defs":{"a":{"$anchor":"here","type":"null"}}})", {"null"}, {"1"});
  expect_texts(R"({"$id":"http://x.y/root","$ref":"other#/$defs/n","$defs":{"o":{"$id":"other","$defs":{"n":{"type":"null"}}}}})",
               {"null"}, {"1"});
  expect_refused(R"({"properties":{"a":{"$ref":"http://x.y/z"}}})",
                 "#/properties/a: $ref \"http://x.y/z\" leads out of the document");
  expect_refused(R"({"$ref":"#/$defs/none"})", "nothing is there");
  expect_refused(R"({"$ref":"#none"})", "no $anchor has that name");
  expect_refused(R"({"$dynamicRef":"#a"})", "#/$dynamicRef: a keyword that is not known here");
}

TEST(JsonSchemaCombined, recurs) {
  const char* tree =
      R"({"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#"}}},"required":["v"],"additionalProperties":false})";
  expect_texts(tree, {R"({"v": 1})", R"({"v": 1, "kids": [{"v": 2}, {"v": 3, "kids": []}]})"}, {R"({"v": 1, "kids": [{}]})"});
  expect_texts(
      R"({"$ref":"#/$defs/list","$defs":{"list":{"anyOf":[{"type":"null"},{"type":"object","properties":{"next":{"$ref":"#/$defs/list"}},"required":["next"],"additionalProperties":false}]}}})",
      {"null", R"({"next": {"next": null}})"}, {"{}"});
  // A value that would have to go on for ever is none.
  expect_refused(R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})", "no value is valid");
  expect_refused(R"({"$ref":"#"})", "refers to itself");
  expect_refused(R"({"allOf":[{"anyOf":[{"$ref":"#"}]}]})", "refers to itself");
}

TEST(JsonSchemaCombined, merges_all_of) {
  expect_texts(
      R"({"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"a":{"minimum":3},"b":{"type":"null"}},"required":["b"]}]})",
      {R"({"a": 3, "b": null})", R"({"a": 4, "b": null, "c": 1})"}, {R"({"a": 2, "b": null})", R"({"a": 3})"});
  expect_texts(R"({"type":"integer","allOf":[{"minimum":2},{"maximum":4}]})", {"2", "4"}, {"1", "5"});
  expect_texts(R"({"type":"string","allOf":[{"pattern":"a"},{"pattern":"b"},{"maxLength":2}]})", {R"("ab")", R"("ba")"},
               {R"("a")", R"("cab")"});
  // additionalProperties sees the properties of its own schema alone.
  expect_texts(R"({"type":"object","allOf":[{"properties":{"a":{}},"additionalProperties":false},{"properties":{"b":{}}}]})",
               {"{}", R"({"a": 1})"}, {R"({"b": 1})", R"({"a": 1, "b": 1})"});
  expect_refused(R"({"allOf":[{"type":"string"},{"type":"null"}]})", "no value is valid");
}

TEST(JsonSchemaCombined, chooses_of_any_of) {
  expect_texts(R"({"anyOf":[{"type":"integer"},{"type":"string","maxLength":1},{"type":"null"}]})", {"1", R"("a")", "null"},
               {R"("ab")", "true"});
  expect_texts(R"({"type":"string","nullable":true,"maxLength":2})", {"null", R"("ab")"}, {R"("abc")"});
  expect_texts(
      R"({"type":"object","properties":{"a":{"type":"integer"}},"anyOf":[{"required":["a"]},{"required":["b"]}],"additionalProperties":{"type":"null"}})",
      {R"({"a": 1})", R"({"b": null})", R"({"a": 1, "b": null})"}, {"{}", R"({"c": null})", R"({"b": 1})"});
}

TEST(JsonSchemaCombined, keeps_one_of_exact) {
  const char* shapes =
      R"({"oneOf":[{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
                                    {"type":"object","properties":{"kind":{"const":"square"},"a":{"type":"number"}},"required":["kind","a"]}]})";
  expect_texts(shapes, {R"({"kind": "circle", "r": 1})", R"({"kind": "square", "a": 2})"},
               {R"({"kind": "circle", "a": 1})", R"({"kind": "other"})"});
  expect_texts(R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5"}, {"2", "3", "1.5"});
  expect_texts(R"({"type":"string","oneOf":[{"minLength":2},{"maxLength":4}]})", {R"("a")", R"("abcde")"},
               {R"("ab")", R"("abcd")"});
  expect_texts(R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]})", {R"({"a": 1})", R"({"b": 1})"},
               {"{}", R"({"a": 1, "b": 1})"});
  expect_texts(R"({"type":"object","properties":{"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]})",
               {R"({"a": 1})", R"({"b": 1})"}, {R"({"b": 1, "a": 1})"});
  expect_refused(
      R"({"oneOf":[{"type":"object","properties":{"a":{}},"additionalProperties":false},{"type":"object","properties":{"b":{}},"additionalProperties":false}]})",
      "#/oneOf: options 0 and 1 may hold at once");
}

TEST(JsonSchemaCombined, tells_options_apart_by_what_a_reader_may_take_them_for) {
  // Readers differ about odd addresses, so that a text is not one of the usual addresses does not make it none.
  expect_refused(R"({"oneOf":[{"type":"string","format":"email"},{"type":"string","maxLength":2}]})",
                 "#/oneOf: options 0 and 1 may hold at once");
  expect_texts(R"({"oneOf":[{"type":"string","format":"uuid"},{"type":"string","maxLength":2}]})", {R"("ab")"}, {R"("abc")"});
}

TEST(JsonSchemaCombined, keeps_not_exact) {
  expect_texts(R"({"not":{"type":["integer","object"]}})", {"1.5", "null", "[]"}, {"1", "{}"});
  expect_texts(R"({"type":"string","not":{"pattern":"^a"}})", {R"("b")", R"("")"}, {R"("a")", R"("ab")"});
  expect_texts(R"({"type":"string","not":{"enum":["a","b"]}})", {R"("c")", R"("ab")"}, {R"("a")", R"("b")"});
  expect_texts(R"({"type":"integer","not":{"minimum":3,"maximum":5}})", {"2", "6"}, {"3", "4", "5"});
  expect_texts(R"({"type":"object","properties":{"a":{"not":{}}}})", {"{}", R"({"b": 1})"}, {R"({"a": 1})"});
  expect_texts(R"({"type":"array","not":{"items":{"type":"integer"}}})", {"[null]", "[1, null]"}, {"[]", "[1]"});
  expect_texts(R"({"type":"array","not":{"contains":{"type":"integer"}}})", {"[]", "[null]"}, {"[1]", "[null, 1]"});
  expect_texts(R"({"not":{"not":{"type":"null"}}})", {"null"}, {"1"});
  expect_refused(R"({"not":{"additionalProperties":false}})",
                 "#/not/additionalProperties: patternProperties and additionalProperties cannot be negated");
  expect_refused(R"({"not":{"format":"email"}})", "#/not/format: the format 'email' cannot be negated");
}

TEST(JsonSchemaCombined, knows_conditions_and_dependencies) {
  expect_texts(
      R"({"type":"object","properties":{"c":{"enum":["US","DE"]},"zip":{"type":"string"}},"required":["c"],"additionalProperties":false,
                   "if":{"properties":{"c":{"const":"US"}}},"then":{"properties":{"zip":{"pattern":"^\\d{5}$"}},"required":["zip"]}})",
      {R"({"c": "US", "zip": "12345"})", R"({"c": "DE"})", R"({"c": "DE", "zip": "x"})"},
      {R"({"c": "US"})", R"({"c": "US", "zip": "x"})"});
  expect_texts(R"({"if":{"type":"integer"},"then":{"minimum":0},"else":{"type":"null"}})", {"0", "null"}, {"-1", "1.5"});
  expect_texts(R"({"type":"object","properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]},"additionalProperties":false})",
               {"{}", R"({"b": 1})", R"({"a": 1, "b": 1})"}, {R"({"a": 1})"});
  expect_texts(
      R"({"type":"object","properties":{"a":{},"b":{}},"dependentSchemas":{"a":{"properties":{"b":{"type":"null"}}}},"additionalProperties":false})",
      {R"({"b": 1})", R"({"a": 1})", R"({"a": 1, "b": null})"}, {R"({"a": 1, "b": 1})"});
}

TEST(JsonSchemaCombined, knows_what_was_not_evaluated) {
  expect_texts(R"({"type":"object","allOf":[{"properties":{"a":{}}}],"properties":{"b":{}},"unevaluatedProperties":false})",
               {R"({"a": 1, "b": 1})", "{}"}, {R"({"c": 1})"});
  expect_texts(R"({"type":"array","prefixItems":[{}],"unevaluatedItems":{"type":"null"}})", {"[1]", "[1, null]"}, {"[1, 1]"});
}

TEST(JsonSchemaCombined, leaves_no_keyword_out) {
  expect_refused(R"({"properties":{"a":{"maxLenght":3}}})", "#/properties/a/maxLenght: a keyword that is not known here");
  expect_refused(R"({"type":"object","require":["a"]})", "#/require");
  expect_refused(R"({"divisibleBy":3})", "#/divisibleBy");
  expect_refused(R"({"type":"text"})", "#: type must be null, boolean");
  expect_refused(R"({"properties":{"a":1}})", "a schema is an object or a boolean");
  expect_refused(R"({"anyOf":[]})", "#: anyOf must be an array of at least one schema, not []");
  expect_refused("3", "#: a schema is an object or a boolean, not integer");
  expect_refused(R"({"required":"a"})", "#: required must be an array of strings, not \"a\"");
  expect_refused(R"({"maxLength":-1})", "#: maxLength must be an integer that is not negative, not -1");
  expect_refused(R"({"patternProperties":{"(":{}}})", "#/patternProperties/(: regular expression (");
  expect_texts(
      R"({"title":"t","description":"d","default":1,"examples":[1],"$comment":"c","x-mine":{"maxLenght":1},"deprecated":true,"type":"null"})",
      {"null"}, {"1"});
}

TEST(JsonSchemaCombined, takes_what_common_tools_write) {
  // pydantic
  expect_texts(
      R"({"$defs":{"Pet":{"properties":{"name":{"title":"Name","type":"string"},"age":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null,"title":"Age"}},
                   "required":["name"],"title":"Pet","type":"object"}},"properties":{"pets":{"items":{"$ref":"#/$defs/Pet"},"title":"Pets","type":"array"}},
                   "required":["pets"],"title":"Owner","type":"object"})",
      {R"({"pets": [{"name": "x", "age": null}]})", R"({"pets": []})"}, {"{}", R"({"pets": [{"age": 1}]})"});
  // zod
  expect_texts(
      R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string","enum":["x","y"]},
                   "t":{"type":"array","minItems":2,"maxItems":2,"items":[{"type":"string"},{"type":"number"}]}},"required":["a","t"],"additionalProperties":false})",
      {R"({"a": "x", "t": ["s", 1]})"},
      {R"({"a": "z", "t": ["s", 1]})", R"({"a": "x", "t": ["s"]})", R"({"a": "x", "t": ["s", 1], "b": 1})"});
}

}  // namespace
}  // namespace puna::text::grammar
