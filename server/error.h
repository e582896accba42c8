// Errors as clients see them.
#ifndef QUERN_SERVER_ERROR_H_
#define QUERN_SERVER_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace quern::server {

// kInvalidArgument about one field of the request, "job.spec", which it carries as a
// google.rpc.BadRequest.
absl::Status FieldError(const std::string& field, const std::string& description);

// The same code and message, with the field if there is one.
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace quern::server

#endif  // QUERN_SERVER_ERROR_H_
