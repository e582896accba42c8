// RUN: quern-lower %s --print=raw-ir | FileCheck %s

!x = !quern.buffer<[20] x f32, global>
#at = affine_map<(d0, d1) -> (d0 * 8 + d1)>

// A guard that always holds is gone; one that the lanes disagree on has a path for whole vectors, and
// elsewhere only the lanes that may be outside are tested.
// CHECK-LABEL: define void @kernel_k0(
// CHECK: br i1 %{{[0-9]+}}, label %vector, label %lanes
// CHECK: vector:
// CHECK: store <8 x float>
// CHECK: lanes:
// CHECK: store float
// CHECK: icmp sge i64 15, %{{[0-9]+}}
// CHECK-COUNT-3: icmp sge i64
// CHECK-NOT: icmp sge
// CHECK: endlanes:
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "o" %o to 3 serial { quern.guard affine_set<(d0) : (2 - d0 >= 0)>(%o) {
    quern.loop "v" %v to 8 vector { quern.guard affine_set<(d0, d1) : (19 - d0 * 8 - d1 >= 0)>(%o, %v) {
      %a = quern.load %x[#at](%o, %v) : !x -> f32
      quern.store %a, %y[#at](%o, %v) : f32, !x
    } }
  } } }
}
