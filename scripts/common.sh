# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# What the scripts share: messages, packages, stages with their times, the build's paths.

# Functions and variables that the scripts in this folder share. They source it after
# setting strict mode.

# With it, cd might go to another folder of the same name, and would print where it goes.
unset CDPATH

# The root of the repository, independent of the caller's folder.
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
build_dir="$(realpath --canonicalize-missing --no-symlinks -- "${CLDSP_BUILD_DIR:-$root/build}")"
script_name="scripts/$(basename -- "$0")"

say() {
    printf '%s: %s\n' "$script_name" "$*"
}

die() {
    printf '%s: error: %s\n' "$script_name" "$*" >&2
    exit 1
}

if [[ ! ${CLDSP_JOBS:-1} =~ ^[1-9][0-9]*$ ]]; then
    die "CLDSP_JOBS is '$CLDSP_JOBS', not a number of compilers, 1 or more"
fi

# Prints the number of compilers that may run at once: one per core, but no more than fit
# into memory at 1.5 GB each.
job_count() {
    local cores memory_kb by_memory
    cores="$(nproc)"
    memory_kb="$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)"
    by_memory=$((${memory_kb:-1500000} / 1500000))
    if ((by_memory < 1)); then by_memory=1; fi
    if ((by_memory < cores)); then echo "$by_memory"; else echo "$cores"; fi
}

# Prints the Python interpreter of GNU Radio, as found by the build.
python_of_build() {
    sed -n 's/^PYTHON_EXECUTABLE:[A-Z]*=//p' "$build_dir/CMakeCache.txt"
}

# Lets programs find the module and the libraries of the build before those that are
# installed.
use_build() {
    export PYTHONPATH="$build_dir/test_modules${PYTHONPATH:+:$PYTHONPATH}"
    export LD_LIBRARY_PATH="$build_dir/lib:$build_dir/lib/engine${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Copies the tree into a folder: the files that git knows, with changes that are not
# committed. Without git, as in an unpacked archive, everything except the build folders
# is copied. Modification times are kept, so that a later build there builds only the
# changed files.
export_tree() {
    local target="$1" git=(git -C "$root" -c safe.directory="$root") without except=() folder
    mkdir -p "$target"
    without=("$(realpath -m -- "$build_dir")" "$(realpath -m -- "$target")")
    # An unpacked archive may lie in a repository that is not this one.
    if [[ $("${git[@]}" rev-parse --show-toplevel 2>/dev/null) == "$root" ]]; then
        "${git[@]}" ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' file; do
                if [[ -e $root/$file && $root/$file != "${without[0]}"/* &&
                    $root/$file != "${without[1]}"/* ]]; then printf '%s\0' "$file"; fi
            done |
            tar -C "$root" --create --null --files-from=-
    else
        for folder in "${without[@]}"; do
            if [[ $folder == "$root"/* ]]; then except+=(--exclude=".${folder#"$root"}"); fi
        done
        tar -C "$root" --create --exclude='./build*' --exclude='./obj-*' "${except[@]}" .
    fi | tar -C "$target" --extract
    [[ -f $target/CMakeLists.txt ]] || die "the tree in $root could not be copied to $target"
}

# Runs apt-get without asking questions, as root or through sudo.
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

# Runs one stage of a script with its output in a log, and reports the progress: on a
# terminal in a line that is updated, elsewhere in a line now and then. Adds the stage's
# seconds to $stage_times. Arguments: title, expected seconds, expected seconds of all
# later stages, log, command...
#
# The progress is found in the log: "[ 45%]" and "[45/100]", as Make and Ninja print it, and
# the status lines of apt, which first fetches the packages and then unpacks them.
stage_times=()
stage_watcher=
stage() {
    local title="$1" expected="$2" later="$3" log="$4" status=0 began=$SECONDS
    shift 4
    mkdir -p "$(dirname -- "$log")"
    : >"$log"
    watch_stage "$title" "$expected" "$later" "$log" &
    stage_watcher=$!
    trap at_exit EXIT
    "$@" </dev/null >"$log" 2>&1 || status=$?
    end_stage_watcher
    if ((status != 0)); then
        tail -n 40 -- "$log" >&2
        die "$title failed; all of its output is in $log"
    fi
    say "$title: done in $(duration $((SECONDS - began)))"
    stage_times+=("$title $((SECONDS - began)) s")
}

end_stage_watcher() {
    # In a trap, "return" alone would return the status before the trap.
    if [[ -z $stage_watcher ]]; then return 0; fi
    kill "$stage_watcher" 2>/dev/null || true
    wait "$stage_watcher" 2>/dev/null || true
    stage_watcher=
    if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# Called when a script with stages ends, also within a stage. A script may define it anew.
at_exit() { end_stage_watcher; }

watch_stage() {
    local title="$1" expected="$2" later="$3" log="$4" began=$SECONDS last=-15
    local elapsed percent left
    while true; do
        elapsed=$((SECONDS - began))
        percent="$(percent_of_log "$log")"
        # The first percentages are not reliable: until a tenth is done, the expected time
        # counts, unless it has already passed.
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
        /^\[[0-9]+\/[0-9]+\]/ { split($0, part, "[][/]"); percent = 100 * part[2] / part[3] }
        /^dlstatus:/ { split($0, part, ":"); percent = part[3] * 0.3 }
        /^pmstatus:/ { split($0, part, ":"); percent = 30 + part[3] * 0.7 }
        END { printf "%d", percent }'
}

# 135 as "2 min 15 s".
duration() {
    if (($1 < 60)); then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}

# Prints the seconds of each stage and of all stages together.
tell_times() {
    local list
    printf -v list '%s, ' "${stage_times[@]}"
    say "${list%, }; $SECONDS s in all"
}
