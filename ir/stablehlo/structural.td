// StableHLO ops that control the flow, move data by indices, slide windows or solve systems.
// Included by stablehlo.td, whose classes it uses; verifiers are in verify_*.cc.
#ifndef QUERN_IR_STABLEHLO_STRUCTURAL_TD
#define QUERN_IR_STABLEHLO_STRUCTURAL_TD

include "mlir/IR/OpAsmInterface.td"

// ---- Types and attributes

def StableHlo_ScalarInt : Type<And<[StableHlo_IntOrBoolTensor.predicate, HasAnyRankOfPred<[0]>]>,
                               "scalar tensor of integers", "::mlir::RankedTensorType">;
def StableHlo_ScalarBool : Type<And<[StableHlo_BoolTensor.predicate, HasAnyRankOfPred<[0]>]>,
                                "scalar tensor of i1", "::mlir::RankedTensorType">;

// A struct attribute: named fields in any order, empty ones left out.
class StableHlo_StructAttr<string type, string name> : AttrDef<StableHlo_Dialect, type> {
  let mnemonic = name;
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_GatherDimensionNumbers : StableHlo_StructAttr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$offset_dims,
    OptionalArrayRefParameter<"int64_t">:$collapsed_slice_dims,
    OptionalArrayRefParameter<"int64_t">:$operand_batching_dims,
    OptionalArrayRefParameter<"int64_t">:$start_indices_batching_dims,
    OptionalArrayRefParameter<"int64_t">:$start_index_map,
    "int64_t":$index_vector_dim);
}

def StableHlo_ScatterDimensionNumbers : StableHlo_StructAttr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$update_window_dims,
    OptionalArrayRefParameter<"int64_t">:$inserted_window_dims,
    OptionalArrayRefParameter<"int64_t">:$input_batching_dims,
    OptionalArrayRefParameter<"int64_t">:$scatter_indices_batching_dims,
    OptionalArrayRefParameter<"int64_t">:$scatter_dims_to_operand_dims,
    "int64_t":$index_vector_dim);
}

// Which result of a custom call may share the memory of an operand.
def StableHlo_OutputOperandAlias : StableHlo_StructAttr<"OutputOperandAlias", "output_operand_alias"> {
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$output_tuple_indices,
    "int64_t":$operand_index,
    OptionalArrayRefParameter<"int64_t">:$operand_tuple_indices);
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], or its fields after the word `raw`.
def StableHlo_ConvDimensionNumbers : StableHlo_StructAttr<"ConvDimensionNumbers", "conv"> {
  let parameters = (ins
    "int64_t":$input_batch_dimension, "int64_t":$input_feature_dimension,
    OptionalArrayRefParameter<"int64_t">:$input_spatial_dimensions,
    "int64_t":$kernel_input_feature_dimension, "int64_t":$kernel_output_feature_dimension,
    OptionalArrayRefParameter<"int64_t">:$kernel_spatial_dimensions,
    "int64_t":$output_batch_dimension, "int64_t":$output_feature_dimension,
    OptionalArrayRefParameter<"int64_t">:$output_spatial_dimensions);
}

def StableHlo_FftTypeEnum : StableHlo_Enum<"FftType", "the direction of a transform, and what is real", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def StableHlo_FftType : StableHlo_EnumAttr<StableHlo_FftTypeEnum, "fft_type">;

def StableHlo_RngAlgorithmEnum : StableHlo_Enum<"RngAlgorithm", "how random bits are made", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def StableHlo_RngAlgorithm : StableHlo_EnumAttr<StableHlo_RngAlgorithmEnum, "rng_algorithm">;

def StableHlo_TransposeEnum : StableHlo_Enum<"Transpose", "what is done to a matrix first", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
  I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHlo_Transpose : StableHlo_EnumAttr<StableHlo_TransposeEnum, "transpose">;

// Regions end in stablehlo.return, and may use the values around the op.
defvar StableHlo_Regions = [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">];

// ---- Control flow

def IfOp : StableHlo_Op<"if", StableHlo_Regions> {
  let arguments = (ins StableHlo_ScalarBool:$pred);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
}

// The last branch runs for an index that names none.
def CaseOp : StableHlo_Op<"case", StableHlo_Regions> {
  let arguments = (ins StableHlo_ScalarInt:$index);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
}

def WhileOp : StableHlo_Op<"while", !listconcat(StableHlo_Regions, [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>])> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$operand);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def OptimizationBarrierOp : StableHlo_Op<"optimization_barrier", [Pure]> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$operand);
  let results = (outs Variadic<StableHlo_Tensor>:$result);
  let assemblyFormat = "attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result))) : (`(` `)`)?";
  let hasVerifier = 1;
}

