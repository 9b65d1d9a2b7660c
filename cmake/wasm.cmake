# wasm.cmake: what the page's core is made of: parts that need neither files, threads nor foreign
# libraries, over headers alone.

# Debian's headers one by one: its /usr/include must not come before emscripten's own.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(header hwy fmt nlohmann eigen3/Eigen)
  get_filename_component(name ${header} NAME)
  if(NOT EXISTS /usr/include/${header})
    message(FATAL_ERROR "/usr/include/${header} is missing: run scripts/wasm.sh, which installs it")
  endif()
  file(CREATE_LINK /usr/include/${header} ${headers}/${name} SYMBOLIC)
endforeach()
foreach(library TBB::tbb hwy::hwy Boost::headers Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json
        tomlplusplus::tomlplusplus ZLIB::ZLIB PNG::PNG PkgConfig::BLAS)
  add_library(${library} INTERFACE IMPORTED)
endforeach()
include_directories(SYSTEM ${headers})
add_compile_definitions(FMT_HEADER_ONLY FMT_STATIC_THOUSANDS_SEPARATOR=',' HWY_COMPILE_ONLY_STATIC)
add_compile_options(-msimd128 -fwasm-exceptions)
add_link_options(-fwasm-exceptions)

# The files of a folder that the page needs; a folder that is not named here comes whole.
set(wasm_moments no_moments)
set(wasm_run header_json no_files npy safetensors source)
set(wasm_data centre samples)
set(wasm_learn architecture dynamics)
set(wasm_theory bessel noise numeric)
set(wasm_experiment config experiment fields sample_trajectory forces initial known laws make_engine
                    matrices merging no_experiment_file no_given_model parameters perceptrons
                    recording settings trained_swarm words)
