#include "bundle/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "bundle/file.h"
#include "bundle/status.h"

namespace quern {

static_assert(std::endian::native == std::endian::little, ".npy files are read as they lie");

static constexpr char kMagic[] = "\x93NUMPY";
static constexpr int64_t kMaxHeader = 1 << 16;

struct NpyHeader {
  std::string descriptor;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Reads the Python dictionary of a header.
class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(absl::string_view text) : text_(text) {}

  // Nothing unless the text is a dictionary of exactly the three keys.
  std::optional<NpyHeader> Parse() {
    NpyHeader header;
    std::set<std::string> keys;
    if (!Take("{")) return std::nullopt;
    while (!Take("}")) {
      const std::optional<std::string> key = String();
      if (!key || !keys.insert(*key).second || !Take(":")) return std::nullopt;
      const bool read = *key == "descr"           ? Descriptor(header)
                        : *key == "fortran_order" ? Order(header)
                        : *key == "shape"         ? Shape(header)
                                                  : false;
      if (!read) return std::nullopt;
      if (Take(",")) continue;
      if (!Take("}")) return std::nullopt;
      break;
    }
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    return keys.size() == 3 && text_.empty() ? std::optional(header) : std::nullopt;
  }

 private:
  bool Take(absl::string_view token) {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    return absl::ConsumePrefix(&text_, token);
  }

  std::optional<std::string> String() {
    const absl::string_view quote = Take("'") ? "'" : "\"";
    if (quote == "\"" && !Take(quote)) return std::nullopt;
    const size_t end = text_.find(quote);
    if (end == absl::string_view::npos) return std::nullopt;
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }

  bool Descriptor(NpyHeader& header) {
    const std::optional<std::string> value = String();
    header.descriptor = value.value_or("");
    return value.has_value();
  }

  bool Order(NpyHeader& header) {
    header.fortran_order = Take("True");
    return header.fortran_order || Take("False");
  }

  bool Shape(NpyHeader& header) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      text_ = absl::StripLeadingAsciiWhitespace(text_);
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.begin(), text_.end(), extent);
      if (error != std::errc() || extent < 0) return false;
      text_.remove_prefix(end - text_.begin());
      header.shape.push_back(extent);
      if (!Take(",")) return Take(")");
    }
    return true;
  }

  absl::string_view text_;
};

// The header of `bytes`, which it removes from their front. An error is what is wrong.
static absl::StatusOr<NpyHeader> TakeHeader(absl::string_view& bytes) {
  if (!absl::ConsumePrefix(&bytes, kMagic)) return absl::InvalidArgumentError("not a .npy file");
  if (bytes.size() < 4) return absl::InvalidArgumentError("ends in its header");
  const int version = static_cast<unsigned char>(bytes[0]);
  if (version < 1 || version > 3 || bytes[1] != 0) {
    return absl::InvalidArgumentError("has a format version other than 1.0, 2.0 and 3.0");
  }
  bytes.remove_prefix(2);
  const size_t width = version == 1 ? 2 : 4;
  if (bytes.size() < width) return absl::InvalidArgumentError("ends in its header");
  int64_t length = 0;
  for (size_t i = 0; i < width; ++i) {
    length |= int64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(width);
  if (length > kMaxHeader) return absl::InvalidArgumentError("has a header of over 64 KiB");
  if (static_cast<int64_t>(bytes.size()) < length) {
    return absl::InvalidArgumentError("ends in its header");
  }
  std::optional<NpyHeader> header = NpyHeaderParser(bytes.substr(0, length)).Parse();
  bytes.remove_prefix(length);
  if (!header) return absl::InvalidArgumentError("has a malformed header");
  return *std::move(header);
}

static absl::Status Matches(const NpyHeader& header, const TensorType& expected) {
  const std::vector<std::string> known = NumpyDescriptors(expected.element);
  if (std::find(known.begin(), known.end(), header.descriptor) == known.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("has elements '", header.descriptor, "', expected ", expected.ToString()));
  }
  if (header.shape != expected.shape) {
    return absl::InvalidArgumentError(absl::StrCat("has shape [", absl::StrJoin(header.shape, ","),
                                                   "], expected ", expected.ToString()));
  }
  if (header.fortran_order && header.shape.size() > 1) {
    return absl::InvalidArgumentError(
        "is in Fortran order; save numpy.ascontiguousarray of the array");
  }
  return absl::OkStatus();
}

// Raw bytes of i4 and ui4 may leave the upper half as they like; numbers must fit.
static absl::Status ExtendNibbles(const std::string& descriptor, Tensor& tensor) {
  const ElementType element = tensor.type().element;
  if (element != ElementType::kI4 && element != ElementType::kUI4) return absl::OkStatus();
  const bool numbers = descriptor[1] != 'V';
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i) {
    uint8_t& byte = tensor.as<uint8_t>()[i];
    uint8_t extended = byte & 15;
    if (element == ElementType::kI4 && extended >= 8) extended |= 0xf0;
    if (numbers && byte != extended) {
      return absl::InvalidArgumentError(absl::StrCat("has an element that is no ", Name(element)));
    }
    byte = extended;
  }
  return absl::OkStatus();
}

static absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes, const TensorType& expected) {
  QUERN_ASSIGN_OR_RETURN(const NpyHeader header, TakeHeader(bytes));
  QUERN_RETURN_IF_ERROR(Matches(header, expected));
  if (static_cast<int64_t>(bytes.size()) != expected.num_bytes()) {
    return absl::InvalidArgumentError(absl::StrCat("has ", bytes.size(), " bytes of data, ",
                                                   expected.ToString(), " takes ",
                                                   expected.num_bytes()));
  }
  const bool is_bool = expected.element == ElementType::kBool;
  if (is_bool && std::any_of(bytes.begin(), bytes.end(), [](unsigned char c) { return c > 1; })) {
    return absl::InvalidArgumentError("has a bool that is neither 0 nor 1");
  }
  QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(expected));
  std::copy(bytes.begin(), bytes.end(), tensor.as<char>());
  QUERN_RETURN_IF_ERROR(ExtendNibbles(header.descriptor, tensor));
  return tensor;
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path, const TensorType& expected) {
  int64_t limit = 0;
  if (__builtin_add_overflow(expected.num_bytes(), 2 * kMaxHeader, &limit)) {
    return Tensor::Create(expected).status();
  }
  QUERN_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, limit));
  absl::StatusOr<Tensor> tensor = ParseNpy(bytes, expected);
  if (tensor.ok()) return tensor;
  return absl::Status(tensor.status().code(), absl::StrCat(path, ": ", tensor.status().message()));
}

absl::Status WriteNpy(const std::string& path, const Tensor& tensor) {
  const TensorType& type = tensor.type();
  const std::string comma = type.shape.size() == 1 ? "," : "";
  std::string header = absl::StrCat("{'descr': '", NumpyDescriptors(type.element).front(),
                                    "', 'fortran_order': False, 'shape': (",
                                    absl::StrJoin(type.shape, ", "), comma, "), }");
  // The data begin at a multiple of 64 bytes; 10 bytes come before the header.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = absl::StrCat(kMagic, absl::string_view("\x01\x00", 2));
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(tensor.as<char>(), type.num_bytes());
  return WriteFile(path, bytes);
}

}  // namespace quern
