func.func @main(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<1x5x5x6xf32> {
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x5x5x6xf32>
  return %y : tensor<1x5x5x6xf32>
}
