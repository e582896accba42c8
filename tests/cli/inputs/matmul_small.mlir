func.func public @main(%a: tensor<24x20xf32>, %b: tensor<20x32xf32>) -> tensor<24x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x20xf32>, tensor<20x32xf32>) -> tensor<24x32xf32>
  return %0 : tensor<24x32xf32>
}
