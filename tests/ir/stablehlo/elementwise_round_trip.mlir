// RUN: quern-opt %s | quern-opt | FileCheck %s

// CHECK-LABEL: func.func @units
func.func @units(%a: tensor<2xf16>, %i: tensor<2xui8>) {
  // CHECK: stablehlo.cbrt %{{.*}} : tensor<2xf16>
  %0 = stablehlo.cbrt %a : tensor<2xf16>
  // CHECK: stablehlo.tan %{{.*}} : tensor<2xf16>
  %1 = stablehlo.tan %a {result_accuracy = 1 : i64} : tensor<2xf16>
  // CHECK: stablehlo.round_nearest_afz %{{.*}} : tensor<2xf16>
  %2 = stablehlo.round_nearest_afz %a : tensor<2xf16>
  // CHECK: stablehlo.round_nearest_even %{{.*}} : tensor<2xf16>
  %3 = stablehlo.round_nearest_even %a : tensor<2xf16>
  // CHECK: stablehlo.popcnt %{{.*}} : tensor<2xui8>
  %4 = stablehlo.popcnt %i : tensor<2xui8>
  // CHECK: stablehlo.count_leading_zeros %{{.*}} : tensor<2xui8>
  %5 = stablehlo.count_leading_zeros %i : tensor<2xui8>
  // CHECK: stablehlo.shift_left %{{.*}}, %{{.*}} : tensor<2xui8>
  %6 = stablehlo.shift_left %i, %i : tensor<2xui8>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e4m3 : tensor<2xf16>
  %7 = stablehlo.reduce_precision %a, format = e4m3 : tensor<2xf16>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<2xf16>) -> tensor<2x2xui8>
  %8 = stablehlo.bitcast_convert %a : (tensor<2xf16>) -> tensor<2x2xui8>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<2xf16>) -> tensor<2xf8E4M3FN>
  %9 = stablehlo.convert %a : (tensor<2xf16>) -> tensor<2xf8E4M3FN>
  return
}

// CHECK-LABEL: func.func @complex
func.func @complex(%a: tensor<2xf32>) {
  // CHECK: %[[Z:.*]] = stablehlo.complex %{{.*}}, %{{.*}} : tensor<2xcomplex<f32>>
  %0 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<2xcomplex<f32>>
  %1 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  // CHECK: stablehlo.real %[[Z]] : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %2 = stablehlo.real %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.imag %[[Z]] : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %3 = stablehlo.imag %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.abs %[[Z]] : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %4 = stablehlo.abs %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.atan2 %{{.*}}, %{{.*}} : tensor<2xf32>
  %5 = stablehlo.atan2 %a, %a : tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @chlo
func.func @chlo(%a: tensor<2xf32>, %b: tensor<3x2xf32>) {
  // CHECK: chlo.erf %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.is_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %1 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xi1>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = chlo.next_after %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.broadcast_add %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}
