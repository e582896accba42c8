func.func @main(%x: tensor<64x1024xf32>) -> tensor<128x512xf32> {
  %out = stablehlo.reshape %x : (tensor<64x1024xf32>) -> tensor<128x512xf32>
  return %out : tensor<128x512xf32>
}
