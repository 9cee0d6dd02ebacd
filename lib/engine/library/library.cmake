# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Builds and installs the shared library for programs.

# The shared library libcldsp, in the target cldsp_library: the engine's objects, which are
# compiled once for it and for the static library of the tests. Programs find it as
# cldsp::cldsp, or by pkg-config. The blocks and the command use the same library, so that
# a process has the state of the engine once.

# The number of the ABI of cldsp.h. It rises when a program has to be compiled again.
set(cldsp_abi 0)

add_library(cldsp_library SHARED $<TARGET_OBJECTS:cldsp_engine>
                                 $<TARGET_OBJECTS:cldsp_engine_control>)
add_dependencies(cldsp_library cldsp_engine)
set_target_properties(
    cldsp_library
    PROPERTIES OUTPUT_NAME cldsp
               EXPORT_NAME cldsp
               LINKER_LANGUAGE CXX
               VERSION "${cldsp_abi}.${cldsp_version}"
               SOVERSION ${cldsp_abi})
# The engine's own headers, which are not installed, are for the blocks and the command.
target_include_directories(
    cldsp_library INTERFACE $<BUILD_INTERFACE:${repository_root}/include>
                            $<INSTALL_INTERFACE:include>)
target_link_libraries(
    cldsp_library
    PRIVATE cldsp_engine_options
    INTERFACE $<BUILD_INTERFACE:OpenCL::OpenCL> $<BUILD_INTERFACE:Threads::Threads>)
target_compile_features(cldsp_library INTERFACE cxx_std_17)
if(CLDSP_HAVE_CLBLAST)
    target_link_libraries(cldsp_library PRIVATE "${CLBLAST_LIBRARY}")
endif()
if(NOT CLDSP_HAVE_64_BIT_ATOMICS)
    target_link_libraries(cldsp_library PRIVATE atomic
                          INTERFACE $<BUILD_INTERFACE:atomic>)
endif()

# Nothing but the names in this file is visible outside of the library. Threads of the
# engine may run until the process ends, so that the library stays in memory. Functions of
# a program never replace the library's own of the same name.
set(symbols "${CMAKE_CURRENT_BINARY_DIR}/libcldsp.map")
configure_file("${CMAKE_CURRENT_LIST_DIR}/libcldsp.map.in" "${symbols}" @ONLY)
target_link_options(
    cldsp_library PRIVATE "LINKER:--version-script=${symbols}" LINKER:-z,nodelete
    LINKER:-Bsymbolic-functions)
set_target_properties(cldsp_library PROPERTIES LINK_DEPENDS "${symbols}")

########################################################################
# The program that tries the drivers
########################################################################
# The library starts it. It lies in a folder beside the library, in the build as well as in the
# package, so that libraries for several processors or ABIs can be installed at once.
set(check_driver "cldsp-${cldsp_abi}/cldsp-check-driver")
set(check_driver_folder "${CMAKE_CURRENT_SOURCE_DIR}/check_driver")
add_executable(
    cldsp_check_driver
    "${check_driver_folder}/driver_try.cc"
    "${check_driver_folder}/main.cc"
    "${check_driver_folder}/supervisor.cc")
get_filename_component(check_driver_name "${check_driver}" NAME)
get_filename_component(check_driver_place "${check_driver}" DIRECTORY)
set_target_properties(
    cldsp_check_driver
    PROPERTIES OUTPUT_NAME "${check_driver_name}"
               RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${check_driver_place}")
target_compile_options(cldsp_check_driver PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries(cldsp_check_driver PRIVATE cldsp_library cldsp_engine_options)

########################################################################
# Installation
########################################################################
if(DEFINED GR_LIBRARY_DIR)
    set(library_folder "${GR_LIBRARY_DIR}")
else()
    include(GNUInstallDirs)
    set(library_folder "${CMAKE_INSTALL_LIBDIR}")
endif()
set(config_folder "${library_folder}/cmake/cldsp")
install(TARGETS cldsp_library EXPORT cldsp LIBRARY DESTINATION "${library_folder}")
install(TARGETS cldsp_check_driver
        RUNTIME DESTINATION "${library_folder}/${check_driver_place}")
set_source_files_properties(
    "${CMAKE_CURRENT_SOURCE_DIR}/opencl/driver_check.cc"
    PROPERTIES COMPILE_DEFINITIONS "CLDSP_CHECK_DRIVER=\"${check_driver}\"")
install(FILES "${repository_root}/include/cldsp/cldsp.h"
              "${repository_root}/include/cldsp/cldsp.hpp"
        DESTINATION include/cldsp)
install(EXPORT cldsp FILE cldspTargets.cmake NAMESPACE cldsp:: DESTINATION "${config_folder}")

include(CMakePackageConfigHelpers)
write_basic_package_version_file(
    "${CMAKE_CURRENT_BINARY_DIR}/cldspConfigVersion.cmake"
    VERSION "${cldsp_version}"
    COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_LIST_DIR}/cldspConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/cldspConfigVersion.cmake"
        DESTINATION "${config_folder}")

# The prefix follows from the place of the file, so that an installed tree can be moved.
if(IS_ABSOLUTE "${library_folder}")
    set(cldsp_pc_prefix "${CMAKE_INSTALL_PREFIX}")
    set(cldsp_pc_libdir "${library_folder}")
else()
    file(RELATIVE_PATH up "/${library_folder}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(cldsp_pc_prefix "\${pcfiledir}/${up}")
    set(cldsp_pc_libdir "\${prefix}/${library_folder}")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/cldsp.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/cldsp.pc"
               @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/cldsp.pc"
        DESTINATION "${library_folder}/pkgconfig")

# cldsp_find_library(<target> <folder>): lets an installed program or library of the folder
# find libcldsp, also below a prefix that the loader does not search.
set_property(GLOBAL PROPERTY cldsp_library_folder "${library_folder}")
function(cldsp_find_library target folder)
    get_property(library_folder GLOBAL PROPERTY cldsp_library_folder)
    if(CMAKE_INSTALL_PREFIX MATCHES "^/usr/?$"
       OR IS_ABSOLUTE "${library_folder}"
       OR IS_ABSOLUTE "${folder}")
        return()
    endif()
    file(RELATIVE_PATH way "/${folder}" "/${library_folder}")
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "$ORIGIN/${way}")
endfunction()

cldsp_find_library(cldsp_check_driver "${library_folder}/${check_driver_place}")
