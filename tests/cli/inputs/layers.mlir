func.func private @layer(%x: tensor<4x32xf32>, %w: tensor<32x32xf32>, %b: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x32xf32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %bs = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32>
  %s = stablehlo.add %d, %bs : tensor<4x32xf32>
  %r = stablehlo.maximum %s, %zero : tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}
func.func public @main(%x: tensor<4x32xf32>, %w0: tensor<32x32xf32>, %b0: tensor<32xf32>, %w1: tensor<32x32xf32>, %b1: tensor<32xf32>) -> tensor<4xf32> {
  %0 = func.call @layer(%x, %w0, %b0) : (tensor<4x32xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  %1 = func.call @layer(%0, %w1, %b1) : (tensor<4x32xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  %sorted = "stablehlo.sort"(%1) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %less = stablehlo.compare LT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %least = stablehlo.slice %sorted [0:4, 0:1] : (tensor<4x32xf32>) -> tensor<4x1xf32>
  %flat = stablehlo.reshape %least : (tensor<4x1xf32>) -> tensor<4xf32>
  return %flat : tensor<4xf32>
}
