// The `check` dialect of StableHLO's conformance suite: assertions inside a module.
#ifndef QUERN_IR_STABLEHLO_CHECK_TD
#define QUERN_IR_STABLEHLO_CHECK_TD

include "mlir/IR/OpBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::quern::check";
  let summary = "Assertions of self-checking modules";
}

def Check_Tensor : RankedTensorOf<[AnyType]>;

class Check_Op<string mnemonic, list<Trait> traits> : Op<Check_Dialect, mnemonic, traits>;
class Check_Pair<string mnemonic> : Check_Op<mnemonic, [SameTypeOperands]>;
class Check_Constant<string mnemonic> : Check_Op<mnemonic, [AllTypesMatch<["lhs", "value"]>]>;

// Element-wise ==; a NaN equals nothing.
def ExpectEqOp : Check_Pair<"expect_eq"> {
  let arguments = (ins Check_Tensor:$lhs, Check_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}
def ExpectEqConstOp : Check_Constant<"expect_eq_const"> {
  let arguments = (ins Check_Tensor:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` $value attr-dict";
}

// An absolute difference of at most `tolerance`; a NaN equals a NaN.
def ExpectAlmostEqOp : Check_Pair<"expect_almost_eq"> {
  let arguments = (ins Check_Tensor:$lhs, Check_Tensor:$rhs,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` type($lhs)";
}
def ExpectAlmostEqConstOp : Check_Constant<"expect_almost_eq_const"> {
  let arguments = (ins Check_Tensor:$lhs, ElementsAttr:$value,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` $value (`,` `tolerance` `=` $tolerance^)? attr-dict";
}

// A distance of min_ulp_difference to max_ulp_difference units in the last place.
def ExpectCloseOp : Check_Pair<"expect_close"> {
  let arguments = (ins Check_Tensor:$lhs, Check_Tensor:$rhs,
                       DefaultValuedOptionalAttr<UI64Attr, "1">:$max_ulp_difference,
                       DefaultValuedOptionalAttr<UI64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` `max_ulp_difference` `=` $max_ulp_difference^)?
    (`,` `min_ulp_difference` `=` $min_ulp_difference^)? attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

#endif  // QUERN_IR_STABLEHLO_CHECK_TD
