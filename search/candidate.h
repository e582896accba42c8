// A program of a search that compiled.
#ifndef QUERN_SEARCH_CANDIDATE_H_
#define QUERN_SEARCH_CANDIDATE_H_

#include <cstdint>
#include <string>

#include "bundle/artifact.h"
#include "bundle/measurement.h"
#include "search/trace.h"

namespace quern::search {

struct Candidate {
  int64_t number = 0;  // in the order of the search; 0 is the naive program
  Trace trace;
  int64_t unsound_actions = 0;
  std::string program;  // MLIR text
  Artifact artifact;
  Measurement measurement;  // the latest
  double time_ns = 0;       // its median
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_CANDIDATE_H_
