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

# Copies the tree into a folder as git knows it, changes that are not committed included;
# where there is no git, as in an unpacked archive, all but the build folders. Times of
# change are kept, so that a later build there builds only what changed.
export_tree() {
    local target="$1" git=(git -C "$root" -c safe.directory="$root")
    mkdir -p "$target"
    if "${git[@]}" rev-parse --git-dir >/dev/null 2>&1; then
        "${git[@]}" ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' file; do
                if [[ -e $root/$file ]]; then printf '%s\0' "$file"; fi
            done |
            tar -C "$root" --create --null --files-from=-
    else
        tar -C "$root" --create --exclude='./build*' --exclude='./obj-*' .
    fi | tar -C "$target" --extract
}

# Runs apt-get without questions, as root or through sudo.
run_apt() {
    local as_root=() told=()
    if [[ -n ${CLDSP_APT_STATUS:-} && $1 == install ]]; then told=(-o APT::Status-Fd=1); fi
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "not root, and there is no sudo"
        as_root=(sudo)
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet \
        -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "${told[@]}" "$@" </dev/null
}

update_lists() {
    local attempt
    for attempt in 1 2 3; do
        if run_apt update; then return; fi
        say "apt-get update failed (attempt $attempt of 3)"
        sleep $((attempt * 5))
    done
    say "going on with the package lists there are"
}

# Runs one stage of a script, its output in a log, and says how far it is: on a terminal
# in a line that changes, elsewhere in a line now and then. Adds the stage's seconds to
# $stage_times. Arguments: title, seconds to expect, seconds to expect of all later
# stages, log, command...
#
# The log is searched for "[ 45%]" as CMake's builds print it, and for the status lines
# of apt, whose packages are first fetched and then unpacked.
stage_times=()
stage() {
    local title="$1" expected="$2" later="$3" log="$4" watcher status=0 began=$SECONDS
    shift 4
    mkdir -p "$(dirname -- "$log")"
    : >"$log"
    watch_stage "$title" "$expected" "$later" "$log" &
    watcher=$!
    # shellcheck disable=SC2064
    trap "kill $watcher 2>/dev/null || true" EXIT
    "$@" </dev/null >"$log" 2>&1 || status=$?
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    trap - EXIT
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
    if ((status != 0)); then
        tail -n 40 -- "$log" >&2
        die "$title failed; all of its output is in $log"
    fi
    say "$title: done in $(duration $((SECONDS - began)))"
    stage_times+=("$title $((SECONDS - began)) s")
}

watch_stage() {
    local title="$1" expected="$2" later="$3" log="$4" began=$SECONDS last=-15
    local elapsed percent left
    while true; do
        elapsed=$((SECONDS - began))
        percent="$(percent_of_log "$log")"
        # The beginning tells little: until a tenth is done, what was expected counts, unless
        # it has turned out to be wrong.
        if ((percent >= 10 || (percent > 0 && elapsed > expected))); then
            left=$((elapsed * (100 - percent) / percent))
        else
            left=$((expected > elapsed ? expected - elapsed : 0))
        fi
        if [[ -t 1 ]]; then
            printf '\r\033[K%s: %s: %d %%, about %s left in all' "$script_name" "$title" \
                "$percent" "$(duration $((left + later)))"
        elif ((elapsed - last >= 15)); then
            say "$title: $percent %, about $(duration $((left + later))) left in all"
            last=$elapsed
        fi
        sleep 1
    done
}

percent_of_log() {
    tail -c 20000 -- "$1" 2>/dev/null | awk '
        match($0, /^\[ *[0-9]+%\]/) { percent = substr($0, 2, RLENGTH - 3) }
        /^dlstatus:/ { split($0, part, ":"); percent = part[3] * 0.3 }
        /^pmstatus:/ { split($0, part, ":"); percent = 30 + part[3] * 0.7 }
        END { printf "%d", percent }'
}

# 135 as "2 min 15 s".
duration() {
    if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}

# The closing note: the seconds of each stage and of all together.
tell_times() {
    local list
    printf -v list '%s, ' "${stage_times[@]}"
    say "${list%, }; $SECONDS s in all"
}
