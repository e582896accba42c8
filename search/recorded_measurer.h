// Timings written down and read again, so that two runs decide alike.
#ifndef QUERN_SEARCH_RECORDED_MEASURER_H_
#define QUERN_SEARCH_RECORDED_MEASURER_H_

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "search/session.h"

namespace quern::search {

// Asks another measurer and appends each answer to a file, one JSON line a race.
class RecordingMeasurer : public Measurer {
 public:
  // `measurer` outlives it. An existing file is replaced. kInvalidArgument if it cannot be written.
  static absl::StatusOr<std::unique_ptr<RecordingMeasurer>> Create(Measurer* measurer,
                                                                   const std::string& path);

  absl::StatusOr<Race> Screen(const Artifact& candidate, double give_up_above_ns) override;
  absl::StatusOr<Race> Compare(const Artifact& incumbent, const Artifact& candidate) override;
  absl::StatusOr<std::vector<Race>> Rank(const std::vector<const Artifact*>& finalists) override;

 private:
  RecordingMeasurer(Measurer* measurer, std::string path);
  absl::StatusOr<Race> Write(const std::string& key, absl::StatusOr<Race> race);

  Measurer* measurer_;
  std::string path_;
  std::ofstream file_;
};

// Answers from such a file, in its order; kFailedPrecondition for a call that is not the next
// recorded one: each is known by its kind and the digests of its binaries.
class ReplayingMeasurer : public Measurer {
 public:
  static absl::StatusOr<std::unique_ptr<ReplayingMeasurer>> Create(const std::string& path);

  absl::StatusOr<Race> Screen(const Artifact& candidate, double give_up_above_ns) override;
  absl::StatusOr<Race> Compare(const Artifact& incumbent, const Artifact& candidate) override;
  absl::StatusOr<std::vector<Race>> Rank(const std::vector<const Artifact*>& finalists) override;

 private:
  struct Recorded {
    std::string key;
    Race race;
  };
  absl::StatusOr<Race> Next(const std::string& key);

  std::string path_;
  std::vector<Recorded> recorded_;
  size_t next_ = 0;
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_RECORDED_MEASURER_H_
