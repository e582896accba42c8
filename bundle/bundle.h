// Everything about one kernel, as a folder: what `optimize` returns and the cache keeps.
#ifndef QUERN_BUNDLE_BUNDLE_H_
#define QUERN_BUNDLE_BUNDLE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "bundle/certificate.h"
#include "bundle/measurement.h"

namespace quern {

struct Bundle {
  std::string module;       // the user's own bytes
  std::string canonical;    // canonical text of the spec
  std::string spec_sha256;  // digest of the spec, the cache's key with the rest
  Artifact artifact;
  Certificate certificate;
  std::vector<Measurement> measurements;
  std::string program;  // MLIR text of the winning program
  std::string trace;    // how it was derived, one action a line
};

// The files of a bundle's folder, name: bytes: manifest.json, module.mlir, canonical.mlir,
// kernel.ll, launch.json, kernel.{so,ptx,hsaco}, certificate.json, measurements.json, program.mlir,
// trace.jsonl.
std::map<std::string, std::string> BundleFiles(const Bundle& bundle);

// Writes the files into `directory`, which is created
// with its parents. The folder appears whole or not at all: it is written beside itself and
// renamed. An existing bundle or empty folder is replaced; kAlreadyExists, and untouched, if it is
// anything else. kInvalidArgument if the plan is invalid or the certificate's digests are not those
// of the module, IR, plan and binary; kPermissionDenied, kUnavailable (full disk), which name the
// path.
absl::Status WriteBundle(const Bundle& bundle, const std::string& directory);

// Reads a folder and compares every file with the digest in its manifest, the manifest with its
// own, and the certificate's digests with what they are about. kDataLoss on a difference or a
// missing file, kNotFound without a manifest. Files that the manifest does not list are left alone.
absl::StatusOr<Bundle> ReadBundle(const std::string& directory);

}  // namespace quern

#endif  // QUERN_BUNDLE_BUNDLE_H_
