func.func @main(%x: tensor<6x10xf32>, %p: tensor<f32>) -> tensor<14x11xf32> {
  %y = stablehlo.pad %x, %p, low = [1, 2], high = [2, -1], interior = [1, 0] : (tensor<6x10xf32>, tensor<f32>) -> tensor<14x11xf32>
  return %y : tensor<14x11xf32>
}
