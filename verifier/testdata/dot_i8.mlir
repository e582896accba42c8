func.func @main(%a: tensor<5x40xi8>, %b: tensor<40x6xi8>) -> tensor<5x6xi32> {
  %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x40xi8>, tensor<40x6xi8>) -> tensor<5x6xi32>
  return %y : tensor<5x6xi32>
}
