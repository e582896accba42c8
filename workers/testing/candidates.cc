#include "workers/testing/candidates.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "bundle/file.h"

namespace quern::workers {

static constexpr const char* kCompiler = "clang-22";

// `command` holds fixed words and a name from mkdtemp.
static bool Shell(const std::string& command) {
  return std::system(command.c_str()) == 0;  // NOLINT(bugprone-command-processor)
}

bool HaveCompiler() {
  static const bool have = Shell(absl::StrCat(kCompiler, " --version >/dev/null 2>&1"));
  return have;
}

Signature Unary(int64_t n) {
  const TensorType type{.element = ElementType::kF32, .shape = {n}};
  return {.arguments = {type}, .results = {type}};
}

static LaunchPlan PlanOf(const Signature& signature, int64_t workspace_bytes) {
  LaunchPlan plan{.target = "x86_64", .cpu = "", .features = "", .buffers = {}, .kernels = {}};
  auto add = [&](BufferRole role, int position, const TensorType& type) {
    plan.buffers.push_back({.name = absl::StrCat("b", plan.buffers.size()),
                            .role = role,
                            .position = position,
                            .type = type,
                            .layout = {},
                            .bytes = type.num_bytes(),
                            .alignment = 64,
                            .holds = ""});
  };
  int position = 0;
  for (const TensorType& type : signature.arguments) add(BufferRole::kInput, position++, type);
  position = 0;
  for (const TensorType& type : signature.results) add(BufferRole::kOutput, position++, type);
  if (workspace_bytes > 0) {
    add(BufferRole::kTemporary, -1, {.element = ElementType::kBool, .shape = {workspace_bytes}});
  }
  return plan;
}

Artifact CompileCandidate(const Signature& signature, const std::string& body,
                          const std::string& globals, int64_t workspace_bytes) {
  char folder[] = "/tmp/quern-candidate-XXXXXX";
  if (mkdtemp(folder) == nullptr) std::abort();
  const std::string source = absl::StrCat(folder, "/candidate.c");
  const std::string object = absl::StrCat(folder, "/candidate.so");
  const std::string text = absl::StrCat(R"(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>
#include "bundle/quern_abi.h"
)",
                                        globals, R"(
uint32_t quern_abi_version(void) { return QUERN_ABI_VERSION; }
uint64_t quern_workspace_bytes(void) { return )",
                                        workspace_bytes, R"(; }
quern_status quern_prepare(const quern_call* call) { return QUERN_OK; }
quern_status quern_run(const quern_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t n = 1;
  for (int i = 0; i < call->outputs[0].ndim; ++i) n *= call->outputs[0].shape[i];
)",
                                        body, "\n  return QUERN_OK;\n}\n");
  if (!WriteFile(source, text).ok()) std::abort();
  const std::string command =
      absl::StrCat(kCompiler, " -O2 -w -shared -fPIC -I. -o ", object, " ", source);
  if (!Shell(command)) std::abort();
  Artifact artifact{.plan = PlanOf(signature, workspace_bytes),
                    .llvm_ir = "",
                    .kind = BinaryKind::kSharedObject,
                    .binary = ReadFile(object).value()};
  std::filesystem::remove_all(folder);
  return artifact;
}

}  // namespace quern::workers
