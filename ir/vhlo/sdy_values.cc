// Shardy's encoding of attributes (openxla/shardy, bytecode.td): only the axes that they name are
// kept, in the form of ir/sdy/sdy.h.
#include "ir/vhlo/values.h"
#include "mlir/IR/Builders.h"

namespace quern::vhlo {

static mlir::Attribute DecodeMesh(Values& values, Cursor& in) {
  mlir::Builder builder(values.context());
  llvm::SmallVector<mlir::Attribute> axes = values.ReadAttributes(in);
  values.ReadSigned(in);  // ids of devices
  return builder.getArrayAttr(axes);
}

mlir::Attribute DecodeSdyAttribute(Values& values, Cursor& in) {
  mlir::Builder builder(values.context());
  llvm::SmallVector<mlir::Attribute> parts;
  auto name = [&]() -> mlir::StringAttr {
    const llvm::StringRef text = values.ReadString(in);
    if (text.empty()) values.Malformed(in, "a mesh axis has no name");
    return builder.getStringAttr(text);
  };
  auto read_list = [&] {
    for (mlir::Attribute part : values.ReadAttributes(in)) parts.push_back(part);
  };
  const uint64_t code = in.Varint();
  switch (code) {
    case 1: {  // an axis of a mesh
      mlir::StringAttr axis = name();
      const int64_t size = in.Signed();
      if (!values.ok()) return nullptr;
      return builder.getDictionaryAttr(
          builder.getNamedAttr(axis.getValue(), builder.getI64IntegerAttr(size)));
    }
    case 2:
      return DecodeMesh(values, in);
    case 3:  // a part of an axis
      in.Signed();
      in.Signed();
      break;
    case 4: {  // a reference to an axis
      parts.push_back(name());
      bool has_part;
      const uint64_t part = in.Flagged(has_part);
      if (has_part) values.Attribute(part);
      break;
    }
    case 5: {  // the sharding of a dimension
      read_list();
      in.Byte();  // whether it is closed
      bool has_priority;
      in.Flagged(has_priority);
      break;
    }
    case 0:  // manual axes, and lists of shardings
    case 7:
    case 16:
      read_list();
      break;
    case 6:  // the sharding of a tensor
    case 15:
    case 17:
      parts.push_back(values.ReadAttribute(in));
      read_list();
      read_list();
      if (code != 6) read_list();
      if (code == 17) in.Signed();
      break;
    case 8:  // of a rule for propagation, which says nothing about devices
      values.ReadSigned(in);
      break;
    case 9:
      values.ReadAttributes(in);
      break;
    case 10:
      values.ReadSigned(in);
      values.ReadAttributes(in);
      values.ReadAttributes(in);
      for (int i = 0; i < 4; ++i) values.ReadSigned(in);
      in.Byte();
      break;
    default:
      return values.Unsupported("sdy's attribute " + llvm::Twine(code));
  }
  if (!values.ok() || !in.ok() || llvm::is_contained(parts, mlir::Attribute())) return nullptr;
  // The mesh of a sharding is a symbol, or a mesh in place; a symbol is no axis.
  llvm::erase_if(parts, [](mlir::Attribute part) { return llvm::isa<mlir::SymbolRefAttr>(part); });
  return builder.getArrayAttr(parts);
}

}  // namespace quern::vhlo
