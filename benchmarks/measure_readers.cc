// Times the readers: measure_readers MODEL [TEXT]. Reads a model (bytecode or text) and cuts it,
// then prints the program as text, reads that, and writes one JSON object; the text goes to TEXT.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "bundle/file.h"
#include "frontend/context.h"
#include "frontend/partition.h"
#include "frontend/source.h"
#include "nlohmann/json.hpp"

namespace quern::frontend {

static double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

static int64_t PeakMegabytes() {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

static int Main(const std::string& path, const char* text_path) {
  nlohmann::json json;
  std::string text;
  {
    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<mlir::MLIRContext> context = MakeContext();
    absl::StatusOr<Spec> model = ReadModel(path, *context);
    if (!model.ok()) {
      std::fprintf(stderr, "%s\n", std::string(model.status().message()).c_str());
      return 1;
    }
    json["read_seconds"] = Seconds(start);
    const auto cut = std::chrono::steady_clock::now();
    absl::StatusOr<Partition> partition = PartitionModel(*model);
    if (!partition.ok()) {
      std::fprintf(stderr, "%s\n", std::string(partition.status().message()).c_str());
      return 1;
    }
    json["partition_seconds"] = Seconds(cut);
    json["specs"] = partition->parts.size();
    json["peak_mb"] = PeakMegabytes();
    text = model->canonical;
  }
  std::unique_ptr<mlir::MLIRContext> context = MakeContext();
  auto start = std::chrono::steady_clock::now();
  const bool parsed = ParseModule(text, "text", *context).ok();
  json["text_parse_seconds"] = Seconds(start);
  start = std::chrono::steady_clock::now();
  const bool read = parsed && ParseModel(text, "text", *context).ok();
  json["text_read_seconds"] = Seconds(start);
  json["text_bytes"] = text.size();
  if (text_path != nullptr && !WriteFile(text_path, text).ok()) return 1;
  std::printf("%s\n", json.dump().c_str());
  return read ? 0 : 1;
}

}  // namespace quern::frontend

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: measure_readers MODEL [TEXT]\n");
    return 1;
  }
  return quern::frontend::Main(argv[1], argc == 3 ? argv[2] : nullptr);
}
