func.func @main(%x: tensor<256x1000xf32>) -> tensor<256xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<256xf32>
  return %max : tensor<256xf32>
}
