#include "server/error.h"

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace quern::server {

TEST(Error, NamesTheField) {
  const grpc::Status status = ToGrpc(FieldError("job.spec", "is empty"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "job.spec: is empty");
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), 3);
  ASSERT_EQ(details.details_size(), 1);
  google::rpc::BadRequest request;
  ASSERT_TRUE(details.details(0).UnpackTo(&request));
  ASSERT_EQ(request.field_violations_size(), 1);
  EXPECT_EQ(request.field_violations(0).field(), "job.spec");
  EXPECT_EQ(request.field_violations(0).description(), "is empty");
}

TEST(Error, KeepsCodes) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  const grpc::Status status = ToGrpc(absl::DataLossError("why"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_EQ(status.error_message(), "why");
  EXPECT_EQ(status.error_details(), "");
}

}  // namespace quern::server
