// Products of block weights with int8 activations. One written order for every path, so that the number of columns, the
// range of rows and the instruction set can't be seen in the bits; for each output element, groups ascending:
//   acc = fma(w_scale · x_scale, float(Σ w · x), acc)          the sum of integers exact, zero points inside it
//   acc = fma(minimum, x_scale · Σ x, acc)                     types with minima only, right after
// of fine activations with x = 256 · coarse + fine, a whole number, and the scale and the sum of the second row. The bias is
// added last. Groups have 32 weights, in Q2_K, Q3_K and Q6_K 16. The lanes are 16 rows: few columns are computed while the
// weights are unpacked, many from a panel of unpacked bytes, a slice of k at a time. Included inside the namespace of the set.

// One row of a column's activations from the start of a slice on.
struct Column {
  const std::int8_t* q;
  const ActivationGroup* groups;
};

// `plane`: 0 the coarse row, 1 the fine one.
inline Column column_at(const LinearArgs& a, std::int64_t t, std::int64_t k, int plane) {
  const std::byte* row =
      a.x + static_cast<std::size_t>(t) * a.x_stride + static_cast<std::size_t>(plane) * activation_row_bytes(a.k);
  const auto* groups = reinterpret_cast<const ActivationGroup*>(row + a.k);
  return {reinterpret_cast<const std::int8_t*>(row) + k, groups + k / kActivationGroup};
}

// A column's activations that meet the slice's group `index`: the 32, or a half of them. Of fine ones the second row's, and the
// first row's besides.
struct GroupPart {
  const ActivationGroup& group;
  const ActivationGroup& coarse;
  std::int64_t index;
};

// acc with a group's product: `total` is the sum of its integers.
template <class K, int kPlanes>
[[gnu::always_inline]] inline Vec with_group(Vec acc, Ints total, const Factors& factors, GroupPart x) {
  const Vec scale = mul(load(factors.scale), splat(x.group.scale));
  acc = fma(scale, to_floats(total), acc);
  if constexpr (K::kForm == Form::minimum) {
    std::int32_t half = x.group.half_offset[x.index % 2];
    if constexpr (kPlanes == 2) half += 256 * x.coarse.half_offset[x.index % 2];
    const float sum =
        K::kGroup == kActivationGroup ? x.group.scaled_sum : x.group.scale * (static_cast<float>(half) * (-1.0f / 128));
    acc = fma(load(factors.minimum), splat(sum), acc);
  }
  return acc;
}

// The sum of a group's integers from those of its planes, the coarse one's first.
inline Ints of_planes(Ints coarse, Ints fine) { return plus(shifted_left<8>(coarse), fine); }

// Adds to acc, one per column, the products of the slice's group `index`; weight(Index<j>) is its j-th Quads. A column's
// kPlanes rows are neighbours in x.
template <class K, int kPlanes, int kRows, class Weight>
[[gnu::always_inline]] inline void add_group(const Column (&x)[kRows], std::int64_t index, const Factors& factors, Weight weight,
                                             Vec (&acc)[kRows / kPlanes]) {
  constexpr int kSteps = K::kGroup / 4;
  constexpr bool kWhole = K::kGroup == kActivationGroup;
  const std::int64_t outer = kWhole ? index : index / 2;
  Dots<K, kRows> dots;
  repeat<kRows>([&](auto c) {
    const ActivationGroup& group = x[c.value].groups[outer];
    dots.template start<c.value>(kWhole ? group.offset : group.half_offset[index % 2]);
  });
  repeat<kSteps>([&](auto j) {
    const Quads w = weight(j);
    repeat<kRows>([&](auto c) { dots.template add<c.value, j.value>(w, x[c.value].q + index * K::kGroup + 4 * j.value); });
  });
  repeat<kRows / kPlanes>([&](auto c) {
    constexpr int kFirst = c.value * kPlanes, kLast = kFirst + kPlanes - 1;
    Ints total = dots.template total<kFirst, kSteps>();
    if constexpr (kPlanes == 2) total = of_planes(total, dots.template total<kLast, kSteps>());
    acc[c.value] = with_group<K, kPlanes>(acc[c.value], total, factors, {x[kLast].groups[outer], x[kFirst].groups[outer], index});
  });
}

inline void finish_outputs(const LinearArgs& a, RowPanel rows, std::int64_t t, Vec acc, bool last_slice) {
  if (last_slice && a.bias) acc = add(acc, load_outputs(a.bias + rows.first, rows));
  store_outputs(a.y + t * a.y_stride + rows.first, rows, acc);
}

// Weights k … k + size - 1 of 16 rows.
struct Slice {
  RowPanel rows;
  std::int64_t k, size;
};

