// A row softmax as a program with vector loops, and the module it computes.
#ifndef QUERN_CODEGEN_TESTING_SOFTMAX_H_
#define QUERN_CODEGEN_TESTING_SOFTMAX_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace quern::codegen {

// Of f32[rows, columns]; columns a multiple of 8.
inline std::string SoftmaxModule(int64_t rows, int64_t columns) {
  return absl::StrReplaceAll(R"(
func.func @main(%x: tensor<$Rx$Cxf32>) -> tensor<$Rx$Cxf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<$Rx$Cxf32>, tensor<f32>) -> tensor<$Rxf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<$Rxf32>) -> tensor<$Rx$Cxf32>
  %d = stablehlo.subtract %x, %mb : tensor<$Rx$Cxf32>
  %e = stablehlo.exponential %d : tensor<$Rx$Cxf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<$Rx$Cxf32>, tensor<f32>) -> tensor<$Rxf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<$Rxf32>) -> tensor<$Rx$Cxf32>
  %y = stablehlo.divide %e, %sb : tensor<$Rx$Cxf32>
  return %y : tensor<$Rx$Cxf32>
})",
                             {{"$R", absl::StrCat(rows)}, {"$C", absl::StrCat(columns)}});
}

// Exponentials and quotients by vectors. The greatest element and the sum of a row are found in its
// order or, `apart`, in eight parts that are combined at its end.
inline std::string SoftmaxProgram(int64_t rows, int64_t columns, bool apart) {
  constexpr char kCombine[] = R"(
    quern.loop "l$P" %l to 8 unrolled {
      %a = quern.load %$Ps[#lane](%l) : !v -> f32
      %b = quern.load %$P[#one]() : !s -> f32
      %c = arith.$F %b, %a : f32
      quern.store %c, %$P[#one]() : f32, !s
    })";
  const auto combine = [&](const char* place, const char* function) {
    return apart ? absl::StrReplaceAll(kCombine, {{"$P", place}, {"$F", function}}) : "";
  };
  return absl::StrReplaceAll(
      R"(
!x = !quern.buffer<[$R, $C] x f32, global>
!e = !quern.buffer<[$C] x f32, register>
!v = !quern.buffer<[8] x f32, register>
!s = !quern.buffer<[] x f32, register>
#in = affine_map<(r, j, l) -> (r, j * 8 + l)>
#row = affine_map<(j, l) -> (j * 8 + l)>
#lane = affine_map<(l) -> (l)>
#one = affine_map<() -> ()>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "softmax" { quern.loop "r" %r to $R grid_x {
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %ms = quern.alloc "ms" : !v
    %m = quern.alloc "m" : !s
    %ss = quern.alloc "ss" : !v
    %s = quern.alloc "s" : !s
    %e = quern.alloc "e" : !e
    quern.loop "l0" %l to 8 vector {
      quern.store %least, %ms[#lane](%l) : f32, !v
      quern.store %zero, %ss[#lane](%l) : f32, !v
    }
    quern.store %least, %m[#one]() : f32, !s
    quern.store %zero, %s[#one]() : f32, !s
    quern.loop "j1" %j to $G serial { quern.loop "l1" %l to 8 vector {
      %a = quern.load %x[#in](%r, %j, %l) : !x -> f32
      %b = quern.load %m$A -> f32
      %c = arith.maximumf %b, %a : f32
      quern.store %c, %m$B
    } }$MAX
    %greatest = quern.load %m[#one]() : !s -> f32
    quern.loop "j3" %j to $G serial { quern.loop "l3" %l to 8 vector {
      %a = quern.load %x[#in](%r, %j, %l) : !x -> f32
      %b = arith.subf %a, %greatest : f32
      %c = math.exp %b : f32
      quern.store %c, %e[#row](%j, %l) : f32, !e
      %d = quern.load %s$A -> f32
      %f = arith.addf %d, %c : f32
      quern.store %f, %s$B
    } }$SUM
    %sum = quern.load %s[#one]() : !s -> f32
    quern.loop "j5" %j to $G serial { quern.loop "l5" %l to 8 vector {
      %a = quern.load %e[#row](%j, %l) : !e -> f32
      %b = arith.divf %a, %sum : f32
      quern.store %b, %y[#in](%r, %j, %l) : f32, !x
    } }
  } }
})",
      {{"$R", absl::StrCat(rows)},
       {"$C", absl::StrCat(columns)},
       {"$G", absl::StrCat(columns / 8)},
       {"$A", apart ? "s[#lane](%l) : !v" : "[#one]() : !s"},
       {"$B", apart ? "s[#lane](%l) : f32, !v" : "[#one]() : f32, !s"},
       {"$MAX", combine("m", "maximumf")},
       {"$SUM", combine("s", "addf")}});
}

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_TESTING_SOFTMAX_H_
