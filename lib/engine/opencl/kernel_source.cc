// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Puts a kernel together from its file and the shared texts that it includes.

#include "opencl/kernel_source.h"

#include "base/hash.h"

#include <cldsp/errors.h>

#include <string_view>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace cldsp {

namespace {

bool is_shared_text(std::string_view file)
{
    return file.size() > 4 && file.substr(file.size() - 4) == ".clh";
}

//! The names of all kernel files or of all shared texts, in alphabetical order.
std::vector<std::string> embedded_files(bool shared)
{
    std::vector<std::string> files;
    for (auto text = embedded_texts; !text->file.empty(); text++)
        if (is_shared_text(text->file) == shared)
            files.emplace_back(text->file);
    std::sort(files.begin(), files.end());
    return files;
}

[[noreturn]] void throw_unknown(const std::string& what,
                                const std::string& name,
                                const std::vector<std::string>& known,
                                const std::string& path)
{
    std::string names;
    for (const auto& n : known)
        names += (names.empty() ? "" : ", ") + n;
    throw_invalid(what,
                  "'" + name + "'",
                  "one of " + (names.empty() ? "none" : names) +
                      (path.empty() ? "" : ", or a file in " + path));
}

//! Puts one kernel together from its file and the shared texts that it includes.
class pasted_text
{
public:
    //! \param path the folder of files that replace embedded ones; may be empty
    explicit pasted_text(const std::string& path) : d_path(path) {}

    //! Adds a file. \returns whether there is one
    bool add(const std::string& file);
    std::string result() { return std::move(d_result); }

private:
    //! The text of a file as it was written; without data if there is none.
    std::string_view read(const std::string& file);
    void include(const std::string& included, const std::string& file, std::size_t line);
    //! So the messages of compilers name the lines of the files.
    void mark_line(std::size_t line, const std::string& file)
    {
        d_result += "#line " + std::to_string(line) + " \"" + file + "\"\n";
    }

    const std::string& d_path;
    std::string d_result;
    std::set<std::string> d_pasted;
    std::deque<std::string> d_read; // files of the folder
};

std::string_view pasted_text::read(const std::string& file)
{
    if (!d_path.empty()) {
        // As in the source tree, files of the ladders may lie in a folder `ladder`.
        for (const char* subfolder : { "/", "/ladder/" }) {
            std::ifstream stream(d_path + subfolder + file, std::ios::binary);
            if (stream)
                return d_read.emplace_back(std::istreambuf_iterator<char>(stream),
                                           std::istreambuf_iterator<char>());
        }
    }
    for (auto embedded = embedded_texts; !embedded->file.empty(); embedded++)
        if (file == embedded->file)
            return embedded->text;
    return {};
}

bool pasted_text::add(const std::string& file)
{
    constexpr std::string_view directive = "#include \"";
    const auto text = read(file);
    if (!text.data())
        return false;
    d_result.reserve(d_result.size() + text.size());
    std::size_t done = 0;
    for (auto at = text.find(directive); at != text.npos;
         at = text.find(directive, at + 1)) {
        const auto name = at + directive.size();
        const auto included = text.substr(name, text.find('"', name) - name);
        if (!is_shared_text(included) || (at > 0 && text[at - 1] != '\n'))
            continue;
        d_result.append(text.substr(done, at - done));
        done = std::min(text.find('\n', at), text.size() - 1) + 1;
        const auto before = text.substr(0, at);
        include(std::string(included),
                file,
                std::count(before.begin(), before.end(), '\n') + 1);
    }
    d_result.append(text.substr(done));
    return true;
}

void pasted_text::include(const std::string& included,
                          const std::string& file,
                          std::size_t line)
{
    if (d_pasted.insert(included).second) {
        mark_line(1, included);
        if (!add(included))
            throw_unknown("file included by line " + std::to_string(line) + " of " + file,
                          included,
                          embedded_files(true),
                          d_path);
        if (d_result.back() != '\n')
            d_result += '\n';
    }
    mark_line(line + 1, file);
}

std::string path_of(const std::string& folder)
{
    const char* variable = std::getenv("CLDSP_KERNEL_PATH");
    return folder.empty() && variable ? variable : folder;
}

// What is included stands there once, which is shorter than all that is pasted.
std::string all_embedded_texts()
{
    std::string all;
    for (auto embedded = embedded_texts; !embedded->file.empty(); embedded++)
        all += embedded->text;
    return all;
}

} // namespace

std::vector<std::string> kernel_names()
{
    auto names = embedded_files(false);
    for (auto& name : names)
        name.resize(name.size() - std::string_view(".cl").size());
    return names;
}

std::string kernel_source(const std::string& name, const std::string& folder)
{
    const auto path = path_of(folder);
    pasted_text pasted(path);
    if (!pasted.add(name + ".cl"))
        throw_unknown("kernel file", name, kernel_names(), path);
    return pasted.result();
}

std::string kernels_hash(const std::string& folder)
{
    const auto path = path_of(folder);
    if (path.empty()) {
        static const std::string embedded = hash_text(all_embedded_texts());
        return embedded;
    }
    std::string all;
    for (const auto& name : kernel_names())
        all += kernel_source(name, path);
    return hash_text(all);
}

} // namespace cldsp
