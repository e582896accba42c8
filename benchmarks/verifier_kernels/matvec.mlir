func.func @main(%a: tensor<1024x4096xf32>, %x: tensor<4096xf32>) -> tensor<1024xf32> {
  %y = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<1024x4096xf32>, tensor<4096xf32>) -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}
