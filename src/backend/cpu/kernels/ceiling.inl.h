// What the machine does at best with this set's instructions: the measure that speeds are held against (ceiling.h).

using PeakDot = Dot<Stored<Kind<32, Form::zero_point, 8, 15>>>;
// As many sums as the registers hold beside a word of weights and one of activations; a dozen hide any product's latency.
constexpr int kPeakFit = (kVecRegisters - 2) * static_cast<int>(sizeof(Vec)) / static_cast<int>(sizeof(PeakDot));
constexpr int kPeakChains = kPeakFit < 1 ? 1 : kPeakFit > 12 ? 12 : kPeakFit;
constexpr int kPeakSteps = 8;
// Steps of one chain before it is the next one's turn: a sum that is all there is to wait for wants others in between.
constexpr int kPeakRun = sizeof(PeakDot) == sizeof(Vec) ? 1 : kPeakSteps;

// The products of linear_int8 without what feeds them: weights in a register, activations from the first cache level.
std::int64_t int8_peak(std::int64_t rounds, float* sink) {
  alignas(64) std::int8_t x[kPeakChains * kPeakSteps * 4];
  for (std::size_t i = 0; i < sizeof(x); ++i) x[i] = static_cast<std::int8_t>(static_cast<int>(i * 37 % 251) - 125);
  alignas(64) std::uint8_t bytes[sizeof(Quads)];
  for (std::size_t i = 0; i < sizeof(bytes); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 % 16);
  const Quads w = load_quads(bytes);
  const std::int8_t* activations = x;
  asm volatile("" : "+r"(activations) : : "memory");
  PeakDot dots[kPeakChains];
  repeat<kPeakChains>([&](auto chain) { dots[chain.value].start(128 * chain.value); });
  for (std::int64_t round = 0; round < rounds; ++round) {
    repeat<kPeakSteps / kPeakRun>([&](auto run) {
      repeat<kPeakChains>([&](auto chain) {
        // The compiler must not see that every round reads the same, nor mix the chains until registers run out.
        asm volatile("" : "+r"(activations));
        repeat<kPeakRun>([&](auto i) {
          constexpr int kStep = run.value * kPeakRun + i.value;
          dots[chain.value].template add<kStep>(w, activations + 4 * (chain.value * kPeakSteps + kStep));
        });
      });
    });
  }
  Vec sum = zero();
  repeat<kPeakChains>([&](auto chain) { sum = add(sum, to_floats(dots[chain.value].template total<kPeakSteps>())); });
  store(sink, sum);
  return rounds * kPeakSteps * kPeakChains * kPanelRows * 4 * 2;
}

// n a multiple of 512, p aligned to 64: every byte goes through a register, asked for as early as by the products.
void read_bytes(const std::byte* p, std::size_t n, std::uint8_t* sink) {
  constexpr std::size_t kStreams = 8;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(p);
  Quads seen[kStreams];
  repeat<kStreams>([&](auto i) { seen[i.value] = load_quads(bytes + i.value * sizeof(Quads)); });
  for (std::size_t at = 0; at < n; at += kStreams * sizeof(Quads)) {
    for (std::size_t i = 0; i < kStreams * sizeof(Quads); i += 64) __builtin_prefetch(bytes + at + kWeightsAhead + i, 0, 2);
    repeat<kStreams>([&](auto i) { seen[i.value] = either(seen[i.value], load_quads(bytes + at + i.value * sizeof(Quads))); });
  }
  repeat<kStreams>([&](auto i) { store_quads(sink + i.value * sizeof(Quads), seen[i.value]); });
}
