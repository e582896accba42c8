func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %three = stablehlo.constant dense<3.0> : tensor<6x8xf32>
  %square = stablehlo.multiply %x, %x : tensor<6x8xf32>
  %cube = stablehlo.multiply %square, %x : tensor<6x8xf32>
  %result = stablehlo.divide %cube, %three : tensor<6x8xf32>
  return %result : tensor<6x8xf32>
}
