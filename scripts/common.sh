# shellcheck shell=bash
#
# Copyright 2026 the gr-cldsp authors
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the scripts beside this file share. They source it after setting strict mode.

# The repository's root, whatever folder the caller is in.
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
build_dir="${CLDSP_BUILD_DIR:-$root/build}"
script_name="scripts/$(basename -- "$0")"

say() {
    printf '%s: %s\n' "$script_name" "$*"
}

die() {
    printf '%s: error: %s\n' "$script_name" "$*" >&2
    exit 1
}

# Prints how many compilers may run at once: one a core, and no more than the memory
# holds at 1.5 GB each.
job_count() {
    local cores memory_kb by_memory
    cores="$(nproc)"
    memory_kb="$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)"
    by_memory=$((${memory_kb:-1500000} / 1500000))
    if ((by_memory < 1)); then by_memory=1; fi
    if ((by_memory < cores)); then echo "$by_memory"; else echo "$cores"; fi
}

# Prints the interpreter that the build found to be GNU Radio's.
python_of_build() {
    sed -n 's/^PYTHON_EXECUTABLE:[A-Z]*=//p' "$build_dir/CMakeCache.txt"
}
