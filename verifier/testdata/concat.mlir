func.func @main(%a: tensor<8x5xf64>, %b: tensor<8x11xf64>) -> tensor<8x16xf64> {
  %c = stablehlo.reverse %b, dims = [1] : tensor<8x11xf64>
  %y = stablehlo.concatenate %a, %c, dim = 1 : (tensor<8x5xf64>, tensor<8x11xf64>) -> tensor<8x16xf64>
  return %y : tensor<8x16xf64>
}
