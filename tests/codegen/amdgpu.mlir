// RUN: quern-lower %s --print=asm | FileCheck %s
// RUN: quern-lower %s --print=binary > %t.hsaco
// RUN: llvm-readelf --dyn-syms --notes %t.hsaco | FileCheck %s --check-prefix=ELF

!x = !quern.buffer<[4, 128] x f32, global>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: kernel_k0:
// CHECK: v_mul_f32
// CHECK: v_add_f32
// CHECK: .amdhsa_kernarg_size 16
// ELF: 64 OBJECT GLOBAL PROTECTED {{.*}} kernel_k0.kd
// ELF: .kernarg_segment_size: 16
// ELF: .max_flat_workgroup_size: 128
// ELF: amdhsa.target: amdgcn-amd-amdhsa--gfx942
quern.program target "gfx942" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "i" %i to 4 grid_x { quern.loop "j" %j to 128 lane {
    %a = quern.load %x[#id](%i, %j) : !x -> f32
    %b = arith.mulf %a, %a : f32
    %c = arith.addf %b, %a : f32
    quern.store %c, %y[#id](%i, %j) : f32, !x
  } } }
}
