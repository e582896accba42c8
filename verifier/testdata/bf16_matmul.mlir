func.func @main(%a: tensor<8x32xbf16>, %b: tensor<32x16xbf16>) -> tensor<8x16xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x32xbf16>, tensor<32x16xbf16>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
}
