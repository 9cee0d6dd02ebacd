// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Objects of matrix products on the device under test, and what they log.

#pragma once

#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/gemm.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp {

//! Engines on the first device under test, and the messages that they logged.
class gemm_fixture : public CppUnit::TestFixture
{
public:
    void setUp() override { use_profile(test_options().profile); }
    void tearDown() override { device()->inject_failure(injected_call::none); }

protected:
    void use_profile(const std::string& profile)
    {
        auto o = test_options();
        o.profile = profile;
        d_registry = std::make_unique<context_registry>(o);
    }

    std::shared_ptr<context> device() { return d_registry->get(test_device()); }

    gemm_options options(const std::string& device, const std::string& variant = "auto")
    {
        gemm_options o;
        o.device = device;
        o.variant = variant;
        o.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        return o;
    }

    bool logged(const std::string& text) const
    {
        for (const auto& line : d_log)
            if (line.find(text) != std::string::npos)
                return true;
        return false;
    }

    //! Returns null if the device cannot run the variant.
    //! The variants that use matrix units of a device.
    static std::vector<std::string> variants_of_matrix_units(const device_info& device)
    {
        std::vector<std::string> names;
        for (const auto& variant : gemm_variants())
            if (variant.min_compute_capability > 0 && variant.fits(device))
                names.push_back(variant.name);
        return names;
    }

    std::unique_ptr<gemm>
    make(gemm_type type, const std::string& device_text, const std::string& variant)
    {
        try {
            return std::make_unique<gemm>(type,
                                          gemm_shape{ 64, 64, 64 },
                                          options(device_text, variant),
                                          *d_registry);
        } catch (const std::invalid_argument& e) {
            const std::string text = e.what();
            CPPUNIT_ASSERT_MESSAGE(text, text.find("variant") != std::string::npos);
            return nullptr;
        }
    }

    gemm on_host(gemm_type type) { return gemm(type, {}, options("host"), *d_registry); }

    //! An engine with the first variant that the device can run, the fastest kinds first.
    gemm on_device(gemm_type type)
    {
        std::vector<std::string> names = { "cpu_tile", "gpu_tile" };
        for (const auto& variant : gemm_variants())
            if (variant.ladder != "host" && variant.takes(type))
                names.push_back(variant.name);
        for (const auto& name : names)
            if (auto engine = make(type, test_device().id(), name))
                return std::move(*engine);
        throw std::runtime_error("no variant runs on the device");
    }

    static void check(gemm& engine, const gemm_case& product, bool hold = false)
    {
        const double error = product.error(product.run(engine, hold));
        CPPUNIT_ASSERT_MESSAGE(product.describe() + " by " + engine.variant_name() +
                                   " on " + engine.device_name() + ": " +
                                   std::to_string(error),
                               error <= product.bound());
    }

    std::unique_ptr<context_registry> d_registry;
    std::vector<std::string> d_log;
};

} // namespace cldsp
