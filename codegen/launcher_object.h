// The launcher, compiled when quern was built.
#ifndef QUERN_CODEGEN_LAUNCHER_OBJECT_H_
#define QUERN_CODEGEN_LAUNCHER_OBJECT_H_

#include <string_view>

namespace quern::codegen {

// launcher/launcher.c as an object file for x86-64.
std::string_view LauncherObject();

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_LAUNCHER_OBJECT_H_
