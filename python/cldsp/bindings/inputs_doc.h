// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the docstrings of filters and banks say about their input items.

#pragma once

#include <gnuradio/cldsp/sample_types.h>

#define CLDSP_INPUT_DOC(                                                    \
    NAME, CAPITALS, LETTERS, LAYOUT, NUMBER, ZERO, ONE, LABEL, DESCRIPTION) \
#LETTERS "c and " #LETTERS "f " DESCRIPTION ";\n"
//! A line for each type, as a literal.
#define CLDSP_INPUTS_DOC CLDSP_SAMPLE_TYPES(CLDSP_INPUT_DOC)
