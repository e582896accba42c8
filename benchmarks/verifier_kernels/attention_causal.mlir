func.func @main(%q: tensor<32x16xf32>, %k: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %never = stablehlo.constant dense<0xFF800000> : tensor<32x32xf32>
  %c = stablehlo.constant dense<0.25> : tensor<32x32xf32>
  %dots = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x32xf32>
  %scaled = stablehlo.multiply %dots, %c : tensor<32x32xf32>
  %row = stablehlo.iota dim = 0 : tensor<32x32xi32>
  %column = stablehlo.iota dim = 1 : tensor<32x32xi32>
  %seen = stablehlo.compare LE, %column, %row : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
  %scores = stablehlo.select %seen, %scaled, %never : tensor<32x32xi1>, tensor<32x32xf32>
  %max = stablehlo.reduce(%scores init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
  %maxs = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<32xf32>) -> tensor<32x32xf32>
  %d = stablehlo.subtract %scores, %maxs : tensor<32x32xf32>
  %e = stablehlo.exponential %d : tensor<32x32xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<32xf32>) -> tensor<32x32xf32>
  %p = stablehlo.divide %e, %sums : tensor<32x32xf32>
  %out = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
  return %out : tensor<32x16xf32>
}
