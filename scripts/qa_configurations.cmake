# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Shows that the same targets are compiled alike with GNU Radio and without it.

# Configures without GNU Radio and then, in the same folder, with it. The engine and the
# command must be compiled alike, because a flag that differs compiles each file of its target
# twice. Then it configures each project that can be built alone. Variables: SOURCE, FOLDER (to
# work in), CACHE (a file that sets where the compilers and packages are).

cmake_minimum_required(VERSION 3.18)

file(REMOVE_RECURSE "${FOLDER}")

# configure(<source> <folder> <option>...)
function(configure source folder)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${FOLDER}/${folder}" -G "Unix Makefiles"
                -C "${CACHE}" ${ARGN}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${source} ${ARGN} cannot be configured:\n${output}")
    endif()
endfunction()

# read_flags(<variable>): the names of the targets' files of flags, and in the variables
# flags_<variable>_<name> their contents. Make compiles a target's files anew when that of the
# target has changed.
function(read_flags variable)
    set(all "")
    file(GLOB_RECURSE files "${FOLDER}/module/*/flags.make")
    foreach(path IN LISTS files)
        file(RELATIVE_PATH name "${FOLDER}/module" "${path}")
        file(READ "${path}" "flags_${variable}_${name}")
        set("flags_${variable}_${name}" "${flags_${variable}_${name}}" PARENT_SCOPE)
        list(APPEND all "${name}")
    endforeach()
    set(${variable} "${all}" PARENT_SCOPE)
endfunction()

configure("${SOURCE}" module -DENABLE_GNURADIO=OFF)
read_flags(without)
foreach(target IN ITEMS lib/engine/CMakeFiles/cldsp_engine.dir apps/CMakeFiles/cldsp_measuring.dir)
    if(NOT "${target}/flags.make" IN_LIST without)
        message(FATAL_ERROR "without GNU Radio there is no ${target}")
    endif()
endforeach()

configure("${SOURCE}" module -DENABLE_GNURADIO=ON)
read_flags(with)
set(changed "")
foreach(name IN LISTS without)
    if(NOT "${flags_without_${name}}" STREQUAL "${flags_with_${name}}")
        string(APPEND changed
               "${name}\n${flags_without_${name}}\nwith GNU Radio:\n${flags_with_${name}}\n")
    endif()
endforeach()
if(changed)
    message(FATAL_ERROR "compiled anew with GNU Radio:\n${changed}")
endif()

foreach(alone IN ITEMS lib/engine apps)
    string(MAKE_C_IDENTIFIER "${alone}" folder)
    configure("${SOURCE}/${alone}" "${folder}")
endforeach()
file(REMOVE_RECURSE "${FOLDER}")
