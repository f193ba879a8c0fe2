// Products with float32 activations. The written order: for each output element 16 partial sums by k mod 16, each an fma
// chain with k ascending, then sum()'s tree, then the bias. The lanes are the partial sums; weights of other types than
// F32 become floats, 16 rows × a slice of k at a time (halves on their way to a few columns: at once), for up to kFloatColumns
// columns, whose partial sums wait in the scratch between slices. Where k is no multiple of 16, the missing products are 0 · 0.
// Included inside the namespace of the set.

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

struct PanelRows {
  const float* first;
  static constexpr std::int64_t stride = kFloatSlice;
  const float* row(std::int64_t r) const { return first + r * stride; }
  PanelRows from(std::int64_t r, std::int64_t k) const { return {row(r) + k}; }
  void keep(std::int64_t, std::int64_t, Vec) const {}
};

// Rows whose weights, made floats for the products, also go to the panel.
template <class Element>
struct RowsToPanel : RowsOf<Element> {
  float* panel;
  RowsToPanel from(std::int64_t r, std::int64_t k) const { return {RowsOf<Element>::from(r, k), panel + r * kFloatSlice + k}; }
  void keep(std::int64_t r, std::int64_t k, Vec weight) const { store(panel + r * kFloatSlice + k, weight); }
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

struct FloatProducts {
  const LinearArgs& a;
  FloatPanel& panel;
  std::int64_t block_size, block_bytes;

  void run() const {
    for (std::int64_t t = 0; t < a.n_cols; t += kFloatColumns)
      for (std::int64_t r = a.row_begin; r < a.row_end; r += kPanelRows)
        panel_products({r, a.row_end - r < kPanelRows ? a.row_end - r : kPanelRows}, t,
                       a.n_cols - t < kFloatColumns ? a.n_cols - t : kFloatColumns);
  }

 private:
  // Columns t … t + n_columns - 1 of the rows.
  void panel_products(RowPanel rows, std::int64_t t, std::int64_t n_columns) const {
    const bool whole_tiles = rows.valid == kPanelRows;  // rows that are not there can't be read
    if (a.type == tensor::DType::F32 && whole_tiles)
      in_place<float>(rows, t, n_columns);
    else if (a.type == tensor::DType::F16 && whole_tiles)
      halves<F16Bits>(rows, t, n_columns);
    else if (a.type == tensor::DType::BF16 && whole_tiles)
      halves<BF16Bits>(rows, t, n_columns);
    else
      dequantized(rows, t, n_columns);
  }

  template <class Element>
  RowsOf<Element> weights_of(RowPanel rows) const {
    return {reinterpret_cast<const Element*>(a.weight) + rows.first * a.k, a.k};
  }

  // From the weights where they lie.
  template <class Element>
  void in_place(RowPanel rows, std::int64_t t, std::int64_t n_columns) const {
    const bool in_registers = n_columns <= kFloatTileColumns;  // the sums, to the end
    const std::int64_t size = in_registers ? a.k : kFloatSlice, step = in_registers ? a.k : kFloatStep;
    for (std::int64_t k = 0; k < a.k; k += size) {
      const Part part = {t, n_columns, k, a.k - k < size ? a.k - k : size, step};
      LinesBehind behind = lines_behind(rows, part);
      add_tiles<kFloatTileColumns>(weights_of<Element>(rows).from(0, k), rows, part, behind);
    }
  }

  // The first columns bring the weights into the panel, from which the others take them.
  template <class Element>
  void halves(RowPanel rows, std::int64_t t, std::int64_t n_columns) const {
    if (n_columns <= kFloatTileColumns) return in_place<Element>(rows, t, n_columns);
    for (std::int64_t k = 0; k < a.k; k += kFloatSlice) {
      const Part part = {t, n_columns, k, a.k - k < kFloatSlice ? a.k - k : kFloatSlice, kFloatStep};
      Part first = part;
      first.n_columns = kFloatTileColumns;
      LinesBehind behind = lines_behind(rows, part);
      add_tiles<kFloatTileColumns>(RowsToPanel<Element>{weights_of<Element>(rows).from(0, k), panel.weights[0]}, rows, first, behind);
      add_tiles<kFloatTileColumns>(PanelRows{panel.weights[0]}, rows, part, behind, kFloatTileColumns);
    }
  }

  // From rows made floats in the panel.
  void dequantized(RowPanel rows, std::int64_t t, std::int64_t n_columns) const {
    const std::size_t row_bytes = static_cast<std::size_t>(a.k / block_size * block_bytes);
    for (std::int64_t k = 0; k < a.k; k += kFloatSlice) {
      const std::byte* first = a.weight + static_cast<std::size_t>(rows.first) * row_bytes + k / block_size * block_bytes;
      const Part part = {t, n_columns, k, a.k - k < kFloatSlice ? a.k - k : kFloatSlice, kFloatStep};
      for (std::int64_t r = 0; r < rows.valid; ++r)
        dequantize_row(a.type, first + static_cast<std::size_t>(r) * row_bytes, part.size, panel.weights[r]);
      LinesBehind behind = lines_behind(rows, part);
      add_tiles<kFloatTileColumns>(PanelRows{panel.weights[0]}, rows, part, behind);
    }
  }

  // Columns t … and weights k … of a panel, a step of these at a time.
  struct Part {
    std::int64_t t, n_columns, k, size, step;
  };
  // The part's share of the next panel, for its whole tiles.
  LinesBehind lines_behind(RowPanel rows, const Part& part) const {
    const std::int64_t steps = (part.size + part.step - 1) / part.step;
    const std::int64_t tiles = part.n_columns / kFloatTileColumns * (kPanelRows / kFloatTileRows) * steps;
    if (rows.first + 2 * kPanelRows > a.row_end) return {};
    const std::int64_t row_bytes = a.k / block_size * block_bytes, bytes = part.size / block_size * block_bytes * kPanelRows;
    const std::int64_t begin = (rows.first + kPanelRows) * row_bytes + part.k / block_size * block_bytes * kPanelRows;
    return LinesBehind::shared_by(tiles, a.weight + begin, bytes);
  }

  // The part's columns from `c` on, in tiles of kColumns while they last, then in smaller ones. A step of a tile's columns
  // meets all rows while it is in the first cache, and then the next one, so that the sums stay there as well. Where one slice
  // is all, every tile has its sums in the same place.
  template <int kColumns, class Rows>
  void add_tiles(Rows w, RowPanel rows, const Part& part, LinesBehind& behind, std::int64_t c = 0) const {
    const auto x_stride = static_cast<std::int64_t>(a.x_stride / sizeof(float));
    const RowsOf<float> x = {reinterpret_cast<const float*>(a.x) + part.t * x_stride + part.k, x_stride};
    const bool is_first = part.k == 0, is_last = part.k + part.size == a.k;
    for (; c + kColumns <= part.n_columns; c += kColumns) {
      auto* sums = panel.sums + (is_first && is_last ? 0 : c);
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
