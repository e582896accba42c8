// Damaged files: whatever the bytes, the front end's reading ends soon, in bounded memory, with a
// program or an error, and so does the checker's, but for the bound. Mutations of the real files in
// the data folder, the same ones for the same seed.
//
// usage: fuzz_test [--seconds=N] [--seed=N] [--format=bytecode|text|all]
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "bundle/testing/shared_data.h"
#include "frontend/context.h"
#include "frontend/spec.h"
#include "gtest/gtest.h"
#include "verifier/spec/reader.h"

namespace quern::frontend {

static int seconds = 20;
static uint32_t seed = 1;
static std::string format = "all";

static constexpr size_t kMaxFile = 64 << 10;
static constexpr size_t kMemoryFactor = 100;      // of the input
static constexpr size_t kMemorySlack = 24 << 20;  // what any program takes, and the allocator
static constexpr unsigned kMaxSecondsPerInput = 10;
static constexpr int kInputsPerContext = 64;

// For the report of a crash.
static volatile uint64_t current = 0;

static void Die(int signal) {
  char text[128];
  const int size =
      std::snprintf(text, sizeof text, "fuzz_test: signal %d in input %llu of seed %u\n", signal,
                    static_cast<unsigned long long>(current), seed);
  if (write(STDERR_FILENO, text, size) < 0) _exit(3);
  _exit(2);
}

// Peak resident memory in bytes since the last reset.
static void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }
static size_t StatusField(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    size_t kilobytes = 0;
    if (word == name && status >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

static std::vector<std::string> Corpus() {
  const std::filesystem::path data = SharedData();
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"models", "stablehlo/vhlo"}) {
    if (!std::filesystem::exists(data / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data / folder)) {
      const std::string extension = entry.path().extension();
      const bool binary = extension == ".bc" || extension == ".bin";
      if (!(binary && format != "text") && !(extension == ".mlir" && format != "bytecode"))
        continue;
      if (entry.is_regular_file() && entry.file_size() <= kMaxFile) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const std::filesystem::path& path : paths) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    files.push_back(out.str());
  }
  return files;
}

class Mutator {
 public:
  Mutator(uint32_t seed, const std::vector<std::string>& corpus) : random_(seed), corpus_(corpus) {}

  std::string Next() {
    std::string bytes = corpus_[Below(corpus_.size())];
    for (size_t i = 0, edits = 1 + Below(4) * Below(2); i < edits; ++i) Edit(bytes);
    return bytes;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  // A number as bytecode writes it in nine bytes.
  std::string Wide(uint64_t value) {
    std::string bytes(9, '\0');
    std::memcpy(bytes.data() + 1, &value, 8);
    return bytes;
  }

  void Edit(std::string& bytes) {
    if (bytes.empty()) return;
    static constexpr unsigned char kBytes[] = {0, 1, 2, 3, 0x7f, 0x80, 0xfe, 0xff};
    static constexpr uint64_t kNumbers[] = {
        0, 1, 1u << 16, 1u << 31, 1ull << 32, 1ull << 62, ~uint64_t{0} >> 1, ~uint64_t{0}};
    static constexpr const char* kWords[] = {"tensor<",
                                             ">",
                                             "[",
                                             "]",
                                             "{",
                                             "}",
                                             "(",
                                             ")",
                                             "\"",
                                             "%0",
                                             "#",
                                             "!",
                                             "@",
                                             "loc(",
                                             "dense<",
                                             "9223372036854775807",
                                             "-1",
                                             "?",
                                             "x",
                                             ":",
                                             "->",
                                             "sdy.",
                                             "stablehlo.",
                                             "!x.y",
                                             "#x.y<z>",
                                             "tuple<",
                                             "\"x.y\"",
                                             "chlo.",
                                             "tensor<2x!x.y>",
                                             "tensor<0xf32>",
                                             "{x.y = 1}"};
    const size_t at = Below(bytes.size());
    const size_t length = std::min(bytes.size() - at, 1 + Below(16));
    switch (Below(9)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(8)));
        return;
      case 1:
        bytes[at] = static_cast<char>(kBytes[Below(std::size(kBytes))]);
        return;
      case 2:
        bytes[at] = static_cast<char>(random_());
        return;
      case 3:
        bytes.resize(at);
        return;
      case 4:
        bytes.erase(at, length);
        return;
      case 5:
        bytes.insert(at, bytes.substr(Below(bytes.size()), length));
        return;
      case 6:
        bytes.replace(at, 1, Wide(kNumbers[Below(std::size(kNumbers))]));
        return;
      case 7: {  // a piece of another file
        const std::string& other = corpus_[Below(corpus_.size())];
        if (!other.empty()) bytes.replace(at, length, other.substr(Below(other.size()), length));
        return;
      }
      default:
        bytes.insert(at, kWords[Below(std::size(kWords))]);
    }
  }

  std::mt19937 random_;
  const std::vector<std::string>& corpus_;
};

TEST(FuzzTest, DamagedFilesAreReadOrRefused) {
  const std::vector<std::string> corpus = Corpus();
  if (corpus.empty()) GTEST_SKIP() << "no data";
  Mutator mutator(seed, corpus);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::unique_ptr<mlir::MLIRContext> context;
  uint64_t accepted = 0, checked = 0;
  double worst = 0;
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    struct sigaction action = {};
    action.sa_handler = Die;
    action.sa_flags = SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
  static char stack[1 << 16];  // so that an overflow of the stack is reported
  stack_t alternate = {.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  sigaltstack(&alternate, nullptr);
  for (current = 0; std::chrono::steady_clock::now() < end; current = current + 1) {
    if (current % kInputsPerContext == 0) context = MakeContext();
    const std::string bytes = mutator.Next();
    ResetPeak();
    const size_t before = StatusField("VmRSS:");
    alarm(kMaxSecondsPerInput);
    absl::StatusOr<Spec> spec = ParseSpec(bytes, "f", *context);
    const size_t peak = StatusField("VmHWM:");
    const size_t taken = peak > before ? peak - before : 0;
    worst = std::max(worst, static_cast<double>(taken));
    ASSERT_LE(taken, kMemorySlack + kMemoryFactor * bytes.size())
        << "input " << current << " of seed " << seed;
    const absl::StatusOr<verifier::SpecGraph> graph = verifier::ReadSpec(bytes);
    alarm(0);
    checked += graph.ok();
    if (spec.ok()) {
      ++accepted;
    } else {
      ASSERT_TRUE(spec.status().message().substr(0, 2) == "f:")
          << "input " << current << " of seed " << seed << ": " << spec.status();
    }
  }
  std::cout << current << " inputs of " << corpus.size() << " files, " << accepted
            << " accepted, at most " << worst / (1 << 20)
            << " MiB more for one; the checker accepted " << checked << "\n";
  EXPECT_GT(current, 0u);
}

}  // namespace quern::frontend

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    bool ok = false;
    if (absl::ConsumePrefix(&argument, "--seconds=")) {
      ok = absl::SimpleAtoi(argument, &quern::frontend::seconds);
    } else if (absl::ConsumePrefix(&argument, "--seed=")) {
      ok = absl::SimpleAtoi(argument, &quern::frontend::seed);
    } else if (absl::ConsumePrefix(&argument, "--format=")) {
      quern::frontend::format = std::string(argument);
      ok = argument == "bytecode" || argument == "text" || argument == "all";
    }
    if (ok) continue;
    std::fprintf(stderr,
                 "usage: fuzz_test [--seconds=N] [--seed=N] [--format=bytecode|text|all]\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}
