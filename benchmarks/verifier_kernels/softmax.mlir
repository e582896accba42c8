func.func @main(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<256x512xf32>, tensor<f32>) -> tensor<256xf32>
  %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<256xf32>) -> tensor<256x512xf32>
  %shifted = stablehlo.subtract %x, %maxs : tensor<256x512xf32>
  %e = stablehlo.exponential %shifted : tensor<256x512xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x512xf32>, tensor<f32>) -> tensor<256xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<256xf32>) -> tensor<256x512xf32>
  %out = stablehlo.divide %e, %sums : tensor<256x512xf32>
  return %out : tensor<256x512xf32>
}