inline std::int64_t lines_a_group(const LinesBehind& behind, std::int64_t n_groups) {
  return (behind.n + n_groups - 1) / n_groups;
}

// The products of an unpacked slice with columns t … t + kColumns-1; between slices the sums wait in y.
template <class K, int kPlanes, int kColumns>
inline void panel_tile(const LinearArgs& a, const Int8Panel& panel, const Slice& slice, std::int64_t t, LinesBehind behind) {
  Vec acc[kColumns];
  Column x[kColumns * kPlanes];
  repeat<kColumns>([&](auto c) {
    acc[c.value] = slice.k == 0 ? zero() : load_outputs(a.y + (t + c.value) * a.y_stride + slice.rows.first, slice.rows);
    // The next tile's sums, which are far apart in y.
    if (t + kColumns + c.value < a.n_cols) __builtin_prefetch(a.y + (t + kColumns + c.value) * a.y_stride + slice.rows.first, 1);
  });
  repeat<kColumns * kPlanes>([&](auto r) { x[r.value] = column_at(a, t + r.value / kPlanes, slice.k, r.value % kPlanes); });
  const std::int64_t n_groups = slice.size / K::kGroup;
  const std::int64_t asked = lines_a_group(behind, n_groups);
  const std::uint8_t* weights = panel.weights;
  for (std::int64_t index = 0; index < n_groups; ++index, weights += K::kGroup * kPanelRows) {
    behind.ask(asked);
    add_group<K, kPlanes>(
        x, index, panel.factors[index], [&](auto j) { return load_quads(weights + j.value * sizeof(Quads)); }, acc);
  }
  repeat<kColumns>([&](auto c) { finish_outputs(a, slice.rows, t + c.value, acc[c.value], slice.k + slice.size == a.k); });
}

// An unpacked slice of several panels, neighbours in the weight.
struct Panels {
  const Int8Panel* first;
  std::int64_t n;
  Slice slice;                             // of all their rows
  LinesBehind behind[kPanelsAtOnce] = {};  // the same slice of as many panels further, for whole tiles
  Slice of(std::int64_t panel) const {
    const std::int64_t row = panel * kPanelRows, left = slice.rows.valid - row;
    return {{slice.rows.first + row, left < kPanelRows ? left : kPanelRows}, slice.k, slice.size};
  }
};

// Columns from t on, in tiles of kColumns while they last, then in smaller ones.
template <class K, int kPlanes, int kColumns>
void panel_products(const LinearArgs& a, Panels& panels, std::int64_t t = 0) {
  for (; t + kColumns <= a.n_cols; t += kColumns)
    for (std::int64_t p = 0; p < panels.n; ++p)
      panel_tile<K, kPlanes, kColumns>(a, panels.first[p], panels.of(p), t, panels.behind[p].share());
  if constexpr (kColumns > 1)
    if (t < a.n_cols) panel_products<K, kPlanes, kColumns / 2>(a, panels, t);
}

// The same by matrix tiles: the integers of some groups, then the floats of them all. For a while after a tile instruction
// other arithmetic is slow (README.md), so the longer each of the two lasts, the better; but the integers should stay in the
// first cache.
template <class K, int kPlanes, int kColumns>
void tile_columns(const LinearArgs& a, const Int8Panel& panel, const Slice& slice, std::int64_t t, LinesBehind behind) {
  constexpr std::int64_t kParts = kActivationGroup / K::kGroup, kMost = 18 / kPlanes;
  alignas(64) std::int32_t sums[kMost][kPlanes][kColumns][kPanelRows];
  const Column x[2] = {column_at(a, t, slice.k, 0), column_at(a, t, slice.k, kPlanes - 1)};
  Vec acc[kColumns];
  repeat<kColumns>([&](auto c) {
    acc[c.value] = slice.k == 0 ? zero() : load_outputs(a.y + (t + c.value) * a.y_stride + slice.rows.first, slice.rows);
  });
  const std::int64_t n_groups = slice.size / K::kGroup, asked = lines_a_group(behind, n_groups);
  for (std::int64_t first = 0; first < n_groups; first += kMost) {
    const std::int64_t end = first + kMost < n_groups ? first + kMost : n_groups;
    for (std::int64_t index = first; index < end; ++index) {
      behind.ask(asked);
      const std::uint8_t* weights = panel.weights + index * K::kGroup * kPanelRows;
      repeat<kPlanes>([&](auto plane) {
        Tiles<K>::template multiply<plane.value>(x[plane.value].q + index * K::kGroup, a.x_stride, weights,
                                                 sums[index - first][plane.value]);
      });
    }
    for (std::int64_t index = first; index < end; ++index)
      repeat<kColumns>([&](auto c) {
        const auto group = [&](int plane) -> const ActivationGroup& {
          const auto* groups = reinterpret_cast<const std::byte*>(x[plane].groups + index / kParts);
          return *reinterpret_cast<const ActivationGroup*>(groups + c.value * a.x_stride);
        };
        const auto& planes = sums[index - first];
        Ints total = Tiles<K>::load(planes[0][c.value]);
        if constexpr (kPlanes == 2) total = of_planes(total, Tiles<K>::load(planes[1][c.value]));
        acc[c.value] = with_group<K, kPlanes>(acc[c.value], total, panel.factors[index], {group(kPlanes - 1), group(0), index});
      });
  }
  repeat<kColumns>([&](auto c) { finish_outputs(a, slice.rows, t + c.value, acc[c.value], slice.k + slice.size == a.k); });
}

