func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<6x8xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<6x8xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<6x8xf32>
  %last = stablehlo.constant dense<7> : tensor<6x8xi32>
  %column = stablehlo.iota dim = 1 : tensor<6x8xi32>
  %above = stablehlo.compare GT, %x, %zero : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
  %positive = stablehlo.select %above, %x, %nan : tensor<6x8xi1>, tensor<6x8xf32>
  %masked = stablehlo.compare EQ, %column, %last : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi1>
  %result = stablehlo.select %masked, %lowest, %positive : tensor<6x8xi1>, tensor<6x8xf32>
  return %result : tensor<6x8xf32>
}
