// quern cache: the store of proved kernels.
#include <cstdio>
#include <memory>
#include <string>

#include "CLI/App.hpp"
#include "bundle/status.h"
#include "cache/sqlite_store.h"
#include "cli/subcommand.h"

namespace quern::cli {

static absl::StatusOr<std::unique_ptr<cache::SqliteStore>> OpenStore() {
  QUERN_ASSIGN_OR_RETURN(const std::string directory, cache::DefaultDirectory());
  return cache::SqliteStore::Open(directory);
}

static void PrintEntry(const cache::Entry& entry) {
  std::printf("%.12s  %-7s %-8s %dT  spec %.12s  %10.4g us  %8lld bytes%s%s\n",
              entry.digest.c_str(), Name(entry.verdict).c_str(), entry.key.target.c_str(),
              entry.key.threads, entry.key.spec_sha256.c_str(), entry.time_ns / 1e3,
              static_cast<long long>(entry.bytes), entry.marks.pinned ? "  pinned" : "",
              entry.marks.revoked.empty() ? "" : "  revoked");
}

class CacheCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("cache", "The store of proved kernels (QUERN_CACHE moves it)");
    parser->require_subcommand(1);
    ls_ = parser->add_subcommand("ls", "List entries, the last used first");
    show_ = parser->add_subcommand("show", "Show one entry");
    show_->add_option("digest", digest_, "Digest, or its beginning")->required();
    gc_ = parser->add_subcommand("gc",
                                 "Remove entries, the least recently used first, and leftovers");
    gc_->add_option("--max-mb", max_mb_, "Keep at most this much")->check(CLI::NonNegativeNumber);
    gc_->add_option("--max-days", max_days_, "Remove what was not used for so long")
        ->check(CLI::NonNegativeNumber);
    return parser;
  }

  ExitCode Run() override {
    const absl::Status status = RunOn();
    return status.ok() ? ExitCode::kOk : Report(status);
  }

 private:
  absl::Status RunOn() const {
    QUERN_ASSIGN_OR_RETURN(const std::unique_ptr<cache::SqliteStore> store, OpenStore());
    if (ls_->parsed()) {
      QUERN_ASSIGN_OR_RETURN(const std::vector<cache::Entry> entries, store->List());
      for (const cache::Entry& entry : entries) PrintEntry(entry);
    } else if (show_->parsed()) {
      QUERN_ASSIGN_OR_RETURN(const cache::Entry entry, store->Show(digest_));
      PrintEntry(entry);
      std::printf("key      %s\nbundle   %s\n", ToJson(entry.key).c_str(), entry.bundle.c_str());
    } else {
      cache::GcLimits limits;
      if (max_mb_ >= 0) limits.max_bytes = max_mb_ << 20;
      if (max_days_ >= 0) limits.max_age_seconds = max_days_ * 86400;
      QUERN_ASSIGN_OR_RETURN(const cache::GcReport report, store->Gc(limits));
      for (const cache::Entry& entry : report.removed) PrintEntry(entry);
      std::printf("removed %zu entries, %lld bytes, %lld leftovers\n", report.removed.size(),
                  static_cast<long long>(report.bytes),
                  static_cast<long long>(report.orphans_removed) +
                      static_cast<long long>(report.dangling_removed));
    }
    for (const std::string& warning : store->TakeWarnings())
      std::fprintf(stderr, "quern: cache: %s\n", warning.c_str());
    return absl::OkStatus();
  }

  CLI::App* ls_ = nullptr;
  CLI::App* show_ = nullptr;
  CLI::App* gc_ = nullptr;
  std::string digest_;
  int64_t max_mb_ = -1, max_days_ = -1;
};

std::unique_ptr<Subcommand> MakeCacheCommand() { return std::make_unique<CacheCommand>(); }

}  // namespace quern::cli
