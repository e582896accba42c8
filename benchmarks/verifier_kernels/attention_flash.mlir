func.func @main(%q: tensor<8x512x64xf32>, %k: tensor<8x512x64xf32>, %v: tensor<8x512x64xf32>) -> tensor<8x512x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c = stablehlo.constant dense<0.125> : tensor<8x512x512xf32>
  %dots = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x512x64xf32>, tensor<8x512x64xf32>) -> tensor<8x512x512xf32>
  %scores = stablehlo.multiply %dots, %c : tensor<8x512x512xf32>
  %max = stablehlo.reduce(%scores init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<8x512x512xf32>, tensor<f32>) -> tensor<8x512xf32>
  %maxs = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<8x512xf32>) -> tensor<8x512x512xf32>
  %d = stablehlo.subtract %scores, %maxs : tensor<8x512x512xf32>
  %e = stablehlo.exponential %d : tensor<8x512x512xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x512x512xf32>, tensor<f32>) -> tensor<8x512xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<8x512xf32>) -> tensor<8x512x512xf32>
  %p = stablehlo.divide %e, %sums : tensor<8x512x512xf32>
  %out = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x512x512xf32>, tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %out : tensor<8x512x64xf32>
}
