// Regular expressions that cut texts (PCRE2: look-ahead, Unicode classes, just-in-time compiled), as the tokenizers' own
// files write them: \s is White_Space, ^ and $ are the ends of lines.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/span.h"

struct pcre2_real_match_data_8;

namespace puna::text {

struct Piece {
  Span span;
  bool matches = false;  // or lies between matches
};

// Immutable and shared: any number of threads may search with one.
class Regex {
 public:
  // Errors: what PCRE2 says and where; what means something else in the reference's syntax (a class within a class, &&, \h).
  static Result<Regex> compile(std::string_view pattern);
  ~Regex();
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&&) noexcept;

 private:
  struct Code;
  struct FreeMatch {
    void operator()(pcre2_real_match_data_8* match) const;
  };

 public:
  // What one thread needs to search with it, for one text or many. The regex must outlive it.
  class Search {
   public:
    explicit Search(const Regex& regex);
    // Cuts text[range] into its matches and what lies between them, and appends these pieces, none of them empty. What lies
    // outside the range is not there: a look-ahead at its end sees an end. An empty match only cuts. A byte that is not UTF-8
    // is a piece of its own, and an end as well. Where a search would take more than a bounded number of steps, what is left
    // is one piece.
    void split(std::string_view text, Span range, std::vector<Piece>& pieces);

   private:
    void split_valid(std::string_view text, Span range, std::vector<Piece>& pieces);

    const Code& code_;
    std::unique_ptr<pcre2_real_match_data_8, FreeMatch> match_;
  };

 private:
  explicit Regex(std::unique_ptr<Code> code);

  std::unique_ptr<Code> code_;
};

}  // namespace puna::text
