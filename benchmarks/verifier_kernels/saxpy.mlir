func.func @main(%a: tensor<f32>, %x: tensor<65536xf32>, %y: tensor<65536xf32>) -> tensor<65536xf32> {
  %factor = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<65536xf32>
  %product = stablehlo.multiply %factor, %x : tensor<65536xf32>
  %sum = stablehlo.add %product, %y : tensor<65536xf32>
  return %sum : tensor<65536xf32>
}
