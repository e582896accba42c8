func.func @main(%x: tensor<1000x1003xf32>, %y: tensor<1000x1003xf32>) -> tensor<1000x1003xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<1000x1003xf32>
  %sum = stablehlo.add %x, %y : tensor<1000x1003xf32>
  %relu = stablehlo.maximum %sum, %zero : tensor<1000x1003xf32>
  return %relu : tensor<1000x1003xf32>
}
