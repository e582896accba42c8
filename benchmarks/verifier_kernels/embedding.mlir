func.func @main(%table: tensor<100x24xf32>, %ids: tensor<32xi32>) -> tensor<32x24xf32> {
  %0 = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 24>, indices_are_sorted = false}> : (tensor<100x24xf32>, tensor<32xi32>) -> tensor<32x24xf32>
  return %0 : tensor<32x24xf32>
}
