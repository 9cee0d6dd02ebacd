// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of blocks whose engine starts at once, and is planned while they run.

#ifndef INCLUDED_CLDSP_PLANNED_BLOCK_H
#define INCLUDED_CLDSP_PLANNED_BLOCK_H

#include "engine_block.h"
#include <cldsp/planned_engine.h>
#include <cstddef>
#include <string>
#include <utility>

namespace gr {
namespace cldsp {

/*!
 * \brief The base of the blocks of products. It owns the engine, and plans while the
 * flowgraph runs.
 *
 * Each call begins with d_engine.renew(). If that returns true, the block sets what the
 * new engine does not know.
 */
template <class BLOCK, class ENGINE, class OPTIONS>
class planned_block : public engine_block<BLOCK, ENGINE>
{
    using base = engine_block<BLOCK, ENGINE>;
    using planned = ::cldsp::planned_engine<ENGINE, OPTIONS>;

public:
    std::string wanted_device() const override { return d_options.device; }
    void choose_again() override { d_engine.choose_again(); }

    bool start() override
    {
        d_engine.resume_planning();
        return base::start();
    }
    bool stop() override
    {
        d_engine.pause_planning();
        return base::stop();
    }

protected:
    //! \param make see planned_engine; it may not use the block
    planned_block(const OPTIONS& options, typename planned::maker make)
        : d_options(options), d_engine(std::move(make), d_options)
    {
    }

    const OPTIONS d_options;
    planned d_engine; // used only by the thread of the block

private:
    const ENGINE& engine() const override { return *d_engine; }
    std::size_t engines_taken() const override { return d_engine.renewals(); }
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PLANNED_BLOCK_H */
