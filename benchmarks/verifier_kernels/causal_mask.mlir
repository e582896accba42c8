func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<512x512xf32>
  %row = stablehlo.iota dim = 0 : tensor<512x512xi32>
  %column = stablehlo.iota dim = 1 : tensor<512x512xi32>
  %below = stablehlo.compare LE, %column, %row : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
  %out = stablehlo.select %below, %x, %lowest : tensor<512x512xi1>, tensor<512x512xf32>
  return %out : tensor<512x512xf32>
}
