#include "server/error.h"

#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace quern::server {

static constexpr char kBadRequest[] = "type.googleapis.com/google.rpc.BadRequest";

absl::Status FieldError(const std::string& field, const std::string& description) {
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(field, ": ", description));
  google::rpc::BadRequest request;
  auto* violation = request.add_field_violations();
  violation->set_field(field);
  violation->set_description(description);
  const std::string bytes = request.SerializeAsString();
  status.SetPayload(kBadRequest, absl::Cord(absl::string_view(bytes)));
  return status;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string message(status.message());
  google::rpc::Status details;
  if (const auto payload = status.GetPayload(kBadRequest)) {
    auto* detail = details.add_details();
    detail->set_type_url(kBadRequest);
    detail->set_value(std::string(*payload));
    details.set_code(code);
    details.set_message(message);
  }
  return grpc::Status(code, message, details.SerializeAsString());
}

}  // namespace quern::server
