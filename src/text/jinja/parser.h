// Tokens to a Program. Statements in parser.cpp, expressions in parse_expression.cpp.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "text/jinja/ast.h"

namespace puna::text::jinja {

class Parser {
 public:
  Parser(std::vector<Token> tokens, Program& program) : tokens_(std::move(tokens)), program_(program) {}
  Result<void> run();

 private:
  using Names = std::initializer_list<std::string_view>;

  const Token& current() const { return tokens_[next_]; }
  const Token& look() const { return tokens_[std::min(next_ + 1, tokens_.size() - 1)]; }
  const Token& advance();
  bool at_op(std::string_view op) const { return current().kind == TokenKind::op && current().text == op; }
  bool at_name(std::string_view name) const { return current().kind == TokenKind::name && current().text == name; }
  bool at_any(Names names) const;
  bool skip_op(std::string_view op);
  bool skip_name(std::string_view name);
  Result<void> expect_op(std::string_view op);
  Result<void> expect_name(std::string_view name);
  Result<void> expect(TokenKind kind, std::string_view wanted);
  Result<TextRef> expect_identifier();
  std::unexpected<Error> unexpected(std::string_view wanted) const;

  // Counts how deep the parser is in itself; refuses what would end on the stack.
  class Nested;
  Result<void> check_depth() const;

  // statements
  Result<Body> parse_body(Names ends, std::string_view opener, Position at);
  Result<Body> parse_block_body(Names ends, std::string_view opener, Position at);
  Result<Statement> parse_statement();
  Result<Statement> parse_for(Position at);
  Result<Statement> parse_if(Position at);
  Result<Statement> parse_set(Position at);
  Result<Statement> parse_macro(Position at);
  Result<Statement> parse_call_block(Position at);
  Result<Statement> parse_filter_block(Position at);
  Result<Statement> parse_with(Position at);
  Result<Statement> parse_generation(Position at);
  Result<Statement> parse_print(Position at);
  Result<Statement> parse_jump(Position at, bool is_break);
  Result<Statement> parse_refused(Position at, const std::string& tag);
  Result<void> parse_signature(MacroCode& code);
  Result<Body> parse_function_body(Names ends, std::string_view opener, Position at);

  // expressions
  struct TupleRules {
    bool simplified = false;         // names and literals only: assignment targets
    bool with_conditional = true;    // a if b else c allowed
    bool in_parentheses = false;     // () is a tuple
    bool with_namespace = false;     // ns.field is a target
    std::string_view end_name = {};  // a name that ends the tuple
  };
  Result<ExpressionPtr> parse_tuple(TupleRules rules);
  Result<ExpressionPtr> parse_target(std::string_view end_name, bool with_namespace);
  Result<void> check_target(const Expression& target) const;
  Result<ExpressionPtr> parse_expression(bool with_conditional = true);
  Result<ExpressionPtr> parse_conditional();
  Result<ExpressionPtr> parse_logical(BinaryOp op);
  Result<ExpressionPtr> parse_not();
  Result<ExpressionPtr> parse_comparison();
  Result<ExpressionPtr> parse_sum();
  Result<ExpressionPtr> parse_concatenation();
  Result<ExpressionPtr> parse_product();
  Result<ExpressionPtr> parse_power();
  Result<ExpressionPtr> parse_unary(bool with_filter);
  Result<ExpressionPtr> parse_primary(bool with_namespace);
  Result<ExpressionPtr> parse_list();
  Result<ExpressionPtr> parse_dict();
  Result<ExpressionPtr> parse_postfix(ExpressionPtr left);
  Result<ExpressionPtr> parse_filters_and_tests(ExpressionPtr left);
  Result<ExpressionPtr> parse_subscript(ExpressionPtr left);
  Result<ExpressionPtr> parse_slice(ExpressionPtr object, ExpressionPtr start, Position at);
  Result<ExpressionPtr> parse_call(ExpressionPtr callee);
  Result<ExpressionPtr> parse_one_filter(ExpressionPtr input);
  Result<ExpressionPtr> parse_filter_chain(ExpressionPtr input);
  Result<ExpressionPtr> parse_test(ExpressionPtr input);
  Result<CallArguments> parse_arguments();
  Result<TextRef> parse_dotted_name();
  Result<ExpressionPtr> make(Position at, decltype(Expression::node) node);

  std::vector<Token> tokens_;
  Program& program_;
  std::size_t next_ = 0;
  int depth_ = 0;
  int loops_ = 0;  // loops around the current statement, within its function
};

class Parser::Nested {
 public:
  explicit Nested(Parser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Nested() { --parser_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Parser& parser_;
};

}  // namespace puna::text::jinja
