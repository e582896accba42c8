func.func @main(%x: tensor<256x1024xf32>, %gamma: tensor<1024xf32>) -> tensor<256x1024xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<1024.0> : tensor<256xf32>
  %epsilon = stablehlo.constant dense<1.0e-6> : tensor<256xf32>
  %x2 = stablehlo.multiply %x, %x : tensor<256x1024xf32>
  %squares = stablehlo.reduce(%x2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<256x1024xf32>, tensor<f32>) -> tensor<256xf32>
  %mean = stablehlo.divide %squares, %count : tensor<256xf32>
  %shifted = stablehlo.add %mean, %epsilon : tensor<256xf32>
  %scale = stablehlo.rsqrt %shifted : tensor<256xf32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<256xf32>) -> tensor<256x1024xf32>
  %n = stablehlo.multiply %x, %scales : tensor<256x1024xf32>
  %g = stablehlo.broadcast_in_dim %gamma, dims = [1] : (tensor<1024xf32>) -> tensor<256x1024xf32>
  %out = stablehlo.multiply %n, %g : tensor<256x1024xf32>
  return %out : tensor<256x1024xf32>
}
