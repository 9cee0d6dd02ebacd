// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Takes new matrices between calls, and passes tags by the chosen policy.

#include "multiply_matrix_impl.h"
#include "probe/kernels_to_tune.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <volk/volk.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gr {
namespace cldsp {

namespace {

constexpr const char* port_name = "set_A";

// The number of items of one stream in a call, with GNU Radio's default buffers.
template <class T>
constexpr std::size_t items_per_call = 32768 / sizeof(T);

template <class T>
gr::io_signature::sptr streams(std::size_t count)
{
    return gr::io_signature::make(
        static_cast<int>(count), static_cast<int>(count), sizeof(T));
}

template <class T>
gr::block::tag_propagation_policy_t
checked_policy(gr::block::tag_propagation_policy_t policy, const matrix<T>& A)
{
    const std::string name = "tag_propagation_policy";
    if (policy < gr::block::TPP_DONT || policy > gr::block::TPP_CUSTOM)
        ::cldsp::throw_invalid(name,
                               std::to_string(policy),
                               "TPP_DONT, TPP_ALL_TO_ALL, TPP_ONE_TO_ONE or TPP_CUSTOM");
    if (policy == gr::block::TPP_ONE_TO_ONE && A.size() != A.front().size())
        ::cldsp::throw_invalid(name,
                               "TPP_ONE_TO_ONE",
                               "another one for a matrix of " + std::to_string(A.size()) +
                                   " rows and " + std::to_string(A.front().size()) +
                                   " columns");
    return policy;
}

} // namespace

template <class T>
typename multiply_matrix<T>::sptr
multiply_matrix<T>::make(const std::vector<std::vector<T>>& A,
                         gr::block::tag_propagation_policy_t tag_propagation_policy,
                         const std::string& device,
                         const std::string& variant,
                         const std::string& precision,
                         const std::string& plan)
{
    return gnuradio::make_block_sptr<multiply_matrix_impl<T>>(
        checked_matrix(A),
        checked_policy(tag_propagation_policy, A),
        device,
        variant,
        precision,
        plan);
}

template <class T>
multiply_matrix_impl<T>::multiply_matrix_impl(const matrix<T>& A,
                                              gr::block::tag_propagation_policy_t policy,
                                              const std::string& device,
                                              const std::string& variant,
                                              const std::string& precision,
                                              const std::string& plan)
    : gr::sync_block(std::is_same_v<T, float> ? "multiply_matrix_ff"
                                              : "multiply_matrix_cc",
                     streams<T>(A.front().size()),
                     streams<T>(A.size())),
      base(
          gemm_options_of(device, variant, plan, { d_logger, d_debug_logger }, precision),
          [rows = A.size(), columns = A.front().size()](const auto& options) {
              return ::cldsp::stream_matrix(gemm_type_of<T>(),
                                            rows,
                                            columns,
                                            items_per_call<T>,
                                            options,
                                            registry());
          }),
      d_rows(A.size()),
      d_columns(A.front().size()),
      d_may_use_devices(d_engine->may_use_devices()),
      d_wanted(A)
{
    this->MSG_PORT_NAME_SET_A = port_name;
    set_tag_propagation_policy(policy);
    set_alignment(std::max<int>(1, static_cast<int>(volk_get_alignment() / sizeof(T))));
    apply_change();
    renew_report(true);

    take_messages(port_name, [this](const pmt::pmt_t& message) {
        if (!set_A(matrix_from_message<T>(message)))
            log_error(d_logger, std::string("message on port ") + port_name + " dropped");
    });
}

template <class T>
std::vector<kernel_to_tune> multiply_matrix_impl<T>::kernels_to_tune() const
{
    if (!d_may_use_devices)
        return {};
    const auto& variant = d_options.variant;
    return if_tunable(variant,
                      gemm_kernel(gemm_type_of<T>(),
                                  { d_rows, items_per_call<T>, d_columns },
                                  variant));
}

template <class T>
::cldsp::kernel_work multiply_matrix_impl<T>::average_work() const
{
    const double outputs = outputs_of_a_call(statistics());
    const auto items =
        static_cast<std::size_t>(std::lround(outputs / static_cast<double>(d_rows)));
    return gemm_work(gemm_type_of<T>(), { d_rows, items, d_columns });
}

template <class T>
matrix<T> multiply_matrix_impl<T>::get_A() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted;
}

template <class T>
bool multiply_matrix_impl<T>::set_A(const matrix<T>& new_A)
{
    try {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        d_wanted = checked_change(d_wanted, new_A);
        d_changed = true;
        return true;
    } catch (const std::invalid_argument& e) {
        log_error(d_logger, std::string("set_A: ") + e.what());
        return false;
    }
}

template <class T>
bool multiply_matrix_impl<T>::apply_change()
{
    if (!d_changed)
        return false;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        d_changed = false;
        d_A = d_wanted;
    }
    d_engine->set_matrix(flattened(d_A).data());
    return true;
}

template <class T>
void multiply_matrix_impl<T>::propagate_tags(int items)
{
    std::vector<gr::tag_t> tags;
    for (std::size_t in = 0; in < d_A.front().size(); in++) {
        get_tags_in_window(tags, in, 0, items);
        for (std::size_t out = 0; out < d_A.size(); out++)
            if (d_A[out][in] != T(0))
                for (const auto& tag : tags)
                    add_item_tag(out, tag);
    }
}

template <class T>
int multiply_matrix_impl<T>::work(int noutput_items,
                                  gr_vector_const_void_star& input_items,
                                  gr_vector_void_star& output_items)
{
    return work_with_engine(noutput_items, [&] {
        if (d_engine.renew())
            d_changed = true; // the new engine's matrix is 0
        const bool changed = apply_change();
        d_engine->multiply(input_items.data(), output_items.data(), noutput_items);
        if (tag_propagation_policy() == gr::block::TPP_CUSTOM)
            propagate_tags(noutput_items);
        return changed;
    });
}

template class multiply_matrix<float>;
template class multiply_matrix<gr_complex>;

} // namespace cldsp
} // namespace gr
