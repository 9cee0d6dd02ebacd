// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The mark of the symbols that the blocks' library exports.

#ifndef INCLUDED_CLDSP_API_H
#define INCLUDED_CLDSP_API_H

#include <gnuradio/attributes.h>

#ifdef gnuradio_cldsp_EXPORTS
#define CLDSP_API __GR_ATTR_EXPORT
#else
#define CLDSP_API __GR_ATTR_IMPORT
#endif

#endif /* INCLUDED_CLDSP_API_H */
