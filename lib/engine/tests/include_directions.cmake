# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Shows that no file of the engine includes one of a folder that it must not use.

# Fails if a file of the engine includes a file that folders.txt does not permit, and
# names the file and the line. Variables: ENGINE, the engine's folder; HEADERS, the folder
# of its public headers; PLANTED, a folder in which the check itself is tried.

cmake_minimum_required(VERSION 3.18)

# Reads folders.txt into may_<folder> and home_<header>.
macro(read_table)
    set(folders "")
    file(STRINGS "${ENGINE}/folders.txt" table REGEX "^(folder|public) ")
    foreach(line IN LISTS table)
        string(REGEX REPLACE " +" ";" words "${line}")
        list(POP_FRONT words kind folder)
        if(kind STREQUAL "folder")
            set(may_${folder} ${folder})
            foreach(other IN LISTS words)
                if(NOT other IN_LIST folders)
                    message(FATAL_ERROR "folders.txt: ${folder} may include ${other}, "
                                        "which is not listed above it")
                endif()
                list(APPEND may_${folder} ${may_${other}})
            endforeach()
            list(APPEND folders ${folder})
        else()
            foreach(header IN LISTS words)
                set(home_${header} ${folder})
            endforeach()
        endif()
    endforeach()
endmacro()

# Appends to violations the includes of a file that its folder does not permit.
macro(check_file file folder)
    # The file is read as a list of lines. Characters that would split or join lines do
    # not occur in an include.
    file(READ "${file}" lines)
    string(REGEX REPLACE "[][;\\]" " " lines "${lines}")
    string(REPLACE "\n" ";" lines "${lines}")
    set(number 0)
    foreach(line IN LISTS lines)
        math(EXPR number "${number} + 1")
        if(NOT line MATCHES "^ *# *include")
            continue()
        endif()
        if(line MATCHES "nlohmann" AND NOT "${file}" MATCHES "/base/json_value\\.cc$")
            list(APPEND violations "${file}:${number}: only base/json_value.cc may include \
${line}: that library's values allocate in their destructors")
        endif()
        set(target "")
        if(line MATCHES "^ *# *include *[<\"]cldsp/([a-z0-9_]+)\\.h[>\"]")
            set(target "${home_${CMAKE_MATCH_1}}")
            if(target STREQUAL "")
                list(APPEND violations "${file}:${number}: folders.txt does not say where \
cldsp/${CMAKE_MATCH_1}.h belongs")
            endif()
        elseif(line MATCHES "^ *# *include *\"([a-z0-9_/]+)/[a-z0-9_]+\\.(h|inc)\"")
            set(target "${CMAKE_MATCH_1}")
        elseif(line MATCHES "^ *# *include *\"([^\"/]+)\"")
            list(APPEND violations "${file}:${number}: ${CMAKE_MATCH_1} is named without \
its folder")
        endif()
        if(NOT target STREQUAL "" AND NOT target IN_LIST may_${folder})
            list(APPEND violations
                 "${file}:${number}: ${folder} may not include ${target}")
        endif()
    endforeach()
endmacro()

# Sets violations.
macro(check_engine)
    read_table()
    set(violations "")
    foreach(folder IN LISTS folders)
        file(GLOB files "${ENGINE}/${folder}/*.cc" "${ENGINE}/${folder}/*.h"
             "${ENGINE}/${folder}/*.inc")
        if(files STREQUAL "")
            list(APPEND violations "folders.txt: there is no ${folder}")
        endif()
        foreach(file IN LISTS files)
            check_file("${file}" ${folder})
        endforeach()
    endforeach()
    file(GLOB files "${HEADERS}/*.h")
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME_WE)
        if(NOT DEFINED home_${name})
            list(APPEND violations "folders.txt does not say where cldsp/${name}.h belongs")
        else()
            check_file("${file}" ${home_${name}})
        endif()
    endforeach()
endmacro()

check_engine()
if(NOT violations STREQUAL "")
    list(JOIN violations "\n" text)
    message(FATAL_ERROR "includes against the direction of folders.txt:\n${text}")
endif()
list(LENGTH folders count)
message("${count} folders include only what folders.txt lets them")

# The check must find an include of each wrong kind in a copy of the engine.
file(REMOVE_RECURSE "${PLANTED}")
file(MAKE_DIRECTORY "${PLANTED}/engine/base" "${PLANTED}/engine/opencl" "${PLANTED}/headers")
file(WRITE "${PLANTED}/engine/folders.txt"
     "folder base\nfolder opencl base\npublic opencl context\n")
file(WRITE "${PLANTED}/engine/opencl/right.cc" "#include \"base/right.h\"\n")
file(WRITE "${PLANTED}/engine/base/right.h" "#include <vector>\n")
file(WRITE "${PLANTED}/headers/context.h" "")
set(ENGINE "${PLANTED}/engine")
set(HEADERS "${PLANTED}/headers")
check_engine()
if(NOT violations STREQUAL "")
    message(FATAL_ERROR "right includes are taken for wrong ones: ${violations}")
endif()
set(kinds "#include \"opencl/right.h\"" "#include <cldsp/context.h>" "#include \"right.h\""
          "#include <cldsp/unknown.h>" "#include <nlohmann/json.hpp>")
foreach(planted IN LISTS kinds)
    file(WRITE "${PLANTED}/engine/base/wrong.cc" "\n${planted}\n")
    check_engine()
    if(NOT violations MATCHES "base/wrong\\.cc:2: ")
        message(FATAL_ERROR "not seen: ${planted}: ${violations}")
    endif()
endforeach()
