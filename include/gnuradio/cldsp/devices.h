// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists the devices and variants that blocks can compute with.

#ifndef INCLUDED_CLDSP_DEVICES_H
#define INCLUDED_CLDSP_DEVICES_H

#include <gnuradio/cldsp/api.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! A device that the blocks can compute on.
struct device_description {
    std::string id;       //!< "P:D" (platform and device index) or "host"
    std::string name;     //!< OpenCL's name, or "host"
    std::string kind;     //!< "host", "cpu", "gpu" or "accelerator"
    std::string platform; //!< empty for the host
    std::string vendor;
    std::string version; //!< of OpenCL, e.g. "OpenCL 1.2 pocl"
    std::string driver;
    std::size_t compute_units;
    std::size_t max_work_group_size; //!< work-items
    std::size_t local_memory;        //!< bytes per work-group
    std::size_t max_buffer;          //!< bytes in one buffer
};

/*!
 * \brief Every OpenCL device of this machine, and the host as the last entry.
 *
 * The blocks' \p device takes an \p id, or a part of a \p name. A machine without OpenCL
 * has only the host. Limits are the device's own, without a profile.
 */
CLDSP_API std::vector<device_description> devices();

//! An implementation of the filter, as the blocks' \p variant names it.
struct variant_description {
    std::string name;        //!< e.g. "float16_evenodd"
    std::string description; //!< one line
    bool host;               //!< runs on the host, not through OpenCL
    bool production;         //!< takes every input type; the others are for comparison
    std::string algorithm;   //!< "direct" or "fast_convolution"
};

//! Every variant, in the order from the plainest kernel to the production kernels.
CLDSP_API std::vector<variant_description> list_variants();

//! A type of the input items of filters and banks; a number in the stream is I, Q, or a
//! real item.
struct sample_type_description {
    std::string name;        //!< e.g. "cs12"
    std::string letters;     //!< in the names of blocks, before that of the taps: "cs12_"
    std::string description; //!< one line
    std::size_t item_size;   //!< in bytes
    bool is_complex;         //!< a pair of numbers
    bool is_packed;          //!< the pair is one little-endian integer, I in its low half
    std::string number;      //!< "float", "signed" or "unsigned"
    unsigned bits;           //!< of a number
    double zero;             //!< the value of a number v is (v - zero) / one
    double one;
};

//! Every type of input items.
CLDSP_API std::vector<sample_type_description> sample_types();

/*!
 * \brief For tests: makes a call into OpenCL fail, on every device in use, as if the
 * driver had refused it. The blocks on these devices continue on the host at the same
 * sample.
 *
 * \param call "enqueue", "allocate", "build", or "none", which ends it
 * \param after the number of such calls that still succeed, 0 or more
 *
 * Devices are in use from the construction of the first block that may run on them;
 * others are not affected. \throws std::invalid_argument for another \p call or a
 * negative \p after
 */
CLDSP_API void inject_failure(const std::string& call, int after = 0);

/*!
 * \brief For the end of a process: stops all planning and tuning in the background, and
 * waits until it has ended.
 *
 * At exit this happens in any case, but by then a driver's own objects may be gone.
 * Python's interpreter calls it before.
 */
CLDSP_API void end_planning();

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_DEVICES_H */
