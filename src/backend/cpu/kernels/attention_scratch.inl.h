// How the attention kernel divides its work and its scratch. Included inside a namespace of its own by each user.

constexpr std::int64_t kChunk = kAttendChunk;  // positions whose softmax is one unit of the arithmetic
constexpr std::int64_t kWord = 16;             // positions or values that one Vec holds
constexpr std::int64_t kChunkWords = kChunk / kWord;
constexpr std::int64_t kTilePairsMax = 12;                 // (row, head) pairs that the widest register tile holds
constexpr std::int64_t kPassPairs = 96;                    // pairs that share one conversion of a chunk
constexpr std::int64_t kScoreStride = kChunk + 4 * kWord;  // a tile of words may reach beyond the chunk

constexpr std::int64_t round_to_words(std::int64_t n) { return (n + kWord - 1) / kWord * kWord; }
constexpr std::int64_t round_to_groups(std::int64_t n) {
  return (n + kActivationGroup - 1) / kActivationGroup * kActivationGroup;
}

// Rows that go through the chunks together; their whole group of heads goes with them.
constexpr std::int64_t rows_per_pass(std::int64_t group) { return group < kPassPairs ? kPassPairs / group : 1; }

// Floats that one head's query takes, also as integers with the scale and the offset of each group.
constexpr std::int64_t query_floats(std::int64_t head_dim) {
  const std::int64_t width = round_to_groups(head_dim), integers = width / 4 + width / kActivationGroup * 2;
  return integers > head_dim ? integers : head_dim;
}

// Offsets in floats.
struct AttendScratch {
  std::int64_t maxima, sums;              // [pairs] of the chunks seen so far
  std::int64_t chunk_maxima, chunk_sums;  // [pairs] of this chunk
  std::int64_t queries;                   // by tile: [head_dim][pairs], or integers (attention_scores.inl.h)
  std::int64_t scores;                    // [pairs][kScoreStride], then the probabilities in their place
  std::int64_t chunk_out;                 // [pairs][head_dim, whole words]
  std::int64_t keys;                      // a chunk's keys as float32
  std::int64_t values;                    // a chunk's values as float32
  std::int64_t end;
};

constexpr AttendScratch attend_scratch_layout(std::int64_t head_dim, std::int64_t group) {
  const std::int64_t width = round_to_words(head_dim);
  const std::int64_t pairs = (rows_per_pass(group) * group + kTilePairsMax - 1) / kTilePairsMax * kTilePairsMax;
  AttendScratch at{};
  at.maxima = 0;
  at.sums = at.maxima + pairs;
  at.chunk_maxima = at.sums + pairs;
  at.chunk_sums = at.chunk_maxima + pairs;
  at.queries = round_to_words(at.chunk_sums + pairs);
  at.scores = at.queries + round_to_words(pairs * query_floats(head_dim));
  at.chunk_out = at.scores + pairs * kScoreStride;
  at.keys = at.chunk_out + pairs * width;
  at.values = at.keys + kChunk * head_dim;
  at.end = at.values + kChunk * (width + 3 * kWord);  // a copy is in whole tiles of words
  return at;
}
