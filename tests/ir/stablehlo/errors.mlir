// RUN: quern-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{must be ranked tensor with fixed dimensions of any type, but got 'tensor<?xf32>'}}
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xi1>) {
  // expected-error @+1 {{must be ranked tensor with fixed dimensions of numbers, not i1}}
  %0 = stablehlo.subtract %a, %a : tensor<2xi1>
  return
}

// -----

func.func @f(%a: tensor<2xi32>) {
  // expected-error @+1 {{comparison type UNSIGNED does not fit elements of type 'i32'}}
  %0 = stablehlo.compare LT, %a, %a, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

func.func @f(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error @+1 {{predicate must be a scalar or have the shape of the result}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

func.func @f(%l: tensor<3xf32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{bounds must be scalars or have the type of the operand}}
  %0 = stablehlo.clamp %l, %a, %l : (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{iota dimension is not one of the result's}}
  %0 = stablehlo.iota dim = 1 : tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{operand dimension 0 of extent 2 does not fit result dimension 1 of extent 3}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>) {
  // expected-error @+1 {{dims must name a distinct result dimension for each operand dimension}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{changes the number of elements from 6 to 5}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{dims must be a permutation of the operand's dimensions}}
  %0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{result has the wrong shape}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{range 0 does not lie in the operand}}
  %0 = stablehlo.slice %a [2:5] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{result has the wrong shape}}
  %0 = stablehlo.slice %a [0:3:2] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{lhs dimension 1 of extent 3 meets rhs dimension 0 of extent 4}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>) {
  // expected-error @+1 {{dimension numbers do not fit the operands}}
  %0 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f32' do not give 'bf16'}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<bf16>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{a dot algorithm needs all of its seven fields}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{no such precision: LOW}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], precision = [LOW] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{result 0 has the wrong type}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{dimensions do not fit the inputs}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %z: tensor<i32>) {
  // expected-error @+1 {{init values and the body work on scalars of the inputs' element types}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'applies' takes one input and a stablehlo op}}
  %0 = stablehlo.reduce(%a init: %z) applies func.return across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
