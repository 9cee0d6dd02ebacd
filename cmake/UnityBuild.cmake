# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Compiles several files of a folder at once.

# Files of a folder use the same headers and templates, so a compiler that gets several of
# them at once needs less time. This is off with a compiler launcher, which is mostly
# ccache: ccache finds more in its cache if files are compiled alone, and such builds show
# a missing #include.

include_guard(GLOBAL)

if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(cldsp_unity_by_default OFF)
else()
    set(cldsp_unity_by_default ON)
endif()
option(CLDSP_UNITY_BUILD
       "Compile several files of a folder at once; OFF is faster where one of them is edited"
       ${cldsp_unity_by_default})

# cldsp_unity_group(<name> <source>...): compiles these files together, because they share a
# header that takes longer than they do. Before cldsp_unity_build().
function(cldsp_unity_group name)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP "${name}")
endfunction()

# cldsp_unity_build(<target> [<most>]): compiles up to 12 files of a folder together, or up to
# <most>; a ladder is part of the folder above. CMake leaves out files with flags or
# definitions of their own.
function(cldsp_unity_build target)
    if(NOT CLDSP_UNITY_BUILD)
        return()
    endif()
    set(most 12)
    if(ARGC GREATER 1)
        set(most ${ARGV1})
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        # Generated files lie in the build folder. A group holds for all targets of a folder.
        get_filename_component(source "${source}" ABSOLUTE)
        string(FIND "${source}" "${CMAKE_CURRENT_BINARY_DIR}/" generated)
        get_source_file_property(group "${source}" UNITY_GROUP)
        if(generated EQUAL 0 OR group)
            continue()
        endif()
        get_filename_component(folder "${source}" DIRECTORY)
        file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${folder}")
        string(REGEX REPLACE "/ladder$" "" folder "${folder}")
        string(MAKE_C_IDENTIFIER "${folder}" folder)
        if(NOT DEFINED count_${folder})
            set(count_${folder} 0)
        endif()
        math(EXPR part "${count_${folder}} / ${most}")
        math(EXPR count_${folder} "${count_${folder}} + 1")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${part}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
