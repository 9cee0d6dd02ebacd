# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Puts the names of variants into the descriptions of blocks, when the engine has been built.

# cmake -DLISTS=<program> -DFROM=<folder> -DTO=<folder> -P FillVariants.cmake: LISTS prints the
# variables that stand in FROM's files *.block.yml.in.
execute_process(COMMAND "${LISTS}" OUTPUT_VARIABLE lists RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${LISTS} fails: ${result}")
endif()
file(WRITE "${FROM}/variants.cmake" "${lists}")
include("${FROM}/variants.cmake")
file(GLOB descriptions "${FROM}/*.block.yml.in")
foreach(description IN LISTS descriptions)
    get_filename_component(name "${description}" NAME_WLE)
    configure_file("${description}" "${TO}/${name}" @ONLY)
endforeach()
