// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Turns PTX for a general architecture into PTX for one of its GPUs.

#pragma once

#include <string>

namespace cldsp {

/*!
 * PTX for another architecture of the same generation.
 *
 * NVIDIA's OpenCL makes PTX for the general architecture of a GPU, such as sm_90, and gives
 * it as the program's binary. The instructions of this very GPU need an architecture such
 * as sm_90a, which no option of the compiler names. In the source such instructions are
 * comments of inline assembly behind the mark "//@sm_90a ". Here the marks go, and the
 * target is replaced.
 *
 * \param ptx the PTX, which may end with zeros
 * \param architecture the new target, such as "sm_90a"; the PTX must be for the target
 *        without its last letter
 * \returns the PTX for that architecture; empty if \p ptx is no PTX for the general one,
 *          or has no such mark
 */
std::string ptx_for(const std::string& ptx, const std::string& architecture);

} // namespace cldsp
