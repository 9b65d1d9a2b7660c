# mpi.cmake: ranks over MPI: a library of one file that the program loads when it is started as one of
# several. The program itself neither needs nor links MPI.
if(MURMUR_MPI STREQUAL "OFF" OR MURMUR_SANITIZE)
  return()
endif()
if(MURMUR_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS CXX)
else()
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(NOT MPI_CXX_FOUND)
  return()
endif()
add_library(murmur_plugin_mpi MODULE ${CMAKE_SOURCE_DIR}/src/engine/mpi/plugin.cpp)
set_target_properties(murmur_plugin_mpi PROPERTIES OUTPUT_NAME murmur_mpi
                      CXX_VISIBILITY_PRESET hidden)
target_include_directories(murmur_plugin_mpi PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(murmur_plugin_mpi PRIVATE OMPI_SKIP_MPICXX=1)
target_link_libraries(murmur_plugin_mpi PRIVATE MPI::MPI_CXX)
add_dependencies(murmur_program murmur_plugin_mpi)
install(TARGETS murmur_plugin_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/murmur
        COMPONENT ranks)
