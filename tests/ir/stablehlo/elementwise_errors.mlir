// RUN: quern-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{result must have elements of type 'f32'}}
  %0 = stablehlo.abs %a : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected a tensor of complex numbers}}
  %0 = stablehlo.complex %a, %a : tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{result must be complex numbers of the operands' element type}}
  %0 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected a format such as e8m10, not f16}}
  %0 = stablehlo.reduce_precision %a, format = f16 : tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{format is wider than f64}}
  %0 = stablehlo.reduce_precision %a, format = e12m10 : tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{must be ranked tensor with fixed dimensions of integers, not i1}}
  %0 = stablehlo.shift_left %a, %a : tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{shapes do not hold the same bits}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi16>
  return
}

// -----

func.func @f(%a: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{cannot change between complex and other numbers}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{value must have the result's element type}}
  %0 = "chlo.constant_like"(%a) {value = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
