// How much there is to do in a spec at the least, whatever program does it.
#ifndef QUERN_FRONTEND_WORK_H_
#define QUERN_FRONTEND_WORK_H_

#include "frontend/spec.h"

namespace quern::frontend {

struct Work {
  double flops = 0;  // arithmetic operations of any type; moving and converting data is none
  double bytes = 0;  // arguments and results, once each
};

// By the ops as they are written: an optimiser may find a form with fewer. Bodies of loops and
// branches count once.
Work CountWork(const Spec& spec);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_WORK_H_
