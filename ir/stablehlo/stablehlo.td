// The StableHLO subset that quern reads (github.com/openxla/stablehlo, docs/spec.md): one entry an op.
// Assembly formats are StableHLO's own, so that what JAX prints parses unchanged.
#ifndef QUERN_IR_STABLEHLO_TD
#define QUERN_IR_STABLEHLO_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::quern::stablehlo";
  let summary = "Tensor operations of the input programs";
  let useDefaultAttributePrinterParser = 1;
}

// ---- Types and attributes

class StableHlo_TensorOf<list<Type> types, string elements>
    : Type<And<[RankedTensorOf<types>.predicate, HasStaticShapePred]>,
           "ranked tensor with fixed dimensions of " # elements, "::mlir::RankedTensorType">;
def StableHlo_Tensor : StableHlo_TensorOf<[AnyType], "any type">;
def StableHlo_FloatTensor : StableHlo_TensorOf<[AnyFloat], "floating-point values">;
def StableHlo_IntOrBoolTensor : StableHlo_TensorOf<[AnyInteger], "integers">;
def StableHlo_FloatOrComplexTensor
    : StableHlo_TensorOf<[AnyFloat, AnyComplex], "floating-point values or complex numbers">;
def StableHlo_IntTensor : StableHlo_TensorOf<[AnyI<4>, AnyI8, AnyI16, AnyI32, AnyI64], "integers, not i1">;
def StableHlo_NumberTensor
    : StableHlo_TensorOf<[AnyFloat, AnyComplex, AnyI<4>, AnyI8, AnyI16, AnyI32, AnyI64], "numbers, not i1">;
def StableHlo_BoolTensor : StableHlo_TensorOf<[I1], "i1">;
def StableHlo_TensorOrTuple : AnyTypeOf<[StableHlo_Tensor, AnyTuple]>;

class StableHlo_Enum<string enum, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<enum, summary, cases> {
  let cppNamespace = "::quern::stablehlo";
  let genSpecializedAttr = 0;
}
// Spelled #stablehlo<mnemonic VALUE> in the generic form and VALUE in the pretty one.
class StableHlo_EnumAttr<EnumAttrInfo enum, string mnemonic> : EnumAttr<StableHlo_Dialect, enum, mnemonic> {
  let assemblyFormat = "$value";
}

def StableHlo_ComparisonDirectionEnum : StableHlo_Enum<"ComparisonDirection", "how two values compare", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHlo_ComparisonDirection : StableHlo_EnumAttr<StableHlo_ComparisonDirectionEnum, "comparison_direction">;

def StableHlo_ComparisonTypeEnum : StableHlo_Enum<"ComparisonType", "the order that a comparison uses", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHlo_ComparisonType : StableHlo_EnumAttr<StableHlo_ComparisonTypeEnum, "comparison_type">;

def StableHlo_PrecisionEnum : StableHlo_Enum<"Precision", "a hint that quern does not need", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHlo_Precision : StableHlo_EnumAttr<StableHlo_PrecisionEnum, "precision">;
def StableHlo_PrecisionConfig : TypedArrayAttrBase<StableHlo_Precision, "precision of each operand">;

def StableHlo_DotDimensionNumbers : AttrDef<StableHlo_Dialect, "DotDimensionNumbers"> {
  let mnemonic = "dot";
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$lhs_batching_dimensions,
    OptionalArrayRefParameter<"int64_t">:$rhs_batching_dimensions,
    OptionalArrayRefParameter<"int64_t">:$lhs_contracting_dimensions,
    OptionalArrayRefParameter<"int64_t">:$rhs_contracting_dimensions);
  let hasCustomAssemblyFormat = 1;  // fields in any order, empty ones left out
}

// How a product is computed: operands are split into components of the precision types, of which so
// many products are summed in the accumulation type.
def StableHlo_DotAlgorithm : AttrDef<StableHlo_Dialect, "DotAlgorithm"> {
  let mnemonic = "dot_algorithm";
  let parameters = (ins
    "::mlir::Type":$lhs_precision_type, "::mlir::Type":$rhs_precision_type, "::mlir::Type":$accumulation_type,
    "int64_t":$lhs_component_count, "int64_t":$rhs_component_count, "int64_t":$num_primitive_operations,
    "bool":$allow_imprecise_accumulation);
  let hasCustomAssemblyFormat = 1;
}

