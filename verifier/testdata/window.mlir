func.func @main(%x: tensor<6x30xf32>, %start: tensor<i64>) -> tensor<6x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %y = stablehlo.dynamic_slice %x, %zero, %start, sizes = [6, 8] : (tensor<6x30xf32>, tensor<i64>, tensor<i64>) -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
