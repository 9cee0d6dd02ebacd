# shellcheck shell=bash
# bash completion for cldsp                                -*- shell-script -*-
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Completes the options, devices and names of the command in bash.

_cldsp_devices()
{
    printf '%s\n' auto gpu gpus cpu host
    # The indices that this machine has; slow drivers make this take a moment.
    cldsp devices 2>/dev/null | sed -n 's/^device=\([0-9]*:[0-9]*\).*/\1/p'
}

# The types of samples that a command's help lists behind these words.
_cldsp_types()
{
    cldsp "$1" --help 2>/dev/null | tr -s ' \n' '  ' | sed -n "s/.*$2: \([a-z0-9, ]*\).*/\1/p" |
        tr -d ,
}

_cldsp()
{
    local cur prev words cword
    if declare -F _init_completion >/dev/null; then
        # A colon does not end a word, as in 0:0.
        _init_completion -n : || return
    else
        cur=${COMP_WORDS[COMP_CWORD]}
        prev=${COMP_WORDS[COMP_CWORD - 1]}
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
    fi

    local i command="" action="" options="" names=""
    for ((i = 1; i < cword; i++)); do
        case "${words[i]}" in
            -*) ;;
            *)
                if [[ -z $command ]]; then
                    command=${words[i]}
                elif [[ -z $action ]]; then
                    action=${words[i]}
                fi
                ;;
        esac
    done

    case "$prev" in
        --device)
            mapfile -t COMPREPLY < <(compgen -W "$(_cldsp_devices)" -- "$cur")
            declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$cur"
            return
            ;;
        --profile)
            mapfile -t COMPREPLY < <(compgen -W "native vc4 v3d rusticl cl12-min" -- "$cur")
            return
            ;;
        --kind)
            mapfile -t COMPREPLY < <(compgen -W "plans calibration fftw roofline tuning" -- "$cur")
            return
            ;;
        --plot | --output | -o | --channels | --taps | --out)
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            compopt -o filenames 2>/dev/null
            return
            ;;
        --type)
            mapfile -t COMPREPLY < <(compgen -W "$(_cldsp_types channelize 'Of raw samples') wav sigmf" -- "$cur")
            return
            ;;
        --format)
            mapfile -t COMPREPLY < <(compgen -W "sigmf raw wav" -- "$cur")
            return
            ;;
        --plan)
            mapfile -t COMPREPLY < <(compgen -W "auto wait" -- "$cur")
            return
            ;;
        --output-type)
            mapfile -t COMPREPLY < <(compgen -W "cf32 cs16 f32 s16" -- "$cur")
            return
            ;;
        --demod)
            mapfile -t COMPREPLY < <(compgen -W "fm am" -- "$cur")
            return
            ;;
        --exec)
            mapfile -t COMPREPLY < <(compgen -c -- "$cur")
            return
            ;;
        --input)
            mapfile -t COMPREPLY < <(compgen -W "$(_cldsp_types bench 'Items of filters and banks')" -- "$cur")
            return
            ;;
        --strategy)
            mapfile -t COMPREPLY < <(compgen -W "full random annealing swarm powers candidates
                mnn_default mace_default" -- "$cur")
            return
            ;;
        --rate | --center | --channel | --stopband | --udp | --audio-rate | --deviation | \
            --deemphasis | --speed | --variant | \
            --seconds | --threads | --items | --size | --repetitions | --budget | --evaluations | --seed)
            return
            ;;
    esac

    case "$command" in
        "" | help)
            names="bench channelize convert devices doctor roofline tune wisdom"
            options="--version"
            ;;
        bench)
            names="W1 W1-fast W2 W2-fast W3 W3-fast W4 W4-fast R1 R1-fast W5 W5-fast W6 W6-fast
                W7_10 W7_10-fast W7_100 W7_100-fast W7_500 W7_500-fast W8 W8-fast
                W9_64 W9_64-fast W9_1024 W9_1024-fast ladder G1 G1_4096 G1_oblong G1_complex
                G1_halves G1_bytes G2 gemm_ladder G3 G3_resident correlator"
            options="--device --items --input --size --kernels --all-kernels --repetitions
                --seconds --profile --quick --json --plot --verbose"
            ;;
        channelize)
            options="--type --rate --center --list-radios --gain --antenna --ppm --seconds
                --channel --channels --stopband --taps --out --exec --udp --rtp --zmq
                --format --output-type --overwrite --demod --audio-rate --deviation
                --deemphasis --speed --device --variant --plan --profile --progress --json --verbose"
            if [[ $cur != -* ]]; then
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                compopt -o filenames 2>/dev/null
                return
            fi
            ;;
        convert)
            options="--output --overwrite --no-banks --measure --json"
            ;;
        devices)
            options="--json --profile"
            ;;
        doctor)
            options="--json"
            ;;
        roofline)
            options="--device --seconds --threads --profile --again --verify --json"
            ;;
        tune)
            names="W1 W2 W3 W4 W1-fast W2-fast W3-fast W4-fast
                W1-fused W2-fused W3-fused W4-fused G1 G3 all"
            options="--device --strategy --budget --evaluations --seed --items --profile
                --json --verbose"
            ;;
        wisdom)
            case "$action" in
                "") names="list export import clear" ;;
                list) options="--kind --json" ;;
                export) options="--kind" ;;
                clear) options="--kind --programs --yes" ;;
            esac
            ;;
    esac
    if [[ $action == export || $action == import || $command == convert ]] && [[ $cur != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null
        return
    fi
    if [[ $cur == -* ]]; then
        names="$options --help"
    fi
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
}

complete -F _cldsp cldsp
