#include "codegen/targets/targets.h"

namespace quern::codegen {

llvm::Function* DeclareEntry(llvm::Function& body, const std::string& symbol,
                             llvm::IRBuilder<>& builder) {
  const unsigned pointers = body.arg_size() - 3;
  llvm::ArrayRef<llvm::Type*> types = body.getFunctionType()->params().drop_back(3);
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  auto* entry =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, body.getParent());
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i = 0; i < pointers; ++i) {
    entry->getArg(i)->setName(body.getArg(i)->getName());
    llvm::AttrBuilder attributes(body.getContext(), body.getAttributes().getParamAttrs(i));
    entry->addParamAttrs(i, attributes);
  }
  body.addFnAttr(llvm::Attribute::AlwaysInline);
  return entry;
}

void CallBody(llvm::Function& body, llvm::Function& entry, llvm::IRBuilder<>& builder,
              llvm::function_ref<llvm::Value*(int axis)> block_index) {
  builder.SetInsertPoint(llvm::BasicBlock::Create(body.getContext(), "entry", &entry));
  llvm::SmallVector<llvm::Value*> arguments;
  for (llvm::Argument& argument : entry.args()) arguments.push_back(&argument);
  for (int axis = 0; axis < 3; ++axis) {
    arguments.push_back(builder.CreateZExt(block_index(axis), builder.getInt64Ty()));
  }
  builder.CreateCall(&body, arguments);
  builder.CreateRetVoid();
}

}  // namespace quern::codegen
