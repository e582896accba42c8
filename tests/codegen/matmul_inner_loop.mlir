// REQUIRES: x86-avx2
// RUN: quern-lower %s --print=asm | FileCheck %s

!a = !quern.buffer<[6, 512] x f32, global>
!b = !quern.buffer<[512, 16] x f32, global>
!c = !quern.buffer<[6, 16] x f32, global>
!acc = !quern.buffer<[6, 16] x f32, register>
#id = affine_map<(d0, d1) -> (d0, d1)>

// Twelve accumulators stay in registers; addresses fold into the loads.
// CHECK-LABEL: kernel_k0:
// CHECK: .LBB0_1:
// CHECK-NOT: (%rsp)
// CHECK-COUNT-12: vfmadd231ps
// CHECK-NOT: vfmadd231ps
// CHECK: j{{n?[eb]}} .LBB0_1
// CHECK-NOT: (%rsp)
// CHECK: retq
quern.program target "host" {
  %a = quern.buffer "arg0" input 0 : !a
  %b = quern.buffer "arg1" input 1 : !b
  %c = quern.buffer "out0" output 0 : !c
  quern.kernel "k0" {
    %acc = quern.alloc "acc" : !acc
    quern.loop "i0" %i0 to 6 unrolled { quern.loop "j0" %j0 to 16 vector {
      %zero = arith.constant 0.0 : f32
      quern.store %zero, %acc[#id](%i0, %j0) : f32, !acc
    } }
    quern.loop "k" %k to 512 serial { quern.loop "i" %i to 6 unrolled { quern.loop "j" %j to 16 vector {
      %x = quern.load %a[#id](%i, %k) : !a -> f32
      %y = quern.load %b[#id](%k, %j) : !b -> f32
      %s = quern.load %acc[#id](%i, %j) : !acc -> f32
      %f = math.fma %x, %y, %s : f32
      quern.store %f, %acc[#id](%i, %j) : f32, !acc
    } } }
    quern.loop "i1" %i1 to 6 unrolled { quern.loop "j1" %j1 to 16 vector {
      %s = quern.load %acc[#id](%i1, %j1) : !acc -> f32
      quern.store %s, %c[#id](%i1, %j1) : f32, !c
    } }
  }
}
