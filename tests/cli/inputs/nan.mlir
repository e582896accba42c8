func.func public @main(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<6x8xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<6x8xf32>
  %nans = stablehlo.constant dense<0x7FC00000> : tensor<8xf32>
  %0 = stablehlo.compare GT, %x, %zero : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
  %1 = stablehlo.select %0, %x, %nan : tensor<6x8xi1>, tensor<6x8xf32>
  return %1, %nans : tensor<6x8xf32>, tensor<8xf32>
}
