// Products with float32 activations. The written order: for each output element 16 partial sums by k mod 16, each an fma
// chain with k ascending, then sum()'s tree, then the bias. The lanes are the partial sums; weights of other types than
// F32 become floats, 16 rows × a slice of k at a time (halves on their way to a few columns: at once), for up to kFloatColumns
// columns, whose partial sums wait in the scratch between steps and slices. Where k is no multiple of 16, the missing products
// are 0 · 0. Included inside the namespace of the set.

struct F16Bits {
  std::uint16_t bits;
};
struct BF16Bits {
  std::uint16_t bits;
};
inline Vec load_words(const float* p) { return load(p); }
inline Vec load_words(const F16Bits* p) { return load_f16(&p->bits); }
inline Vec load_words(const BF16Bits* p) { return load_bf16(&p->bits); }
template <class Element>
inline Vec load_first_words(const Element* p, std::int64_t n) {
  Element words[kLanes] = {};
  std::memcpy(words, p, static_cast<std::size_t>(n) * sizeof(Element));
  return load_words(words);
}

// Rows that lie `stride` elements apart.
template <class Element>
struct RowsOf {
  const Element* first;
  std::int64_t stride;
  const Element* row(std::int64_t r) const { return first + r * stride; }
  RowsOf from(std::int64_t r, std::int64_t k) const { return {row(r) + k, stride}; }
  void keep(std::int64_t, std::int64_t, Vec) const {}
};

// Rows of the thread's panel.
struct PanelRows {
  const float* first;
  static constexpr std::int64_t stride = kFloatPanelStride;
  const float* row(std::int64_t r) const { return first + r * stride; }
  PanelRows from(std::int64_t r, std::int64_t k) const { return {row(r) + k}; }
  void keep(std::int64_t, std::int64_t, Vec) const {}
};

// Rows whose weights, made floats for the products, also go to the panel.
template <class Element>
struct RowsToPanel : RowsOf<Element> {
  float* panel;
  RowsToPanel from(std::int64_t r, std::int64_t k) const {
    return {RowsOf<Element>::from(r, k), panel + r * PanelRows::stride + k};
  }
  void keep(std::int64_t r, std::int64_t k, Vec weight) const { store(panel + r * PanelRows::stride + k, weight); }
};

// Adds n products to each of kRows rows × kColumns columns of sums[column][row][16], or makes these the first.
template <int kRows, int kColumns, class Rows>
inline void float_tile(Rows w, RowsOf<float> x, std::int64_t n, float* sums, bool first, LinesBehind behind) {
  const auto place = [=](auto r, auto c) { return sums + (c.value * kPanelRows + r.value) * kLanes; };
  Vec acc[kRows][kColumns];
  if (first)
    repeat<kRows>([&](auto r) { repeat<kColumns>([&](auto c) { acc[r.value][c.value] = zero(); }); });
  else
    repeat<kRows>([&](auto r) { repeat<kColumns>([&](auto c) { acc[r.value][c.value] = load(place(r, c)); }); });
  // Always inline, since a call would have the sums in memory.
  const auto add_words = [&] [[gnu::always_inline]] (std::int64_t k, auto words_of) {
    Vec in[kColumns];
    repeat<kColumns>([&](auto c) { in[c.value] = words_of(x.row(c.value) + k); });
    repeat<kRows>([&](auto r) {
      const Vec weight = words_of(w.row(r.value) + k);
      w.keep(r.value, k, weight);
      if constexpr (kColumns <= 2) __builtin_prefetch(w.row(r.value + kRows) + k, 0, 2);  // little else is done meanwhile
      repeat<kColumns>([&](auto c) { acc[r.value][c.value] = fma(weight, in[c.value], acc[r.value][c.value]); });
    });
  };
  const auto whole_words = [](const auto* p) { return load_words(p); };
  std::int64_t k = 0;
  for (; behind.n > 0 && k + kLanes <= n; k += kLanes) {
    behind.ask(1);
    add_words(k, whole_words);
  }
#pragma GCC unroll 2  // counting and jumping need the ports of the products
  for (; k + kLanes <= n; k += kLanes) add_words(k, whole_words);
  if (k < n) add_words(k, [=](const auto* p) { return load_first_words(p, n - k); });
  repeat<kRows>([&](auto r) { repeat<kColumns>([&](auto c) { store(place(r, c), acc[r.value][c.value]); }); });
}

