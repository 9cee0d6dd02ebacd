# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Shows that the module works where it is installed, and that nothing stays of it.

# Installs the build below a private prefix, imports the module there, installs once more over
# changed preferences, and uninstalls. Variables: BUILD, FOLDER (to work in), PYTHON.

set(prefix "${FOLDER}/a prefix with ü")
set(preferences "${prefix}/etc/gnuradio/conf.d/gr-cldsp.conf")
# The list of what a user has installed from here.
set(manifest "${BUILD}/install_manifest.txt")
set(kept_manifest "${FOLDER}/install_manifest.txt")

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
if(EXISTS "${manifest}")
    file(RENAME "${manifest}" "${kept_manifest}")
endif()

# The test runs in the folder itself, with the caller's paths, in which GNU Radio may be. The
# loader has to find this build's libraries by itself.
unset(ENV{DESTDIR})
string(REPLACE ":" ";" library_path "$ENV{LD_LIBRARY_PATH}")
foreach(folder IN LISTS library_path)
    file(GLOB libraries "${folder}/libcldsp.so*" "${folder}/libgnuradio-cldsp.so*")
    if(libraries)
        list(REMOVE_ITEM library_path "${folder}")
    endif()
endforeach()
string(REPLACE ";" ":" library_path "${library_path}")
set(ENV{LD_LIBRARY_PATH} "${library_path}")

set(failure "")
# step(<command>...): runs a command, if all before it succeeded.
function(step)
    if(failure)
        return()
    endif()
    execute_process(
        COMMAND ${ARGN}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        string(JOIN " " command ${ARGN})
        set(failure "failed (${result}): ${command}\n${output}" PARENT_SCOPE)
    endif()
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
file(GLOB_RECURSE module "${prefix}/__init__.py")
list(FILTER module INCLUDE REGEX "/gnuradio/cldsp/__init__.py$")
string(REGEX REPLACE "/gnuradio/cldsp/__init__.py$" "" python_path "${module}")
if(NOT "$ENV{PYTHONPATH}" STREQUAL "")
    string(APPEND python_path ":$ENV{PYTHONPATH}")
endif()
# A module beside GNU Radio's own, such as an installed package of this one, would come before
# all other folders.
step("${CMAKE_COMMAND}" -E env "PYTHONPATH=${python_path}" "${PYTHON}"
     -c "import os, gnuradio
gnuradio.__path__.sort(key=lambda folder: not folder.startswith('${prefix}'))
from gnuradio import cldsp
assert cldsp.__file__.startswith('${prefix}'), cldsp.__file__
libraries = {line.split(None, 5)[-1].strip() for line in open('/proc/self/maps')
             if 'libcldsp.so' in line or 'libgnuradio-cldsp.so' in line}
assert len(libraries) == 2, libraries
real_prefix = os.path.realpath('${prefix}')
assert all(path.startswith(real_prefix) for path in libraries), libraries")
if(NOT failure AND NOT EXISTS "${preferences}")
    set(failure "the preferences are not in ${preferences}")
endif()

if(NOT failure)
    file(APPEND "${preferences}" "# changed\n")
    step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
    file(STRINGS "${preferences}" changed REGEX "^# changed$")
    if(NOT failure AND NOT changed)
        set(failure "changed preferences were not kept")
    endif()
endif()
step("${CMAKE_COMMAND}" -P "${BUILD}/cmake_uninstall.cmake")
file(GLOB_RECURSE left LIST_DIRECTORIES true RELATIVE "${prefix}" "${prefix}/*")
list(FILTER left INCLUDE REGEX "cldsp")
list(REMOVE_ITEM left etc/gnuradio/conf.d/gr-cldsp.conf)
if(NOT failure AND left)
    set(failure "left after uninstalling: ${left}")
endif()

if(EXISTS "${kept_manifest}")
    file(RENAME "${kept_manifest}" "${manifest}")
endif()
file(REMOVE_RECURSE "${FOLDER}")
if(failure)
    message(FATAL_ERROR "${failure}")
endif()