template <class K, int kPlanes, int kColumns>
void tile_products(const LinearArgs& a, Panels& panels, std::int64_t t = 0) {
  if (t + kColumns <= a.n_cols) Tiles<K>::template configure<kColumns>();
  for (; t + kColumns <= a.n_cols; t += kColumns)
    for (std::int64_t p = 0; p < panels.n; ++p)
      tile_columns<K, kPlanes, kColumns>(a, panels.first[p], panels.of(p), t, panels.behind[p].share());
  if constexpr (kColumns > 1)
    if (t < a.n_cols) tile_products<K, kPlanes, kColumns / 2>(a, panels, t);
}

template <class F, int kPlanes>
struct Int8Products {
  static constexpr std::int64_t kGroups = F::kSize / F::kGroup;                       // of a block
  static constexpr std::size_t kBlockBytes = sizeof(typename F::Block) * kPanelRows;  // of 16 rows

  const LinearArgs& a;
  Int8Panel* scratch;  // kPanelsAtOnce

  void run() const {
    constexpr int kTile = kTileColumns < kPlanes ? 1 : kTileColumns / kPlanes;
    // The more a block has to be taken apart, the sooner that pays to be done once for all columns.
    constexpr int kWorth = kDirectColumns / kPlanes / (F::kGroup == 16 ? 4 : F::kSize == 256 ? 2 : 1);
    constexpr int kFew = kWorth < 1 ? 1 : kWorth;
    constexpr int kAtOnce = kAtOnceColumns < kPlanes ? 1 : kAtOnceColumns / kPlanes;
    if constexpr (!kMatrixTiles)
      if (a.n_cols <= kFew) return each_panel([&](RowPanel rows) { direct_columns<(kAtOnce < kFew ? kAtOnce : kFew)>(rows); });
    for (std::int64_t k = 0; k < a.k; k += kInt8Slice)
      for (std::int64_t row = a.row_begin; row < a.row_end; row += kPanelsAtOnce * kPanelRows) {
        const std::int64_t left = a.row_end - row, n_rows = left < kPanelsAtOnce * kPanelRows ? left : kPanelsAtOnce * kPanelRows;
        Panels panels{
            scratch, (n_rows + kPanelRows - 1) / kPanelRows, {{row, n_rows}, k, a.k - k < kInt8Slice ? a.k - k : kInt8Slice}};
        for (std::int64_t p = 0; p < panels.n; ++p) {
          unpack(panels.of(p), scratch[p]);
          panels.behind[p] = lines_behind(panels.of(p), kMatrixTiles ? 16 : kTile);
        }
        if constexpr (kMatrixTiles)
          tile_products<Stored<F>, kPlanes, 16>(a, panels);
        else
          panel_products<Stored<F>, kPlanes, kTile>(a, panels);
      }
    if constexpr (kMatrixTiles) Tiles<Stored<F>>::release();
  }

  template <class Body>
  void each_panel(Body body) const {
    for (std::int64_t r = a.row_begin; r < a.row_end; r += kPanelRows)
      body(RowPanel{r, a.row_end - r < kPanelRows ? a.row_end - r : kPanelRows});
  }

  const std::byte* first_block(Slice slice) const {
    const std::int64_t before = (slice.rows.first - a.row_begin) / kPanelRows * (a.k / F::kSize) + slice.k / F::kSize;
    return a.weight + static_cast<std::size_t>(before) * kBlockBytes;
  }
  // body(block's number, the block of 16 rows) for each block of the slice.
  template <class Body>
  [[gnu::always_inline]] void each_block(Slice slice, Body body) const {
    const std::int64_t n = slice.size / F::kSize;
    const std::byte* at = first_block(slice);
    for (std::int64_t b = 0; b < n; ++b, at += kBlockBytes) body(b, Blocks{at});
  }

