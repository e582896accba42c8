func.func @main(%table: tensor<20x12xf32>, %rows: tensor<7xi32>) -> tensor<7x12xf32> {
  %y = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 12>}> : (tensor<20x12xf32>, tensor<7xi32>) -> tensor<7x12xf32>
  return %y : tensor<7x12xf32>
}
