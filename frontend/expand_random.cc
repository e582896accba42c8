#include "frontend/expand_random.h"

#include <vector>

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

// Unsigned integers of one type.
struct Word {
  Steps* steps;
  Value value;

  Word Is(uint64_t number) const {
    const mlir::Type element = Ranked(value).getElementType();
    const auto scalar = RankedTensorType::get({}, element);
    const Value constant = steps->Create<hlo::ConstantOp>(
        scalar,
        mlir::DenseElementsAttr::get(scalar, llvm::APInt(element.getIntOrFloatBitWidth(), number)));
    return {steps, steps->Broadcast(constant, Ranked(value), {})};
  }
  template <typename Op>
  Word With(Word other) const {
    return {steps, steps->Binary<Op>(value, other.value)};
  }
  Word To(unsigned width) const {
    mlir::OpBuilder& builder = steps->builder();
    return {steps, steps->ConvertTo(value, builder.getIntegerType(width, /*isSigned=*/false))};
  }
  Word Upper() const { return (*this >> 32).To(32); }
  Word Lower() const { return To(32); }

  friend Word operator+(Word a, Word b) { return a.With<hlo::AddOp>(b); }
  friend Word operator+(Word a, uint64_t b) { return a + a.Is(b); }
  friend Word operator*(Word a, uint64_t b) { return a.With<hlo::MulOp>(a.Is(b)); }
  friend Word operator^(Word a, Word b) { return a.With<hlo::XorOp>(b); }
  friend Word operator^(Word a, uint64_t b) { return a ^ a.Is(b); }
  friend Word operator|(Word a, Word b) { return a.With<hlo::OrOp>(b); }
  friend Word operator<<(Word a, uint64_t by) { return a.With<hlo::ShiftLeftOp>(a.Is(by)); }
  friend Word operator>>(Word a, uint64_t by) { return a.With<hlo::ShiftRightLogicalOp>(a.Is(by)); }
};

// What an op computes with: its state as scalars of ui64.
struct State {
  Word key, low, high;
};

// The words of each block, and the state after them.
struct Blocks {
  std::vector<Word> words;  // the first of every block, the second of every block, ...
  State next;
};

}  // namespace

// The first is the key; a state of two words has a counter of one.
static State Take(Steps& steps, Value initial) {
  mlir::Type element = steps.builder().getIntegerType(64, /*isSigned=*/false);
  const RankedTensorType type = Ranked(initial).clone(element);
  if (type != initial.getType()) initial = steps.Create<hlo::BitcastConvertOp>(type, initial);
  const auto word = [&](int64_t i) {
    return Word{&steps, steps.Reshape(steps.Slice(initial, 0, i, i + 1), {})};
  };
  const Word key = word(0);
  return {key, word(1), type.getDimSize(0) == 3 ? word(2) : key.Is(0)};
}

static Word Spread(Word scalar, int64_t count) {
  const RankedTensorType type = Ranked(scalar.value).clone({count});
  return {scalar.steps, scalar.steps->Broadcast(scalar.value, type, {})};
}

// 1 where a sum is below one of its terms.
static Word Carry(Word sum, Word term) {
  Steps& steps = *sum.steps;
  mlir::MLIRContext* context = sum.value.getContext();
  const auto below = hlo::ComparisonDirectionAttr::get(context, hlo::ComparisonDirection::LT);
  const Value wrapped = steps.Create<hlo::CompareOp>(
      Ranked(sum.value).clone(steps.builder().getI1Type()), sum.value, term.value, below, nullptr);
  return {&steps, steps.ConvertTo(wrapped, Ranked(sum.value).getElementType())};
}

std::array<Value, 2> ThreefrySteps(Steps& steps, std::array<Value, 2> counter,
                                   std::array<Value, 2> key) {
  const Word first = {&steps, key[0]}, second = {&steps, key[1]};
  const Word keys[3] = {first, second, first ^ second ^ 0x1BD11BDA};
  Word x = Word{&steps, counter[0]} + keys[0], y = Word{&steps, counter[1]} + keys[1];
  static constexpr uint32_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  for (uint32_t round = 0; round < 5; ++round) {
    for (const uint32_t by : kRotations[round % 2]) {
      x = x + y;
      y = (y << by | y >> (32 - by)) ^ x;
    }
    x = x + keys[(round + 1) % 3];
    y = y + keys[(round + 2) % 3] + (round + 1);
  }
  return {x.value, y.value};
}

