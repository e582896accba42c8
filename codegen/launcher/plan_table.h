/* A launch plan as data, for launcher.c. The code generator writes it as an object file: every
 * field is 64 bits wide. */
#ifndef QUERN_CODEGEN_LAUNCHER_PLAN_TABLE_H_
#define QUERN_CODEGEN_LAUNCHER_PLAN_TABLE_H_

#include <stdint.h>

#define QUERN_MAX_BUFFERS 1024

enum { QUERN_INPUT = 0, QUERN_OUTPUT = 1, QUERN_TEMPORARY = 2, QUERN_SCRATCH = 3 };

typedef struct {
  int64_t role;
  int64_t position; /* of an input or output */
  int64_t dtype_code;
  int64_t dtype_bits;
  int64_t rank;
  const int64_t* shape;
  uint64_t bytes;
  uint64_t alignment;
  uint64_t workspace_offset; /* of a temporary */
} quern_plan_buffer;

typedef struct {
  /* Runs one block. `buffers` has an entry for each buffer of the plan; scratch buffers are found
   * in `scratch`. */
  void (*block)(void* const* buffers, void* scratch, int64_t bx, int64_t by, int64_t bz);
  int64_t grid[3];
  int64_t chunks; /* runs of consecutive blocks that may run at once, each with scratch of its own;
                     >= 1 */
} quern_plan_kernel;

typedef struct {
  int64_t num_inputs;
  int64_t num_outputs;
  int64_t num_buffers;
  const quern_plan_buffer* buffers;
  int64_t num_kernels;
  const quern_plan_kernel* kernels;
  uint64_t workspace_bytes;
  uint64_t scratch_offset; /* in the workspace, of the first chunk's scratch */
  uint64_t scratch_stride; /* between the scratch of two chunks */
} quern_plan_table;

extern const quern_plan_table quern_plan __attribute__((visibility("hidden")));

#endif /* QUERN_CODEGEN_LAUNCHER_PLAN_TABLE_H_ */
