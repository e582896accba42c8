// Executes one function of a decoded module over a domain (domain.h).
#ifndef QUERN_VERIFIER_MACHINE_MACHINE_H_
#define QUERN_VERIFIER_MACHINE_MACHINE_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "verifier/machine/domain.h"
#include "verifier/machine/function.h"

namespace quern::verifier {

// Registers live as long as the machine, so constants are put once and a run allocates nothing of
// its own. `module` and `domain` must outlive it.
template <Domain D>
class Machine {
 public:
  using Register = typename D::Register;

  Machine(const Module& module, D& domain)
      : module_(module), domain_(domain), frames_(module.functions.size()) {}

  // Where the caller puts the argument of parameter `index` before Run.
  Register& parameter(int function, int index) { return Prepare(function).registers[index]; }

  // Past it a run ends with a fault (kBudget): looked at every few thousand instructions.
  void set_deadline(std::chrono::steady_clock::time_point deadline) { deadline_ = deadline; }

  // Runs `function` to its end. false: stopped at the first fault. `budget` counts down by the
  // lanes of each instruction; below zero is a fault (kBudget).
  bool Run(int function, int64_t* budget) {
    stack_.clear();
    Enter(function);
    while (domain_.ok()) {
      const Instruction& instruction = current_->source->code[pc_];
      *budget -= instruction.type.lanes;
      if (*budget < 0) domain_.Fail(FaultKind::kBudget, "too many instructions");
      if (++executed_ % kPatience == 0 && std::chrono::steady_clock::now() > deadline_) {
        domain_.Fail(FaultKind::kBudget, "out of time");
      }
      if (!domain_.ok()) break;
      at_ = pc_++;
      if (IsControl(instruction.opcode)) {
        if (!Control(instruction)) break;
      } else {
        Execute(instruction);
      }
    }
    return domain_.ok();
  }

  // The domain's fault, with its site.
  Fault fault() const {
    Fault fault = domain_.fault();
    if (fault.kind == FaultKind::kNone || current_ == nullptr) return fault;
    fault.function = current_->source->name;
    fault.instruction = module_.Text(current_->index, at_);
    return fault;
  }

 private:
  struct Frame {
    const Function* source = nullptr;
    int index = -1;
    std::vector<Register> registers;
    std::vector<const Register*> operands;  // as Function::operands
    std::vector<std::vector<GepStep<Register>>> geps;
  };
  struct Caller {
    Frame* frame = nullptr;
    int pc = 0;
  };

  Frame& Prepare(int function) {
    Frame& frame = frames_[function];
    if (frame.source != nullptr) return frame;
    const Function& source = module_.functions[function];
    frame.index = function;
    frame.registers = std::vector<Register>(source.values.size());
    for (size_t i = 0; i < source.values.size(); ++i) {
      domain_.Reserve(source.values[i], &frame.registers[i]);
    }
    for (size_t i = 0; i < source.constants.size(); ++i) {
      domain_.Put(source.constants[i], &frame.registers[source.num_parameters + i]);
    }
    for (int32_t operand : source.operands) frame.operands.push_back(&frame.registers[operand]);
    for (const std::vector<GepOperand>& steps : source.geps) {
      std::vector<GepStep<Register>>& resolved = frame.geps.emplace_back();
      for (const GepOperand& step : steps) {
        if (step.value < 0) {
          resolved.push_back({.index = nullptr, .index_type = {}, .scale = step.scale});
        } else {
          resolved.push_back({.index = &frame.registers[step.value],
                              .index_type = source.values[step.value],
                              .scale = step.scale});
        }
      }
    }
    frame.source = &source;
    return frame;
  }

  void Enter(int function) {
    current_ = &Prepare(function);
    pc_ = 0;
    at_ = 0;
    domain_.EnterFrame();
    for (int i = 0; i < current_->source->num_parameters; ++i) {
      if (!current_->source->noundef[i]) continue;
      domain_.RequireDefined(current_->source->values[i], current_->registers[i]);
    }
  }

  static bool IsControl(Opcode opcode) { return opcode >= Opcode::kCall; }

  // false: the outermost function has returned.
  bool Control(const Instruction& instruction) {
    const Register* const* operands = current_->operands.data() + instruction.first;
    switch (instruction.opcode) {
      case Opcode::kBranch:
        Follow(instruction.index);
        return true;
      case Opcode::kCondBranch: {
        const std::optional<bool> taken = domain_.Decide(*operands[0]);
        if (taken.has_value()) Follow(instruction.index + (*taken ? 0 : 1));
        return true;
      }
      case Opcode::kSwitch:
        Choose(instruction);
        return true;
      case Opcode::kCall:
        Call(instruction);
        return true;
      case Opcode::kReturn:
        return Return(instruction);
      default:
        domain_.Fail(FaultKind::kUnreachable, "control reaches what is declared unreachable");
        return true;
    }
  }

  void Follow(int edge_index) {
    const Edge& edge = current_->source->edges[edge_index];
    for (const Edge::Move& move : edge.moves) {
      domain_.Copy(current_->source->values[move.to], current_->registers[move.from],
                   &current_->registers[move.to]);
    }
    pc_ = edge.target;
    // A domain may execute a loop in its own way.
    if constexpr (requires { domain_.Followed(0, 0, current_->registers); }) {
      domain_.Followed(current_->index, edge_index, current_->registers);
    }
  }

