// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The name of a variant, and what is known of it.

#pragma once

#include <string>

namespace cldsp {

//! A variant's name and properties.
struct variant_info {
    std::string name;        //!< e.g. "float16_evenodd"
    std::string description; //!< one line
    bool host = false;       //!< runs on the host, not through OpenCL
    //! Takes every input type. Variants without this are for comparison, and take
    //! complex float only.
    bool production = false;
    std::string algorithm = "direct"; //!< "direct" or "fast_convolution"
};

} // namespace cldsp
