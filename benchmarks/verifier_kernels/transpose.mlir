func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %out = stablehlo.transpose %x, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %out : tensor<1024x1024xf32>
}
