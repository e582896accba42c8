func.func @main(%a: tensor<12x80xf32>, %b: tensor<80x24xf32>) -> tensor<12x24xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x80xf32>, tensor<80x24xf32>) -> tensor<12x24xf32>
  return %c : tensor<12x24xf32>
}
