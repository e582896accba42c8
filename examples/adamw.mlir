module @jit_adamw attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x1024xf32>, %arg1: tensor<1024x1024xf32>, %arg2: tensor<1024x1024xf32>, %arg3: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32> {jax.result_info = "[0]"}, tensor<1024x1024xf32> {jax.result_info = "[1]"}, tensor<1024x1024xf32> {jax.result_info = "[2]"}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.multiply %0, %arg2 : tensor<1024x1024xf32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<1024x1024xf32>
    %4 = stablehlo.add %1, %3 : tensor<1024x1024xf32>
    %cst_1 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %6 = stablehlo.multiply %5, %arg3 : tensor<1024x1024xf32>
    %7 = stablehlo.multiply %arg1, %arg1 : tensor<1024x1024xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<1024x1024xf32>
    %10 = stablehlo.add %6, %9 : tensor<1024x1024xf32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %12 = stablehlo.divide %4, %11 : tensor<1024x1024xf32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %14 = stablehlo.divide %10, %13 : tensor<1024x1024xf32>
    %15 = stablehlo.sqrt %14 : tensor<1024x1024xf32>
    %cst_3 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %17 = stablehlo.add %15, %16 : tensor<1024x1024xf32>
    %18 = stablehlo.divide %12, %17 : tensor<1024x1024xf32>
    %cst_4 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %20 = stablehlo.multiply %19, %arg0 : tensor<1024x1024xf32>
    %21 = stablehlo.add %18, %20 : tensor<1024x1024xf32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<1024x1024xf32>
    %24 = stablehlo.subtract %arg0, %23 : tensor<1024x1024xf32>
    return %24, %4, %10 : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}
