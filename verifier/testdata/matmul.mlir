func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x32xf32>) -> tensor<24x32xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x40xf32>, tensor<40x32xf32>) -> tensor<24x32xf32>
  return %c : tensor<24x32xf32>
}
