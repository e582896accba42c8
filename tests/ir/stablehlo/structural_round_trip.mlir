// RUN: quern-opt %s | quern-opt | FileCheck %s
// RUN: quern-opt %s --mlir-print-op-generic | quern-opt | FileCheck %s

// CHECK-LABEL: func.func @control
func.func @control(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "stablehlo.if"(%{{.*}}) ({
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %t = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %t : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: "stablehlo.case"(%{{.*}}) ({
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : tensor<i32>, tensor<4xf32>
  // CHECK-NEXT: cond {
  // CHECK: stablehlo.compare LT, %[[I]], %[[I]]
  // CHECK: } do {
  // CHECK: stablehlo.return %[[I]], %[[X]] : tensor<i32>, tensor<4xf32>
  %2:2 = stablehlo.while(%iterArg = %i, %iterArg_0 = %1) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %iterArg, %iterArg : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<4xf32>
  }
  // CHECK: stablehlo.while(%{{.*}} = %{{.*}}) : tensor<i1> attributes {mhlo.note = 1 : i32}
  %3 = stablehlo.while(%arg = %p) : tensor<i1> attributes {mhlo.note = 1 : i32} cond {
    stablehlo.return %arg : tensor<i1>
  } do {
    // CHECK: stablehlo.while()
    stablehlo.while() cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return
    }
    stablehlo.return %arg : tensor<i1>
  }
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<i32>
  %4:2 = stablehlo.optimization_barrier %2#1, %i : tensor<4xf32>, tensor<i32>
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier ()
  // CHECK: stablehlo.composite "quern.twice" %{{.*}} {composite_attributes = {n = 2 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.composite "quern.twice" %4#0 {composite_attributes = {n = 2 : i64}, decomposition = @twice, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3xf32>, %z: tensor<f32>, %i: tensor<i32>, %u: tensor<1x3xf32>, %n: tensor<3x2xi32>) {
  // CHECK: stablehlo.broadcast %{{.*}}, sizes = [4, 1] : (tensor<2x3xf32>) -> tensor<4x1x2x3xf32>
  %0 = stablehlo.broadcast %x, sizes = [4, 1] : (tensor<2x3xf32>) -> tensor<4x1x2x3xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.concatenate %x, %u, dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x4xf32>
  %2 = stablehlo.pad %x, %z, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x4xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [1] : tensor<2x3xf32>
  %3 = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %4 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.dynamic_slice %z, sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %6 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2>}>
  %7 = "stablehlo.gather"(%x, %n) {
    dimension_numbers = #stablehlo.gather<index_vector_dim = 1, offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1],>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = true
  } : (tensor<2x3xf32>, tensor<3x2xi32>) -> tensor<3x2xf32>
  // CHECK: "stablehlo.scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  %8 = "stablehlo.scatter"(%x, %n, %7) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<2x3xf32>, tensor<3x2xi32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.sort"(%{{.*}}) <{dimension = 1 : i64, is_stable = true}> ({
  %9 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x6xf32>, %s: tensor<1x2x2x2xf32>, %z: tensor<f32>) {
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [2, 1], pad = {{\[\[}}1, 1], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x6xf32>) -> tensor<1x6x2x6xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 1], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [1, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x2xf32>, tensor<3x3x2x6xf32>) -> tensor<1x6x2x6xf32>
  // CHECK: dim_numbers = [b, 1, 0, f]x[1, 0, i, o]->[b, 1, 0, f], window = {} {
  %1 = "stablehlo.convolution"(%x, %k) {
    dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [2, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [1, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [2, 1]>,
    batch_group_count = 1 : i64, feature_group_count = 1 : i64
  } : (tensor<1x4x4x2xf32>, tensor<3x3x2x6xf32>) -> tensor<1x2x2x6xf32>
  // CHECK: "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{padding = dense<{{.*}}> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  %2 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  // CHECK: "stablehlo.select_and_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  %3 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x4x2xf32>, tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x4x4x2xf32>
  return
}

// CHECK-LABEL: func.func @linear
func.func @linear(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %q: tensor<3x3xf32>, %s: tensor<2xui64>, %v: tensor<3xf32>, %c: tensor<4xcomplex<f32>>) {
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %0 = stablehlo.dot %a, %b, precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  // CHECK: "stablehlo.triangular_solve"(%{{.*}}, %{{.*}}) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}>
  %1 = "stablehlo.triangular_solve"(%q, %b) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<3x3xf32>
  %2 = stablehlo.cholesky %q, lower = true : tensor<3x3xf32>
  // CHECK: stablehlo.cholesky %{{.*}} : tensor<3x3xf32>
  %3 = stablehlo.cholesky %q : tensor<3x3xf32>
  // CHECK: stablehlo.fft %{{.*}}, type = IRFFT, length = [6] : (tensor<4xcomplex<f32>>) -> tensor<6xf32>
  %4 = stablehlo.fft %c, type = IRFFT, length = [6] : (tensor<4xcomplex<f32>>) -> tensor<6xf32>
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  %5, %6 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  // CHECK: "stablehlo.batch_norm_inference"({{.*}}) <{epsilon = {{.*}} : f32, feature_index = 1 : i64}>
  %7 = "stablehlo.batch_norm_inference"(%a, %v, %v, %v, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.batch_norm_training"
  %8:3 = "stablehlo.batch_norm_training"(%a, %v, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: "stablehlo.batch_norm_grad"
  %9:3 = "stablehlo.batch_norm_grad"(%a, %v, %v, %v, %a) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
