func.func @main(%a: tensor<48xui8>, %b: tensor<48xf16>) -> (tensor<48xui8>, tensor<48xf16>) {
  %three = stablehlo.constant dense<3> : tensor<48xui8>
  %seven = stablehlo.constant dense<7> : tensor<48xui8>
  %product = stablehlo.multiply %a, %three : tensor<48xui8>
  %quotient = stablehlo.divide %a, %seven : tensor<48xui8>
  %less = stablehlo.compare LT, %product, %quotient : (tensor<48xui8>, tensor<48xui8>) -> tensor<48xi1>
  %y = stablehlo.select %less, %product, %a : tensor<48xi1>, tensor<48xui8>
  %third = stablehlo.constant dense<0.3> : tensor<48xf16>
  %scaled = stablehlo.multiply %b, %third : tensor<48xf16>
  %z = stablehlo.add %scaled, %b : tensor<48xf16>
  return %y, %z : tensor<48xui8>, tensor<48xf16>
}
