# package.cmake: Debian packages by CPack: the program with page and Python module, the library for those
# who build on it, and ranks over MPI. `scripts/package.sh` makes them.
set(MURMUR_PACKAGER "Murmuration maintainers" CACHE STRING "who makes the packages: NAME <ADDRESS>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME murmuration)
set(CPACK_PACKAGE_VENDOR Murmuration)
set(CPACK_PACKAGE_CONTACT "${MURMUR_PACKAGER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "transformers as swarms: attention dynamics as a laboratory")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PROGRAM_GROUP murmuration)
set(CPACK_COMPONENT_PYTHON_GROUP murmuration)
set(CPACK_COMPONENT_LIBRARY_GROUP dev)
set(CPACK_COMPONENT_RANKS_GROUP mpi)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_MURMURATION_PACKAGE_NAME murmuration)
set(CPACK_COMPONENT_MURMURATION_DESCRIPTION "Simulate, measure, train and draw attention as flocking: the
program murmur, its page (murmur studio), and the Python module murmur.")
set(CPACK_DEBIAN_MURMURATION_PACKAGE_SHLIBDEPS ON)
if(TARGET murmur_python)  # the module is of one version of Python
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_MURMURATION_PACKAGE_DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}), \
python3 (<< 3.${next}), python3-numpy")
endif()
set(CPACK_DEBIAN_MURMURATION_PACKAGE_RECOMMENDS
    "ffmpeg, gnuplot-nox | gnuplot, libopenblas0-pthread | libopenblas0, xdg-utils")
set(CPACK_DEBIAN_MURMURATION_PACKAGE_SUGGESTS "murmuration-mpi, slurm-client")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libmurmur-dev)
set(CPACK_COMPONENT_DEV_DESCRIPTION "The library of Murmuration: headers, the static library, and its
packages for CMake and pkg-config.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtbb-dev, libhwy-dev, libfmt-dev, libtomlplusplus-dev, \
libcairo2-dev, libpng-dev, zlib1g-dev, libicu-dev, pkg-config")
if(SUNDIALS_FOUND)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libsundials-dev")
endif()

set(CPACK_DEBIAN_MPI_PACKAGE_NAME murmuration-mpi)
set(CPACK_COMPONENT_MPI_DESCRIPTION "Ranks over MPI for Murmuration: one simulation on several machines.")
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "murmuration (= ${PROJECT_VERSION})")

include(CPack)
