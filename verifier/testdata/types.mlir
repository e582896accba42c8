func.func @main(%a: tensor<48xf32>, %b: tensor<48xi4>, %c: tensor<48xui32>, %d: tensor<48xui32>, %e: tensor<48xbf16>) -> (tensor<48xi16>, tensor<48xi4>, tensor<48xui32>, tensor<48xui32>, tensor<48xbf16>) {
  %hundred = stablehlo.constant dense<100.0> : tensor<48xf32>
  %far = stablehlo.multiply %a, %hundred : tensor<48xf32>
  %0 = stablehlo.convert %far : (tensor<48xf32>) -> tensor<48xi16>
  %1 = stablehlo.add %b, %b : tensor<48xi4>
  %2 = stablehlo.divide %c, %d : tensor<48xui32>
  %3 = stablehlo.shift_left %c, %d : tensor<48xui32>
  %low = stablehlo.negate %e : tensor<48xbf16>
  %4 = stablehlo.maximum %e, %low : tensor<48xbf16>
  return %0, %1, %2, %3, %4 : tensor<48xi16>, tensor<48xi4>, tensor<48xui32>, tensor<48xui32>, tensor<48xbf16>
}
