// How the attention kernel divides its work and its scratch. Included inside a namespace of its own by each user.

constexpr std::int64_t kChunk = 256;                       // positions whose softmax is one unit of the arithmetic
constexpr std::int64_t kWord = 16;                         // positions or values that one Vec holds
constexpr std::int64_t kTilePairsMax = 12;                 // (row, head) pairs that the widest register tile holds
constexpr std::int64_t kPassPairs = 96;                    // pairs that share one conversion of a chunk
constexpr std::int64_t kScoreStride = kChunk + 4 * kWord;  // a tile of words may reach beyond the chunk

constexpr std::int64_t round_to_words(std::int64_t n) { return (n + kWord - 1) / kWord * kWord; }

// Rows that go through the chunks together; their whole group of heads goes with them.
constexpr std::int64_t rows_per_pass(std::int64_t group) { return group < kPassPairs ? kPassPairs / group : 1; }

// Offsets in floats.
struct AttendScratch {
  std::int64_t maxima, sums;  // [pairs] of the chunks seen so far
  std::int64_t queries;       // tiles of [head_dim][pairs of the tile]
  std::int64_t scores;        // [tile pairs][kScoreStride], then the probabilities in their place
  std::int64_t chunk_out;     // [tile pairs][head_dim, whole words]
  std::int64_t keys;          // a chunk's keys as float32, [4][head_dim][64]
  std::int64_t values;        // a chunk's values as float32, [256][head_dim, whole words]
  std::int64_t end;
};

constexpr AttendScratch attend_scratch_layout(std::int64_t head_dim, std::int64_t group) {
  const std::int64_t width = round_to_words(head_dim);
  const std::int64_t pairs = (rows_per_pass(group) * group + kTilePairsMax - 1) / kTilePairsMax * kTilePairsMax;
  AttendScratch at{};
  at.maxima = 0;
  at.sums = at.maxima + pairs;
  at.queries = round_to_words(at.sums + pairs);
  at.scores = at.queries + round_to_words(pairs * head_dim);
  at.chunk_out = at.scores + kTilePairsMax * kScoreStride;
  at.keys = at.chunk_out + kTilePairsMax * width;
  at.values = at.keys + kChunk * head_dim;
  at.end = at.values + kChunk * width;
  return at;
}
