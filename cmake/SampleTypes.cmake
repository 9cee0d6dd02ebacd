# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Reads the table of input types in include/cldsp/sample_types.h.

# cldsp_read_sample_types(<prefix>): sets <prefix> to the names of all types, and for each name
# <prefix>_<name>_LETTERS, _LAYOUT, _NUMBER, _LABEL and _DESCRIPTION to columns of its row.
function(cldsp_read_sample_types prefix)
    set(table "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/cldsp/sample_types.h")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
    file(READ "${table}" text)
    # A semicolon would separate elements of a list.
    string(REPLACE ";" "," text "${text}")
    set(next "[ \\\n]*,[ \\\n]*")
    set(word "([^ ,()]+)")
    set(quoted "\"([^\"]*)\"")
    set(row "ROW\\(${word}${next}[A-Z0-9]+${next}${word}${next}${word}${next}${word}")
    string(APPEND row "${next}${word}${next}${word}${next}${quoted}${next}${quoted}")
    string(REGEX MATCHALL "${row}" rows "${text}")
    set(names "")
    foreach(line IN LISTS rows)
        string(REGEX MATCH "${row}" line "${line}")
        set(name "${CMAKE_MATCH_1}")
        list(APPEND names "${name}")
        set(${prefix}_${name}_LETTERS "${CMAKE_MATCH_2}" PARENT_SCOPE)
        set(${prefix}_${name}_LAYOUT "${CMAKE_MATCH_3}" PARENT_SCOPE)
        set(${prefix}_${name}_NUMBER "${CMAKE_MATCH_4}" PARENT_SCOPE)
        set(${prefix}_${name}_LABEL "${CMAKE_MATCH_7}" PARENT_SCOPE)
        set(${prefix}_${name}_DESCRIPTION "${CMAKE_MATCH_8}" PARENT_SCOPE)
    endforeach()
    if(NOT names)
        message(FATAL_ERROR "There is no row in ${table}")
    endif()
    set(${prefix} "${names}" PARENT_SCOPE)
endfunction()
