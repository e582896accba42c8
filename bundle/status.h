// Propagation of absl::Status, which the packaged Abseil lacks.
#ifndef QUERN_BUNDLE_STATUS_H_
#define QUERN_BUNDLE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the enclosing function if `expr`, an absl::Status, is not ok.
#define QUERN_RETURN_IF_ERROR(expr)                \
  do {                                             \
    absl::Status quern_status_ = (expr);           \
    if (!quern_status_.ok()) return quern_status_; \
  } while (false)

// Assigns the value of `expr`, an absl::StatusOr, to `lhs` (which may declare), or returns its
// error.
#define QUERN_ASSIGN_OR_RETURN(lhs, expr) \
  QUERN_ASSIGN_OR_RETURN_IMPL_(QUERN_STATUS_CONCAT_(quern_value_, __LINE__), lhs, expr)

#define QUERN_STATUS_CONCAT_INNER_(a, b) a##b
#define QUERN_STATUS_CONCAT_(a, b) QUERN_STATUS_CONCAT_INNER_(a, b)
#define QUERN_ASSIGN_OR_RETURN_IMPL_(value, lhs, expr) \
  auto value = (expr);                                 \
  if (!value.ok()) return std::move(value).status();   \
  lhs = *std::move(value)

#endif  // QUERN_BUNDLE_STATUS_H_
