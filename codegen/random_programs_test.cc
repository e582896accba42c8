// A vector or unrolled loop means what a serial one means: random programs, full of dependences
// between iterations, give the same bits however their inner loop is mapped and whichever pipeline
// runs.
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "codegen/testing/loaded.h"
#include "gtest/gtest.h"

namespace quern::codegen {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  // With MAPPING and PIPELINE to be replaced.
  std::string Program() {
    const char* layouts[] = {"", "layout <[1, 1, 6, 0, 1, 4]>",
                             "layout <[0, 2, 2, 1, 1, 6, 0, 1, 2]>",
                             "layout <[1, 4, 2, 0, 1, 5, 1, 1, 4]>"};
    std::string text = absl::StrCat(R"(
!t = !quern.buffer<[4, 6] x f32, global>
!r = !quern.buffer<[3] x f32, register>
#id = affine_map<(d0, d1) -> (d0, d1)>
quern.program target "host" attributes {pipeline = "PIPELINE"} {
  %x = quern.buffer "arg0" input 0 : !t
  %y = quern.buffer "out0" output 0 : !t
  %t = quern.buffer "t0" temporary -1 )",
                                    layouts[Number(0, 3)], R"( : !t
  quern.kernel "start" { quern.loop "i" %i to 4 serial { quern.loop "j" %j to 6 MAPPING {
    %v = quern.load %x[#id](%i, %j) : !t -> f32
    quern.store %v, %y[#id](%i, %j) : f32, !t
    quern.store %v, %t[#id](%i, %j) : f32, !t
  } } }
  quern.kernel "work" { quern.loop "i" %i to )",
                                    Number(1, 4), " serial {\n%r = quern.alloc \"r\" : !r\n");
    for (int k = 0; k < 3; ++k) {
      absl::StrAppend(&text, "%c", k, " = arith.constant ", k, ".5 : f32\nquern.store %c", k,
                      ", %r[affine_map<() -> (", k, ")>]() : f32, !r\n");
    }
    absl::StrAppend(&text, "quern.loop \"j\" %j to ", Number(2, 9), " MAPPING {\n");
    if (Number(0, 1))
      absl::StrAppend(&text, "%own = quern.alloc \"own\" : !r\nquern.store %c1, %own",
                      "[affine_map<() -> (1)>]() : f32, !r\n");
    own_ = text.find("%own =") != std::string::npos;
    values_ = {"%c0", "%c1", "%c2"};
    const int64_t statements = Number(2, 8);
    for (int64_t k = 0; k < statements; ++k) Statement(text, true);
    return text + "} } } }";
  }

 private:
  int64_t Number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  std::string Index(int64_t extent) {
    const char* forms[] = {"$a * d0 + $b * d1 + $c", "(d1 + $c) floordiv 2 + d0 * $a",
                           "d1 - d0 + $c", "$c", "d1"};
    std::string form = forms[Number(0, 4)];
    for (const char* name : {"$a", "$b", "$c"}) {
      if (size_t at = form.find(name); at != std::string::npos) {
        form.replace(at, 2, std::to_string(Number(0, 5)));
      }
    }
    return absl::StrCat("((", form, ") mod ", extent, ")");
  }
  // A buffer, its type's name and an index.
  std::string Place(std::string& type, bool store) {
    const int64_t which = Number(0, own_ ? 4 : 3);
    type = which >= 3 ? "!r" : "!t";
    const char* names[] = {"%t", "%y", store ? "%y" : "%x", "%r", "%own"};
    const std::string map = which == 4 ? "() -> (1)"
                            : which == 3
                                ? absl::StrCat("(d0, d1) -> (", Index(3), ")")
                                : absl::StrCat("(d0, d1) -> (", Index(4), ", ", Index(6), ")");
    return absl::StrCat(names[which], "[affine_map<", map, ">](", which == 4 ? "" : "%i, %j", ")");
  }
  const std::string& Any() { return values_[Number(0, values_.size() - 1)]; }
  void Statement(std::string& text, bool may_guard) {
    std::string type;
    const std::string fresh = absl::StrCat("%v", count_++);
    switch (Number(0, may_guard ? 5 : 4)) {
      case 0:
      case 1: {
        const std::string place = Place(type, false);
        absl::StrAppend(&text, fresh, " = quern.load ", place, " : ", type, " -> f32\n");
        values_.push_back(fresh);
        return;
      }
      case 2: {
        const std::string& value = Any();
        absl::StrAppend(&text, fresh, " = arith.", Number(0, 1) ? "addf " : "subf ", value, ", ",
                        Any(), " : f32\n");
        values_.push_back(fresh);
        return;
      }
      case 3:
      case 4: {
        const std::string place = Place(type, true);
        absl::StrAppend(&text, "quern.store ", Any(), ", ", place, " : f32, ", type, "\n");
        return;
      }
      default: {
        absl::StrAppend(&text, "quern.guard affine_set<(d0, d1) : (", Number(0, 9), " - d0 - d1 * ",
                        Number(0, 2), " >= 0", Number(0, 3) ? "" : ", d1 mod 2 == 0",
                        ")>(%i, %j) {\n");
        const size_t outside = values_.size();
        for (int64_t k = Number(1, 4); k > 0; --k) Statement(text, false);
        values_.resize(outside);
        absl::StrAppend(&text, "}\n");
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> values_;
  bool own_ = false;
  int count_ = 0;
};

std::string With(std::string text, const std::string& mapping, const std::string& pipeline) {
  for (size_t at; (at = text.find("MAPPING")) != std::string::npos;) text.replace(at, 7, mapping);
  return text.replace(text.find("PIPELINE"), 8, pipeline);
}

std::string Result(const std::string& text) {
  Loaded kernel(text);
  Tensor x = Filled({ElementType::kF32, {4, 6}}, [](int64_t i) { return i * 0.3 + 1; });
  Tensor y = Filled(x.type(), [](int64_t) { return 0; });
  EXPECT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  return std::string(reinterpret_cast<const char*>(y.data()), x.type().num_bytes());
}

TEST(RandomProgramsTest, MappingAndPipelineDoNotChangeTheResult) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const std::string text = Generator(seed).Program();
    const std::string serial = Result(With(text, "serial", "o0"));
    for (const char* mapping : {"vector", "unrolled"}) {
      EXPECT_EQ(Result(With(text, mapping, "o0")), serial) << With(text, mapping, "o0");
      EXPECT_EQ(Result(With(text, mapping, "default")), serial) << With(text, mapping, "default");
    }
    EXPECT_EQ(Result(With(text, "vector", "combine")), serial) << text;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace quern::codegen
