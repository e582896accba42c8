# cmake -DINPUT=launcher.o -DOUTPUT=launcher_object.cc -P embed.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"codegen/launcher_object.h\"

static constexpr unsigned char kObject[] = {
${bytes}};

std::string_view quern::codegen::LauncherObject() {
  return {reinterpret_cast<const char*>(kObject), sizeof kObject};
}
")
