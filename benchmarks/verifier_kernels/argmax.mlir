func.func @main(%x: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<64x128xi32>
  %r:2 = stablehlo.reduce(%x init: %lowest), (%i init: %zero) across dimensions = [1] : (tensor<64x128xf32>, tensor<64x128xi32>, tensor<f32>, tensor<i32>) -> (tensor<64xf32>, tensor<64xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%ia: tensor<i32>, %ib: tensor<i32>) {
    %gt = stablehlo.compare GT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %gt, %b, %a : tensor<i1>, tensor<f32>
    %k = stablehlo.select %gt, %ib, %ia : tensor<i1>, tensor<i32>
    stablehlo.return %v, %k : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xi32>
}
