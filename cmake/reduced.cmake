# reduced.cmake: what the page's core is made of, and what is built for another machine where only
# headers are: parts that need neither files, threads nor foreign libraries.

# Debian's headers one by one: its /usr/include must not come before the other compiler's own.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(header hwy fmt nlohmann eigen3/Eigen eigen3/unsupported)
  get_filename_component(name ${header} NAME)
  if(NOT EXISTS /usr/include/${header})
    message(FATAL_ERROR "/usr/include/${header} is missing: run scripts/wasm.sh or scripts/aarch64.sh, which install it")
  endif()
  file(CREATE_LINK /usr/include/${header} ${headers}/${name} SYMBOLIC)
endforeach()
foreach(library TBB::tbb hwy::hwy Boost::headers Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json
        tomlplusplus::tomlplusplus ZLIB::ZLIB PNG::PNG ICU::i18n ICU::uc)
  add_library(${library} INTERFACE IMPORTED)
endforeach()
include_directories(SYSTEM ${headers})
add_compile_definitions(FMT_HEADER_ONLY FMT_STATIC_THOUSANDS_SEPARATOR=',' HWY_COMPILE_ONLY_STATIC)

# What it lacks (src/parts.txt names the files that stand in), and the files of a folder that it needs;
# a folder that is not named here comes whole.
set(lacking libraries files products tokenizers sundials cuda)
set(reduced_run npy safetensors source text)
set(reduced_data samples)
set(reduced_learn architecture)
set(reduced_model llama2c parts row_kernels transformer)
set(reduced_theory context equiangular few_clusters growth numeric)
set(reduced_experiment equation experiment forces initial known
                    make_engine matrices parameters recording settings trained_swarm values words)
set(reduced_trace effective_beta lens text_reader traced twin word_axes)

if(EMSCRIPTEN)
  set(reduced_moments no_moments)
  list(APPEND lacking adjoints moments)
  add_compile_options(-msimd128 -fwasm-exceptions)
  add_link_options(-fwasm-exceptions)
else()
  set(part_ensemble_page ON)  # its kernels are among those held to the reference
  set(part_gradient_page ON)  # likewise
endif()
