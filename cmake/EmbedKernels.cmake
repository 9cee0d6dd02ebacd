# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Puts the texts of OpenCL kernels into a C++ source.

# Puts OpenCL kernel files into a C++ source. Included, it defines
#
#   cldsp_embed_kernels(OUTPUT <file.cc> KERNELS <file.cl>... <file.clh>...)
#
# Run as a script (cmake -P) at build time, it writes that file from the variables OUTPUT
# and KERNELS (a list). The text is kept as it is; kernel_source() puts the files together,
# because a kernel in a user's folder may include a shared text as well.

if(CMAKE_SCRIPT_MODE_FILE)
    set(delimiter "opencl_kernel")
    set(text "// Made from kernels/ by EmbedKernels.cmake.\n\n")
    string(APPEND text "#include \"opencl/kernel_source.h\"\n\n")
    string(APPEND text "namespace cldsp {\n\nusing namespace std::string_view_literals;\n\n")
    string(APPEND text "const embedded_text embedded_texts[] = {\n")
    foreach(kernel IN LISTS KERNELS)
        get_filename_component(name "${kernel}" NAME)
        file(READ "${kernel}" source)
        string(FIND "${source}" ")${delimiter}\"" position)
        if(NOT position EQUAL -1)
            message(FATAL_ERROR "${kernel} contains )${delimiter}\", which ends the C++ string")
        endif()
        string(APPEND text
               "    { \"${name}\"sv, R\"${delimiter}(${source})${delimiter}\"sv },\n")
    endforeach()
    # An empty array would not be C++; the end is marked by an empty name.
    string(APPEND text "    { {}, {} },\n};\n\n} // namespace cldsp\n")
    file(WRITE "${OUTPUT}" "${text}")
    return()
endif()

set(CLDSP_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(cldsp_embed_kernels)
    cmake_parse_arguments(arg "" "OUTPUT" "KERNELS" ${ARGN})
    add_custom_command(
        OUTPUT "${arg_OUTPUT}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${arg_OUTPUT}" "-DKERNELS=${arg_KERNELS}" -P
                "${CLDSP_EMBED_SCRIPT}"
        DEPENDS ${arg_KERNELS} "${CLDSP_EMBED_SCRIPT}"
        COMMENT "Embedding the OpenCL kernels"
        VERBATIM)
endfunction()
