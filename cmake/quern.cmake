# The three ways a target is declared. Every folder lists its targets with these and nothing else.

# Fields left out of a designated initialiser have their defaults on purpose.
set(QUERN_WARNINGS -Wall -Wextra -Wno-unused-parameter
                   -Wno-missing-designated-field-initializers -Werror)

# Parsing the headers of libraries takes most of a file's compile time, so they are compiled once:
# those that most targets use, and those of MLIR, which instantiate what only its library defines;
# both for tests with GoogleMock's. A source still includes what it uses: -DQUERN_PRECOMPILE=OFF shows it.
# Tests are not optimised, only what they test: their own code is most of a clean build otherwise.
set(QUERN_TEST_OPTIONS -O0)
option(QUERN_PRECOMPILE "Precompile the headers of libraries" ON)
set(QUERN_PRECOMPILED_base
    <algorithm> <map> <memory> <optional> <string> <vector>
    <absl/status/statusor.h> <absl/strings/str_cat.h> <nlohmann/json.hpp>)
set(QUERN_PRECOMPILED_mlir
    ${QUERN_PRECOMPILED_base} <CLI/App.hpp>
    <llvm/ADT/TypeSwitch.h> <llvm/IR/IRBuilder.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h>
    <mlir/Bytecode/BytecodeOpInterface.h> <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/IRMapping.h> <mlir/IR/OpImplementation.h>
    <mlir/IR/Verifier.h> <mlir/Parser/Parser.h>)

# _quern_precompile(TARGET "" or "_test" DEPS...): MLIR's headers if a dependency holds MLIR, direct or not.
function(_quern_precompile target kind)
  set(headers base)
  foreach(dep ${ARGN})
    get_property(holds_mlir GLOBAL PROPERTY QUERN_HOLDS_MLIR_${dep})
    if(holds_mlir OR dep STREQUAL "MLIR")
      set_property(GLOBAL PROPERTY QUERN_HOLDS_MLIR_${target} ON)
      set(headers mlir)
    endif()
  endforeach()
  get_target_property(sources ${target} SOURCES)
  if(QUERN_PRECOMPILE AND sources MATCHES "\\.cc")
    target_precompile_headers(${target} REUSE_FROM quern_precompiled_${headers}${kind})
  endif()
endfunction()

# MLIR and LLVM headers are system headers: our warnings are about our code.
function(_quern_common target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE ${QUERN_WARNINGS})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC) # in executables too: precompiled headers serve both
  set_target_properties(${target} PROPERTIES BUILD_RPATH /usr/lib/llvm-22/lib
                                             INSTALL_RPATH /usr/lib/llvm-22/lib)
endfunction()

# quern_library(NAME SOURCES a.cc b.cc DEPS quern_bundle absl::status)
function(quern_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;GENERATED" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  _quern_common(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  _quern_precompile(${name} "" ${ARG_DEPS})
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
  _quern_precompile(${name} "" ${ARG_DEPS})
endfunction()

# quern_test(NAME SOURCES a_test.cc b_test.cc DEPS ...): one GoogleTest binary, one ctest entry.
function(quern_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _quern_common(${name})
  target_compile_options(${name} PRIVATE ${QUERN_TEST_OPTIONS})
  target_compile_definitions(${name} PRIVATE QUERN_DEFAULT_SHARED="${CMAKE_SOURCE_DIR}/../shared")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  _quern_precompile(${name} "_test" ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test_bin)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()

# The targets that others reuse the precompiled headers of; they hold nothing else.
if(QUERN_PRECOMPILE)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cc "")
  foreach(headers base mlir)
    foreach(kind "" "_test")
      set(holder quern_precompiled_${headers}${kind})
      add_library(${holder} STATIC ${CMAKE_BINARY_DIR}/precompiled.cc)
      _quern_common(${holder})
      target_precompile_headers(${holder} PRIVATE ${QUERN_PRECOMPILED_${headers}})
      if(kind STREQUAL "_test")
        target_compile_options(${holder} PRIVATE ${QUERN_TEST_OPTIONS})
        target_link_libraries(${holder} PRIVATE GTest::gtest GTest::gmock)
        target_precompile_headers(${holder} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
      endif()
    endforeach()
  endforeach()
endif()
