// RUN: quern-lower %s --print=raw-ir | FileCheck %s

!x = !quern.buffer<[32, 24] x f32, global>
#tiled = affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2)>
#whole = affine_map<(d0, d1) -> (d0, d1)>

// The digits of a tiled index cancel: the packed offset is affine in the loops.
// CHECK-LABEL: define void @kernel_tiled(
// CHECK-NOT: udiv
// CHECK: [[PANEL:%[0-9]+]] = mul nuw nsw i64 %bx, 256
// CHECK: getelementptr inbounds float, ptr %packed, i64 [[PANEL]]
// CHECK: [[ROW:%[0-9]+]] = mul nuw nsw i64 %k, 8
// CHECK: getelementptr inbounds float, ptr %{{[0-9]+}}, i64 [[ROW]]
// CHECK: store <8 x float> %{{[0-9]+}}, ptr %{{[0-9]+}}, align 32

// An index that is not tiled is divided once; the remainder costs nothing more.
// CHECK-LABEL: define void @kernel_whole(
// CHECK: %quotient = udiv i64 %j, 8
// CHECK-NOT: urem
// CHECK: mul nuw nsw i64 %quotient, 248
// CHECK: ret void
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  %p = quern.buffer "packed" temporary -1 layout <[1, 8, 3, 0, 1, 32, 1, 1, 8]> : !x
  quern.kernel "tiled" { quern.loop "o" %o to 3 grid_x { quern.loop "k" %k to 32 serial { quern.loop "v" %v to 8 vector {
    %a = quern.load %x[#tiled](%k, %o, %v) : !x -> f32
    quern.store %a, %p[#tiled](%k, %o, %v) : f32, !x
  } } } }
  quern.kernel "whole" { quern.loop "i" %k to 32 serial { quern.loop "j" %j to 24 serial {
    %a = quern.load %p[#whole](%k, %j) : !x -> f32
    quern.store %a, %y[#whole](%k, %j) : f32, !x
  } } }
}
