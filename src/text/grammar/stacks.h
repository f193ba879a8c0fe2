// Runs an automaton. All that may go on after some text is a *situation*: pairs of a state and the frame below it. A frame is
// where its rule's callers go on, and the frames below those: a graph of stacks that share what they have in common, so that
// an ambiguous grammar costs no more than a clear one, up to a polynomial.
//
// Frames and situations are kept once each, by what they contain and not by where they arose, and what a situation becomes by a
// symbol is remembered. So a text that comes back to a situation, as every list and every string does, runs like a finite
// automaton, by one look into a table for each byte. What was remembered is forgotten when it grows too large (compact()).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "text/grammar/automaton.h"
#include "text/grammar/word_table.h"

namespace puna::text::grammar {

using FrameId = std::uint32_t;
using SituationId = std::uint32_t;

class Stacks {
 public:
  static constexpr SituationId kRefused = 0;  // nothing may follow, and the text is none of the grammar's
  static constexpr FrameId kRootFrame = 0;    // its rule is the root: the whole text ends with it
  static constexpr FrameId kOpenFrame = 1;    // nobody says what is below (see open())

  struct Config {
    StateId state = 0;
    FrameId frame = 0;
  };

  // `horizon`: how many bytes ahead far() still tells counts apart.
  explicit Stacks(std::shared_ptr<const Automaton> automaton, std::uint32_t horizon = 0);

  const Automaton& automaton() const { return *automaton_; }
  const std::shared_ptr<const Automaton>& shared_automaton() const { return automaton_; }
  std::uint32_t horizon() const { return horizon_; }
  SituationId start() const { return start_; }

  // The situation after a symbol of that class; kRefused where there is none, or where the work ran out.
  SituationId next(SituationId situation, std::uint16_t symbol_class) {
    const SituationId known = next_[situation * n_classes_ + symbol_class];
    return known != kUnknown ? known : find_next(situation, symbol_class);
  }

  bool is_complete(SituationId situation) const { return flags_[situation] & kComplete; }  // the whole text so far is accepted
  bool leaves(SituationId situation) const { return flags_[situation] & kLeaves; }         // the open frame may have ended here
  bool goes_on(SituationId situation) const { return flags_[situation] & kGoesOn; }
  std::size_t n_configs(SituationId situation) const { return (situations_[situation].size() - 1) / 2; }
  Config config(SituationId situation, std::size_t i) const;  // ascending by frame, then by state

  // The configurations [first, last) of a situation as if nobody knew what lies below their frame, which is the same for all.
  SituationId open(SituationId situation, std::size_t first, std::size_t last);
  // What follows when a frame has ended.
  SituationId after(FrameId frame);
  // Either of them.
  SituationId unite(SituationId a, SituationId b);
  // The situation with counts that are far from their limits replaced by others that are: for the next `horizon` bytes there is
  // no difference. So situations that differ in such counts only have one mask.
  SituationId far(SituationId situation);

  // How much may be done from here on, in configurations and edges looked at. Past it, and in situations of more than
  // kMostItems stacks, every answer is kRefused and exhausted() says why.
  void allow(std::uint64_t work) { work_left_ = work, exhausted_ = false; }
  bool exhausted() const { return exhausted_; }
  static constexpr std::size_t kMostItems = std::size_t{1} << 15;

  std::size_t bytes() const;
  // The same situation here as `situation` is in `other`, which runs the same automaton.
  SituationId take_over(const Stacks& other, SituationId situation);

 private:
  static constexpr SituationId kUnknown = 0xFFFFFFFF;
  static constexpr std::uint8_t kComplete = 1, kLeaves = 2, kGoesOn = 4;
  // Where a caller goes on; the words of a frame are these, one after the other. Instead of a state the two marks below: the
  // text ends, or nobody knows what comes.
  struct Return {
    StateId to = 0;
    FrameId frame = 0;                // the caller's
    std::uint32_t low = 0, high = 0;  // where `to` counts: the times so far
    auto operator<=>(const Return&) const = default;
  };
  static constexpr StateId kTextEnds = 0xFFFFFFFF, kOpenEnds = 0xFFFFFFFE;

  struct Item {
    StateId state = 0;
    FrameId frame = 0;
    std::uint32_t low = 0, high = 0;
    bool operator==(const Item&) const = default;
  };

  SituationId find_next(SituationId situation, std::uint16_t symbol_class);
  SituationId intern_situation(std::uint8_t flags);
  FrameId intern_frame(std::vector<Return>& returns);
  void drop_implied(std::vector<Return>& returns);
  std::size_t n_returns(FrameId frame) const { return frames_[frame].size() / 4; }
  Return return_of(FrameId frame, std::size_t i) const;
  FrameId far_frame(FrameId frame);

  // Between two symbols: what is at hand is collected as items, then frames end, then rules are called.
  void begin();
  void add(const Item& item);
  void end_frame(FrameId frame);
  SituationId close();
  void end_rules();
  void call_rules(const Item& item);
  void call_rule(const Item& item, const Automaton::Call& call);
  void start_rules();
  bool spend(std::uint64_t work);

  std::shared_ptr<const Automaton> automaton_;
  std::size_t n_classes_;
  std::uint32_t horizon_;
  SituationId start_ = 0;

  WordTable frames_;                 // Returns
  WordTable situations_;             // flags, then configurations: frame, state
  std::vector<std::uint8_t> flags_;  // [situation]
  std::vector<SituationId> next_;    // [situation][class]
  std::vector<SituationId> after_;   // [frame], or kUnknown
  std::vector<FrameId> far_frames_;  // [frame], or kUnknown
  std::unordered_map<SituationId, SituationId> far_situations_;

  std::uint64_t work_left_ = 0;
  bool exhausted_ = false;

  // Scratch of one closure.
  std::vector<Item> items_;
  std::vector<std::uint32_t> item_slots_;    // index + 1 of an item, by hash; 0 where none is
  std::vector<std::vector<Return>> called_;  // [rule]
  std::vector<std::uint64_t> open_rules_;    // a heap: rank, then rule; the lowest rank on top
  std::vector<std::uint64_t> configs_;       // frame, then state
  std::uint8_t found_ = 0;                   // kComplete, kLeaves
  std::vector<std::uint32_t> words_;
};

}  // namespace puna::text::grammar