static Blocks ThreefryBlocks(Steps& steps, const State& state, Word number) {
  const int64_t count = Ranked(number.value).getDimSize(0);
  const Word counter = Spread(state.low, count) + number, key = Spread(state.key, count);
  const auto [a, b] = ThreefrySteps(steps, {counter.Lower().value, counter.Upper().value},
                                    {key.Lower().value, key.Upper().value});
  return {{{&steps, a}, {&steps, b}}, {state.key, state.low + count, state.high}};
}

static Blocks PhiloxBlocks(const State& state, Word number) {
  const int64_t count = Ranked(number.value).getDimSize(0);
  const Word start = Spread(state.low, count), low = start + number;
  const Word high = Spread(state.high, count) + Carry(low, start), key = Spread(state.key, count);
  Word w[4] = {low.Lower(), low.Upper(), high.Lower(), high.Upper()};
  Word k[2] = {key.Lower(), key.Upper()};
  for (int round = 0; round < 10; ++round) {
    const Word a = w[0].To(64) * 0xD2511F53, b = w[2].To(64) * 0xCD9E8D57;
    const Word next[4] = {b.Upper() ^ w[1] ^ k[0], b.Lower(), a.Upper() ^ w[3] ^ k[1], a.Lower()};
    std::copy(next, next + 4, w);
    k[0] = k[0] + 0x9E3779B9;
    k[1] = k[1] + 0xBB67AE85;
  }
  const Word after = state.low + count;
  return {{w[0], w[1], w[2], w[3]}, {state.key, after, state.high + Carry(after, state.low)}};
}

// The words of each block one after the other.
static Value Interleave(Steps& steps, const std::vector<Word>& words) {
  const int64_t count = Ranked(words[0].value).getDimSize(0);
  llvm::SmallVector<Value> columns;
  for (const Word& word : words) columns.push_back(steps.Reshape(word.value, {count, 1}));
  return steps.Reshape(steps.Concatenate(columns, 1), {count * static_cast<int64_t>(words.size())});
}

static Value PutBack(Steps& steps, const State& state, RankedTensorType type) {
  llvm::SmallVector<Value> words;
  for (const Word& word : {state.key, state.low, state.high}) {
    if (static_cast<int64_t>(words.size()) < type.getDimSize(0))
      words.push_back(steps.Reshape(word.value, {1}));
  }
  const Value joined = steps.Concatenate(words, 0);
  if (joined.getType() == type) return joined;
  return steps.Create<hlo::BitcastConvertOp>(type, joined);
}

static void Expand(hlo::RngBitGeneratorOp op) {
  Steps steps(op);
  const auto type = llvm::cast<RankedTensorType>(op.getOutput().getType());
  const unsigned width = type.getElementType().getIntOrFloatBitWidth();
  const int64_t count = type.getNumElements(), needed = width == 64 ? 2 * count : count;
  const bool threefry = op.getRngAlgorithm() == hlo::RngAlgorithm::THREE_FRY;
  const int64_t in_block = threefry ? 2 : 4, blocks = (needed + in_block - 1) / in_block;
  const auto bits = steps.builder().getIntegerType(width, /*isSigned=*/false);
  const State state = Take(steps, op.getInitialState());
  const Word number = {
      &steps, steps.Create<hlo::IotaOp>(
                  RankedTensorType::get({blocks}, Ranked(state.key.value).getElementType()), 0)};
  const Blocks made = threefry ? ThreefryBlocks(steps, state, number) : PhiloxBlocks(state, number);
  Value output;
  if (width == 64) {
    std::vector<Word> pairs;
    for (size_t i = 0; i < made.words.size(); i += 2)
      pairs.push_back(made.words[i].To(64) | made.words[i + 1].To(64) << 32);
    output = Interleave(steps, pairs);
  } else if (threefry) {
    output = steps.Concatenate({made.words[0].value, made.words[1].value}, 0);
  } else {
    output = Interleave(steps, made.words);
  }
  output = steps.ConvertTo(steps.Slice(output, 0, 0, count), bits);
  if (bits != type.getElementType())
    output =
        steps.Create<hlo::BitcastConvertOp>(Ranked(output).clone(type.getElementType()), output);
  op.getOutput().replaceAllUsesWith(steps.Reshape(output, type.getShape()));
  op.getOutputState().replaceAllUsesWith(
      PutBack(steps, made.next, llvm::cast<RankedTensorType>(op.getOutputState().getType())));
  op.erase();
}

void ExpandRandom(mlir::func::FuncOp function) {
  std::vector<hlo::RngBitGeneratorOp> ops;
  function.walk([&](hlo::RngBitGeneratorOp op) { ops.push_back(op); });
  for (hlo::RngBitGeneratorOp op : ops) Expand(op);
}

}  // namespace quern::frontend
