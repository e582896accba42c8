// How much there is to do in a spec at the least, whatever program does it.
#ifndef QUERN_FRONTEND_WORK_H_
#define QUERN_FRONTEND_WORK_H_

#include <string>
#include <vector>

#include "frontend/spec.h"

namespace quern::frontend {

struct Work {
  double flops = 0;  // arithmetic operations of any type; moving and converting data is none
  double bytes = 0;  // arguments and results, once each
};

// The ops of one kind in a spec.
struct OpWork {
  std::string op;  // without its dialect
  int64_t count = 0;
  int64_t in_bodies = 0;  // of these, in the bodies of loops and branches
  double flops = 0;
  double bytes = 0;     // operands and results of each op by itself
  std::string largest;  // the types of the op with the most bytes
};

// Of each kind, the most flops first, then the most bytes. Regions that work on scalars belong to
// their op. Work counts as often as CountWork counts it, ops as they are written.
std::vector<OpWork> CountOps(const Spec& spec);

// By the ops as they are written: an optimiser may find a form with fewer. Bodies of loops count
// as often as they run, where the program tells, else once, as branches do.
Work CountWork(const Spec& spec);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_WORK_H_