// The accuracy asked of a function. Only the default one is read, which asks for nothing.
def StableHlo_ResultAccuracyModeEnum : StableHlo_Enum<"ResultAccuracyMode", "what bounds the error of a function", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHlo_ResultAccuracyMode : StableHlo_EnumAttr<StableHlo_ResultAccuracyModeEnum, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}
def StableHlo_ResultAccuracy : AttrDef<StableHlo_Dialect, "ResultAccuracy"> {
  let mnemonic = "result_accuracy";
  let hasCustomAssemblyFormat = 1;
}

// ---- Op classes

class StableHlo_Op<string mnemonic, list<Trait> traits = []> : Op<StableHlo_Dialect, mnemonic, traits>;

class StableHlo_Unary<string mnemonic, TypeConstraint type = StableHlo_Tensor, list<Trait> traits = [SameOperandsAndResultType]>
    : StableHlo_Op<mnemonic, !listconcat([Pure, Elementwise], traits)> {
  let arguments = (ins type:$operand);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

// Of a complex number a float, else what the operand is.
class StableHlo_PartOf<string mnemonic, TypeConstraint type>
    : StableHlo_Unary<mnemonic, type, [SameOperandsAndResultShape]> {
  let hasVerifier = 1;
}

class StableHlo_Binary<string mnemonic, TypeConstraint type = StableHlo_Tensor>
    : StableHlo_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

// ---- Element-wise

// Of complex numbers abs gives floats, as real and imag do.
def AbsOp : StableHlo_PartOf<"abs", StableHlo_NumberTensor>;
def ImagOp : StableHlo_PartOf<"imag", StableHlo_FloatOrComplexTensor>;
def RealOp : StableHlo_PartOf<"real", StableHlo_FloatOrComplexTensor>;
def ConvertOp : StableHlo_Unary<"convert", StableHlo_Tensor, [SameOperandsAndResultShape]>;
def CbrtOp : StableHlo_Unary<"cbrt", StableHlo_FloatOrComplexTensor>;
def CeilOp : StableHlo_Unary<"ceil", StableHlo_FloatTensor>;
def ClzOp : StableHlo_Unary<"count_leading_zeros", StableHlo_IntTensor>;
def CosineOp : StableHlo_Unary<"cosine", StableHlo_FloatOrComplexTensor>;
def ExponentialOp : StableHlo_Unary<"exponential", StableHlo_FloatOrComplexTensor>;
def ExponentialMinusOneOp : StableHlo_Unary<"exponential_minus_one", StableHlo_FloatOrComplexTensor>;
def FloorOp : StableHlo_Unary<"floor", StableHlo_FloatTensor>;
def LogOp : StableHlo_Unary<"log", StableHlo_FloatOrComplexTensor>;
def LogPlusOneOp : StableHlo_Unary<"log_plus_one", StableHlo_FloatOrComplexTensor>;
def LogisticOp : StableHlo_Unary<"logistic", StableHlo_FloatOrComplexTensor>;
def NegateOp : StableHlo_Unary<"negate", StableHlo_NumberTensor>;
def NotOp : StableHlo_Unary<"not", StableHlo_IntOrBoolTensor>;
def PopulationCountOp : StableHlo_Unary<"popcnt", StableHlo_IntTensor>;
def RoundNearestAfzOp : StableHlo_Unary<"round_nearest_afz", StableHlo_FloatTensor>;
def RoundNearestEvenOp : StableHlo_Unary<"round_nearest_even", StableHlo_FloatTensor>;
def RsqrtOp : StableHlo_Unary<"rsqrt", StableHlo_FloatOrComplexTensor>;
def SignOp : StableHlo_Unary<"sign", StableHlo_NumberTensor>;
def SineOp : StableHlo_Unary<"sine", StableHlo_FloatOrComplexTensor>;
def SqrtOp : StableHlo_Unary<"sqrt", StableHlo_FloatOrComplexTensor>;
def TanOp : StableHlo_Unary<"tan", StableHlo_FloatOrComplexTensor>;
def TanhOp : StableHlo_Unary<"tanh", StableHlo_FloatOrComplexTensor>;

def AddOp : StableHlo_Binary<"add">;
def AndOp : StableHlo_Binary<"and", StableHlo_IntOrBoolTensor>;
def Atan2Op : StableHlo_Binary<"atan2", StableHlo_FloatOrComplexTensor>;
def DivOp : StableHlo_Binary<"divide", StableHlo_NumberTensor>;
def MaxOp : StableHlo_Binary<"maximum">;
def MinOp : StableHlo_Binary<"minimum">;
def MulOp : StableHlo_Binary<"multiply">;
def OrOp : StableHlo_Binary<"or", StableHlo_IntOrBoolTensor>;
def PowOp : StableHlo_Binary<"power", StableHlo_NumberTensor>;
def RemOp : StableHlo_Binary<"remainder", StableHlo_NumberTensor>;
def ShiftLeftOp : StableHlo_Binary<"shift_left", StableHlo_IntTensor>;
def ShiftRightArithmeticOp : StableHlo_Binary<"shift_right_arithmetic", StableHlo_IntTensor>;
def ShiftRightLogicalOp : StableHlo_Binary<"shift_right_logical", StableHlo_IntTensor>;
def SubtractOp : StableHlo_Binary<"subtract", StableHlo_NumberTensor>;
def XorOp : StableHlo_Binary<"xor", StableHlo_IntOrBoolTensor>;

def ComplexOp : StableHlo_Op<"complex", [Pure, Elementwise, SameTypeOperands, SameOperandsAndResultShape]> {
  let arguments = (ins StableHlo_FloatTensor:$lhs, StableHlo_FloatTensor:$rhs);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))";
  let hasVerifier = 1;
}

