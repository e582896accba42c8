func.func @main(%a: tensor<40x32xf32>, %b: tensor<40x32xf32>) -> tensor<40x32xf32> {
  %c = stablehlo.add %a, %b : tensor<40x32xf32>
  return %c : tensor<40x32xf32>
}
