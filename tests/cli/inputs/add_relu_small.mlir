func.func public @main(%x: tensor<24x40xf32>, %y: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<24x40xf32>
  %sum = stablehlo.add %x, %y : tensor<24x40xf32>
  %result = stablehlo.maximum %sum, %zeros : tensor<24x40xf32>
  return %result : tensor<24x40xf32>
}
