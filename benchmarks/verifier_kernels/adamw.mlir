func.func @main(%w: tensor<65536xf32>, %g: tensor<65536xf32>, %m: tensor<65536xf32>, %v: tensor<65536xf32>) -> (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>) {
  %c0 = stablehlo.constant dense<0.9> : tensor<65536xf32>
  %c1 = stablehlo.constant dense<0.1> : tensor<65536xf32>
  %c2 = stablehlo.constant dense<0.999> : tensor<65536xf32>
  %c3 = stablehlo.constant dense<0.001> : tensor<65536xf32>
  %c4 = stablehlo.constant dense<1.0e-8> : tensor<65536xf32>
  %c5 = stablehlo.constant dense<0.01> : tensor<65536xf32>
  %a0 = stablehlo.multiply %c0, %m : tensor<65536xf32>
  %a1 = stablehlo.multiply %c1, %g : tensor<65536xf32>
  %m1 = stablehlo.add %a0, %a1 : tensor<65536xf32>
  %g2 = stablehlo.multiply %g, %g : tensor<65536xf32>
  %b0 = stablehlo.multiply %c2, %v : tensor<65536xf32>
  %b1 = stablehlo.multiply %c3, %g2 : tensor<65536xf32>
  %v1 = stablehlo.add %b0, %b1 : tensor<65536xf32>
  %root = stablehlo.sqrt %v1 : tensor<65536xf32>
  %below = stablehlo.add %root, %c4 : tensor<65536xf32>
  %step = stablehlo.divide %m1, %below : tensor<65536xf32>
  %decay = stablehlo.multiply %c5, %w : tensor<65536xf32>
  %both = stablehlo.add %step, %decay : tensor<65536xf32>
  %delta = stablehlo.multiply %c3, %both : tensor<65536xf32>
  %w1 = stablehlo.subtract %w, %delta : tensor<65536xf32>
  return %w1, %m1, %v1 : tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>
}
