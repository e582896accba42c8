// Wrong versions of the kernels in this folder, each by one textual substitution.
#ifndef QUERN_VERIFIER_TESTDATA_MUTANTS_H_
#define QUERN_VERIFIER_TESTDATA_MUTANTS_H_

#include <string>
#include <vector>

#include "verifier/machine/testdata.h"

namespace quern::verifier {

struct Mutant {
  const char* name = "";
  const char* kernel = "";
  const char* from = "";  // occurs in the kernel's LLVM IR; the first occurrence is replaced
  const char* to = "";
  bool refutable = true;  // some input shows it; the rest can only be `unknown`
};

inline const std::vector<Mutant>& Mutants() {
  static const std::vector<Mutant> mutants = {
      {"bounds: a row too many", "add_relu", "icmp eq i64 %inc29, 4", "icmp eq i64 %inc29, 5"},
      {"bounds: reads past the last row", "row_sum", "%add.ptr, i64 256", "%add.ptr, i64 260"},
      {"coverage: the tail starts late", "add_relu", "[ 56, %for.body5 ]", "[ 57, %for.body5 ]"},
      {"off by one: a lane too few", "row_sum", "icmp eq i32 %inc, 8", "icmp eq i32 %inc, 7"},
      {"off by one: a product too few", "matmul_bias_relu", "icmp eq i64 %inc34, 24",
       "icmp eq i64 %inc34, 23"},
      {"tail skipped", "row_sum", "fadd <8 x float> %add7, %0",
       "fadd <8 x float> %add7, zeroinitializer"},
      {"swapped operand: the row of another register", "matmul", "%invariant.gep, i64 %.idx.1",
       "%invariant.gep, i64 %.idx.2"},
      {"swapped operand: accumulator and factor", "matmul",
       "<8 x float> %0, <8 x float> %acc.sroa.0.1", "<8 x float> %acc.sroa.0.1, <8 x float> %0"},
      {"the same data twice", "row_sum", "%add.ptr6, i64 32", "%add.ptr6, i64 0"},
      {"uninitialised: a packed row is missing", "matmul", "icmp eq i64 %inc16, 40",
       "icmp eq i64 %inc16, 39"},
      {"uninitialised: a local column is missing", "transpose_add",
       "%exitcond.not = icmp eq i64 %inc, 8", "%exitcond.not = icmp eq i64 %inc, 7"},
      {"wrap: the row in a byte", "add_relu", "%mul1 = mul nsw i64 %add, 60",
       "%row = trunc i64 %add to i8\n  %short = mul i8 %row, 60\n"
       "  %mul1 = sext i8 %short to i64"},
      {"nsw: a sum that wraps", "add_relu", "%add12 = add nuw nsw i64 %j.049, 8",
       "%far = add nsw i64 %j.049, 9223372036854775807\n"
       "  %add12 = sub nsw i64 %far, 9223372036854775799"},
      {"assume: false in the last block", "add_relu", "%mul = shl nsw i64 %bx, 2",
       "%early = icmp ult i64 %bx, 7\n  call void @llvm.assume(i1 %early)\n"
       "  %mul = shl nsw i64 %bx, 2"},
      {"narrowed accumulator", "bf16_matmul", "%4 = call <8 x float>",
       "%narrow = fptrunc <8 x float> %wide to <8 x bfloat>\n"
       "  %4 = fpext <8 x bfloat> %narrow to <8 x float>\n  %unused = call <8 x float>",
       false},
      {"shifted index, same footprint", "transpose_add",
       "getelementptr inbounds nuw float, ptr %1, i64 %i20.074",
       "getelementptr inbounds nuw float, ptr %1, i64 %swapped"},
      {"unreachable", "matmul_bias_relu", "for.cond.cleanup:\n  ret void",
       "for.cond.cleanup:\n  unreachable"},
      {"relu at the least positive number", "matmul_bias_relu",
       "<8 x float> %add46.3, <8 x float> zeroinitializer",
       "<8 x float> %add46.3, <8 x float> splat (float 0x36A0000000000000)"},
      {"no relu in the tail", "add_relu", "float %add22, float 0.000000e+00",
       "float %add22, float %add22"},
      {"alignment: rows of 288 bytes at 64", "row_sum", "ptr %add.ptr6, align 4",
       "ptr %add.ptr6, align 64"},
      {"bias of another column", "matmul_bias_relu", "float, ptr %bias, i64 %j.093",
       "float, ptr %bias, i64 0"},
      {"fast-math", "row_sum", "fadd <8 x float> %s0.045", "fadd reassoc <8 x float> %s0.045",
       false},
      {"solver: the modulus is off by one", "strided_add", "urem i64 %walk, 8191",
       "urem i64 %walk, 8190"},
      {"solver: a stride that meets itself", "strided_add", "mul nuw nsw i64 %bx, 3001",
       "mul nuw nsw i64 %bx, 16382"},
      {"solver: one vector too far", "strided_add", "getelementptr inbounds i8, ptr %b, i64 %byte",
       "getelementptr inbounds i8, ptr %b.next, i64 %byte"},
      {"rounded temporary of a plain argument", "pack_add",
       "call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(64) %scevgep, "
       "ptr noundef nonnull align 4 dereferenceable(64) %scevgep27, i64 64, i1 false)",
       "%word = load <16 x float>, ptr %scevgep27, align 4\n"
       "  %up = fadd <16 x float> %word, splat (float 1.0)\n"
       "  %down = fadd <16 x float> %up, splat (float -1.0)\n"
       "  store <16 x float> %down, ptr %scevgep, align 4",
       false},
      {"padding: wrong values in a temporary with room to spare", "pack_add",
       "ptr %b, i64 %add.ptr6.idx", "ptr %b, i64 0"},
      {"not finite: the other infinity", "not_finite", "0xFFF0000000000000", "0x7FF0000000000000"},
      {"not finite: the lowest number for an infinity", "not_finite", "0xFFF0000000000000",
       "0xC7EFFFFFE0000000"},
      {"not finite: NaN for an infinity", "not_finite", "0xFFF0000000000000", "0x7FF8000000000000"},
      {"not finite: an infinity for NaN", "not_finite", "0x7FF8000000000000", "0x7FF0000000000000"},
      {"not finite: NaN on the other side", "not_finite", "fcmp ogt float", "fcmp olt float"},
      {"sums in memory: the second block starts again", "blocked_matmul", "icmp eq i64 %k0.096, 0",
       "icmp ule i64 %k0.096, 16"},
      {"sums in memory: of another panel", "blocked_matmul",
       "%invariant.gep89 = getelementptr inbounds nuw float, ptr %c, i64 %j0.097",
       "%invariant.gep89 = getelementptr inbounds nuw float, ptr %c, i64 0"},
      {"sums in memory: doubled by each block", "blocked_matmul",
       "store <8 x float> %add41, ptr %gep94",
       "%twice = fadd <8 x float> %add41, %add41\n  store <8 x float> %twice, ptr %gep94"},
      {"sums in memory: a block too few", "blocked_matmul", "icmp eq i64 %indvar.next99, 5",
       "icmp eq i64 %indvar.next99, 4"},
      {"sums in memory: a block too many", "blocked_matmul", "icmp eq i64 %indvar.next99, 5",
       "icmp eq i64 %indvar.next99, 6"},
      {"sums in memory: two rows change places", "blocked_matmul",
       "%.idx81 = mul nuw nsw i64 %i.095, 96",
       "%other = xor i64 %i.095, 1\n  %.idx81 = mul nuw nsw i64 %other, 96"},
      {"sums in memory: lanes change places", "blocked_matmul",
       "%6 = load <8 x float>, ptr %gep90, align 4",
       "%held = load <8 x float>, ptr %gep90, align 4\n"
       "  %6 = shufflevector <8 x float> %held, <8 x float> poison, <8 x i32> <i32 1, i32 0, i32 "
       "2, "
       "i32 3, i32 4, i32 5, i32 6, i32 7>"},
      {"sums in memory: the first block of the factor", "blocked_matmul",
       "mul nuw nsw i64 %indvar98, 1536", "mul nuw nsw i64 %indvar98, 0"},
      {"pad: a row too early", "pad", "%sub = add i64 %bx, -1", "%sub = add i64 %bx, -3"},
      {"pad: nothing before the last row", "pad", "icmp ult i64 %sub, 11", "icmp ult i64 %sub, 10"},
      {"pad: a row too many", "pad", "icmp ult i64 %sub, 11", "icmp ult i64 %sub, 13"},
      {"pad: a column of padding too few", "pad", "icmp samesign ugt i64 %j.021, 1",
       "icmp samesign ugt i64 %j.021, 0"},
      {"pad: zero instead of the padding value", "pad", "store float %cond,",
       "%kept = select i1 %or.cond20, float %cond, float 0.0\n  store float %kept,"},
      {"concatenate: not reversed", "concat", "sub i64 %add10, %j4.032", "add i64 %mul9, %j4.032"},
      {"concatenate: the second a column too early", "concat", "ptr %2, i64 40", "ptr %2, i64 32"},
      {"concatenate: a column of another row", "concat", "%mul9 = mul nsw i64 %bx, 11",
       "%mul9 = mul nsw i64 %by, 11"},
      {"convolution: every position", "conv", "%mul = shl nsw i64 %bx, 1",
       "%mul = shl nsw i64 %bx, 0"},
      {"convolution: no border above", "conv", "icmp ult i64 %1, -9", "icmp ult i64 %1, -8"},
      {"convolution: border of two to the left", "conv", "add nsw i64 %add14, -10",
       "add nsw i64 %add14, -11"},
      {"convolution: kernel transposed", "conv", "%add31 = add nuw nsw i64 %j.089, %mul30",
       "%tripled = mul nuw nsw i64 %j.089, 3\n  %add31 = add nuw nsw i64 %tripled, %i.091"},
      {"convolution: features of the kernel swapped", "conv", "mul nuw nsw i64 %add33, 24",
       "mul nuw nsw i64 %add33, 4"},
      {"window: padding of a maximum is 0", "max_pool", "float [ 0xFFF0000000000000, ",
       "float [ 0.000000e+00, "},
      {"window: two rows", "max_pool", "icmp eq i64 %inc29, 3", "icmp eq i64 %inc29, 2"},
      {"window: minima", "max_pool", "call float @llvm.maximum.f32(float %most.164",
       "call float @llvm.minimum.f32(float %most.164"},
      {"gather: a row past the table", "gather", "i32 %cond, i32 19)", "i32 %cond, i32 20)"},
      {"gather: a row before the table", "gather", "i32 %0, i32 0)", "i32 %0, i32 -1)"},
      {"gather: the last row is out of reach", "gather", "i32 %cond, i32 19)",
       "i32 %cond, i32 18)"},
      {"gather: not clamped", "gather", "mul nuw nsw i32 %cond5, 12", "mul nuw nsw i32 %0, 12"},
      {"gather: rows in another order", "gather", "i32, ptr %rows, i64 %bx",
       "i32, ptr %rows, i64 %by"},
      {"gather: writes where the data says", "gather", "%.idx = mul i64 %bx, 48",
       "%to = tail call i32 @llvm.umin.i32(i32 %cond, i32 6)\n  %wide = zext nneg i32 %to to i64\n"
       "  %.idx = mul i64 %wide, 48"},
      {"dynamic slice: starts a column too late", "window", "i64 %cond, i64 22)",
       "i64 %cond, i64 23)"},
      {"dynamic slice: starts a column too early", "window", "i64 %cond, i64 22)",
       "i64 %cond, i64 21)"},
      {"dynamic slice: the first row alone", "window", "%.idx = mul i64 %bx, 120",
       "%.idx = mul i64 %by, 120"},
      {"bytes: compared as signed", "narrow", "icmp ult i8 %mul2", "icmp slt i8 %mul2"},
      {"bytes: divided as signed", "narrow", "udiv i8 %1, 7", "sdiv i8 %1, 7"},
      {"bytes: a product that must not wrap", "narrow", "mul i8 %1, 3", "mul nuw i8 %1, 3"},
      {"bytes: extended by zeros", "dot_i8", "sext i8", "zext i8"},
      {"bytes: summed in eight bits", "dot_i8", "add nsw i32 %mul9, %sum.025",
       "add nsw i32 %mul9, %kept"},
      {"bytes: a sum that must not be negative", "dot_i8", "add nsw i32 %mul9, %sum.025",
       "add nuw i32 %mul9, %sum.025"},
      {"race: blocks of a second row write the same", "row_sum", "", ""},
      {"coverage: half of the grid", "matmul", "", ""},
      {"wrong layout hint", "matmul", "", "", false},
      {"wrong holds hint", "matmul", "", "", false},
      {"conversion: poison where it should saturate", "types",
       "call i16 @llvm.fptosi.sat.i16.f32(float %1)", "fptosi float %1 to i16"},
      {"conversion: into the range of another type", "types",
       "%2 = call i16 @llvm.fptosi.sat.i16.f32(float %1)",
       "%wide = fptosi float %1 to i32\n  %2 = trunc i32 %wide to i16"},
      {"nibble: extended by zeros", "types", "sext i4 %3 to i8", "zext i4 %3 to i8"},
      {"nibble: a sum that does not wrap", "types", "%4 = sext i4 %3 to i8", "%4 = add i8 %1, %1"},
      {"division by zero is not guarded", "types", "udiv i32 %1, %5", "udiv i32 %1, %3"},
      {"division by zero guarded by another number", "types", "icmp eq i32 %3, 0",
       "icmp eq i32 %1, 0"},
      {"division by zero gives 0", "types", "i32 -1, i32 %6", "i32 0, i32 %6"},
      {"shift: one too far keeps bits", "types", "icmp ule i32 %3, 31", "icmp ule i32 %3, 32"},
      {"shift: clamped short", "types", "i32 %3, i32 31)", "i32 %3, i32 3)"},
      {"shift: clamped beyond the width", "types", "i32 %3, i32 31)", "i32 %3, i32 32)", false},
      {"bf16: minimum of the two", "types", "llvm.maximum.f32(float %4",
       "llvm.minimum.f32(float %4"},
  };
  return mutants;
}

// The kernel with the mutation, which for those without a substitution is in the plan.
inline TestKernel Apply(const Mutant& mutant) {
  TestKernel kernel = LoadTestKernel(mutant.kernel);
  const std::string name = mutant.name;
  if (name.starts_with("race")) kernel.plan.kernels[0].grid[1] = 2;
  if (name.starts_with("coverage: half")) kernel.plan.kernels[1].grid[1] = 1;
  if (name == "wrong layout hint") {
    std::swap(kernel.plan.buffers[2].layout.digits[0], kernel.plan.buffers[2].layout.digits[1]);
  }
  if (name == "wrong holds hint") {
    std::string& holds = kernel.plan.buffers[2].holds;
    const std::string from = "  return %b : ";
    holds.replace(holds.find(from), from.size(),
                  "  %c = stablehlo.add %b, %b : tensor<40x32xf32>\n  return %c : ");
  }
  if (name.starts_with("padding")) {
    kernel.plan.buffers[2].bytes *= 2;
    kernel.plan.kernels[0].grid[0] = 4;
  }
  const std::string from = mutant.from;
  if (from.empty()) return kernel;
  kernel.llvm_ir.replace(kernel.llvm_ir.find(from), from.size(), mutant.to);
  const auto insert = [&kernel](const std::string& before, const std::string& text) {
    kernel.llvm_ir.insert(kernel.llvm_ir.find(before), text);
  };
  if (name == "narrowed accumulator") {
    insert("%narrow =",
           "%wide = call <8 x float> @llvm.fma.v8f32(<8 x float> %vecinit28, "
           "<8 x float> %conv, <8 x float> %acc.sroa.0.1)\n  ");
  }
  if (name == "bytes: summed in eight bits") {
    insert("%add10 =", "%low = trunc i32 %sum.025 to i8\n  %kept = sext i8 %low to i32\n  ");
  }
  if (name.starts_with("shifted")) {
    insert("%arrayidx27 =", "%swapped = xor i64 %i20.074, 1\n  ");
  }
  return kernel;
}

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_TESTDATA_MUTANTS_H_
