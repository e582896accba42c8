module @jit_layernorm_backward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x768xf32>, %arg1: tensor<768xf32>, %arg2: tensor<1024x768xf32>) -> (tensor<1024x768xf32> {jax.result_info = "[0]"}, tensor<768xf32> {jax.result_info = "[1]"}, tensor<768xf32> {jax.result_info = "[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<1024xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %cst_0 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1024x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x768xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<1024x768xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<1024x768xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<1024x768xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<1024xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<1024x1xf32>
    %13 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x768xf32>
    %14 = stablehlo.subtract %arg0, %13 : tensor<1024x768xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %16 = stablehlo.add %12, %15 : tensor<1024x1xf32>
    %17 = stablehlo.sqrt %16 : tensor<1024x1xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %19 = stablehlo.divide %18, %17 : tensor<1024x1xf32>
    %20 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x768xf32>
    %21 = stablehlo.divide %14, %20 : tensor<1024x768xf32>
    %22 = stablehlo.multiply %17, %17 : tensor<1024x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %24 = stablehlo.divide %23, %22 : tensor<1024x1xf32>
    %25 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<768xf32>) -> tensor<1x768xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%arg2 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<768xf32>
    %27 = stablehlo.reshape %26 : (tensor<768xf32>) -> tensor<1x768xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x768xf32>, tensor<f32>) -> tensor<768xf32>
    %29 = stablehlo.multiply %21, %arg2 : tensor<1024x768xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<768xf32>
    %31 = stablehlo.reshape %30 : (tensor<768xf32>) -> tensor<1x768xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x768xf32>, tensor<f32>) -> tensor<768xf32>
    %33 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x768xf32>) -> tensor<1024x768xf32>
    %34 = stablehlo.multiply %arg2, %33 : tensor<1024x768xf32>
    %35 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x768xf32>
    %36 = stablehlo.multiply %34, %35 : tensor<1024x768xf32>
    %37 = stablehlo.multiply %36, %14 : tensor<1024x768xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<1024xf32>
    %39 = stablehlo.reshape %38 : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %40 = stablehlo.negate %39 : tensor<1024x1xf32>
    %41 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1024x1xf32>) -> tensor<1024x768xf32>
    %42 = stablehlo.divide %34, %41 : tensor<1024x768xf32>
    %43 = stablehlo.multiply %40, %19 : tensor<1024x1xf32>
    %44 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %45 = stablehlo.divide %43, %44 : tensor<1024x1xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<1024x1xf32>, tensor<f32>) -> tensor<1024xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0] : (tensor<1024xf32>) -> tensor<1024x768xf32>
    %48 = stablehlo.multiply %47, %8 : tensor<1024x768xf32>
    %49 = stablehlo.negate %48 : tensor<1024x768xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<1024xf32>
    %51 = stablehlo.reshape %50 : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %52 = stablehlo.negate %42 : tensor<1024x768xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<1024x768xf32>, tensor<f32>) -> tensor<1024xf32>
    %54 = stablehlo.reshape %53 : (tensor<1024xf32>) -> tensor<1024x1xf32>
    %55 = stablehlo.add %48, %42 : tensor<1024x768xf32>
    %56 = stablehlo.add %51, %54 : tensor<1024x1xf32>
    %57 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1xf32>
    %58 = stablehlo.divide %56, %57 : tensor<1024x1xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<1024x1xf32>, tensor<f32>) -> tensor<1024xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<1024xf32>) -> tensor<1024x768xf32>
    %61 = stablehlo.add %55, %60 : tensor<1024x768xf32>
    return %61, %32, %28 : tensor<1024x768xf32>, tensor<768xf32>, tensor<768xf32>
  }
}
