// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Replaces the target of a PTX text, and unmarks its special instructions.

#include "opencl/ptx.h"

namespace cldsp {

std::string ptx_for(const std::string& ptx, const std::string& architecture)
{
    const std::string directive = ".target ";
    const std::string general = architecture.substr(0, architecture.size() - 1);
    // The directive is at the beginning of a line; a comment may contain it as well.
    std::size_t at = ptx.find("\n" + directive + general);
    if (at == std::string::npos)
        return "";
    at += 1 + directive.size();
    const std::size_t end = at + general.size();
    if (end >= ptx.size() || std::string(" ,\t\r\n").find(ptx[end]) == std::string::npos)
        return "";
    std::string result = ptx.substr(0, at) + architecture;
    const std::string mark = "//@" + architecture + " ";
    std::size_t copied = end;
    for (std::size_t next; (next = ptx.find(mark, copied)) != std::string::npos;
         copied = next + mark.size())
        result.append(ptx, copied, next - copied);
    if (copied == end)
        return "";
    result.append(ptx, copied, std::string::npos);
    // The driver may count the zero byte that ends a text as a part of the text.
    result.resize(result.find_last_not_of('\0') + 1);
    return result;
}

} // namespace cldsp
