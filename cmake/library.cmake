# library.cmake: the library `murmur`, made of all folders of src, and how it is installed: headers,
# a package for find_package(murmur) and one for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(objects "")
foreach(part ${parts})
  list(APPEND objects $<TARGET_OBJECTS:murmur_${part}>)
endforeach()
add_library(murmur ${objects})  # static, or shared with -DBUILD_SHARED_LIBS=ON
# Before 1.0 a minor version may change the interface (docs/versions.md), so it is in the soname.
set(soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
if(BUILD_SHARED_LIBS)  # whoever is installed beside it finds it there
  set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
endif()
add_library(murmur::murmur ALIAS murmur)
set_target_properties(murmur PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME murmur
                      VERSION ${PROJECT_VERSION} SOVERSION ${soversion})
target_compile_features(murmur PUBLIC cxx_std_20)
target_include_directories(murmur PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# Every library from outside; Boost, Eigen and nlohmann's JSON are headers alone, and no public header
# includes them, so whoever links murmur needs none of them.
set(outside "")
foreach(folder ${folders})
  list(APPEND outside ${part_${folder}_links})
endforeach()
list(REMOVE_DUPLICATES outside)
set(linked ${outside})
list(REMOVE_ITEM linked Boost::headers Eigen3::Eigen nlohmann_json::nlohmann_json)
target_link_libraries(murmur PRIVATE ${linked} ${stiff_libraries} ${device_libraries})

# What tests and benches see beside the public headers: the folders of src and what they include.
add_library(murmur_inside INTERFACE)
target_include_directories(murmur_inside INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(murmur_inside INTERFACE ${outside})

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/murmur DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT library)
install(TARGETS murmur EXPORT murmur_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program NAMELINK_COMPONENT library)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/murmur)
install(EXPORT murmur_targets NAMESPACE murmur:: FILE murmur-targets.cmake DESTINATION ${package}
        COMPONENT library)
configure_package_config_file(cmake/murmur-config.cmake.in
                              ${CMAKE_BINARY_DIR}/generated/murmur-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/murmur-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/murmur-config.cmake
              ${CMAKE_BINARY_DIR}/generated/murmur-config-version.cmake DESTINATION ${package}
        COMPONENT library)

set(stiff_flags "")
if(SUNDIALS_FOUND)
  set(stiff_flags "-lsundials_cvode -lsundials_nvecserial -lsundials_sunmatrixdense \
-lsundials_sunlinsoldense -lsundials_sunlinsolspgmr")
endif()
string(REGEX REPLACE "/[^/]+" "/.." prefix_above "/${CMAKE_INSTALL_LIBDIR}")
string(REGEX REPLACE "^/.." "" prefix_above "${prefix_above}")
configure_file(cmake/murmur.pc.in ${CMAKE_BINARY_DIR}/generated/murmur.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/murmur.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