// What is asked for of the rows of a panel behind, one row after the other.
struct RowsBehind {
  const std::byte* row = nullptr;
  std::int64_t stride = 0, bytes = 0;  // from a row to the next; of each
  std::int64_t n_rows = 0, tiles_per_row = 1;
  LinesBehind lines = {};  // left of the row before

  LinesBehind share() {
    if (lines.n == 0 && n_rows > 0) {
      lines = LinesBehind::shared_by(tiles_per_row, row, bytes);
      row += stride;
      --n_rows;
    }
    return lines.share();
  }
};

struct FloatProducts {
  const LinearArgs& a;
  FloatPanel& panel;
  std::int64_t block_size, block_bytes;

  void run() const {
    const std::int64_t fitting = kFloatInputs / (a.k > kFloatWidth ? kFloatSlice : a.k);
    const std::int64_t n_parts = a.n_cols < fitting ? 1 : a.n_cols / fitting;
    const std::int64_t tiles = (a.n_cols / n_parts + kFloatTileColumns - 1) / kFloatTileColumns;
    const std::int64_t at_once = tiles * kFloatTileColumns < kFloatColumns ? tiles * kFloatTileColumns : kFloatColumns;
    for (std::int64_t t = 0; t < a.n_cols; t += at_once) columns(t, a.n_cols - t < at_once ? a.n_cols - t : at_once);
  }

 private:
  // A slice of some rows, for some columns.
  struct Part {
    std::int64_t t, n_columns;
    std::int64_t row, row_end;  // the block
    std::int64_t k, size, step;
  };

  void columns(std::int64_t t, std::int64_t n_columns) const {
    const bool in_registers = n_columns <= kFloatTileColumns;  // the sums, from end to end
    const bool without_panel = in_registers && block_size == 1 && (a.row_end - a.row_begin) % kPanelRows == 0;
    const bool one_slice = a.k <= kFloatWidth || without_panel;
    const std::int64_t slice = one_slice ? a.k : kFloatSlice, step = in_registers ? slice : kFloatStep;
    const std::int64_t block = one_slice ? kPanelRows : kFloatBlock * kPanelRows;
    for (std::int64_t row = a.row_begin; row < a.row_end; row += block)
      for (std::int64_t k = 0; k < a.k; k += slice)
        block_products(
            {t, n_columns, row, a.row_end - row < block ? a.row_end : row + block, k, a.k - k < slice ? a.k - k : slice, step});
  }

  void block_products(const Part& part) const {
    for (std::int64_t row = part.row; row < part.row_end; row += kPanelRows) {
      const RowPanel rows = {row, part.row_end - row < kPanelRows ? part.row_end - row : kPanelRows};
      const bool whole_tiles = rows.valid == kPanelRows;  // rows that are not there can't be read
      RowsBehind behind = rows_behind(rows, part);
      if (a.type == tensor::DType::F32 && whole_tiles)
        in_place<float>(rows, part, behind);
      else if (a.type == tensor::DType::F16 && whole_tiles)
        halves<F16Bits>(rows, part, behind);
      else if (a.type == tensor::DType::BF16 && whole_tiles)
        halves<BF16Bits>(rows, part, behind);
      else
        dequantized(rows, part, behind);
    }
  }

  std::int64_t bytes_of(std::int64_t n_weights) const { return n_weights / block_size * block_bytes; }
  const std::byte* weights_at(std::int64_t row, std::int64_t k) const { return a.weight + row * bytes_of(a.k) + bytes_of(k); }
  template <class Element>
  RowsOf<Element> weights_of(RowPanel rows, const Part& part) const {
    return {reinterpret_cast<const Element*>(weights_at(rows.first, part.k)), a.k};
  }

  // From the weights where they lie.
  template <class Element>
  void in_place(RowPanel rows, const Part& part, RowsBehind& behind) const {
    add_tiles<kFloatTileColumns>(weights_of<Element>(rows, part), rows, part, behind);
  }