// A named function with its meaning; quern computes the meaning.
def CompositeOp : StableHlo_Op<"composite"> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name operands (` ` `(` $composite_regions^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

// ---- Tuples, which the front end takes apart

def TupleOp : StableHlo_Op<"tuple", [Pure]> {
  let arguments = (ins Variadic<StableHlo_TensorOrTuple>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleTypes>(type($val), type($result))";
  let hasVerifier = 1;
}
def GetTupleElementOp : StableHlo_Op<"get_tuple_element", [Pure]> {
  let arguments = (ins AnyTuple:$operand, ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHlo_TensorOrTuple:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// ---- Moving data

def BroadcastOp : StableHlo_Op<"broadcast", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ConcatenateOp : StableHlo_Op<"concatenate", [Pure]> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsAndComma>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def PadOp : StableHlo_Op<"pad", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, StableHlo_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ReverseOp : StableHlo_Op<"reverse", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins StableHlo_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

// Starts are moved so that the slice lies in the operand.
def DynamicSliceOp : StableHlo_Op<"dynamic_slice", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, Variadic<StableHlo_ScalarInt>:$start_indices,
                       DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsAndComma>($start_indices) `sizes` `=` $slice_sizes attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def DynamicUpdateSliceOp : StableHlo_Op<"dynamic_update_slice", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let arguments = (ins StableHlo_Tensor:$operand, StableHlo_Tensor:$update,
                       Variadic<StableHlo_ScalarInt>:$start_indices);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def GatherOp : StableHlo_Op<"gather", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, StableHlo_IntOrBoolTensor:$start_indices,
                       StableHlo_GatherDimensionNumbers:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHlo_Tensor:$result);
  let hasVerifier = 1;
}

def ScatterOp : StableHlo_Op<"scatter", !listconcat(StableHlo_Regions, [SameVariadicOperandSize])> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, StableHlo_IntOrBoolTensor:$scatter_indices,
                       Variadic<StableHlo_Tensor>:$updates,
                       StableHlo_ScatterDimensionNumbers:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
}

// The comparator says whether its left elements come first: (left 0, right 0, left 1, right 1, ...).
def SortOp : StableHlo_Op<"sort", StableHlo_Regions> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
}

// ---- Windows

def ConvolutionOp : StableHlo_Op<"convolution", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$lhs, StableHlo_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       StableHlo_ConvDimensionNumbers:$dimension_numbers,
                       ConfinedAttr<I64Attr, [IntPositive]>:$feature_group_count,
                       ConfinedAttr<I64Attr, [IntPositive]>:$batch_group_count,
                       OptionalAttr<StableHlo_PrecisionConfig>:$precision_config);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=`
    `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ReduceWindowOp : StableHlo_Op<"reduce_window", !listconcat(StableHlo_Regions, [SameVariadicOperandSize])> {
  let arguments = (ins Variadic<StableHlo_Tensor>:$inputs, Variadic<StableHlo_Tensor>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<StableHlo_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def SelectAndScatterOp : StableHlo_Op<"select_and_scatter", StableHlo_Regions> {
  let arguments = (ins StableHlo_Tensor:$operand, StableHlo_Tensor:$source, StableHlo_Tensor:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs StableHlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
}

// ---- Products, systems, transforms, random bits

def DotOp : StableHlo_Op<"dot", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$lhs, StableHlo_Tensor:$rhs,
                       OptionalAttr<StableHlo_PrecisionConfig>:$precision_config);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<Precisions>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def TriangularSolveOp : StableHlo_Op<"triangular_solve", [Pure, AllTypesMatch<["b", "result"]>]> {
  let arguments = (ins StableHlo_Tensor:$a, StableHlo_Tensor:$b, BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, StableHlo_Transpose:$transpose_a);
  let results = (outs StableHlo_Tensor:$result);
  let hasVerifier = 1;
}

def CholeskyOp : StableHlo_Op<"cholesky", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins StableHlo_Tensor:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def FftOp : StableHlo_Op<"fft", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$operand, StableHlo_FftType:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def RngBitGeneratorOp : StableHlo_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins StableHlo_Tensor:$initial_state, StableHlo_RngAlgorithm:$rng_algorithm);
  let results = (outs StableHlo_Tensor:$output_state, StableHlo_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// ---- Batch normalisation

class StableHlo_BatchNorm<string mnemonic, dag operands, dag values> : StableHlo_Op<mnemonic, [Pure]> {
  let arguments = !con(operands, (ins F32Attr:$epsilon, ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index));
  let results = values;
  let hasVerifier = 1;
}
def BatchNormInferenceOp : StableHlo_BatchNorm<"batch_norm_inference",
  (ins StableHlo_FloatTensor:$operand, StableHlo_FloatTensor:$scale, StableHlo_FloatTensor:$offset,
       StableHlo_FloatTensor:$mean, StableHlo_FloatTensor:$variance), (outs StableHlo_FloatTensor:$result)>;
def BatchNormTrainingOp : StableHlo_BatchNorm<"batch_norm_training",
  (ins StableHlo_FloatTensor:$operand, StableHlo_FloatTensor:$scale, StableHlo_FloatTensor:$offset),
  (outs StableHlo_FloatTensor:$output, StableHlo_FloatTensor:$batch_mean, StableHlo_FloatTensor:$batch_var)>;
def BatchNormGradOp : StableHlo_BatchNorm<"batch_norm_grad",
  (ins StableHlo_FloatTensor:$operand, StableHlo_FloatTensor:$scale, StableHlo_FloatTensor:$mean,
       StableHlo_FloatTensor:$variance, StableHlo_FloatTensor:$grad_output),
  (outs StableHlo_FloatTensor:$grad_operand, StableHlo_FloatTensor:$grad_scale, StableHlo_FloatTensor:$grad_offset)>;

#endif  // QUERN_IR_STABLEHLO_STRUCTURAL_TD