def ReducePrecisionOp : StableHlo_Op<"reduce_precision", [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins StableHlo_FloatTensor:$operand, ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let results = (outs StableHlo_Tensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

def IsFiniteOp : StableHlo_Op<"is_finite", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins StableHlo_FloatTensor:$x);
  let results = (outs StableHlo_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def CompareOp : StableHlo_Op<"compare", [Pure, Elementwise, SameTypeOperands, SameOperandsAndResultShape]> {
  let arguments = (ins StableHlo_Tensor:$lhs, StableHlo_Tensor:$rhs,
                       StableHlo_ComparisonDirection:$comparison_direction,
                       OptionalAttr<StableHlo_ComparisonType>:$compare_type);
  let results = (outs StableHlo_BoolTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def SelectOp : StableHlo_Op<"select", [Pure, AllTypesMatch<["on_true", "on_false", "result"]>]> {
  let arguments = (ins StableHlo_BoolTensor:$pred, StableHlo_Tensor:$on_true, StableHlo_Tensor:$on_false);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let hasVerifier = 1;
}

def ClampOp : StableHlo_Op<"clamp", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let arguments = (ins StableHlo_Tensor:$min, StableHlo_Tensor:$operand, StableHlo_Tensor:$max);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
  let hasVerifier = 1;
}

// ---- Making and moving data

def ConstantOp : StableHlo_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHlo_Tensor:$output);
  let hasCustomAssemblyFormat = 1;  // the value, or () <{value = ...}> : () -> type
}

def IotaOp : StableHlo_Op<"iota", [Pure]> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHlo_NumberTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def BitcastConvertOp : StableHlo_Op<"bitcast_convert", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def BroadcastInDimOp : StableHlo_Op<"broadcast_in_dim", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ReshapeOp : StableHlo_Op<"reshape", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def SliceOp : StableHlo_Op<"slice", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TransposeOp : StableHlo_Op<"transpose", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// ---- Reductions

def DotGeneralOp : StableHlo_Op<"dot_general", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$lhs, StableHlo_Tensor:$rhs,
                       StableHlo_DotDimensionNumbers:$dot_dimension_numbers,
                       OptionalAttr<StableHlo_PrecisionConfig>:$precision_config,
                       OptionalAttr<StableHlo_DotAlgorithm>:$algorithm);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
    custom<PrecisionsAndAlgorithm>($precision_config, $algorithm) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ReduceOp : StableHlo_Op<"reduce", [Pure, SameVariadicOperandSize, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, Variadic<StableHlo_Tensor>:$init_values,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ReturnOp : StableHlo_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$results);
  let assemblyFormat = "($results^)? attr-dict (`:` type($results)^)?";
  let builders = [OpBuilder<(ins), [{ /* no results */ }]>];
}

// ---- Calls out of the dialect

// Parsed so that a message can name the target; only self-checking modules may hold one, of
// @check.*. Old producers gather its results in a tuple.
def CustomCallOp : StableHlo_Op<"custom_call"> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, StrAttr:$call_target_name,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
                       OptionalAttr<AnyAttr>:$backend_config, OptionalAttr<I32Attr>:$api_version,
                       OptionalAttr<ArrayAttr>:$called_computations, OptionalAttr<ArrayAttr>:$operand_layouts,
                       OptionalAttr<ArrayAttr>:$result_layouts, OptionalAttr<ArrayAttr>:$output_operand_aliases);
  let results = (outs Variadic<StableHlo_TensorOrTuple>);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

include "structural.td"

#endif  // QUERN_IR_STABLEHLO_TD
