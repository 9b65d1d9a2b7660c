# compile.cmake: how the parts are compiled: floating point, optimisation, precompiled headers.

# The same bits on every compiler: no fused multiply-add unless the source says so. Traps are not
# used, and saying so lets the compiler vectorise what has branches. Folders marked `fused` in
# src/parts.txt say themselves what they fuse.
set(exact -ffp-contract=off -fno-trapping-math)

# Folders that read files: a conversion that may change a value is written out. Sizes of the page have
# 32 bits, and are narrowed everywhere.
if(NOT EMSCRIPTEN)
  foreach(part run data model trace)
    target_compile_options(murmur_${part} PRIVATE
      "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wconversion;-Wno-sign-conversion>"
      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wshorten-64-to-32;-Wimplicit-int-conversion;-Wfloat-conversion>")
  endforeach()
endif()

# Where a run spends no time the compiler spends little: folders marked `front` read, write, draw and
# describe, and call the others for their sums. No result depends on the level: without -ffast-math
# the compiler keeps every rounding.
set(level_front "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")
set(level_app ${level_front})
set(level_test ${level_front})
set(headers_app <nlohmann/json.hpp>)
set(headers_app_from nlohmann_json::nlohmann_json)
set(headers_test <gtest/gtest.h>)
set(headers_test_from GTest::gtest)

# murmur_compile(TARGET SET): the flags of SET (kernel, front, app or test), and the headers that
# most of its files include, compiled once a set, because a precompiled header holds for one set of
# flags. By gcc alone: clang refuses a header made under other -D than its user's. Every file includes
# what it uses, so nothing but time depends on this.
function(murmur_compile target set)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${exact}>" ${level_${set}})
  if(NOT MURMUR_PCH OR MURMUR_REDUCED OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(NOT TARGET murmur_headers_${set})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/nothing.cpp CONTENT "")
    add_library(murmur_headers_${set} OBJECT ${CMAKE_BINARY_DIR}/generated/nothing.cpp)
    target_compile_options(murmur_headers_${set} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:${exact}>" ${level_${set}})
    target_link_libraries(murmur_headers_${set} PRIVATE fmt::fmt ${headers_${set}_from})
    target_precompile_headers(murmur_headers_${set} PRIVATE
      ${CMAKE_SOURCE_DIR}/cmake/precompiled.h ${headers_${set}})
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt)
  target_precompile_headers(${target} REUSE_FROM murmur_headers_${set})
endfunction()

# ccache keeps what is compiled with a precompiled header only if the preprocessor names it.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")
endif()

foreach(folder ${folders})
  get_filename_component(name ${folder} NAME)
  if(part_${folder}_fused OR NOT name IN_LIST parts)
    continue()
  elseif(part_${folder}_front AND NOT EMSCRIPTEN)
    murmur_compile(murmur_${name} front)
  else()
    murmur_compile(murmur_${name} kernel)
  endif()
endforeach()
