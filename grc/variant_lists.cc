// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Prints the names of variants, from the engine's tables, for the descriptions of blocks.

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>

#include <functional>
#include <iostream>
#include <string>

namespace {

//! Prints a variable of CMake: names with commas between them, as in a list of YAML.
//! With \p quote they are elements of a tuple of Python.
template <class VARIANTS>
void print(const char* variable,
           const VARIANTS& variants,
           const std::string& quote,
           const std::function<bool(const typename VARIANTS::value_type&)>& belongs)
{
    std::cout << "set(" << variable << " \"";
    const char* between = "";
    for (const auto& variant : variants)
        if (belongs(variant)) {
            std::cout << between << quote << variant.name << quote;
            between = ", ";
        }
    // A tuple of one element needs the comma.
    std::cout << (quote.empty() ? "" : ",") << "\")\n";
}

template <class VARIANTS>
void print_names(const char* variable, const VARIANTS& variants)
{
    print(variable, variants, "", [](const auto&) { return true; });
}

} // namespace

int main()
{
    using namespace cldsp;
    const auto& filters = freq_xlating_fir_variants();
    print_names("filter_variants", filters);
    print("filter_variants_of_all_types", filters, "", [](auto& v) {
        return v.production;
    });

    const auto& products = gemm_variants();
    print_names("product_variants", products);

    const auto& products_1bit = gemm_1bit_variants();
    print_names("product_1bit_variants", products_1bit);
    print("products_1bit_on_host", products_1bit, "'", [](auto& v) {
        return v.ladder == "host";
    });
    return std::cout.flush() ? 0 : 1;
}
