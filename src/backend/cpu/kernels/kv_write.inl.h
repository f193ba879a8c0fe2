// One token's keys and values into the paged store: keys transposed, values in rows (kv_view.h), f16 rounded to even.

// Converts head_dim values a word at a time: put(d, n, word of the stored type).
template <class Element, class Put>
inline void convert_head(const float* x, std::int64_t head_dim, Put put) {
  for (std::int64_t d = 0; d < head_dim; d += kLanes) {
    const std::int64_t n = head_dim - d < kLanes ? head_dim - d : kLanes;
    const Vec in = n == kLanes ? load(x + d) : load_first(x + d, n);
    Element word[kLanes];
    if constexpr (sizeof(Element) == 2)
      store_f16(word, in);
    else
      store(word, in);
    put(d, n, word);
  }
}

template <class Element>
inline void kv_write_as(const KvView& store_view, std::int64_t first_element, std::int64_t slot, const float* k, const float* v) {
  const std::int64_t head_dim = store_view.head_dim, block_tokens = store_view.block_tokens;
  for (std::int64_t head = 0; head < store_view.n_kv_heads; ++head) {
    const std::int64_t base = first_element + head * store_view.head_elements();
    Element* keys = reinterpret_cast<Element*>(store_view.k) + base + slot;
    Element* values = reinterpret_cast<Element*>(store_view.v) + base + slot * head_dim;
    convert_head<Element>(k + head * head_dim, head_dim, [&](std::int64_t d, std::int64_t n, const Element* word) {
      for (std::int64_t i = 0; i < n; ++i) keys[(d + i) * block_tokens] = word[i];
    });
    convert_head<Element>(v + head * head_dim, head_dim, [&](std::int64_t d, std::int64_t n, const Element* word) {
      for (std::int64_t i = 0; i < n; ++i) values[d + i] = word[i];
    });
  }
}

void kv_write(const KvView& store_view, std::uint32_t block, std::int64_t slot, const float* k, const float* v) {
  const std::int64_t first_element = static_cast<std::int64_t>(block) * store_view.block_elements();
  if (store_view.type == tensor::DType::F16)
    kv_write_as<std::uint16_t>(store_view, first_element, slot, k, v);
  else
    kv_write_as<float>(store_view, first_element, slot, k, v);
}
