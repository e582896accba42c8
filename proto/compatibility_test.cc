// What is released stays: proto/released.txtpb holds the descriptors of the API, and they may only
// grow. QUERN_UPDATE_RELEASED=1 adds what is new to the file, if nothing is missing or changed.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "quern/v1/batches.pb.h"
#include "quern/v1/jobs.pb.h"
#include "quern/v1/workers.pb.h"

namespace quern {

using google::protobuf::DescriptorProto;
using google::protobuf::EnumDescriptorProto;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using google::protobuf::ServiceDescriptorProto;

static constexpr char kReleased[] = "proto/released.txtpb";

static FileDescriptorSet Current() {
  FileDescriptorSet set;
  for (const auto* file : {v1::Job::descriptor()->file(), v1::Worker::descriptor()->file(),
                           v1::Batch::descriptor()->file()}) {
    file->CopyTo(set.add_file());
  }
  return set;
}

template <typename Items, typename Message>
static const Message* Find(const Items& items, const Message& wanted) {
  for (const auto& item : items) {
    if (item.name() == wanted.name()) return &item;
  }
  return nullptr;
}

// What of the released API is missing or changed, a line each.
class Breaks {
 public:
  std::vector<std::string> Of(const FileDescriptorSet& released, const FileDescriptorSet& current) {
    Each(released.file(), current.file(), "", [this](const auto& was, const auto& is, auto& name) {
      if (was.package() != is.package()) Say(name, "has another package");
      Messages(was.message_type(), is.message_type(), "");
      Enums(was.enum_type(), is.enum_type(), "");
      Services(was, is);
    });
    return std::move(lines_);
  }

 private:
  void Say(const std::string& name, const std::string& what) {
    lines_.push_back(name + " " + what);
  }

  template <typename Items, typename Check>
  void Each(const Items& released, const Items& current, const std::string& prefix, Check check) {
    for (const auto& was : released) {
      const std::string name = prefix + was.name();
      const auto* is = Find(current, was);
      if (is == nullptr) {
        Say(name, "is gone");
      } else {
        check(was, *is, name);
      }
    }
  }

  template <typename Items>
  void Messages(const Items& released, const Items& current, const std::string& prefix) {
    Each(released, current, prefix, [this](const auto& was, const auto& is, auto& name) {
      Each(was.field(), is.field(), name + ".", [&](const auto& f, const auto& g, auto& field) {
        if (f.number() != g.number()) Say(field, "has another number");
        if (f.type() != g.type() || f.type_name() != g.type_name()) Say(field, "has another type");
        if (f.label() != g.label()) Say(field, "is repeated in one of both");
        const bool in_oneof = f.has_oneof_index(), still = g.has_oneof_index();
        if (in_oneof != still || (in_oneof && was.oneof_decl(f.oneof_index()).name() !=
                                                  is.oneof_decl(g.oneof_index()).name())) {
          Say(field, "is in another oneof");
        }
      });
      Messages(was.nested_type(), is.nested_type(), name + ".");
      Enums(was.enum_type(), is.enum_type(), name + ".");
    });
  }

  template <typename Items>
  void Enums(const Items& released, const Items& current, const std::string& prefix) {
    Each(released, current, prefix, [this](const auto& was, const auto& is, auto& name) {
      Each(was.value(), is.value(), name + ".", [&](const auto& f, const auto& g, auto& value) {
        if (f.number() != g.number()) Say(value, "has another number");
      });
    });
  }

  void Services(const FileDescriptorProto& released, const FileDescriptorProto& current) {
    Each(released.service(), current.service(), "",
         [this](const ServiceDescriptorProto& was, const ServiceDescriptorProto& is, auto& name) {
           Each(was.method(), is.method(), name + ".",
                [&](const auto& f, const auto& g, auto& method) {
                  if (f.input_type() != g.input_type() || f.output_type() != g.output_type() ||
                      f.client_streaming() != g.client_streaming() ||
                      f.server_streaming() != g.server_streaming()) {
                    Say(method, "takes or gives something else");
                  }
                });
         });
  }

  std::vector<std::string> lines_;
};

TEST(Compatibility, TheReleasedApiOnlyGrows) {
  std::ifstream file(kReleased);
  std::stringstream text;
  text << file.rdbuf();
  FileDescriptorSet released;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text.str(), &released));
  const FileDescriptorSet current = Current();
  ASSERT_THAT(Breaks().Of(released, current), testing::IsEmpty());
  std::string updated;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(current, &updated));
  if (std::getenv("QUERN_UPDATE_RELEASED") != nullptr) {
    std::ofstream(kReleased) << updated;
  } else {
    EXPECT_EQ(text.str(), updated)
        << kReleased << " lacks what is new: run with QUERN_UPDATE_RELEASED=1";
  }
}

TEST(Compatibility, ChangesAreFound) {
  const FileDescriptorSet released = Current();
  auto breaks = [&](auto change) {
    FileDescriptorSet changed = released;
    change(*changed.mutable_file(0));
    return Breaks().Of(released, changed);
  };
  EXPECT_THAT(breaks([](FileDescriptorProto&) {}), testing::IsEmpty());
  EXPECT_THAT(breaks([](FileDescriptorProto& file) {
                file.mutable_message_type(0)->add_field()->set_name("more");
                file.add_message_type()->set_name("More");
              }),
              testing::IsEmpty());
  EXPECT_THAT(breaks([](FileDescriptorProto& file) {
                file.mutable_message_type(0)->mutable_field(0)->set_number(77);
              }),
              testing::ElementsAre("JobSpec.spec has another number"));
  EXPECT_THAT(breaks([](FileDescriptorProto& file) {
                file.mutable_message_type(0)->mutable_field(0)->set_name("module");
              }),
              testing::ElementsAre("JobSpec.spec is gone"));
  EXPECT_THAT(breaks([](FileDescriptorProto& file) {
                file.mutable_enum_type(0)->mutable_value(1)->set_number(9);
              }),
              testing::ElementsAre("Semantics.SEMANTICS_REAL has another number"));
  EXPECT_THAT(breaks([](FileDescriptorProto& file) {
                file.mutable_service(0)->mutable_method(0)->set_server_streaming(true);
              }),
              testing::ElementsAre("Jobs.CreateJob takes or gives something else"));
  EXPECT_THAT(breaks([](FileDescriptorProto& file) { file.mutable_service()->RemoveLast(); }),
              testing::ElementsAre("Kernels is gone"));
}

}  // namespace quern
