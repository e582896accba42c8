func.func @main(%a: tensor<16x64xi8>, %b: tensor<64x16xi8>, %scale: tensor<16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x64xi8>, tensor<64x16xi8>) -> tensor<16x16xi32>
  %1 = stablehlo.convert %0 : (tensor<16x16xi32>) -> tensor<16x16xf32>
  %2 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}
