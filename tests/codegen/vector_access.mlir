// RUN: quern-lower %s --print=raw-ir | FileCheck %s

!x = !quern.buffer<[8, 48] x f32, global>
!y = !quern.buffer<[48, 8] x f32, global>
#x = affine_map<(d0, d1, d2) -> (d0, d1 * 16 + d2)>
#t = affine_map<(d0, d1, d2) -> (d1 * 16 + d2, d0)>

// Contiguous in the counter: one vector access, aligned as far as the affine form shows. Without the counter: one
// scalar, splat. With a stride: a lane at a time.
// CHECK-LABEL: define void @kernel_k0(
// CHECK-SAME: ptr noalias readonly align 64 %arg0, ptr noalias readonly align 64 %arg1, ptr noalias align 64 %out0, i64 %bx, i64 %by, i64 %bz)
// CHECK: %o = phi i64 [ 0, %entry ], [ %o.next, %o.body ]
// CHECK: load <16 x float>, ptr %{{[0-9]+}}, align 64
// CHECK: load float, ptr %{{[0-9]+}}, align 32
// CHECK: shufflevector <16 x float> %{{.*}}, <16 x float> poison, <16 x i32> zeroinitializer
// CHECK: fmul <16 x float>
// CHECK: extractelement <16 x float> %{{.*}}, i64 0
// CHECK: store float %{{[0-9]+}}, ptr %{{[0-9]+}}, align 4
// CHECK: extractelement <16 x float> %{{.*}}, i64 15
// CHECK: getelementptr inbounds float, ptr %{{[0-9]+}}, i64 120
// CHECK-NEXT: store float
// CHECK: %o.next = add nuw nsw i64 %o, 1
// CHECK: icmp ult i64 %o.next, 3
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !x
  %b = quern.buffer "arg1" input 1 : !y
  %c = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" { quern.loop "i" %i to 8 grid_x { quern.loop "o" %o to 3 serial { quern.loop "v" %v to 16 vector {
    %x = quern.load %a[#x](%i, %o, %v) : !x -> f32
    %y = quern.load %b[affine_map<(d0) -> (d0, 0)>](%o) : !y -> f32
    %z = arith.mulf %x, %y : f32
    quern.store %z, %c[#t](%i, %o, %v) : f32, !y
  } } } }
}
