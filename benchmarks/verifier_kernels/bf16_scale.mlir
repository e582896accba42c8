func.func @main(%x: tensor<128x512xbf16>, %y: tensor<128x512xbf16>) -> tensor<128x512xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<128x512xf32>
  %a = stablehlo.convert %x : (tensor<128x512xbf16>) -> tensor<128x512xf32>
  %b = stablehlo.convert %y : (tensor<128x512xbf16>) -> tensor<128x512xf32>
  %sum = stablehlo.add %a, %b : tensor<128x512xf32>
  %out = stablehlo.multiply %sum, %half : tensor<128x512xf32>
  return %out : tensor<128x512xf32>
}
