func.func @main(%a: tensor<64x32x48xf32>, %b: tensor<64x48x32xf32>, %bias: tensor<32xf32>) -> tensor<64x32x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<64x32x32xf32>
  %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<64x32x48xf32>, tensor<64x48x32xf32>) -> tensor<64x32x32xf32>
  %bs = stablehlo.broadcast_in_dim %bias, dims = [2] : (tensor<32xf32>) -> tensor<64x32x32xf32>
  %sum = stablehlo.add %c, %bs : tensor<64x32x32xf32>
  %out = stablehlo.maximum %sum, %zero : tensor<64x32x32xf32>
  return %out : tensor<64x32x32xf32>
}
