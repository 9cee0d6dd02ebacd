// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products by CLBlast, for comparison.

#include "gemm/gemm_commands.h"
#include "gemm/gemm_problem.h"

#include <cldsp/errors.h>
#include <cldsp/pocl.h>

#ifdef CLDSP_HAVE_CLBLAST
#include <clblast.h>
#endif

namespace cldsp {

#ifdef CLDSP_HAVE_CLBLAST

namespace {

class gemm_kernel_clblast : public gemm_kernel_without_packing
{
public:
    explicit gemm_kernel_clblast(const gemm_kernel_args& args)
        : d_args(args), d_scaling(make_gemm_kernel_gpu(args))
    {
        // CLBlast reads the limits from the driver, and ignores a profile that lowers
        // them.
        const auto real =
            args.device->cl_device().getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
        if (args.device->limits().max_work_group_size < real)
            throw_invalid("variant",
                          "clblast",
                          "another one where a profile lowers the device's limits");
    }

    gemm_events enqueue(const gemm_device_call& call) override
    {
        check_sizes(call.shape);
        // CLBlast computes 0 * A B too, which gives NaN if A or B contains one.
        if (call.alpha == std::complex<float>(0))
            return d_scaling->enqueue(call);
        gemm_events events;
        events.prepare.push_back(marker());
        events.multiply.push_back(d_args.type == gemm_type::c32
                                      ? run(call, call.alpha, call.beta)
                                      : run(call, call.alpha.real(), call.beta.real()));
        return events;
    }

private:
    //! Marks the start of CLBlast's commands: CLBlast returns only the event of the last
    //! one.
    cl::Event marker() const
    {
        return with_opencl_errors(*d_args.device, [&] {
            auto slot = d_args.device->admit_command(d_args.queue);
            cl::Event event;
            d_args.queue.enqueueMarkerWithWaitList(nullptr, &event);
            slot.enqueued(event);
            return event;
        });
    }

    template <class T>
    cl::Event run(const gemm_device_call& call, T alpha, T beta) const
    {
        auto slot = d_args.device->admit_command(d_args.queue);
        cl_command_queue queue = d_args.queue();
        cl_event event = nullptr;
        auto status = clblast::StatusCode::kSuccess;
        // CLBlast compiles what it needs when it is called.
        run_compiler(d_args.device->device().platform_name, "CLBlast", [&] {
            status = clblast::Gemm<T>(clblast::Layout::kRowMajor,
                                      clblast::Transpose::kNo,
                                      clblast::Transpose::kNo,
                                      call.shape.m,
                                      call.shape.n,
                                      call.shape.k,
                                      alpha,
                                      call.a.buffer(),
                                      call.a.offset,
                                      call.a.leading,
                                      call.b.buffer(),
                                      call.b.offset,
                                      call.b.leading,
                                      beta,
                                      call.c.buffer(),
                                      call.c.offset,
                                      call.c.leading,
                                      &queue,
                                      &event);
        });
        if (status != clblast::StatusCode::kSuccess)
            throw opencl_error(
                "clblast::Gemm", static_cast<int>(status), d_args.device->name());
        const cl::Event done(event);
        slot.enqueued(done);
        return done;
    }

    gemm_kernel_args d_args;
    std::unique_ptr<gemm_kernel> d_scaling; //!< for an alpha of 0
};

std::unique_ptr<gemm_kernel> make(const gemm_kernel_args& args)
{
    return std::make_unique<gemm_kernel_clblast>(args);
}

} // namespace

#else

namespace {

std::unique_ptr<gemm_kernel> make(const gemm_kernel_args&)
{
    throw_invalid("variant",
                  "clblast",
                  "another one: this build has no CLBlast (Debian: libclblast-dev)");
}

} // namespace

#endif

const gemm_variant& gemm_clblast_variant()
{
    static const auto& variant = *new gemm_variant({ "clblast",
                                                     "CLBlast's own kernels",
                                                     "library",
                                                     { gemm_type::f32, gemm_type::c32 } },
                                                   make);
    return variant;
}

} // namespace cldsp
