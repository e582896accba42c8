// Candidates for tests, compiled from C.
#ifndef QUERN_WORKERS_TESTING_CANDIDATES_H_
#define QUERN_WORKERS_TESTING_CANDIDATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bundle/artifact.h"
#include "workers/signature.h"

namespace quern::workers {

// Whether there is a C compiler to build candidates with; without one, tests skip.
bool HaveCompiler();

// A shared object whose quern_run executes `body`, C statements that see `const quern_call* call`
// and the pointers `x` (argument 0), `y` (result 0, both float) and `n` (elements of `y`), and ends
// with `return QUERN_OK;`. `globals` stands before it. Aborts if it does not compile.
Artifact CompileCandidate(const Signature& signature, const std::string& body,
                          const std::string& globals = "", int64_t workspace_bytes = 0);

// f32[n] -> f32[n].
Signature Unary(int64_t n);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_TESTING_CANDIDATES_H_
