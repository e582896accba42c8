#include "bundle/npy.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quern {

static_assert(std::endian::native == std::endian::little, ".npy files are read as they lie");

static constexpr char kMagic[] = "\x93NUMPY";

// What NumPy calls the element types; bfloat16 has no name of its own there.
static std::vector<std::string> Descriptors(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return {"<f4"};
    case ElementType::kBF16:
      return {"<V2", "|V2", "<u2", "bfloat16"};
    case ElementType::kI32:
      return {"<i4"};
    case ElementType::kBool:
      return {"|b1"};
  }
  return {};
}

// The text after `'key':` in the header's dictionary, up to the delimiter that ends it.
static std::string Field(const std::string& header, const std::string& key) {
  size_t start = header.find("'" + key + "'");
  if (start == std::string::npos) return "";
  start = header.find(':', start);
  if (start == std::string::npos) return "";
  start = header.find_first_not_of(' ', start + 1);
  if (start == std::string::npos) return "";
  const bool tuple = header[start] == '(';
  const size_t end = header.find(tuple ? ')' : ',', start);
  return end == std::string::npos ? "" : header.substr(start, end - start + (tuple ? 1 : 0));
}

static bool ParseShape(const std::string& text, std::vector<int64_t>& shape) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  for (absl::string_view part :
       absl::StrSplit(absl::string_view(text).substr(1, text.size() - 2), ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    int64_t extent;
    if (!absl::SimpleAtoi(part, &extent) || extent < 0) return false;
    shape.push_back(extent);
  }
  return true;
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path, const TensorType& expected) {
  auto error = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  char magic[8];
  if (!file.read(magic, 8) || std::memcmp(magic, kMagic, 6) != 0)
    return error("is not a .npy file");
  uint32_t length = 0;
  if (magic[6] < 1 || magic[6] > 3) return error("has an unknown format version");
  file.read(reinterpret_cast<char*>(&length), magic[6] == 1 ? 2 : 4);
  if (!file || length > (1 << 16)) return error("has a bad header length");
  std::string header(length, '\0');
  if (!file.read(header.data(), length)) return error("ends in its header");
  if (Field(header, "fortran_order") != "False") return error("is not in C order");
  std::vector<int64_t> shape;
  if (!ParseShape(Field(header, "shape"), shape)) return error("has a bad shape");
  std::string descriptor = Field(header, "descr");
  if (descriptor.size() >= 2) descriptor = descriptor.substr(1, descriptor.size() - 2);
  const std::vector<std::string> wanted = Descriptors(expected.element);
  if (std::find(wanted.begin(), wanted.end(), descriptor) == wanted.end()) {
    return error(absl::StrCat("has elements '", descriptor, "', expected ", expected.ToString()));
  }
  if (shape != expected.shape) {
    return error(absl::StrCat("has shape [", absl::StrJoin(shape, ","), "], expected ",
                              expected.ToString()));
  }
  absl::StatusOr<Tensor> tensor = Tensor::Create(expected);
  if (!tensor.ok()) return tensor.status();
  if (!file.read(reinterpret_cast<char*>(tensor->data()), expected.num_bytes()))
    return error("ends in its data");
  if (file.peek() != std::ifstream::traits_type::eof()) return error("has bytes after its data");
  return tensor;
}

absl::Status WriteNpy(const std::string& path, const Tensor& tensor) {
  std::string shape = absl::StrJoin(tensor.type().shape, ", ");
  if (tensor.type().shape.size() == 1) shape += ",";
  std::string header = absl::StrCat("{'descr': '", Descriptors(tensor.type().element).front(),
                                    "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const uint16_t length = static_cast<uint16_t>(header.size());
  std::ofstream file(path, std::ios::binary);
  file.write(kMagic, 6).write("\x01\x00", 2).write(reinterpret_cast<const char*>(&length), 2)
      << header;
  file.write(reinterpret_cast<const char*>(tensor.data()), tensor.type().num_bytes());
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

}  // namespace quern
