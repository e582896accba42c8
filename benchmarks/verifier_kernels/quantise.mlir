func.func @main(%x: tensor<16x32xf32>) -> tensor<16x32xi8> {
  %scale = stablehlo.constant dense<16.0> : tensor<16x32xf32>
  %low = stablehlo.constant dense<-128.0> : tensor<f32>
  %high = stablehlo.constant dense<127.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %scale : tensor<16x32xf32>
  %1 = stablehlo.round_nearest_even %0 : tensor<16x32xf32>
  %2 = stablehlo.clamp %low, %1, %high : (tensor<f32>, tensor<16x32xf32>, tensor<f32>) -> tensor<16x32xf32>
  %3 = stablehlo.convert %2 : (tensor<16x32xf32>) -> tensor<16x32xi8>
  return %3 : tensor<16x32xi8>
}
