func.func @main(%a: tensor<384x384xf32>, %b: tensor<384x384xf32>) -> tensor<384x384xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<384x384xf32>, tensor<384x384xf32>) -> tensor<384x384xf32>
  return %c : tensor<384x384xf32>
}
