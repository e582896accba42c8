// An index that the program loads and clamps addresses a buffer, in bounds by its range.
// RUN: quern-lower %s | FileCheck %s
// CHECK-LABEL: define void @kernel_k0(
// CHECK: %[[LOW:.*]] = call i64 @llvm.smax.i64(i64 %{{.*}}, i64 0)
// CHECK: %[[AT:.*]] = call i64 @llvm.smin.i64(i64 %[[LOW]], i64 4)
// CHECK: getelementptr inbounds float, ptr %{{.*}}, i64 %[[AT]]
quern.program target "x86_64" {
  %a = quern.buffer "arg0" input 0 : !quern.buffer<[5] x f32, global>
  %i = quern.buffer "arg1" input 1 : !quern.buffer<[] x i32, global>
  %o = quern.buffer "out0" output 0 : !quern.buffer<[] x f32, global>
  quern.kernel "k0" {
    %n = quern.load %i[affine_map<() -> ()>]() : !quern.buffer<[] x i32, global> -> i32
    %x = arith.index_cast %n : i32 to index
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %low = arith.maxsi %x, %zero : index
    %at = arith.minsi %low, %four : index
    %v = quern.load %a[affine_map<(d0) -> (d0)>](%at) : !quern.buffer<[5] x f32, global> -> f32
    quern.store %v, %o[affine_map<() -> ()>]() : f32, !quern.buffer<[] x f32, global>
  }
}
