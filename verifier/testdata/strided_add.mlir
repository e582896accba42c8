func.func @main(%a: tensor<65528xf32>, %b: tensor<65528xf32>) -> tensor<65528xf32> {
  %c = stablehlo.add %a, %b : tensor<65528xf32>
  return %c : tensor<65528xf32>
}
