func.func @main(%x: tensor<256x512xi32>, %y: tensor<256x512xi32>) -> tensor<256xi32> {
  %d = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<256x512xi32>, tensor<256x512xi32>) -> tensor<256xi32>
  return %d : tensor<256xi32>
}
