# The three ways a target is declared. Every folder lists its targets with these and nothing else.

# Fields left out of a designated initialiser have their defaults on purpose.
set(QUERN_WARNINGS -Wall -Wextra -Wno-unused-parameter
                   -Wno-missing-designated-field-initializers -Werror)

# MLIR and LLVM headers are system headers: our warnings are about our code.
function(_quern_common target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE ${QUERN_WARNINGS})
  set_target_properties(${target} PROPERTIES BUILD_RPATH /usr/lib/llvm-22/lib
                                             INSTALL_RPATH /usr/lib/llvm-22/lib)
endfunction()

# quern_library(NAME SOURCES a.cc b.cc DEPS quern_bundle absl::status)
function(quern_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;GENERATED" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  _quern_common(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  if(ARG_GENERATED)
    add_dependencies(${name} ${ARG_GENERATED})
  endif()
endfunction()

# quern_binary(NAME SOURCES main.cc DEPS ...)
function(quern_binary name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _quern_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
endfunction()

# quern_test(NAME SOURCES a_test.cc b_test.cc DEPS ...): one GoogleTest binary, one ctest entry.
function(quern_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _quern_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test_bin)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()
