#include "text/jinja/parser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace puna::text::jinja {
namespace {

constexpr int kMaxParserDepth = 100;

}  // namespace

Result<std::shared_ptr<const Program>> Program::parse(std::string source) {
  auto program = std::make_shared<Program>();
  program->source_ = std::move(source);
  auto tokens = PUNA_TRY(tokenize(program->source_));
  PUNA_TRY(Parser(std::move(tokens), *program).run());
  RootScope root = PUNA_TRY(resolve_names(program->body_));
  program->scope_ = std::move(root.scope);
  program->n_slots_ = root.n_slots;
  return program;
}

Result<void> Parser::run() {
  program_.body_ = PUNA_TRY(parse_body({}, "", {}));
  return {};
}

const Token& Parser::advance() {
  const Token& token = tokens_[next_];
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool Parser::at_any(Names names) const {
  return current().kind == TokenKind::name && std::find(names.begin(), names.end(), current().text) != names.end();
}

bool Parser::skip_op(std::string_view op) {
  if (!at_op(op)) return false;
  advance();
  return true;
}

bool Parser::skip_name(std::string_view name) {
  if (!at_name(name)) return false;
  advance();
  return true;
}

std::unexpected<Error> Parser::unexpected(std::string_view wanted) const {
  return fail_at(current().at, fmt::format("expected {}, found {}", wanted, describe(current())));
}

Result<void> Parser::expect_op(std::string_view op) {
  if (!skip_op(op)) return unexpected(fmt::format("'{}'", op));
  return {};
}

Result<void> Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) return unexpected(fmt::format("'{}'", name));
  return {};
}

Result<void> Parser::expect(TokenKind kind, std::string_view wanted) {
  if (current().kind != kind) return unexpected(wanted);
  advance();
  return {};
}

Result<TextRef> Parser::expect_identifier() {
  if (current().kind != TokenKind::name) return unexpected("a name");
  return literal_text(advance().text);
}

Result<void> Parser::check_depth() const {
  if (depth_ <= kMaxParserDepth) return {};
  return fail_at(current().at, fmt::format("the template is nested more than {} levels deep", kMaxParserDepth));
}

// Text, expressions and statements up to a tag whose name is in `ends` (which stays the current token), or to the end of the
// template where `ends` is empty.
Result<Body> Parser::parse_body(Names ends, std::string_view opener, Position at) {
  const Nested nested(*this);
  PUNA_TRY(check_depth());
  Body body;
  const auto add_output = [&](Position where, ExpressionPtr part) {
    if (body.empty() || !std::holds_alternative<Output>(body.back().node)) body.push_back({where, Output{}});
    std::get<Output>(body.back().node).parts.push_back(part);
  };
  while (current().kind != TokenKind::eof) {
    const Position where = current().at;
    if (current().kind == TokenKind::data) {
      add_output(where, PUNA_TRY(make(where, Constant{literal_text(advance().text)})));
    } else if (current().kind == TokenKind::variable_begin) {
      advance();
      add_output(where, PUNA_TRY(parse_tuple({})));
      PUNA_TRY(expect(TokenKind::variable_end, "'}}'"));
    } else {
      PUNA_TRY(expect(TokenKind::block_begin, "'{%'"));
      if (at_any(ends)) return body;
      body.push_back(PUNA_TRY(parse_statement()));
      PUNA_TRY(expect(TokenKind::block_end, "'%}'"));
    }
  }
  if (ends.size() == 0) return body;
  return fail_at(at, fmt::format("'{}' has no end", opener), fmt::format("Add {{% {} %}}.", *(ends.end() - 1)));
}

Result<Body> Parser::parse_block_body(Names ends, std::string_view opener, Position at) {
  skip_op(":");
  PUNA_TRY(expect(TokenKind::block_end, "'%}'"));
  return parse_body(ends, opener, at);
}

// The body of something that becomes a function: no break or continue reaches out of it.
Result<Body> Parser::parse_function_body(Names ends, std::string_view opener, Position at) {
  const int loops = std::exchange(loops_, 0);
  Body body = PUNA_TRY(parse_block_body(ends, opener, at));
  loops_ = loops;
  return body;
}

Result<Statement> Parser::parse_statement() {
  const Position at = current().at;
  if (current().kind != TokenKind::name) return unexpected("the name of a tag");
  const std::string tag = advance().text;
  if (tag == "for") return parse_for(at);
  if (tag == "if") return parse_if(at);
  if (tag == "set") return parse_set(at);
  if (tag == "macro") return parse_macro(at);
  if (tag == "call") return parse_call_block(at);
  if (tag == "filter") return parse_filter_block(at);
  if (tag == "with") return parse_with(at);
  if (tag == "generation") return parse_generation(at);
  if (tag == "print") return parse_print(at);
  if (tag == "break") return parse_jump(at, true);
  if (tag == "continue") return parse_jump(at, false);
  constexpr std::array kRefused = {"include", "import", "from", "extends"};
  if (std::find(kRefused.begin(), kRefused.end(), tag) != kRefused.end()) return parse_refused(at, tag);
  if (tag == "block" || tag == "autoescape") {
    return std::unexpected(
        Error{ErrorKind::unsupported,
              fmt::format("line {}, column {}: the tag '{}' is not supported in chat templates", at.line, at.column, tag), ""});
  }
  return fail_at(at, fmt::format("unknown tag '{}'", tag),
                 tag.starts_with("end") || tag == "else" || tag == "elif" ? "It closes something that is not open here." : "");
}

