func.func @main(%x: tensor<8x48xf32>) -> tensor<8x48xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 48>, padding = dense<[[0, 0], [47, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x48xf32>, tensor<f32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
