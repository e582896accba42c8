// The part of CHLO, StableHLO's client dialect, that JAX prints: one entry an op.
#ifndef QUERN_IR_STABLEHLO_CHLO_TD
#define QUERN_IR_STABLEHLO_CHLO_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::quern::chlo";
  let summary = "Tensor operations above StableHLO";
  // #chlo.ragged_dot<...> reads as a dictionary of its fields, #chlo<precision ...> as a string.
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser& parser, ::mlir::Type type) const override;
  }];
}

class Chlo_TensorOf<list<Type> types, string elements>
    : Type<And<[RankedTensorOf<types>.predicate, HasStaticShapePred]>,
           "ranked tensor with fixed dimensions of " # elements, "::mlir::RankedTensorType">;
def Chlo_Tensor : Chlo_TensorOf<[AnyType], "any type">;
def Chlo_FloatTensor : Chlo_TensorOf<[AnyFloat], "floating-point values">;
def Chlo_FloatOrComplexTensor : Chlo_TensorOf<[AnyFloat, AnyComplex], "floating-point values or complex numbers">;
def Chlo_IntTensor : Chlo_TensorOf<[AnyInteger], "integers">;
def Chlo_BoolTensor : Chlo_TensorOf<[I1], "i1">;

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits>;

class Chlo_Unary<string mnemonic, TypeConstraint type = Chlo_FloatOrComplexTensor>
    : Chlo_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$operand);
  let results = (outs Chlo_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class Chlo_Predicate<string mnemonic> : Chlo_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins Chlo_FloatTensor:$operand);
  let results = (outs Chlo_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class Chlo_Binary<string mnemonic, TypeConstraint type = Chlo_FloatTensor>
    : Chlo_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs Chlo_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def AcosOp : Chlo_Unary<"acos">;
def AcoshOp : Chlo_Unary<"acosh">;
def AsinOp : Chlo_Unary<"asin">;
def AsinhOp : Chlo_Unary<"asinh">;
def AtanOp : Chlo_Unary<"atan">;
def AtanhOp : Chlo_Unary<"atanh">;
def BesselI1eOp : Chlo_Unary<"bessel_i1e", Chlo_FloatTensor>;
def ConjOp : Chlo_Unary<"conj">;
def CoshOp : Chlo_Unary<"cosh">;
def DigammaOp : Chlo_Unary<"digamma", Chlo_FloatTensor>;
def ErfOp : Chlo_Unary<"erf", Chlo_FloatTensor>;
def ErfInvOp : Chlo_Unary<"erf_inv", Chlo_FloatTensor>;
def ErfcOp : Chlo_Unary<"erfc", Chlo_FloatTensor>;
def LgammaOp : Chlo_Unary<"lgamma", Chlo_FloatTensor>;
def SinhOp : Chlo_Unary<"sinh">;
def SquareOp : Chlo_Unary<"square", Chlo_Tensor>;
def TanOp : Chlo_Unary<"tan">;

def IsInfOp : Chlo_Predicate<"is_inf">;
def IsNegInfOp : Chlo_Predicate<"is_neg_inf">;
def IsPosInfOp : Chlo_Predicate<"is_pos_inf">;

def MulhiOp : Chlo_Binary<"mulhi", Chlo_IntTensor>;
def NextAfterOp : Chlo_Binary<"next_after">;
def PolygammaOp : Chlo_Binary<"polygamma">;
def ZetaOp : Chlo_Binary<"zeta">;

// The k largest elements along the last dimension, the first ones first where they are equal.
def TopKOp : Chlo_Op<"top_k", [Pure]> {
  let arguments = (ins Chlo_Tensor:$operand, ConfinedAttr<I64Attr, [IntNonNegative]>:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs Chlo_Tensor:$values, Chlo_IntTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict
    `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

// Products of groups of rows, or of columns, each with a matrix of its own; the groups lie one after
// another along the ragged dimension and have group_sizes.
def RaggedDotOp : Chlo_Op<"ragged_dot", [Pure]> {
  let arguments = (ins Chlo_Tensor:$lhs, Chlo_Tensor:$rhs, Chlo_IntTensor:$group_sizes,
                       DictionaryAttr:$ragged_dot_dimension_numbers, OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs Chlo_Tensor:$result);
}

// body(slices of inputs, carries) -> (slices of outputs, carries), from the first place of the dimension
// to the last, or back if is_reverse.
def ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<Chlo_Tensor>:$inputs, Variadic<Chlo_Tensor>:$inits,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<Chlo_Tensor>:$outputs, Variadic<Chlo_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

// ---- Made of ops of StableHLO

def ConstantOp : Chlo_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Chlo_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
}
def ConstantLikeOp : Chlo_Op<"constant_like", [Pure, SameOperandsAndResultShape]> {
  let arguments = (ins Chlo_Tensor:$operand, TypedAttrInterface:$value);
  let results = (outs Chlo_Tensor:$result);
  let hasVerifier = 1;
}

// Operands broadcast to the result's shape, by broadcast_dimensions or from the last dimension on.
class Chlo_Broadcast<string mnemonic, dag attributes = (ins)> : Chlo_Op<"broadcast_" # mnemonic, [Pure]> {
  let arguments = !con((ins Chlo_Tensor:$lhs, Chlo_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions),
                       attributes);
  let results = (outs Chlo_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
}
def BroadcastAddOp : Chlo_Broadcast<"add">;
def BroadcastAndOp : Chlo_Broadcast<"and">;
def BroadcastAtan2Op : Chlo_Broadcast<"atan2">;
def BroadcastCompareOp : Chlo_Broadcast<"compare", (ins AnyAttr:$comparison_direction, OptionalAttr<AnyAttr>:$compare_type)>;
def BroadcastComplexOp : Chlo_Broadcast<"complex">;
def BroadcastDivOp : Chlo_Broadcast<"divide">;
def BroadcastMaxOp : Chlo_Broadcast<"maximum">;
def BroadcastMinOp : Chlo_Broadcast<"minimum">;
def BroadcastMulOp : Chlo_Broadcast<"multiply">;
def BroadcastNextAfterOp : Chlo_Broadcast<"next_after">;
def BroadcastOrOp : Chlo_Broadcast<"or">;
def BroadcastPolygammaOp : Chlo_Broadcast<"polygamma">;
def BroadcastPowOp : Chlo_Broadcast<"power">;
def BroadcastRemOp : Chlo_Broadcast<"remainder">;
def BroadcastShiftLeftOp : Chlo_Broadcast<"shift_left">;
def BroadcastShiftRightArithmeticOp : Chlo_Broadcast<"shift_right_arithmetic">;
def BroadcastShiftRightLogicalOp : Chlo_Broadcast<"shift_right_logical">;
def BroadcastSubOp : Chlo_Broadcast<"subtract">;
def BroadcastXorOp : Chlo_Broadcast<"xor">;
def BroadcastZetaOp : Chlo_Broadcast<"zeta">;
def BroadcastSelectOp : Chlo_Op<"broadcast_select", [Pure]> {
  let arguments = (ins Chlo_BoolTensor:$pred, Chlo_Tensor:$on_true, Chlo_Tensor:$on_false);
  let results = (outs Chlo_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
}

#endif  // QUERN_IR_STABLEHLO_CHLO_TD
