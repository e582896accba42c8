func.func @main(%a: tensor<32x60xf32>, %b: tensor<32x60xf32>) -> tensor<32x60xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<32x60xf32>
  %sum = stablehlo.add %a, %b : tensor<32x60xf32>
  %relu = stablehlo.maximum %sum, %zeros : tensor<32x60xf32>
  return %relu : tensor<32x60xf32>
}
