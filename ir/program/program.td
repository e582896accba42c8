// The `quern` dialect: candidate programs.
#ifndef QUERN_IR_PROGRAM_TD
#define QUERN_IR_PROGRAM_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Quern_Dialect : Dialect {
  let name = "quern";
  let cppNamespace = "::quern::program";
  let summary = "Scalar loop nests over explicit buffers, mapped on a chip";
  let description = [{
    A program is buffers and, in order, kernels. A kernel is a nest of loops and straight-line scalar code
    (arith, math) around loads and stores. Loops start at 0 and step by 1; extents are constants; anything
    else is in the affine maps of the accesses and the sets of the guards. Names of buffers, kernels and
    loops are stable: rules refer to them.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

class Quern_Enum<string enum, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<enum, summary, cases> {
  let cppNamespace = "::quern::program";
  let genSpecializedAttr = 0;
}

// Where a buffer lives. A register buffer is private to a thread and must be promotable once its loops are
// unrolled; scratch is private to a block, in memory.
def Quern_SpaceEnum : Quern_Enum<"Space", "memory space", [
  I32EnumAttrCase<"Global", 0, "global">,
  I32EnumAttrCase<"Scratch", 1, "scratch">,
  I32EnumAttrCase<"Register", 2, "register">,
]>;
def Quern_SpaceAttr : EnumAttr<Quern_Dialect, Quern_SpaceEnum, "space">;

def Quern_RoleEnum : Quern_Enum<"Role", "what a global buffer is to the spec", [
  I32EnumAttrCase<"Input", 0, "input">,
  I32EnumAttrCase<"Output", 1, "output">,
  I32EnumAttrCase<"Temporary", 2, "temporary">,
  I32EnumAttrCase<"Constant", 3, "constant">,
]>;
def Quern_RoleAttr : EnumAttr<Quern_Dialect, Quern_RoleEnum, "role">;

// What carries out the iterations of a loop. Grid loops are outermost, each axis at most once a kernel; lane loops
// (threads of a GPU block) come directly inside them; a vector loop has no loop inside it.
def Quern_MappingEnum : Quern_Enum<"Mapping", "what runs the iterations of a loop", [
  I32EnumAttrCase<"Serial", 0, "serial">,
  I32EnumAttrCase<"GridX", 1, "grid_x">,
  I32EnumAttrCase<"GridY", 2, "grid_y">,
  I32EnumAttrCase<"GridZ", 3, "grid_z">,
  I32EnumAttrCase<"Lane", 4, "lane">,
  I32EnumAttrCase<"Vector", 5, "vector">,
  I32EnumAttrCase<"Unrolled", 6, "unrolled">,
]>;
def Quern_MappingAttr : EnumAttr<Quern_Dialect, Quern_MappingEnum, "mapping">;

// bundle/layout.h's Layout: digits as consecutive (dimension, divisor, extent), slowest first. Empty: row-major.
def Quern_LayoutAttr : AttrDef<Quern_Dialect, "Layout"> {
  let mnemonic = "layout";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$digits);
  let assemblyFormat = "`<` (`[` $digits^ `]`)? `>`";
}

def Quern_BufferType : TypeDef<Quern_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a buffer, indexed by logical coordinates";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element,
                        EnumParameter<Quern_SpaceEnum>:$space);
  // !quern.buffer<[6, 16] x f32, register>; a scalar is [].
  let assemblyFormat = "`<` `[` custom<Shape>($shape) `]` `x` $element `,` $space `>`";
  let extraClassDeclaration = [{
    int64_t num_elements() const;
  }];
}

class Quern_Op<string mnemonic, list<Trait> traits = []> : Op<Quern_Dialect, mnemonic, traits>;

def Quern_ProgramOp : Quern_Op<"program", [SingleBlock, NoTerminator, NoRegionArguments, IsolatedFromAbove]> {
  let summary = "buffers, then kernels in the order they run";
  let arguments = (ins StrAttr:$target);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`target` $target attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Quern_BufferOp : Quern_Op<"buffer", [HasParent<"ProgramOp">]> {
  let summary = "an input, output, temporary or constant of the program";
  let description = [{
    `position` numbers inputs and outputs as the spec's arguments and results. A temporary may have a layout,
    and `holds`: the text of a StableHLO module over the spec's arguments whose result it holds. A constant has
    `contents`, and is part of the code, not of the launch plan.
  }];
  let arguments = (ins StrAttr:$name, Quern_RoleAttr:$role, I64Attr:$position,
                       OptionalAttr<Quern_LayoutAttr>:$layout, OptionalAttr<StrAttr>:$holds,
                       OptionalAttr<ElementsAttr>:$contents);
  let results = (outs Quern_BufferType:$buffer);
  let assemblyFormat = "$name $role $position (`layout` $layout^)? (`holds` $holds^)? (`contents` $contents^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Quern_KernelOp : Quern_Op<"kernel", [HasParent<"ProgramOp">, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "one launch";
  let arguments = (ins StrAttr:$name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Quern_LoopOp : Quern_Op<"loop", [SingleBlock, NoTerminator]> {
  let summary = "for iv = 0 to extent-1";
  let description = "The body has one argument, the counter, of type index. Names are unique in a kernel.";
  let arguments = (ins StrAttr:$name, I64Attr:$extent, Quern_MappingAttr:$mapping);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;  // quern.loop "i" %i to 512 serial { ... }
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value counter() { return getBody().getArgument(0); }
    ::mlir::Block& block() { return getBody().front(); }
  }];
}

def Quern_GuardOp : Quern_Op<"guard", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "runs its body if the counters satisfy an integer set (dimensions only, no symbols)";
  let arguments = (ins Variadic<Index>:$counters, IntegerSetAttr:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition `(` $counters `)` attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Quern_AllocOp : Quern_Op<"alloc"> {
  let summary = "a register or scratch buffer, undefined at this point, gone at the end of the block around it";
  let arguments = (ins StrAttr:$name);
  let results = (outs Quern_BufferType:$buffer);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Quern_LoadOp : Quern_Op<"load"> {
  let summary = "buffer[map(counters)], logical coordinates; map has dimensions only";
  let description = "A value is of the element type, but has no sign: ui8 elements are i8 values.";
  let arguments = (ins Quern_BufferType:$buffer, Variadic<Index>:$counters, AffineMapAttr:$map);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$buffer `[` $map `]` `(` $counters `)` attr-dict `:` type($buffer) `->` type($value)";
  let hasVerifier = 1;
}

def Quern_StoreOp : Quern_Op<"store"> {
  let summary = "buffer[map(counters)] = value";
  let arguments = (ins AnyType:$value, Quern_BufferType:$buffer, Variadic<Index>:$counters, AffineMapAttr:$map);
  let assemblyFormat = "$value `,` $buffer `[` $map `]` `(` $counters `)` attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

#endif  // QUERN_IR_PROGRAM_TD
