// RUN: quern-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{false branch must return ('tensor<2xf32>'), not ('tensor<i1>')}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%p: tensor<2xi1>) {
  // expected-error @+1 {{must be scalar tensor of i1}}
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @+1 {{needs a branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error @+1 {{branch 1 must return (), not ('tensor<i32>')}}
  "stablehlo.case"(%i) ({
    stablehlo.return
  }, {
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> ()
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{condition must return ('tensor<i1>'), not ('tensor<f32>')}}
  %0 = stablehlo.while(%a = %x) : tensor<f32> cond {
    stablehlo.return %a : tensor<f32>
  } do {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{body must return ('tensor<f32>'), not ('tensor<i1>')}}
  %0 = stablehlo.while(%a = %x) : tensor<f32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error @+1 {{results must have the operands' types}}
  %0 = "stablehlo.while"(%p) ({
  ^bb0(%a: tensor<i1>):
    stablehlo.return %a : tensor<i1>
  }, {
  ^bb0(%a: tensor<i1>):
    stablehlo.return %a : tensor<i1>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{results must have the operands' types}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<f32>) -> tensor<f64>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{sizes must not be negative}}
  %0 = stablehlo.broadcast %x, sizes = [-1] : (tensor<2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{result must be 'tensor<3x2xf32>', not 'tensor<2x3xf32>'}}
  %0 = stablehlo.broadcast %x, sizes = [3] : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{needs an input}}
  %0 = stablehlo.concatenate dim = 0 : () -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{dim is not one of the inputs'}}
  %0 = stablehlo.concatenate %x, dim = 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+1 {{input 1 of type 'tensor<2x4xf32>' does not fit 'tensor<2x3xf32>' along dimension 0}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{result must be 'tensor<4xf32>'}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<i32>) {
  // expected-error @+1 {{padding value must be a scalar of the operand's element type}}
  %0 = stablehlo.pad %x, %z, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{low, high and interior need a value for each dimension}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{interior padding must not be negative}}
  %0 = stablehlo.pad %x, %z, low = [0], high = [0], interior = [-1] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{padding takes more away from dimension 0 than it has}}
  %0 = stablehlo.pad %x, %z, low = [-2], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{padding must be from -2^48 to 2^48}}
  %0 = stablehlo.pad %x, %z, low = [9223372036854775807], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{result must be 'tensor<3xf32>'}}
  %0 = stablehlo.pad %x, %z, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{dims must be distinct dimensions of the operand}}
  %0 = stablehlo.reverse %x, dims = [0, 0] : tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{needs a start for each of the 1 dimensions, not 0}}
  %0 = stablehlo.dynamic_slice %x, sizes = [1] : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error @+1 {{starts must have one type}}
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 1] : (tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %i: tensor<1xi32>) {
  // expected-error @+1 {{must be variadic of scalar tensor of integers}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<2xf32>, tensor<1xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{size 3 does not fit dimension 0 of extent 2}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<2xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{needs a size for each dimension}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1, 1] : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %u: tensor<3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{update 'tensor<3xf32>' does not fit in 'tensor<2xf32>'}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<2xf32>, tensor<3xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %t: tensor<i1>) {
  // expected-error @+1 {{dimension 1 is not one of the inputs'}}
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %t : tensor<i1>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %t: tensor<i1>) {
  // expected-error @+1 {{comparator must take ('tensor<f32>', 'tensor<f32>'), not ('tensor<f32>')}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %t : tensor<i1>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %t: tensor<i1>) {
  // expected-error @+1 {{comparator must return ('tensor<i1>'), not ('tensor<f32>')}}
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>, %t: tensor<i1>) {
  // expected-error @+1 {{inputs must have one shape}}
  %0:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %t : tensor<i1>
  }) : (tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{index_vector_dim is not a dimension of the indices or the one after}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{maps 2 index components, but indices have 1}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{window dimensions must be ascending dimensions}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{collapsed and batching dimensions must be distinct, ascending dimensions of the operand}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{index components must name distinct dimensions of the operand}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{batching dimensions of the indices must be distinct, one for each}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{batching dimensions differ in extent: 3 and 4}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{do not add up to the rank 2 of the operand}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{needs a slice size for each dimension of the operand}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{slice size 2 does not fit dimension 0 of extent 1}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{slice size 6 does not fit dimension 1 of extent 5}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{result must be 'tensor<3x5xf32>'}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{results must have the inputs' types}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) {
  // expected-error @+1 {{update window of extent 6 does not fit dimension 1 of extent 5}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5x1xf32>) {
  // expected-error @+1 {{updates must have rank 2}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5x1xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<2x5xf32>) {
  // expected-error @+1 {{updates must be 'tensor<3x5xf32>', not 'tensor<2x5xf32>'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{do not add up to the rank 2 of the operand}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{update computation must take ('tensor<f32>', 'tensor<f32>'), not ('tensor<f32>')}}
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%p: tensor<f32>):
    stablehlo.return %p : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{needs one window dimension for each dimension}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{window dimensions must be from 0 to 2^24}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: -1>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{window strides and dilations must be from 1 to 2^24, one for each dimension}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{padding must have a low and a high value for each dimension}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{padding must be from -2^24 to 2^24}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<99999999999> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{result must be 'tensor<3xf32>', not 'tensor<4xf32>'}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<1xf32>) {
  // expected-error @+1 {{init value must be 'tensor<f32>', not 'tensor<1xf32>'}}
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{source must be 'tensor<3xf32>', not 'tensor<2xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %z: tensor<f32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{select must return ('tensor<i1>'), not ('tensor<f32>')}}
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{unexpected dimension q}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, q]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{spatial dimensions must be 0, 1, ..., each once}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 1, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{must name the dimensions b and f}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{dim_numbers must name every dimension of operands and result once}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{unexpected window attribute stride}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], stride = [1]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{expected 0 or 1}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{window strides and dilations must be from 1}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1, 1]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{needs one window reversal for each dimension}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [1, 1]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{feature and batch groups exclude each other}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 2 : i64, batch_group_count = 2 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{input features 2 in 2 groups do not meet the kernel's 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x3xf32>) {
  // expected-error @+1 {{groups do not divide the kernel's output features 3 or the batch 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<2x5x2xf32>, tensor<3x2x3xf32>) -> tensor<1x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x5x2xf32>, %k: tensor<3x2x4xf32>) {
  // expected-error @+1 {{result must be 'tensor<2x3x4xf32>'}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x5x2xf32>, tensor<3x2x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x1xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{multiplies vectors and matrices only}}
  %0 = stablehlo.dot %a, %b : (tensor<2x3x1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{lhs extent 3 meets rhs extent 2}}
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{result must be 'tensor<2xf32>'}}
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) {
  // expected-error @+1 {{operands must have one floating-point or complex element type}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) {
  // expected-error @+1 {{a must be square matrices and b of the same rank}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4x2x2xf32>, %b: tensor<3x2x2xf32>) {
  // expected-error @+1 {{operands differ in batch extents}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x2x2xf32>, tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{b does not fit the matrices a}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<2x2xi32>) {
  // expected-error @+1 {{operand must have a floating-point or complex element type}}
  %0 = stablehlo.cholesky %a : tensor<2x2xi32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{operand must be square matrices}}
  %0 = stablehlo.cholesky %a : tensor<2x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{FFT does not turn 'tensor<4xf32>' into 'tensor<4xf32>'}}
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{length must have 1 to 3 extents, at most the operand's rank}}
  %0 = stablehlo.fft %a, type = FFT, length = [] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{dimension 0 must have extent 5, not 4}}
  %0 = stablehlo.fft %a, type = FFT, length = [5] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{dimension 0 must have extent 3, not 4}}
  %0 = stablehlo.fft %a, type = IRFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{result must be 'tensor<3xcomplex<f32>>'}}
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @f(%s: tensor<2xui64>) {
  // expected-error @+1 {{output state must have the initial state's type}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return
}

// -----

func.func @f(%s: tensor<2xui32>) {
  // expected-error @+1 {{state must be a vector of ui64 or i64}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
  return
}

// -----

func.func @f(%s: tensor<3xui64>) {
  // expected-error @+1 {{state of THREE_FRY must have 2 words}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return
}

// -----

func.func @f(%s: tensor<4xui64>) {
  // expected-error @+1 {{state of PHILOX must have 2 or 3 words}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<4xui64>) -> (tensor<4xui64>, tensor<2xui32>)
  return
}

// -----

func.func @f(%s: tensor<2xui64>) {
  // expected-error @+1 {{output must have elements of 8 to 64 bits}}
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi1>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{feature_index is not a dimension of the operand}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{statistics must be 'tensor<2xf32>', not 'tensor<3xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 0.1 : f32, feature_index = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{expected 'tensor<2x3xf32>', not 'tensor<3x2xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{statistics must be 'tensor<3xf32>', not 'tensor<2xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %v, %v) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{expected 'tensor<2x3xf32>', not 'tensor<3xf32>'}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %v) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{unexpected field offset_dims}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{unexpected field window}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<window = [1]>, slice_sizes = array<i64: 1, 5>} : (tensor<4x5xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}
