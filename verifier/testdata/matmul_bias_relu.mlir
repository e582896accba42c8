func.func @main(%a: tensor<16x24xf32>, %b: tensor<24x16xf32>, %bias: tensor<16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
  %product = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x16xf32>) -> tensor<16x16xf32>
  %row = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %sum = stablehlo.add %product, %row : tensor<16x16xf32>
  %relu = stablehlo.maximum %sum, %zeros : tensor<16x16xf32>
  return %relu : tensor<16x16xf32>
}
