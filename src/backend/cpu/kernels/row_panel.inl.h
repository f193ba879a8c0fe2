// The rows that a product makes at once. Included inside the namespace of the set.

// 16 rows, of which `valid` are wanted, from row `first`.
struct RowPanel {
  std::int64_t first, valid;
};

// Their outputs of one column, or their biases.
inline Vec load_outputs(const float* p, RowPanel rows) { return rows.valid == kPanelRows ? load(p) : load_first(p, rows.valid); }
inline void store_outputs(float* p, RowPanel rows, Vec v) {
  if (rows.valid == kPanelRows)
    store(p, v);
  else
    store_first(p, rows.valid, v);
}
