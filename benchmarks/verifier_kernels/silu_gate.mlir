func.func @main(%x: tensor<128x2048xf32>, %y: tensor<128x2048xf32>) -> tensor<128x2048xf32> {
  %s = stablehlo.logistic %x : tensor<128x2048xf32>
  %g = stablehlo.multiply %x, %s : tensor<128x2048xf32>
  %out = stablehlo.multiply %g, %y : tensor<128x2048xf32>
  return %out : tensor<128x2048xf32>
}
