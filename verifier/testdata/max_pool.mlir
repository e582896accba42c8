func.func @main(%x: tensor<1x9x9x4xf32>) -> tensor<1x5x5x4xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x9x9x4xf32>, tensor<f32>) -> tensor<1x5x5x4xf32>
  return %y : tensor<1x5x5x4xf32>
}
