// What lies in memory behind a panel's weights, asked for while the panel is multiplied. Included inside the namespace of the
// set.

struct LinesBehind {
  const std::byte* next = nullptr;  // nobody has asked for this one yet, nor for those behind it
  std::int64_t n = 0;
  std::int64_t of_a_tile = 0;  // so many are one tile's to ask for, while they last

  static LinesBehind shared_by(std::int64_t n_tiles, const std::byte* first, std::int64_t bytes) {
    const std::int64_t n = bytes / kLineBytes;
    return n_tiles > 0 ? LinesBehind{first, n, (n + n_tiles - 1) / n_tiles} : LinesBehind{};
  }
  LinesBehind share() {
    const LinesBehind one = {next, of_a_tile < n ? of_a_tile : n};
    next += one.n * kLineBytes;
    n -= one.n;
    return one;
  }
  void ask(std::int64_t most) {
    for (; most > 0 && n > 0; --most, --n, next += kLineBytes) __builtin_prefetch(next, 0, 2);
  }

 private:
  static constexpr std::int64_t kLineBytes = 64;
};
