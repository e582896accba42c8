// What a measuring process and its runner say to each other: messages over a SOCK_SEQPACKET socket,
// the bulk in shared memory. Both are built from the same sources and run on one machine, so the
// structures travel as they are.
#ifndef QUERN_WORKERS_RUNNER_PROTOCOL_H_
#define QUERN_WORKERS_RUNNER_PROTOCOL_H_

#include <cstdint>

namespace quern::workers {

inline constexpr int kControlFd = 3;  // the runner's end of the socket
inline constexpr uint32_t kProtocolMagic = 0x716e7232;
inline constexpr int kMaxRank = 16;
inline constexpr uint64_t kPage = 4096;

// A tensor in a shared arena, between two pages that the runner makes inaccessible.
struct TensorRecord {
  uint64_t offset;        // of element 0
  uint64_t guard_before;  // offsets of the pages
  uint64_t guard_after;
  int64_t shape[kMaxRank];
  int32_t rank;
  uint8_t dtype_code;  // DLPack's
  uint8_t dtype_bits;
  uint16_t padding;
};

// The first message. It carries three descriptors (shared object, input arena, output arena) and is
// followed in the same message by num_inputs + num_outputs + 1 records (the last one is the
// workspace, bytes) and `threads` CPU numbers (int32_t).
struct Setup {
  uint32_t magic;
  uint32_t threads;
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_sets;  // of inputs; set s lies s * set_bytes behind set 0
  uint32_t padding;
  uint64_t set_bytes;
  uint64_t output_bytes;  // of the output arena
  uint64_t workspace_bytes;
  uint64_t evict_bytes;   // how much EVICT touches
  uint64_t memory_bytes;  // what the candidate may allocate
};

enum class Op : uint32_t {
  kNone,
  kReady,  // the reply to Setup
  kPing,
  kPrepare,    // quern_prepare with input set `first_set`
  kRun,        // `count` times quern_run, with the sets in rotation from `first_set`
  kEvict,      // touches evict_bytes
  kCalibrate,  // a fixed amount of arithmetic, some 5 ms
  kFault,      // never asked for: the process is about to die
};

struct Command {
  Op op;
  uint32_t nonce;  // repeated in the reply
  uint32_t first_set;
  uint32_t padding;
  int64_t count;
};

enum class LoadError : int32_t { kNone, kMemory, kObject, kSandbox, kThreads };
enum class FaultPlace : int32_t { kElsewhere, kInput, kGuard };

struct Reply {
  Op op;
  uint32_t nonce;
  int32_t status;          // kRun, kPrepare: quern_status; kReady: LoadError; kFault: the signal
  int32_t fp_changed;      // kRun: the floating-point state is not what it was
  int32_t preemptions;     // kRun: involuntary context switches meanwhile
  FaultPlace place;        // kFault
  int32_t memory_is_full;  // kFault: no more memory could be had
  int32_t padding;
  int64_t completed;  // kRun: runs done
  int64_t ns;         // kRun, kCalibrate: from first to last, CLOCK_MONOTONIC
  uint64_t tsc;       // likewise, by rdtscp
  char text[256];     // kReady: what went wrong
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_RUNNER_PROTOCOL_H_
