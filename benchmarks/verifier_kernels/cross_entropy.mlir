func.func @main(%x: tensor<128x256xf32>, %p: tensor<128x256xf32>) -> tensor<128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<128x256xf32>, tensor<f32>) -> tensor<128xf32>
  %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<128xf32>) -> tensor<128x256xf32>
  %d = stablehlo.subtract %x, %maxs : tensor<128x256xf32>
  %e = stablehlo.exponential %d : tensor<128x256xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x256xf32>, tensor<f32>) -> tensor<128xf32>
  %log = stablehlo.log %sum : tensor<128xf32>
  %logs = stablehlo.broadcast_in_dim %log, dims = [0] : (tensor<128xf32>) -> tensor<128x256xf32>
  %lp = stablehlo.subtract %d, %logs : tensor<128x256xf32>
  %t = stablehlo.multiply %p, %lp : tensor<128x256xf32>
  %s = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x256xf32>, tensor<f32>) -> tensor<128xf32>
  %out = stablehlo.negate %s : tensor<128xf32>
  return %out : tensor<128xf32>
}
