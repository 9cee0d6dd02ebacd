# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Completes the commands, options and values of the command in fish, as its help lists them.

# The command on the line, and that of `cldsp wisdom`.
function __cldsp_command
    set -l found
    for word in (commandline -opc)[2..-1]
        if string match -qr '^[a-z]' -- $word; and begin
                test (count $found) -eq 0; or test "$found" = wisdom
            end
            set -a found $word
        end
    end
    printf "%s\n" $found
end

# What fits the cursor, a line each: the word, a tabulator, and what it is.
function __cldsp_candidates
    set -l command (__cldsp_command)
    set -l before (commandline -opc)[-1]
    set -l section
    set -l commands
    set -l options
    for line in (cldsp $command --help 2>/dev/null)
        if string match -qr '^[A-Z][a-z]+:$' -- $line
            set section $line
            continue
        end
        set -l word (string match -r '^  ([a-z]+) +(.*)$' -- $line)
        if test "$section" = Commands:; and test (count $word) -eq 3
            set -a commands $word[2]\t$word[3]
        end
        # Groups without a match are empty only in this form.
        set -l option (string match -r '^  (?:-[a-z],)?(--[a-z-]+)((?: (?:[A-Z][A-Z:]*|\{[^}]*\}))?)(?: +(.*))?$' -- $line)
        if test (count $option) -ge 3
            if test -n "$option[3]"; and test "$option[2]" = "$before"
                __cldsp_values $before $option[3]
                return
            end
            set -a options $option[2]\t$option[4]
        end
    end
    if string match -q -- '-*' (commandline -ct)
        printf "%s\n" $options
    else if set -q commands[1]
        printf "%s\n" $commands
    else
        __fish_complete_path (commandline -ct)
    end
end

# The values of an option: those of a set in braces, devices, or files.
function __cldsp_values
    switch $argv[1]
        case --device
            printf "%s\n" auto gpu gpus cpu host
            cldsp devices 2>/dev/null | string replace -rf '^device=([0-9]+:[0-9]+).*' '$1'
        case --out --output --plot --taps --channels
            __fish_complete_path (commandline -ct)
        case '*'
            string match -r '\{([^}]*)\}' -- $argv[2] | tail -n 1 | string match -v '{*' |
                string split ,
    end
end

complete -c cldsp -f -a '(__cldsp_candidates)'
