// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is wisdom.json, as a text to import and as another process's file.

// The fuzzed input is wisdom.json, both as a text that is imported and as the file of
// another process.

#include "fuzz_support.h"

#include "base/hash.h"

#include <cldsp/locked_file.h>
#include <cldsp/wisdom.h>

#include <stdlib.h>
#include <system_error>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace {

//! A folder of this process, which is deleted with this object.
class own_folder
{
public:
    own_folder() { fuzz::require(::mkdtemp(d_path) != nullptr, "a folder can be made"); }
    ~own_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(d_path, ignored);
    }
    std::string path() const { return d_path; }

private:
    char d_path[32] = "/tmp/cldsp-fuzz-XXXXXX";
};

void import_and_use(const std::string& text)
{
    cldsp::wisdom all("", {});
    fuzz::taken([&] { all.import_text(text); });
    const auto entries = all.entries();
    const std::string exported = all.export_text();

    cldsp::wisdom again("", {});
    const bool imported = fuzz::taken([&] { again.import_text(exported); });
    fuzz::require(imported, "what was exported can be imported");
    fuzz::require(again.entries().size() == entries.size(), "no answer is lost");
    fuzz::require(again.export_text() == exported, "an export is the same again");

    for (const auto& entry : entries)
        all.forget(entry.kind, entry.key);
    fuzz::require(all.clear() == 0, "every answer can be forgotten");
    fuzz::require(again.clear() == entries.size(), "clearing counts the answers");
}

void use_as_file(const std::string& text)
{
    static const own_folder folder;
    std::ofstream(folder.path() + "/wisdom.json", std::ios::binary) << text;
    cldsp::wisdom all(folder.path(), {});
    const auto entries = all.entries();
    all.find("plans", "a problem");
    all.store("plans", "a problem", "an answer");
    fuzz::require(all.find("plans", "a problem") == "an answer", "an answer is kept");
    try {
        all.clear("plans");
    } catch (const std::runtime_error&) {
        // The only documented reason here: a newer version wrote the file.
        fuzz::require(cldsp::read_file(folder.path() + "/wisdom.json", text.size()) ==
                          text,
                      "a file that a newer version wrote is left alone");
    }
    all.clear();
    fuzz::require(all.entries().empty(), "a cleared file is empty");
}

} // namespace

// libFuzzer's inputs are short, so long inputs are tried here once.
extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    constexpr std::size_t depth = 100000;
    std::string deep;
    for (std::size_t i = 0; i < depth; i++)
        deep += "{\"a\":";
    deep += "1" + std::string(depth, '}');
    for (const std::string& value :
         { deep,
           std::string(depth, '['),
           std::string(depth, '[') + std::string(depth, ']') }) {
        const std::string text =
            "{\"format\":1,\"plans\":{\"p\":{\"answer\":" + value + ",\"time\":1}}}";
        import_and_use(text);
        use_as_file(text);
        cldsp::wisdom all("", {});
        all.store_in_memory("plans", "p", value);
        all.export_text();
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text = fuzz::text_of(data, size);
    import_and_use(text);
    // Files are slow and hold the same text, so only few of the texts are also tried as
    // files.
    if (cldsp::fnv1a(text) % 64 == 0)
        use_as_file(text);
    return 0;
}
