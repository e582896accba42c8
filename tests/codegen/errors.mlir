// RUN: not quern-lower %s 2>&1 | FileCheck %s
// CHECK: quern-lower: kernel 'k0', loop 'i': quern.store has an index that is neither the counter of a loop nor moved into constants

!x = !quern.buffer<[4] x i32, global>
quern.program target "host" {
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "k0" { quern.loop "i" %i to 4 serial {
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : index
    quern.store %one, %y[affine_map<(d0) -> (d0)>](%two) : i32, !x
  } }
}
