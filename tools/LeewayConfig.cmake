# find_package(Leeway) defines the target leeway::leeway. The flags come from leeway.pc, installed with
# this file, so that CMake and pkg-config always use the same flags.
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)
get_filename_component(LEEWAY_LIBRARY_FOLDER "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

set(LEEWAY_SAVED_PATH "$ENV{PKG_CONFIG_PATH}")
set(ENV{PKG_CONFIG_PATH} "${LEEWAY_LIBRARY_FOLDER}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
pkg_check_modules(LEEWAY QUIET IMPORTED_TARGET GLOBAL leeway)
set(ENV{PKG_CONFIG_PATH} "${LEEWAY_SAVED_PATH}")

if(NOT LEEWAY_FOUND)
  set(Leeway_FOUND FALSE)
  set(Leeway_NOT_FOUND_MESSAGE
      "leeway.pc or a library it needs was not found; run: pkg-config --print-errors --exists leeway")
  return()
endif()

if(NOT TARGET leeway::leeway)
  add_library(leeway::leeway INTERFACE IMPORTED)
  set_target_properties(leeway::leeway PROPERTIES
    INTERFACE_LINK_LIBRARIES PkgConfig::LEEWAY
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
