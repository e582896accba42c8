#include "ir/vhlo/container.h"

#include <limits>

namespace quern::vhlo {

enum SectionId : uint8_t {
  kString,
  kDialect,
  kAttrType,
  kAttrTypeOffset,
  kIr,
  kResource,
  kResourceOffset,
  kDialectVersion,
  kPropertySection,
  kSectionIds,
};

static llvm::StringRef Text(llvm::ArrayRef<uint8_t> bytes) {
  return llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

bool IsBytecode(llvm::StringRef bytes) { return bytes.starts_with("ML\xefR"); }

static std::optional<Version> ParseVersion(llvm::StringRef producer) {
  Version version;
  if (!producer.consume_front("StableHLO_v") || producer.consumeInteger(10, version.major) ||
      !producer.consume_front(".") || producer.consumeInteger(10, version.minor)) {
    return std::nullopt;
  }
  return version;
}

class Parser {
 public:
  Parser(llvm::StringRef bytes, ContainerError& error) : error_(error) {
    c_.file = llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }

  std::optional<Container> Run() {
    if (c_.file.size() > std::numeric_limits<uint32_t>::max() || !Sections() || !Strings() ||
        !Dialects() || !Entries() || !Properties()) {
      return std::nullopt;
    }
    c_.ir = *sections_[kIr];
    return std::move(c_);
  }

 private:
  bool Fail(const Cursor& at, const char* what) {
    error_ = {at.at(), what};
    return false;
  }

  bool Sections() {
    Cursor in(c_.file, 0, c_.file.size());
    in.Sub(4);
    c_.format = in.Varint();
    c_.producer = Text(in.Terminated());
    c_.version = ParseVersion(c_.producer);
    if (!in.ok()) return Fail(in, "the header is cut short");
    if (c_.format > kNewestFormat)
      return Fail(in, "the bytecode format is newer than 6, the newest that quern reads");
    while (!in.empty()) {
      uint8_t id;
      const Cursor data = in.Section(id);
      if (!in.ok()) return Fail(in, "a section is cut short");
      if (id >= kSectionIds || sections_[id])
        return Fail(data, "a section is unknown or comes twice");
      sections_[id] = data;
    }
    for (SectionId id : {kString, kDialect, kAttrType, kAttrTypeOffset, kIr}) {
      if (!sections_[id]) return Fail(in, "a section is missing");
    }
    return true;
  }

  // Sizes, last first, then the strings, each with a zero at its end.
  bool Strings() {
    Cursor in = *sections_[kString];
    c_.strings.resize(in.Count());
    size_t end = in.at() + in.left();
    for (size_t i = c_.strings.size(); i-- > 0;) {
      const uint64_t size = in.Varint();
      if (!in.ok() || size == 0 || size > end) return Fail(in, "a string is cut short");
      end -= size;
      c_.strings[i] = Text(c_.file.slice(end, size - 1));
    }
    if (!in.ok() || end != in.at()) return Fail(in, "the strings do not fill their section");
    return true;
  }

  bool String(uint64_t index, llvm::StringRef& string) {
    if (index >= c_.strings.size()) return false;
    string = c_.strings[index];
    return true;
  }

  bool Dialects() {
    Cursor in = *sections_[kDialect];
    c_.dialects.resize(in.Count());
    for (llvm::StringRef& name : c_.dialects) {
      bool versioned = false;
      const uint64_t index = c_.format < kDialectVersions ? in.Varint() : in.Flagged(versioned);
      if (!in.ok() || !String(index, name)) return Fail(in, "a dialect has no name");
      if (!versioned) continue;
      uint8_t id;
      in.Section(id);
      if (!in.ok() || id != kDialectVersion) return Fail(in, "a dialect's version is malformed");
    }
    if (c_.format >= kElidedLocations) in.Varint();  // how many ops follow
    while (!in.empty()) {
      const uint64_t dialect = in.Varint();
      const size_t count = in.Count();
      if (!in.ok() || dialect >= c_.dialects.size()) return Fail(in, "op names are malformed");
      for (size_t i = 0; i < count; ++i) {
        bool registered;
        const uint64_t index = c_.format < kProperties ? in.Varint() : in.Flagged(registered);
        OpName op{.dialect = c_.dialects[dialect]};
        if (!in.ok() || !String(index, op.name)) return Fail(in, "an op has no name");
        c_.ops.push_back(op);
      }
    }
    return true;
  }

  bool Entries() {
    Cursor in = *sections_[kAttrTypeOffset];
    Cursor data = *sections_[kAttrType];
    const size_t attributes = in.Count(), types = in.Count();
    if (!EntriesOf(in, data, attributes, c_.attributes) || !EntriesOf(in, data, types, c_.types))
      return false;
    return in.ok() && in.empty() ? true
                                 : Fail(in, "the table of attributes and types is malformed");
  }

  bool EntriesOf(Cursor& in, Cursor& data, size_t total, std::vector<RawEntry>& entries) {
    while (entries.size() < total) {
      const uint64_t dialect = in.Varint();
      const size_t count = in.Count();
      if (!in.ok() || dialect >= c_.dialects.size() || count > total - entries.size())
        return Fail(in, "the table of attributes and types is malformed");
      for (size_t i = 0; i < count; ++i) {
        RawEntry entry{.dialect = static_cast<uint32_t>(dialect)};
        const uint64_t size = in.Flagged(entry.custom);
        entry.begin = static_cast<uint32_t>(data.at());
        entry.size = static_cast<uint32_t>(size);
        data.Sub(size);
        if (!in.ok() || !data.ok()) return Fail(in, "an attribute or type is cut short");
        entries.push_back(entry);
      }
    }
    return true;
  }

  bool Properties() {
    if (!sections_[kPropertySection])
      return c_.format < kProperties || Fail(Cursor(), "the section of properties is missing");
    Cursor in = *sections_[kPropertySection];
    if (in.empty()) return true;
    c_.properties.resize(in.Count());
    for (Cursor& properties : c_.properties) properties = in.Sub(in.Varint());
    return in.ok() && in.empty() ? true : Fail(in, "the section of properties is malformed");
  }

  Container c_;
  ContainerError& error_;
  std::optional<Cursor> sections_[kSectionIds];
};

std::optional<Container> ParseContainer(llvm::StringRef bytes, ContainerError& error) {
  return Parser(bytes, error).Run();
}

}  // namespace quern::vhlo
