func.func @main(%x: tensor<512x4096xf32>) -> tensor<512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x4096xf32>, tensor<f32>) -> tensor<512xf32>
  return %sum : tensor<512xf32>
}
