func.func public @main(%x: tensor<0x8xf32>, %y: tensor<8x0xf32>, %z: tensor<4xf32>) -> (tensor<0x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<4xf32>) {
  %init = stablehlo.constant dense<1.5> : tensor<f32>
  %0 = stablehlo.add %x, %x : tensor<0x8xf32>
  %1 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<0x8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<8x0xf32>, tensor<0x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.add %z, %z : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<0x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<4xf32>
}
