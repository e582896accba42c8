/* The C interface of a bundle's shared object. Plain C: a caller needs this header and dlopen.
 *
 * Every structure begins with its size, so that fields can be added at its end. */
#ifndef QUERN_BUNDLE_QUERN_ABI_H_
#define QUERN_BUNDLE_QUERN_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUERN_ABI_VERSION 1

/* The layout of DLPack's DLTensor (dmlc/dlpack, version 0.8 and 1.x agree on it). */
typedef struct {
  void* data;
  int32_t device_type; /* 1: CPU */
  int32_t device_id;
  int32_t ndim;
  uint8_t dtype_code; /* 0 int, 1 uint, 2 float, 4 bfloat, 6 bool */
  uint8_t dtype_bits;
  uint16_t dtype_lanes; /* 1 */
  int64_t* shape;
  int64_t* strides; /* in elements; NULL: compact, row-major */
  uint64_t byte_offset;
} quern_tensor;

/* Calls body(context, i) once for each i in [0, count), in any order, and returns when all are
 * done. */
typedef void (*quern_parallel_for)(void* pool, int64_t count,
                                   void (*body)(void* context, int64_t i), void* context);

typedef struct {
  size_t struct_size;
  const quern_tensor* inputs; /* in the order of the spec's arguments */
  int64_t num_inputs;
  const quern_tensor* outputs; /* in the order of its results */
  int64_t num_outputs;
  void* workspace; /* quern_workspace_bytes() bytes, 64-byte aligned; not shared between calls in
                      flight */
  uint64_t workspace_bytes;
  quern_parallel_for parallel_for; /* NULL: all blocks on the calling thread */
  void* pool;                      /* passed to parallel_for */
  void* stream;                    /* NULL on a CPU */
} quern_call;

typedef enum {
  QUERN_OK = 0,
  QUERN_BAD_CALL = 1,      /* null, struct_size, counts, workspace */
  QUERN_BAD_TENSOR = 2,    /* shape, element type, strides or device differ from the spec */
  QUERN_BAD_ALIGNMENT = 3, /* a tensor is not aligned as the certificate assumes */
  QUERN_OVERLAP = 4,       /* an output overlaps another tensor or the workspace */
  QUERN_BAD_FP_STATE = 5   /* MXCSR: rounding not to nearest, or FTZ or DAZ set */
} quern_status;

/* What a shared object exports. */
uint32_t quern_abi_version(void);
uint64_t quern_workspace_bytes(void);
/* Packs constant arguments once; a bundle without any does nothing. */
quern_status quern_prepare(const quern_call* call);
/* Checks every assumption of the certificate about the call, then runs the kernels. */
quern_status quern_run(const quern_call* call);

#ifdef __cplusplus
}
#endif

#endif /* QUERN_BUNDLE_QUERN_ABI_H_ */
