func.func @main(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<64.0> : tensor<64xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %mean = stablehlo.divide %sum, %count : tensor<64xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %d = stablehlo.subtract %x, %means : tensor<64x64xf32>
  %d2 = stablehlo.multiply %d, %d : tensor<64x64xf32>
  %squares = stablehlo.reduce(%d2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %variance = stablehlo.divide %squares, %count : tensor<64xf32>
  return %mean, %variance : tensor<64xf32>, tensor<64xf32>
}