  // Where the weight lies packed, what comes after it is most likely this thread's next piece.
  LinesBehind lines_behind(Slice slice, std::int64_t tile_columns) const {
    if (a.ahead != kWeightsAhead) return {};
    const std::size_t panel_bytes = static_cast<std::size_t>(a.k / F::kSize) * kBlockBytes;
    return LinesBehind::shared_by(a.n_cols / tile_columns, first_block(slice) + kPanelsAtOnce * panel_bytes,
                                  slice.size / F::kSize * static_cast<std::int64_t>(kBlockBytes));
  }

  // Asks memory for what is a group's to ask for: all of a large block at once would wait for room in the queues.
  [[gnu::always_inline]] void ask_ahead(Blocks block, int group) const {
    constexpr std::size_t kLine = 64, kLines = (kBlockBytes / kLine + kGroups - 1) / kGroups;
    const std::byte* first = block.first + static_cast<std::size_t>(group) * kLines * kLine;
    repeat<kLines>([&](auto line) {
      __builtin_prefetch(first + a.ahead + line.value * kLine, 0, 2);
      __builtin_prefetch(first + kNear + line.value * kLine, 0, 3);
    });
  }

  void unpack(Slice slice, Int8Panel& panel) const {
    each_block(slice, [&](std::int64_t b, Blocks block) {
      F::factors(block, panel.factors + b * kGroups);
      std::uint8_t* out = panel.weights + b * F::kSize * kPanelRows;
      F::weights(block, [&](int g, const Group<F::kGroup>& group) {
        ask_ahead(block, g);
        repeat<F::kGroup / 4>([&](auto j) {
          store_quads(out + (g * F::kGroup / 4 + j.value) * sizeof(Quads), stored_step<F, j.value>(group.quads));
        });
      });
    });
  }

  // All of k for columns t … t + kColumns-1.
  template <int kColumns>
  void direct(RowPanel rows, std::int64_t t) const {
    Vec acc[kColumns];
    Column x[kColumns * kPlanes];
    repeat<kColumns>([&](auto c) { acc[c.value] = zero(); });
    repeat<kColumns * kPlanes>([&](auto r) { x[r.value] = column_at(a, t + r.value / kPlanes, 0, r.value % kPlanes); });
    each_block({rows, 0, a.k}, [&](std::int64_t b, Blocks block) {
      Factors factors[kGroups];
      F::factors(block, factors);
      F::weights(block, [&](int g, const Group<F::kGroup>& group) {
        ask_ahead(block, g);
        add_group<Plain<F>, kPlanes>(
            x, b * kGroups + g, factors[g], [&](auto j) { return at_once_step<F, j.value>(group.quads); }, acc);
      });
    });
    repeat<kColumns>([&](auto c) { finish_outputs(a, rows, t + c.value, acc[c.value], true); });
  }
  // All columns, kMost at a time while they last.
  template <int kMost>
  void direct_columns(RowPanel rows, std::int64_t t = 0) const {
    for (; t + kMost <= a.n_cols; t += kMost) direct<kMost>(rows, t);
    if constexpr (kMost > 1)
      if (t < a.n_cols) direct_columns<(kMost > 4 ? kMost / 2 : kMost - 1)>(rows, t);
  }
};

template <class F>
void int8_products(const LinearArgs& a) {
  Int8Panel* scratch = reinterpret_cast<LinearScratch*>(a.scratch)->int8;
  if (a.fine)
    Int8Products<F, 2>{a, scratch}.run();
  else
    Int8Products<F, 1>{a, scratch}.run();
}

void linear_int8(const LinearArgs& a) {
  using tensor::DType;
  switch (a.type) {
    case DType::Q4_0:
      return int8_products<FormatQ4_0>(a);
    case DType::Q4_1:
      return int8_products<FormatQ4_1>(a);
    case DType::Q5_0:
      return int8_products<FormatQ5_0>(a);
    case DType::Q5_1:
      return int8_products<FormatQ5_1>(a);
    case DType::Q8_0:
      return int8_products<FormatQ8_0>(a);
    case DType::Q2_K:
      return int8_products<FormatQ2_K>(a);
    case DType::Q3_K:
      return int8_products<FormatQ3_K>(a);
    case DType::Q4_K:
      return int8_products<FormatQ4_K>(a);
    case DType::Q5_K:
      return int8_products<FormatQ5_K>(a);
    case DType::Q6_K:
      return int8_products<FormatQ6_K>(a);
    case DType::IQ4_NL:
      return int8_products<FormatIQ4_NL>(a);
    case DType::IQ4_XS:
      return int8_products<FormatIQ4_XS>(a);
    case DType::F32:
    case DType::F16:
    case DType::BF16:
      break;  // linear_float's; the program never sends them here
  }
}
