// The layout that int8 products read. Block types' rows in panels of 16 (a tensor's last rows, when fewer, are made 16 by
// repeating the last); a panel's blocks by k, the same block of all 16 rows together and as long as they were apart:
//   the field at byte `o` of a block → byte 16 · o of the 16, as [field's words of 4 bytes][row]; a lone half float as [row]
// so that four neighbouring bytes of 16 rows are one load, and memory is read in one stream. Included inside the namespace of
// the set.

// Where a block type has its lone half float, which is what makes its size no multiple of four bytes: at its start or end.
enum class LoneHalf : std::uint8_t { none, first, last };

inline LoneHalf lone_half(tensor::DType type) {
  using tensor::DType;
  if (type == DType::Q3_K || type == DType::Q6_K) return LoneHalf::last;
  const bool is_first = type == DType::Q4_0 || type == DType::Q5_0 || type == DType::Q8_0 || type == DType::IQ4_NL;
  return is_first ? LoneHalf::first : LoneHalf::none;
}

// Words [begin, end) of a block of each of 16 rows, one by one.
template <class Row>
inline void pack_fields(Row row, std::size_t begin, std::size_t end, std::byte* out) {
  for (std::size_t o = begin; o < end; o += 4)
    for (std::int64_t r = 0; r < kPanelRows; ++r) std::memcpy(out + o * kPanelRows + 4 * r, row(r) + o, 4);
}

void pack_rows(const PackArgs& a) {
  const tensor::DTypeTraits& type = tensor::traits(a.type);
  const auto block_bytes = static_cast<std::size_t>(type.block_bytes);
  const std::size_t row_bytes = static_cast<std::size_t>(a.k / type.block_size) * block_bytes;
  const LoneHalf half = lone_half(a.type);
  const std::size_t begin = half == LoneHalf::first ? 2 : 0, end = block_bytes - (half == LoneHalf::last ? 2 : 0);
  const std::size_t words = (end - begin) / 16 * 16;  // that go four at a time
  const std::size_t half_at = half == LoneHalf::last ? end : 0;
  std::byte* out = a.out;
  for (std::int64_t first = 0; first < a.n_rows; first += kPanelRows) {
    const std::int64_t last = a.n_rows - 1 - first < kPanelRows ? a.n_rows - 1 - first : kPanelRows - 1;
    const bool whole = last == kPanelRows - 1;
    for (std::size_t b = 0; b < row_bytes; b += block_bytes, out += block_bytes * kPanelRows) {
      const std::byte* source = a.weight + static_cast<std::size_t>(first) * row_bytes + b;
      const auto row = [=](std::int64_t r) { return source + static_cast<std::size_t>(r < last ? r : last) * row_bytes; };
      if (whole)
        for (std::size_t o = begin; o < begin + words; o += 16) {
          const FourQuads four = gather_quads(source + o, row_bytes);
          auto* to = reinterpret_cast<std::uint8_t*>(out + o * kPanelRows);
          repeat<4>([&](auto j) { store_quads(to + j.value * sizeof(Quads), four.part[j.value]); });
        }
      pack_fields(row, whole ? begin + words : begin, end, out);
      if (half != LoneHalf::none)
        for (std::int64_t r = 0; r < kPanelRows; ++r) std::memcpy(out + half_at * kPanelRows + 2 * r, row(r) + half_at, 2);
    }
  }
}
