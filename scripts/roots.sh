# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Makes bare roots of Debian releases, and runs commands in them.

# Functions and variables of the scripts that need another system than this one. They
# source it after common.sh.
#
# CLDSP_ROOTS   where the roots are kept (default ~/.cache/gr-cldsp/roots)
# CLDSP_MIRROR  the Debian mirror (default http://deb.debian.org/debian)

# Only root may make and enter one.
need_root() { ((EUID == 0)) || die "making and entering a root needs root"; }

cache="${CLDSP_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/gr-cldsp/roots}"
mirror="${CLDSP_MIRROR:-http://deb.debian.org/debian}"
# Variables for the commands in a root, NAME=VALUE.
environment=()
compiler_root=

# Installs those of the packages, on this system, that are not yet.
install_missing() {
    local package missing=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            missing+=("$package")
    done
    if ((${#missing[@]} > 0)); then
        say "installing ${missing[*]}"
        update_lists
        run_apt install --yes --no-install-recommends "${missing[@]}"
    fi
}

# make_tar FILE RELEASE ARCH PACKAGES: makes the tar file of a root. The file gets its final name
# only when it is complete.
make_tar() {
    local file="$1"
    if [[ -f $file ]]; then return; fi
    say "making $file (some minutes)"
    mkdir -p "$cache"
    mmdebstrap --arch="$3" --variant=apt --include="$4" --format=tar "$2" \
        "$file.partial" "$mirror" </dev/null
    mv -- "$file.partial" "$file"
}

# unpack FILE ROOT: replaces ROOT by the bare root in FILE.
unpack() {
    rm -rf --one-file-system -- "$2"
    mkdir -p "$2"
    tar -C "$2" --numeric-owner --extract --file "$1"
    # Installations and containers have this file, the packages do not.
    if [[ ! -e $2/etc/hosts ]]; then
        printf '127.0.0.1\tlocalhost\n::1\tlocalhost\n' >"$2/etc/hosts"
    fi
}

# in_root ROOT COMMAND... The mounts live in a separate name space, so that none of them
# is left behind, however the command ends.
in_root() { enter_root "$1" : "${@:2}"; }

# enter_root ROOT MORE_MOUNTS COMMAND...
enter_root() {
    local entered="$1" more_mounts="$2"
    shift 2
    # The single-quoted program is expanded by the inner shell.
    # shellcheck disable=SC2016
    unshare --mount --propagation private bash -euo pipefail -c '
        entered="$1"; more_mounts="$2"; compiler_root="$3"; shift 3
        mount -t proc proc "$entered/proc"
        mount --rbind /sys "$entered/sys"
        mount --rbind /dev "$entered/dev"
        cp /etc/resolv.conf "$entered/etc/resolv.conf" 2>/dev/null || true
        "$more_mounts" "$entered" "$compiler_root"
        exec chroot "$entered" "$@"
    ' enter_root "$entered" "$more_mounts" "$compiler_root" /usr/bin/env -i HOME=/root \
        LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        "${environment[@]}" "$@" </dev/null
}
