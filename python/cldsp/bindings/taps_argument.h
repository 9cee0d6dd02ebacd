// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists of taps from Python, of which complex ones are refused where real ones belong.

#ifndef INCLUDED_CLDSP_TAPS_ARGUMENT_H
#define INCLUDED_CLDSP_TAPS_ARGUMENT_H

#include "argument_text.h"
#include "without_gil.h"
#include <gnuradio/gr_complex.h>
#include <pybind11/complex.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <type_traits>
#include <string>
#include <utility>
#include <vector>

// pybind11's own conversion to real numbers drops the imaginary parts of NumPy's complex
// numbers, where it refuses Python's.

//! Whether an object is a complex number, or an array of them.
inline bool is_complex(pybind11::handle object)
{
    using pybind11::getattr;
    using pybind11::none;
    if (PyComplex_Check(object.ptr()))
        return true;
    // The types of other libraries than NumPy have no kind.
    const auto kind = getattr(getattr(object, "dtype", none()), "kind", none());
    return pybind11::isinstance<pybind11::str>(kind) && kind.cast<std::string>() == "c";
}

//! Whether there is a complex number in an array, or in a list or a list of lists.
inline bool has_complex(pybind11::handle list, int levels = 2)
{
    if (is_complex(list))
        return true;
    if (levels == 0)
        return false;
    if (!PyList_Check(list.ptr()) && !PyTuple_Check(list.ptr()))
        return false;
    const PyTypeObject* real = nullptr; // the type of a real number
    for (const auto item : pybind11::reinterpret_borrow<pybind11::sequence>(list)) {
        const auto* type = Py_TYPE(item.ptr());
        if (type == real)
            continue;
        if (has_complex(item, levels - 1))
            return true;
        if (!PySequence_Check(item.ptr()))
            real = type;
    }
    return false;
}

//! The taps that a block takes, as a list of numbers.
template <class TAP_T>
struct taps_argument {
    std::vector<TAP_T> values;

    operator const std::vector<TAP_T>&() const { return values; }
};

//! The type of a parameter as Python's arguments are converted to it.
template <class PARAMETER>
struct converted {
    using type = PARAMETER;
};
template <class TAP_T>
struct converted<const std::vector<TAP_T>&> {
    using type = const taps_argument<TAP_T>&;
};

namespace pybind11 {
namespace detail {
template <class TAP_T>
struct type_caster<taps_argument<TAP_T>> {
    using list_caster = make_caster<std::vector<TAP_T>>;
    PYBIND11_TYPE_CASTER(taps_argument<TAP_T>, list_caster::name);

    bool load(handle argument, bool convert)
    {
        if (!std::is_same<TAP_T, gr_complex>::value && has_complex(argument))
            throw value_error("parameter 'taps' is " + argument_text(argument) +
                              ", but must be a list of real numbers");
        list_caster list;
        try {
            if (!list.load(argument, convert))
                return false;
        } catch (error_already_set& error) {
            require_type_error(error);
            return false;
        }
        value.values = cast_op<std::vector<TAP_T>&&>(std::move(list));
        return true;
    }
};
} // namespace detail
} // namespace pybind11

//! A method of Python from the method \p set of a BLOCK, which takes taps.
template <class BLOCK, class TAP_T>
auto setter_of_taps(void (BLOCK::*set)(const std::vector<TAP_T>&))
{
    return [set](BLOCK& self, const taps_argument<TAP_T>& taps) {
        without_gil([&] { (self.*set)(taps.values); });
    };
}

#endif /* INCLUDED_CLDSP_TAPS_ARGUMENT_H */
