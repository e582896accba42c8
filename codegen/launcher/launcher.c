/* The entry points of a bundle's shared object: checks every assumption that the certificate makes
 * about a call, then runs each block of each kernel exactly once. Trusted. Uses no library. */
#include <stddef.h>
#include <stdint.h>

#include "bundle/quern_abi.h"
#include "codegen/launcher/plan_table.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  const quern_plan_kernel* kernel;
  void* const* buffers;
  char* scratch;
  int bad_fp_state; /* set by any thread */
} launch;

/* Whether MXCSR has rounding to nearest, FTZ off and DAZ off. */
static int fp_state_is_default(void) {
#if defined(__x86_64__)
  return (__builtin_ia32_stmxcsr() & 0xE040u) == 0;
#else
  return 1;
#endif
}

/* Chunk `index` holds the blocks [total * index / chunks, total * (index + 1) / chunks), x fastest.
 */
static void run_chunk(void* context, int64_t index) {
  launch* run = (launch*)context;
  const quern_plan_kernel* kernel = run->kernel;
  const int64_t nx = kernel->grid[0], ny = kernel->grid[1];
  const int64_t total = nx * ny * kernel->grid[2];
  const int64_t size = total / kernel->chunks, extra = total % kernel->chunks;
  const int64_t first = index * size + (index < extra ? index : extra);
  const int64_t end = first + size + (index < extra);
  int64_t x = first % nx, y = first / nx % ny, z = first / nx / ny;
  void* scratch = run->scratch + (uint64_t)index * quern_plan.scratch_stride;
  if (!fp_state_is_default()) {
    __atomic_store_n(&run->bad_fp_state, 1, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t block = first; block < end; ++block) {
    kernel->block(run->buffers, scratch, x, y, z);
    if (++x < nx) continue;
    x = 0;
    if (++y < ny) continue;
    y = 0;
    ++z;
  }
}

static quern_status check_tensor(const quern_plan_buffer* plan, const quern_tensor* tensor) {
  if (tensor->device_type != 1 || tensor->dtype_lanes != 1 ||
      tensor->dtype_code != plan->dtype_code || tensor->dtype_bits != plan->dtype_bits ||
      tensor->ndim != plan->rank || (plan->rank > 0 && tensor->shape == NULL)) {
    return QUERN_BAD_TENSOR;
  }
  for (int64_t i = 0; i < plan->rank; ++i) {
    if (tensor->shape[i] != plan->shape[i]) return QUERN_BAD_TENSOR;
  }
  if (plan->bytes == 0) return QUERN_OK; /* nothing to read or write */
  int64_t stride = 1;
  for (int64_t i = plan->rank - 1; i >= 0 && tensor->strides != NULL; --i) {
    if (plan->shape[i] != 1 && tensor->strides[i] != stride) return QUERN_BAD_TENSOR;
    stride *= plan->shape[i];
  }
  if (tensor->data == NULL) return QUERN_BAD_TENSOR;
  const uint64_t address = (uint64_t)(uintptr_t)tensor->data;
  if (tensor->byte_offset > UINT64_MAX - address ||
      plan->bytes > UINT64_MAX - address - tensor->byte_offset) {
    return QUERN_BAD_TENSOR;
  }
  return (address + tensor->byte_offset) % plan->alignment == 0 ? QUERN_OK : QUERN_BAD_ALIGNMENT;
}

static int overlap(const void* a, uint64_t a_bytes, const void* b, uint64_t b_bytes) {
  const uint64_t a_begin = (uint64_t)(uintptr_t)a, b_begin = (uint64_t)(uintptr_t)b;
  if (a_bytes == 0 || b_bytes == 0) return 0;
  return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

static quern_status check_overlap(const quern_call* call, void* const* buffers) {
  for (int64_t i = 0; i < quern_plan.num_buffers; ++i) {
    const quern_plan_buffer* a = &quern_plan.buffers[i];
    if (a->role != QUERN_INPUT && a->role != QUERN_OUTPUT) continue;
    if (overlap(buffers[i], a->bytes, call->workspace, quern_plan.workspace_bytes)) {
      return QUERN_OVERLAP;
    }
    for (int64_t j = 0; j < quern_plan.num_buffers && a->role == QUERN_OUTPUT; ++j) {
      const quern_plan_buffer* b = &quern_plan.buffers[j];
      if (j == i || (b->role != QUERN_INPUT && b->role != QUERN_OUTPUT)) continue;
      if (overlap(buffers[i], a->bytes, buffers[j], b->bytes)) return QUERN_OVERLAP;
    }
  }
  return QUERN_OK;
}

/* Checks the call and finds the plan's buffers in it. */
static quern_status bind(const quern_call* call, void** buffers) {
  const quern_plan_table* plan = &quern_plan;
  if (call == NULL || call->struct_size < sizeof(quern_call)) return QUERN_BAD_CALL;
  if (call->num_inputs != plan->num_inputs || call->num_outputs != plan->num_outputs ||
      (plan->num_inputs > 0 && call->inputs == NULL) ||
      (plan->num_outputs > 0 && call->outputs == NULL) ||
      call->workspace_bytes < plan->workspace_bytes) {
    return QUERN_BAD_CALL;
  }
  if (plan->workspace_bytes > 0) {
    const uint64_t address = (uint64_t)(uintptr_t)call->workspace;
    if (address == 0 || address % 64 != 0 || plan->workspace_bytes > UINT64_MAX - address) {
      return QUERN_BAD_CALL;
    }
  }
  for (int64_t i = 0; i < plan->num_buffers; ++i) {
    const quern_plan_buffer* buffer = &plan->buffers[i];
    buffers[i] = NULL;
    if (buffer->role == QUERN_TEMPORARY) {
      buffers[i] = (char*)call->workspace + buffer->workspace_offset;
    } else if (buffer->role != QUERN_SCRATCH) {
      const quern_tensor* tensors = buffer->role == QUERN_INPUT ? call->inputs : call->outputs;
      const quern_tensor* tensor = &tensors[buffer->position];
      const quern_status status = check_tensor(buffer, tensor);
      if (status != QUERN_OK) return status;
      buffers[i] = (char*)tensor->data + (buffer->bytes == 0 ? 0 : tensor->byte_offset);
    }
  }
  return check_overlap(call, buffers);
}

EXPORT uint32_t quern_abi_version(void) { return QUERN_ABI_VERSION; }

EXPORT uint64_t quern_workspace_bytes(void) { return quern_plan.workspace_bytes; }

EXPORT quern_status quern_prepare(const quern_call* call) {
  return call == NULL || call->struct_size < sizeof(quern_call) ? QUERN_BAD_CALL : QUERN_OK;
}

EXPORT quern_status quern_run(const quern_call* call) {
  void* buffers[QUERN_MAX_BUFFERS];
  const quern_status status = bind(call, buffers);
  if (status != QUERN_OK) return status;
  if (!fp_state_is_default()) return QUERN_BAD_FP_STATE;
  launch run = {NULL, buffers, NULL, 0};
  if (quern_plan.scratch_stride > 0) {
    run.scratch = (char*)call->workspace + quern_plan.scratch_offset;
  }
  for (int64_t k = 0; k < quern_plan.num_kernels; ++k) {
    const quern_plan_kernel* kernel = &quern_plan.kernels[k];
    if (kernel->grid[0] == 0 || kernel->grid[1] == 0 || kernel->grid[2] == 0) continue;
    run.kernel = kernel;
    if (call->parallel_for != NULL && kernel->chunks > 1) {
      call->parallel_for(call->pool, kernel->chunks, run_chunk, &run);
    } else {
      for (int64_t chunk = 0; chunk < kernel->chunks; ++chunk) run_chunk(&run, chunk);
    }
    if (__atomic_load_n(&run.bad_fp_state, __ATOMIC_RELAXED)) return QUERN_BAD_FP_STATE;
  }
  return QUERN_OK;
}
