func.func @main(%q: tensor<64x32xf32>, %k: tensor<64x32xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c = stablehlo.constant dense<0.125> : tensor<64x64xf32>
  %dots = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %scores = stablehlo.multiply %dots, %c : tensor<64x64xf32>
  %max = stablehlo.reduce(%scores init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %d = stablehlo.subtract %scores, %maxs : tensor<64x64xf32>
  %e = stablehlo.exponential %d : tensor<64x64xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %p = stablehlo.divide %e, %sums : tensor<64x64xf32>
  %out = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %out : tensor<64x32xf32>
}
