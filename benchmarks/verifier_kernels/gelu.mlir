func.func @main(%x: tensor<512x1024xf32>, %bias: tensor<1024xf32>) -> tensor<512x1024xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<512x1024xf32>
  %one = stablehlo.constant dense<1.0> : tensor<512x1024xf32>
  %root = stablehlo.constant dense<0.7978846> : tensor<512x1024xf32>
  %cubic = stablehlo.constant dense<0.044715> : tensor<512x1024xf32>
  %b = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<1024xf32>) -> tensor<512x1024xf32>
  %v = stablehlo.add %x, %b : tensor<512x1024xf32>
  %v2 = stablehlo.multiply %v, %v : tensor<512x1024xf32>
  %v3 = stablehlo.multiply %v2, %v : tensor<512x1024xf32>
  %c = stablehlo.multiply %cubic, %v3 : tensor<512x1024xf32>
  %s = stablehlo.add %v, %c : tensor<512x1024xf32>
  %a = stablehlo.multiply %root, %s : tensor<512x1024xf32>
  %t = stablehlo.tanh %a : tensor<512x1024xf32>
  %u = stablehlo.add %one, %t : tensor<512x1024xf32>
  %h = stablehlo.multiply %half, %v : tensor<512x1024xf32>
  %out = stablehlo.multiply %h, %u : tensor<512x1024xf32>
  return %out : tensor<512x1024xf32>
}
