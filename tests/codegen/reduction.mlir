// RUN: quern-lower %s | FileCheck %s

!x = !quern.buffer<[4, 8] x f32, global>
!y = !quern.buffer<[4] x f32, global>
!s = !quern.buffer<[] x f32, register>

// A sum into one place takes the lanes in order; what does not depend on it stays a vector.
// CHECK-LABEL: define void @kernel_k0(
// CHECK-NOT: alloca
// CHECK: [[X:%[0-9]+]] = load <8 x float>
// CHECK: [[P:%[0-9]+]] = fmul <8 x float> [[X]], [[X]]
// CHECK: [[L0:%[0-9]+]] = extractelement <8 x float> [[P]], i64 0
// CHECK: [[L1:%[0-9]+]] = extractelement <8 x float> [[P]], i64 1
// CHECK-NEXT: fadd float [[L0]], [[L1]]
// CHECK: extractelement <8 x float> [[P]], i64 7
// CHECK: fadd float
// CHECK-NEXT: {{.*}}getelementptr
// CHECK-NEXT: store float
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" { quern.loop "i" %i to 4 grid_x {
    %s = quern.alloc "s" : !s
    %zero = arith.constant 0.0 : f32
    quern.store %zero, %s[affine_map<() -> ()>]() : f32, !s
    quern.loop "v" %v to 8 vector {
      %a = quern.load %x[affine_map<(d0, d1) -> (d0, d1)>](%i, %v) : !x -> f32
      %p = arith.mulf %a, %a : f32
      %old = quern.load %s[affine_map<() -> ()>]() : !s -> f32
      %new = arith.addf %old, %p : f32
      quern.store %new, %s[affine_map<() -> ()>]() : f32, !s
    }
    %r = quern.load %s[affine_map<() -> ()>]() : !s -> f32
    quern.store %r, %y[affine_map<(d0) -> (d0)>](%i) : f32, !y
  } }
}