  void Choose(const Instruction& instruction) {
    const Switch& choice = current_->source->switches[instruction.index];
    const Register& value = *current_->operands[instruction.first];
    Register& outcome = current_->registers[instruction.result];
    for (const Switch::Case& item : choice.cases) {
      domain_.Compare(Predicate::kEq, false, instruction.type, value,
                      current_->registers[item.constant], &outcome);
      const std::optional<bool> equal = domain_.Decide(outcome);
      if (!equal.has_value()) return;
      if (*equal) return Follow(item.edge);
    }
    domain_.RequireDefined(instruction.type, value);  // with no case, nothing was compared
    Follow(choice.otherwise);
  }

  void Call(const Instruction& instruction) {
    Frame& callee = Prepare(instruction.index);
    for (int i = 0; i < instruction.count; ++i) {
      domain_.Copy(callee.source->values[i], *current_->operands[instruction.first + i],
                   &callee.registers[i]);
    }
    stack_.push_back({.frame = current_, .pc = pc_});
    Enter(instruction.index);
  }

  bool Return(const Instruction& instruction) {
    const Register* value =
        instruction.count == 0 ? nullptr : current_->operands[instruction.first];
    domain_.LeaveFrame();
    if (stack_.empty()) return false;
    current_ = stack_.back().frame;
    pc_ = stack_.back().pc;
    stack_.pop_back();
    at_ = pc_ - 1;
    const Instruction& call = current_->source->code[at_];
    if (value != nullptr) domain_.Copy(call.type, *value, &current_->registers[call.result]);
    return true;
  }

  // Everything that is not control.
  void Execute(const Instruction& in);

  const Module& module_;
  D& domain_;
  std::vector<Frame> frames_;
  std::vector<Caller> stack_;
  Frame* current_ = nullptr;
  int pc_ = 0;
  int at_ = 0;  // the instruction being executed
  static constexpr uint64_t kPatience = 4096;
  uint64_t executed_ = 0;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
};

template <Domain D>
void Machine<D>::Execute(const Instruction& in) {
  const Register* const* a = current_->operands.data() + in.first;
  Register* out = in.result < 0 ? nullptr : &current_->registers[in.result];
  const auto has = [&in](int flag) { return (in.flags & flag) != 0; };
  switch (in.opcode) {
    case Opcode::kBinary:
      return domain_.Binary(static_cast<BinaryOp>(in.code),
                            {.nuw = has(Instruction::kNuw),
                             .nsw = has(Instruction::kNsw),
                             .exact = has(Instruction::kExact),
                             .disjoint = has(Instruction::kDisjoint)},
                            in.type, *a[0], *a[1], out);
    case Opcode::kNegate:
      return domain_.Negate(in.type, *a[0], out);
    case Opcode::kCompare:
      return domain_.Compare(static_cast<Predicate>(in.code), has(Instruction::kSameSign), in.type,
                             *a[0], *a[1], out);
    case Opcode::kCast:
      return domain_.Cast(static_cast<CastOp>(in.code),
                          {.nneg = has(Instruction::kNNeg),
                           .nuw = has(Instruction::kNuw),
                           .nsw = has(Instruction::kNsw)},
                          in.from, in.type, *a[0], out);
    case Opcode::kSelect:
      return domain_.Select(in.type, has(Instruction::kSplat), *a[0], *a[1], *a[2], out);
    case Opcode::kLanewise:
      return domain_.Lanewise(static_cast<Intrinsic>(in.code), in.type,
                              std::span(a, static_cast<size_t>(in.count)), out);
    case Opcode::kLibraryCall:
      return domain_.LibraryCall(module_.libraries[in.index], in.type,
                                 std::span(a, static_cast<size_t>(in.count)), out);
    case Opcode::kFreeze:
      return domain_.Freeze(in.type, *a[0], out);
    case Opcode::kExtract:
      return domain_.Extract(in.type, *a[0], *a[1], out);
    case Opcode::kInsert:
      return domain_.Insert(in.type, *a[0], *a[1], *a[2], out);
    case Opcode::kShuffle:
      return domain_.Shuffle(in.type, *a[0], *a[1], current_->source->masks[in.index], out);
    case Opcode::kGep:
      return domain_.Gep(in.type,
                         {.inbounds = has(Instruction::kInbounds),
                          .nusw = has(Instruction::kNusw),
                          .nuw = has(Instruction::kNuw)},
                         *a[0], has(Instruction::kSplat), current_->geps[in.index], out);
    case Opcode::kLoad:
      return domain_.Load(in.type, *a[0], in.immediate, out);
    case Opcode::kStore:
      return domain_.Store(in.type, *a[0], *a[1], in.immediate);
    case Opcode::kMaskedLoad:
      return domain_.MaskedLoad(in.type, *a[0], in.immediate, *a[1], *a[2], out);
    case Opcode::kMaskedStore:
      return domain_.MaskedStore(in.type, *a[0], *a[1], in.immediate, *a[2]);
    case Opcode::kAlloca:
      return domain_.Alloca(in.immediate2, in.immediate, out);
    case Opcode::kMemCpy:
    case Opcode::kMemMove:
      return domain_.MemCpy(*a[0], *a[1], *a[2], in.immediate, in.immediate2,
                            in.opcode == Opcode::kMemMove);
    case Opcode::kMemSet:
      return domain_.MemSet(*a[0], *a[1], *a[2], in.immediate);
    case Opcode::kLifetime:
      return domain_.Lifetime(*a[0], in.immediate != 0);
    case Opcode::kAssume:
      return domain_.Assume(*a[0]);
    case Opcode::kRequireDefined:
      return domain_.RequireDefined(in.type, *a[0]);
    default:
      return domain_.Fail(FaultKind::kUnsupported, "an instruction that was not decoded");
  }
}

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_MACHINE_H_
