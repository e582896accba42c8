func.func public @main(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6xf32>) {
  %inf = stablehlo.constant dense<0x7F800000> : tensor<6x8xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.minimum %x, %inf : tensor<6x8xf32>
  %1 = stablehlo.reduce(%0 init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
  return %0, %1 : tensor<6x8xf32>, tensor<6xf32>
}
