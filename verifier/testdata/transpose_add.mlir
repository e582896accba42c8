func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x24xf32>) -> tensor<40x24xf32> {
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<24x40xf32>) -> tensor<40x24xf32>
  %c = stablehlo.add %t, %b : tensor<40x24xf32>
  return %c : tensor<40x24xf32>
}
