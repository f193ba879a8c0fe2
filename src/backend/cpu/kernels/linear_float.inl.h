// Products with float32 activations. The written order: for each output element 16 partial sums by k mod 16, each an fma
// chain with k ascending, then sum()'s tree, then the bias. The lanes are the partial sums; weights of other types than
// F32 become floats, 16 rows × a slice of k at a time, for up to kFloatColumns columns, whose partial sums wait in the
// scratch between slices. Where k is no multiple of 16, the missing products are 0 · 0. Included inside the namespace of
// the set.

struct FloatRows {
  const float* first;
  std::int64_t stride;  // floats from a row to the next
  const float* row(std::int64_t r) const { return first + r * stride; }
};

// Adds the slice's products to kRows rows × kColumns columns of sums[column][row][16].
template <int kRows, int kColumns>
inline void float_tile(FloatRows w, FloatRows x, std::int64_t n, float* sums) {
  const auto place = [=](auto r, auto c) { return sums + (c.value * kPanelRows + r.value) * kLanes; };
  Vec acc[kRows][kColumns];
  repeat<kRows>([&](auto r) { repeat<kColumns>([&](auto c) { acc[r.value][c.value] = load(place(r, c)); }); });
  const auto add_word = [&](auto load_word) {
    Vec in[kColumns];
    repeat<kColumns>([&](auto c) { in[c.value] = load_word(x.row(c.value)); });
    repeat<kRows>([&](auto r) {
      const Vec weight = load_word(w.row(r.value));
      repeat<kColumns>([&](auto c) { acc[r.value][c.value] = fma(weight, in[c.value], acc[r.value][c.value]); });
    });
  };
  std::int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) add_word([=](const float* row) { return load(row + k); });
  if (k < n) add_word([=](const float* row) { return load_first(row + k, n - k); });
  repeat<kRows>([&](auto r) { repeat<kColumns>([&](auto c) { store(place(r, c), acc[r.value][c.value]); }); });
}

constexpr int kFloatTileRows = 4;
constexpr int kFloatTileColumns = sizeof(Vec) == sizeof(Quads) && kTileColumns == 8 ? 6 : 2;

template <int kMost>
inline void float_tile_of(FloatRows w, FloatRows x, std::int64_t n, float* sums, std::int64_t n_columns) {
  if constexpr (kMost > 1)
    if (n_columns < kMost) return float_tile_of<kMost - 1>(w, x, n, sums, n_columns);
  float_tile<kFloatTileRows, kMost>(w, x, n, sums);
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
    std::memset(panel.sums, 0, static_cast<std::size_t>(n_columns) * sizeof(panel.sums[0]));
    const auto x_stride = static_cast<std::int64_t>(a.x_stride / sizeof(float));
    for (std::int64_t k = 0; k < a.k; k += kFloatSlice) {
      const std::int64_t n = a.k - k < kFloatSlice ? a.k - k : kFloatSlice;
      const FloatRows weights = slice(rows, k, n);
      for (std::int64_t c = 0; c < n_columns; c += kFloatTileColumns) {
        const FloatRows x = {reinterpret_cast<const float*>(a.x) + (t + c) * x_stride + k, x_stride};
        for (std::int64_t r = 0; r < rows.valid; r += kFloatTileRows)
          float_tile_of<kFloatTileColumns>({weights.row(r), weights.stride}, x, n, panel.sums[c][r], n_columns - c);
      }
    }
    for (std::int64_t c = 0; c < n_columns; ++c)
      for (std::int64_t r = 0; r < rows.valid; ++r) {
        const float product = sum(load(panel.sums[c][r]));
        a.y[(t + c) * a.y_stride + rows.first + r] = a.bias ? product + a.bias[rows.first + r] : product;
      }
  }

  // The slice as floats: F32 where it lies when all 16 rows are there, others in the panel.
  FloatRows slice(RowPanel rows, std::int64_t k, std::int64_t n) const {
    const std::size_t row_bytes = static_cast<std::size_t>(a.k / block_size * block_bytes);
    const std::byte* first = a.weight + static_cast<std::size_t>(rows.first) * row_bytes + k / block_size * block_bytes;
    if (a.type == tensor::DType::F32 && rows.valid == kPanelRows) return {reinterpret_cast<const float*>(first), a.k};
    for (std::int64_t r = 0; r < rows.valid; ++r)
      dequantize_row(a.type, first + static_cast<std::size_t>(r) * row_bytes, n, panel.weights[r]);
    return {panel.weights[0], kFloatSlice};
  }
};

void linear_float(const LinearArgs& a) {
  const tensor::DTypeTraits& type = tensor::traits(a.type);
  FloatProducts{a, reinterpret_cast<LinearScratch*>(a.scratch)->floats, type.block_size, type.block_bytes}.run();
}
