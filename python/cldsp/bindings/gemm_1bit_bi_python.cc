// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the 1-bit correlator, and reads its codes from arrays.

#include "argument_text.h"
#include "engine_block_class.h"
#include <gnuradio/cldsp/gemm_1bit_bi.h>
#include <pybind11/numpy.h>
#include <cstdint>
#include <string>
#include <vector>

namespace py = pybind11;

namespace {

using block = gr::cldsp::gemm_1bit_bi;
using code_list = std::vector<std::vector<std::uint8_t>>;

constexpr const char* gemm_1bit_bi_class_doc =
    R"(Correlates blocks of 1-bit samples with many codes at once.

An input item is a vector of K / 8 bytes: K samples, the first in the most significant place
of the first byte, 1 for +1 and 0 for -1, as numpy.packbits() packs them. An output item is a
vector of 32-bit integers, one a code: the sum of the products of sample and code, -K to K.

Message port set_codes (input): a vector of u8vectors, one a code, as set_codes() takes them.
Other messages are dropped, and the log shows the beginning of each.)";

constexpr const char* gemm_1bit_bi_make_doc = R"(
Args:
    codes: one at least, all of the same length of one byte or more: a list of bytes or of
        lists of integers from 0 to 255, or a NumPy array of uint8 with a row a code
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name
    variant: "auto", "naive", "private_sum", "cpu_tile", "gpu_tile", "tensor" (NVIDIA GPUs
        of compute capability 8.0 or later), "warpgroup" (of 9.0) or "simd" (the host's)
    plan: "auto" (the preference [cldsp] plan, or: starts at once on the host, measures what is
        faster while it runs, and moves there at an output) or "wait" (the constructor
        measures, and the fastest computes from the first sample on)

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

[[noreturn]] void refuse(const std::string& name, const py::handle& value)
{
    throw py::value_error("parameter '" + name + "' is " + argument_text(value) +
                          ", but must be bytes, a list of integers from 0 to 255, or a "
                          "row of a NumPy array of uint8");
}

std::vector<std::uint8_t> code_of(const std::string& name, const py::handle& code)
{
    if (PyBytes_Check(code.ptr()) || PyByteArray_Check(code.ptr())) {
        const bool constant = PyBytes_Check(code.ptr());
        const auto* text =
            constant ? PyBytes_AS_STRING(code.ptr()) : PyByteArray_AS_STRING(code.ptr());
        const auto size =
            constant ? PyBytes_GET_SIZE(code.ptr()) : PyByteArray_GET_SIZE(code.ptr());
        return { text, text + size };
    }
    if (py::isinstance<py::array>(code)) {
        const auto array = py::reinterpret_borrow<py::array>(code);
        if (array.ndim() != 1 || array.dtype().kind() != 'u' || array.itemsize() != 1)
            refuse(name, code);
        return code.cast<std::vector<std::uint8_t>>();
    }
    if (!py::isinstance<py::list>(code) && !py::isinstance<py::tuple>(code))
        refuse(name, code);
    try {
        // Only objects that Python accepts as integers are taken, so that 1.0 is refused.
        std::vector<std::uint8_t> bytes;
        for (const auto& value : code) {
            if (!PyIndex_Check(value.ptr()))
                refuse(name, code);
            bytes.push_back(value.cast<std::uint8_t>());
        }
        return bytes;
    } catch (const py::cast_error&) {
        refuse(name, code);
    }
}

code_list codes_of(const py::object& codes)
{
    const bool rows = py::isinstance<py::list>(codes) ||
                      py::isinstance<py::tuple>(codes) ||
                      (py::isinstance<py::array>(codes) &&
                       py::reinterpret_borrow<py::array>(codes).ndim() == 2);
    if (!rows) {
        throw py::value_error("parameter 'codes' is " + argument_text(codes) +
                              ", but must be a list of codes, or a NumPy array of uint8 "
                              "with a row a code");
    }
    code_list list;
    for (const auto& code : codes)
        list.push_back(code_of("codes[" + std::to_string(list.size()) + "]", code));
    return list;
}

} // namespace

void bind_gemm_1bit_bi(py::module& m)
{
    sync_block_class<block> c(m, "gemm_1bit_bi", gemm_1bit_bi_class_doc);
    c.def(py::init([](const py::object& codes,
                      const std::string& device,
                      const std::string& variant,
                      const std::string& plan) {
              const auto list = codes_of(codes);
              return without_gil(
                  [&] { return block::make(list, device, variant, plan); });
          }),
          py::arg("codes"),
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("plan") = "auto",
          gemm_1bit_bi_make_doc);
    c.def(
        "set_codes",
        [](block& self, const py::object& codes) {
            const auto list = codes_of(codes);
            without_gil([&] { self.set_codes(list); });
        },
        py::arg("codes"),
        "Sets other codes, as many and as long as before, from the next call of work() "
        "on. "
        "ValueError for others, and the old ones stay.");
    c.def(
        "codes",
        [](const block& self) {
            py::list list;
            for (const auto& code : without_gil([&] { return self.codes(); }))
                list.append(
                    py::bytes(reinterpret_cast<const char*>(code.data()), code.size()));
            return list;
        },
        "The codes set last, a list of bytes.");
    c.def("bits", &block::bits, "K, the samples of an input item.");
}