Result<Statement> Parser::parse_for(Position at) {
  For loop;
  const std::size_t target_begin = next_;
  loop.target = PUNA_TRY(parse_target("in", false));
  PUNA_TRY(expect_name("in"));
  loop.iterable = PUNA_TRY(parse_tuple({.with_conditional = false, .end_name = "recursive"}));
  if (skip_name("if")) {
    loop.test = PUNA_TRY(parse_expression());
    // The test looks ahead of the body, so it binds the target to variables of its own.
    const std::size_t test_end = std::exchange(next_, target_begin);
    loop.test_target = PUNA_TRY(parse_target("in", false));
    next_ = test_end;
  }
  loop.recursive = skip_name("recursive");
  ++loops_;
  loop.body = PUNA_TRY(parse_block_body({"else", "endfor"}, "for", at));
  --loops_;
  if (advance().text == "else") {
    loop.otherwise = PUNA_TRY(parse_block_body({"endfor"}, "for", at));
    advance();
  }
  return Statement{at, std::move(loop)};
}

Result<Statement> Parser::parse_if(Position at) {
  If result;
  while (true) {
    ExpressionPtr test = PUNA_TRY(parse_tuple({.with_conditional = false}));
    Body body = PUNA_TRY(parse_block_body({"elif", "else", "endif"}, "if", at));
    result.branches.emplace_back(test, std::move(body));
    const std::string& end = advance().text;
    if (end == "elif") continue;
    if (end == "else") {
      result.otherwise = PUNA_TRY(parse_block_body({"endif"}, "if", at));
      advance();
    }
    break;
  }
  return Statement{at, std::move(result)};
}

Result<Statement> Parser::parse_set(Position at) {
  ExpressionPtr target = PUNA_TRY(parse_target("", true));
  if (skip_op("=")) return Statement{at, Set{target, PUNA_TRY(parse_tuple({}))}};
  SetBlock block;
  block.target = target;
  block.filter = PUNA_TRY(parse_filter_chain(nullptr));
  block.body = PUNA_TRY(parse_block_body({"endset"}, "set", at));
  advance();
  return Statement{at, std::move(block)};
}

Result<void> Parser::parse_signature(MacroCode& code) {
  PUNA_TRY(expect_op("("));
  while (!at_op(")")) {
    if (!code.parameters.empty()) PUNA_TRY(expect_op(","));
    if (current().kind != TokenKind::name) return unexpected("the name of a parameter");
    const Token& name = advance();
    if (name.text == "true" || name.text == "false" || name.text == "none" || name.text == "True" || name.text == "False" ||
        name.text == "None") {
      return fail_at(name.at, fmt::format("'{}' cannot be a parameter", name.text));
    }
    code.parameters.push_back(literal_text(name.text));
    if (skip_op("=")) {
      code.defaults.push_back(PUNA_TRY(parse_expression()));
    } else if (!code.defaults.empty()) {
      return fail_at(name.at, "a parameter without a default follows one that has a default");
    }
  }
  return expect_op(")");
}

Result<Statement> Parser::parse_macro(Position at) {
  MacroDefinition macro;
  macro.code.name = PUNA_TRY(expect_identifier());
  PUNA_TRY(parse_signature(macro.code));
  macro.code.body = PUNA_TRY(parse_function_body({"endmacro"}, "macro", at));
  advance();
  return Statement{at, std::move(macro)};
}

Result<Statement> Parser::parse_call_block(Position at) {
  CallBlock block;
  if (at_op("(")) PUNA_TRY(parse_signature(block.caller));
  block.call = PUNA_TRY(parse_expression());
  if (!std::holds_alternative<Call>(block.call->node)) return fail_at(block.call->at, "expected a call");
  block.caller.body = PUNA_TRY(parse_function_body({"endcall"}, "call", at));
  advance();
  return Statement{at, std::move(block)};
}

Result<Statement> Parser::parse_generation(Position at) {
  Generation generation;
  generation.content.body = PUNA_TRY(parse_function_body({"endgeneration"}, "generation", at));
  advance();
  return Statement{at, std::move(generation)};
}

Result<Statement> Parser::parse_filter_block(Position at) {
  FilterBlock block;
  block.filter = PUNA_TRY(parse_one_filter(nullptr));
  block.filter = PUNA_TRY(parse_filter_chain(block.filter));
  block.body = PUNA_TRY(parse_block_body({"endfilter"}, "filter", at));
  advance();
  return Statement{at, std::move(block)};
}

Result<Statement> Parser::parse_with(Position at) {
  With with;
  while (current().kind != TokenKind::block_end) {
    if (!with.bindings.empty()) PUNA_TRY(expect_op(","));
    ExpressionPtr target = PUNA_TRY(parse_target("", false));
    PUNA_TRY(expect_op("="));
    with.bindings.emplace_back(target, PUNA_TRY(parse_expression()));
  }
  with.body = PUNA_TRY(parse_block_body({"endwith"}, "with", at));
  advance();
  return Statement{at, std::move(with)};
}

Result<Statement> Parser::parse_print(Position at) {
  Output output;
  while (current().kind != TokenKind::block_end) {
    if (!output.parts.empty()) PUNA_TRY(expect_op(","));
    output.parts.push_back(PUNA_TRY(parse_expression()));
  }
  return Statement{at, std::move(output)};
}

Result<Statement> Parser::parse_jump(Position at, bool is_break) {
  if (loops_ == 0) return fail_at(at, fmt::format("'{}' outside of a loop", is_break ? "break" : "continue"));
  if (is_break) return Statement{at, Break{}};
  return Statement{at, Continue{}};
}

// Other templates cannot be reached: an error, but only where the template really gets to the statement.
Result<Statement> Parser::parse_refused(Position at, const std::string& tag) {
  while (current().kind != TokenKind::block_end && current().kind != TokenKind::eof) advance();
  return Statement{at, Refusal{tag}};
}

}  // namespace puna::text::jinja
