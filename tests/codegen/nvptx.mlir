// RUN: quern-lower %s --print=ir | FileCheck %s --check-prefix=IR
// RUN: quern-lower %s --print=binary | FileCheck %s --check-prefix=PTX

!x = !quern.buffer<[4, 128] x f32, global>
#id = affine_map<(d0, d1) -> (d0, d1)>

// The block's function has the ABI of every target; the entry finds its coordinates.
// IR: define void @kernel_k0_block(ptr addrspace(1) {{.*}} %arg0, ptr addrspace(1) {{.*}} %out0, i64 %bx, i64 %by, i64 %bz)
// IR: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// IR: define ptx_kernel void @kernel_k0(ptr addrspace(1) {{.*}} %arg0, ptr addrspace(1) {{.*}} %out0)
// IR: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// PTX: .target sm_90a
// PTX: .visible .entry kernel_k0(
// PTX: mul.rn.f32
// PTX: add.rn.f32
quern.program target "sm_90a" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "i" %i to 4 grid_x { quern.loop "j" %j to 128 lane {
    %a = quern.load %x[#id](%i, %j) : !x -> f32
    %b = arith.mulf %a, %a : f32
    %c = arith.addf %b, %a : f32
    quern.store %c, %y[#id](%i, %j) : f32, !x
  } } }
}
