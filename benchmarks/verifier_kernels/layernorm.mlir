func.func @main(%x: tensor<128x768xf32>, %gamma: tensor<768xf32>, %beta: tensor<768xf32>) -> tensor<128x768xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %count = stablehlo.constant dense<768.0> : tensor<128xf32>
  %epsilon = stablehlo.constant dense<1.0e-5> : tensor<128xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x768xf32>, tensor<f32>) -> tensor<128xf32>
  %mean = stablehlo.divide %sum, %count : tensor<128xf32>
  %means = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<128xf32>) -> tensor<128x768xf32>
  %d = stablehlo.subtract %x, %means : tensor<128x768xf32>
  %d2 = stablehlo.multiply %d, %d : tensor<128x768xf32>
  %squares = stablehlo.reduce(%d2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x768xf32>, tensor<f32>) -> tensor<128xf32>
  %variance = stablehlo.divide %squares, %count : tensor<128xf32>
  %shifted = stablehlo.add %variance, %epsilon : tensor<128xf32>
  %scale = stablehlo.rsqrt %shifted : tensor<128xf32>
  %scales = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<128xf32>) -> tensor<128x768xf32>
  %n = stablehlo.multiply %d, %scales : tensor<128x768xf32>
  %g = stablehlo.broadcast_in_dim %gamma, dims = [1] : (tensor<768xf32>) -> tensor<128x768xf32>
  %b = stablehlo.broadcast_in_dim %beta, dims = [1] : (tensor<768xf32>) -> tensor<128x768xf32>
  %scaled = stablehlo.multiply %n, %g : tensor<128x768xf32>
  %out = stablehlo.add %scaled, %b : tensor<128x768xf32>
  return %out : tensor<128x768xf32>
}