  // The first columns bring the weights into the panel, from which the others take them.
  template <class Element>
  void halves(RowPanel rows, const Part& part, RowsBehind& behind) const {
    if (part.n_columns <= kFloatTileColumns) return in_place<Element>(rows, part, behind);
    Part first = part;
    first.n_columns = kFloatTileColumns;
    add_tiles<kFloatTileColumns>(RowsToPanel<Element>{weights_of<Element>(rows, part), panel.weights[0]}, rows, first, behind);
    add_tiles<kFloatTileColumns>(PanelRows{panel.weights[0]}, rows, part, behind, kFloatTileColumns);
  }

  // From rows made floats in the panel.
  void dequantized(RowPanel rows, const Part& part, RowsBehind& behind) const {
    for (std::int64_t r = 0; r < rows.valid; ++r)
      dequantize_row(a.type, weights_at(rows.first + r, part.k), part.size, panel.weights[r]);
    add_tiles<kFloatTileColumns>(PanelRows{panel.weights[0]}, rows, part, behind);
  }

  // The panel that comes next, shared by the whole tiles of this one.
  RowsBehind rows_behind(RowPanel rows, const Part& part) const {
    std::int64_t row = rows.first + kPanelRows, k = part.k;
    if (row >= part.row_end) {
      k += part.size;
      if (k < a.k)
        row = part.row;
      else
        k = 0;
    }
    if (row + kPanelRows > a.row_end) return {};
    const std::int64_t steps = (part.size + part.step - 1) / part.step;
    const std::int64_t n_tiles = part.n_columns / kFloatTileColumns * (kPanelRows / kFloatTileRows) * steps;
    return {.row = weights_at(row, k),
            .stride = bytes_of(a.k),
            .bytes = bytes_of(a.k - k < part.size ? a.k - k : part.size),
            .n_rows = kPanelRows,
            .tiles_per_row = n_tiles > kPanelRows ? n_tiles / kPanelRows : 1};
  }

  // The part's columns from `c` on, in tiles of kColumns while they last, then in smaller ones. A step of a tile's columns
  // meets all rows while it is in the first cache, and then the next one, so that the sums stay there as well. Where one slice
  // is all, every tile has its sums in the same place.
  template <int kColumns, class Rows>
  void add_tiles(Rows w, RowPanel rows, const Part& part, RowsBehind& behind, std::int64_t c = 0) const {
    const auto x_stride = static_cast<std::int64_t>(a.x_stride / sizeof(float));
    const RowsOf<float> x = {reinterpret_cast<const float*>(a.x) + part.t * x_stride + part.k, x_stride};
    const bool is_first = part.k == 0, is_last = part.k + part.size == a.k;
    for (; c + kColumns <= part.n_columns; c += kColumns) {
      auto* sums = panel.sums[(rows.first - part.row) / kPanelRows] + (is_first && is_last ? 0 : c);
      for (std::int64_t k = 0; k < part.size; k += part.step)
        for (std::int64_t r = 0; r < rows.valid; r += kFloatTileRows)
          float_tile<kFloatTileRows, kColumns>(w.from(r, k), x.from(c, k), part.size - k < part.step ? part.size - k : part.step,
                                               sums[0][r], is_first && k == 0, behind.share());
      if (is_last)
        for (int i = 0; i < kColumns; ++i) finish(rows, part.t + c + i, sums[i]);
    }
    if constexpr (kColumns > 1)
      if (c < part.n_columns) add_tiles<(kColumns + 1) / 2>(w, rows, part, behind, c);
  }

  void finish(RowPanel rows, std::int64_t t, const float (&sums)[kPanelRows][kLanes]) const {
    Vec products = sum_each(sums);
    if (a.bias) products = add(products, load_outputs(a.bias + rows.first, rows));
    store_outputs(a.y + t * a.y_stride + rows.first, rows, products);
  }
};

void linear_float(const LinearArgs& a) {
  const tensor::DTypeTraits& type = tensor::traits(a.type);
  FloatProducts{a, reinterpret_cast<LinearScratch*>(a.scratch)->floats, type.block_size, type.block_bytes}.run();
}
