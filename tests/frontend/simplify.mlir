// RUN: quern-opt %s --pass-pipeline='builtin.module(func.func(quern-simplify,cse))' | FileCheck %s
// RUN: quern-opt %s --pass-pipeline='builtin.module(func.func(quern-simplify,cse))' | quern-opt --pass-pipeline='builtin.module(func.func(quern-simplify,cse))' | FileCheck %s

// One number repeated has any shape.
// CHECK-LABEL: func.func @splat
// CHECK-NEXT: stablehlo.constant dense<5> : tensor<1000x1000000xi32>
// CHECK-NEXT: return
func.func @splat() -> tensor<1000x1000000xi32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %a = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<i32>) -> tensor<1000x1000000xi32>
  %b = stablehlo.broadcast_in_dim %three, dims = [] : (tensor<i32>) -> tensor<1000x1000000xi32>
  %c = stablehlo.add %a, %b : tensor<1000x1000000xi32>
  return %c : tensor<1000x1000000xi32>
}

// CHECK-LABEL: func.func @moves
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<{{\[\[}}5, 2], [4, 1]]> : tensor<2x2xi16>
// CHECK-NEXT: return %[[C]]
func.func @moves() -> tensor<2x2xi16> {
  %0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi16>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xi16>) -> tensor<3x2xi16>
  %2 = stablehlo.slice %1 [1:3, 0:2] : (tensor<3x2xi16>) -> tensor<2x2xi16>
  %3 = stablehlo.reverse %2, dims = [0, 1] : tensor<2x2xi16>
  return %3 : tensor<2x2xi16>
}

// Rounded as the types say, once.
// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: stablehlo.constant dense<3.339840e-01> : tensor<bf16>
// CHECK-DAG: stablehlo.constant dense<-128> : tensor<i8>
// CHECK-DAG: stablehlo.constant dense<{{.*}}true, false{{.*}}> : tensor<2xi1>
// CHECK-NOT: stablehlo.{{divide|add|compare}}
// CHECK: return
func.func @arithmetic() -> (tensor<bf16>, tensor<i8>, tensor<2xi1>) {
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %three = stablehlo.constant dense<3.0> : tensor<bf16>
  %third = stablehlo.divide %one, %three : tensor<bf16>
  %max = stablehlo.constant dense<127> : tensor<i8>
  %i = stablehlo.constant dense<1> : tensor<i8>
  %min = stablehlo.add %max, %i : tensor<i8>
  %x = stablehlo.constant dense<[-2, 1]> : tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<2xi32>
  %p = stablehlo.compare LT, %x, %z : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %third, %min, %p : tensor<bf16>, tensor<i8>, tensor<2xi1>
}

// What a select by a folded predicate leaves folds on.
// CHECK-LABEL: func.func @select
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<7> : tensor<2xi32>
// CHECK-NEXT: return %[[C]]
func.func @select(%a: tensor<2xi32>) -> tensor<2xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %p = stablehlo.compare GT, %one, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %five = stablehlo.constant dense<5> : tensor<2xi32>
  %s = stablehlo.select %p, %a, %five : tensor<i1>, tensor<2xi32>
  %b = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c = stablehlo.add %s, %b : tensor<2xi32>
  return %c : tensor<2xi32>
}

// Functions, sums and NaNs have no bits of their own; arithmetic on tables stays.
// CHECK-LABEL: func.func @kept
// CHECK: stablehlo.exponential
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.divide
// CHECK: stablehlo.multiply
// CHECK: stablehlo.rng_bit_generator
func.func @kept() -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xui64>) {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %e = stablehlo.exponential %x : tensor<2xf32>
  %d = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %n = stablehlo.divide %z, %z : tensor<2xf32>
  %m = stablehlo.multiply %x, %x : tensor<2xf32>
  %s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %r, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  return %e, %d, %n, %m, %r : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xui64>
}

// Inside a body too.
// CHECK-LABEL: func.func @body
// CHECK: %[[C:.*]] = stablehlo.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT: stablehlo.multiply %{{.*}}, %[[C]]
func.func @body(%a: tensor<4xf32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %one) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %d = stablehlo.constant dense<2.0> : tensor<f32>
    %e = stablehlo.add %c, %d : tensor<f32>
    %s = stablehlo.multiply %y, %e : tensor<f32>
    %m = stablehlo.add %x, %s : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}
