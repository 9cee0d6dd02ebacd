# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Finds the header-only libraries that programs of the command line need.

# Finds the two header-only libraries that programs of the command line need. Where they
# are not installed, CLI11_INCLUDE_DIR and NLOHMANN_JSON_INCLUDE_DIR can name the folders
# that have CLI/CLI.hpp and nlohmann/json.hpp. cldsp_missing_headers is a message if one
# is missing; otherwise it is empty.

find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp)
find_path(NLOHMANN_JSON_INCLUDE_DIR nlohmann/json.hpp)
set(cldsp_missing_headers "")
if(NOT CLI11_INCLUDE_DIR OR NOT NLOHMANN_JSON_INCLUDE_DIR)
    string(CONCAT cldsp_missing_headers
                  "CLI/CLI.hpp and nlohmann/json.hpp are needed (Debian: libcli11-dev, "
                  "nlohmann-json3-dev; else set CLI11_INCLUDE_DIR and "
                  "NLOHMANN_JSON_INCLUDE_DIR)")
endif()
