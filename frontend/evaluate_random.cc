#include <bit>
#include <cstring>

#include "frontend/evaluate.h"
#include "frontend/random.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

std::array<uint32_t, 2> Threefry(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key) {
  static constexpr int kRotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[] = {key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]};
  auto [a, b] = counter;
  a += keys[0];
  b += keys[1];
  for (int round = 0; round < 20; ++round) {
    a += b;
    b = std::rotl(b, kRotations[round % 8]) ^ a;
    if (round % 4 != 3) continue;
    const uint32_t injection = round / 4 + 1;
    a += keys[injection % 3];
    b += keys[(injection + 1) % 3] + injection;
  }
  return {a, b};
}

std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0], b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

static std::array<uint32_t, 2> Halves(uint64_t word) {
  return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
}

// 32-bit words, and the state after them.
struct Words {
  std::vector<uint32_t> words;
  uint64_t low, high;  // the counter
};

// The first words of all blocks come first, then the second ones; a pair of words from one block
// makes 64 bits.
static Words ThreefryWords(const uint64_t* state, int64_t count, bool pairs) {
  const int64_t blocks = (count + 1) / 2;
  std::vector<uint32_t> words(2 * blocks);
  for (int64_t i = 0; i < blocks; ++i) {
    const auto [a, b] = Threefry(Halves(state[1] + i), Halves(state[0]));
    words[pairs ? 2 * i : i] = a;
    words[pairs ? 2 * i + 1 : blocks + i] = b;
  }
  return {std::move(words), state[1] + blocks, 0};
}

static Words PhiloxWords(const uint64_t* state, uint64_t high, int64_t count) {
  Words result{{}, state[1], high};
  for (int64_t i = 0; i < count; i += 4) {
    const auto [a, b] = Halves(result.low);
    const auto [c, d] = Halves(result.high);
    for (uint32_t word : Philox({a, b, c, d}, Halves(state[0]))) result.words.push_back(word);
    if (++result.low == 0) ++result.high;
  }
  return result;
}

// The first word of the state is the key, the others are the counter of the next block. Elements
// below 32 bits take the lower bits of a word each. DEFAULT is PHILOX.
static absl::StatusOr<std::vector<Tensor>> RandomBits(hlo::RngBitGeneratorOp op,
                                                      const Scope& scope) {
  const Tensor& state = scope(op.getInitialState());
  const uint64_t* words = state.as<uint64_t>();
  QUERN_ASSIGN_OR_RETURN(Tensor output, Tensor::Create(*hlo::ToTensorType(op.getType(1))));
  const int64_t size = ByteSize(output.type().element), count = output.type().num_elements();
  const int64_t needed = size == 8 ? 2 * count : count;
  const bool has_high = state.type().shape[0] == 3;
  const Words random = op.getRngAlgorithm() == hlo::RngAlgorithm::THREE_FRY
                           ? ThreefryWords(words, needed, size == 8)
                           : PhiloxWords(words, has_high ? words[2] : 0, needed);
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t* from = &random.words[size == 8 ? 2 * i : i];
    std::memcpy(output.data() + i * size, from, size);
  }
  Tensor next = state.Clone();
  next.as<uint64_t>()[1] = random.low;
  if (has_high) next.as<uint64_t>()[2] = random.high;
  std::vector<Tensor> results;
  results.push_back(std::move(next));
  results.push_back(std::move(output));
  return results;
}

Evaluator FindRandom(mlir::Operation& op) {
  return llvm::isa<hlo::RngBitGeneratorOp>(op) ? Several<hlo::RngBitGeneratorOp, RandomBits>
                                               : nullptr;
}

}  // namespace quern::frontend
