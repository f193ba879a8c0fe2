// Products of a group with kRows rows of activations, each on its own; a set that takes two rows at once has this in a form of
// its own. The interface:
//   Dots<K, kRows>         start<row>(offset), add<row, step>(w, x), total<row, steps>() as Dot's (quads.inl.h), rows ascending;
//                          x is the row's start + 4 · step
//   stored_step<F, n>(q)   what add wants in step n, from a group's Quads;  at_once_step<F, n>(q): the same without a panel
// Included inside the namespace of the set, after its isa/ files.

template <class F, int kStep, class QuadsOfGroup>
inline Quads stored_step(const QuadsOfGroup& quads) {
  return stored<F>(quads[kStep]);
}

template <class F, int kStep, class QuadsOfGroup>
inline Quads at_once_step(const QuadsOfGroup& quads) {
  return at_once<F>(quads[kStep]);
}

template <class K, int kRows>
struct Dots {
  template <int kRow>
  void start(std::int32_t offset) {
    rows[kRow].start(offset);
  }
  template <int kRow, int kStep>
  void add(Quads w, const std::int8_t* x) {
    rows[kRow].template add<kStep>(w, x);
  }
  template <int kRow, int kSteps>
  Ints total() {
    return rows[kRow].template total<kSteps>();
  }
  Dot<K> rows[kRows];
};
