/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/kernel_source.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

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
    for (auto text = embedded_texts; text->file; text++)
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

//! The text of a file as it was written; false if there is no such file.
bool read_text(const std::string& file, const std::string& path, std::string& text)
{
    if (!path.empty()) {
        // As in the source tree, files of the ladders may lie in a folder `ladder`.
        for (const char* subfolder : { "/", "/ladder/" }) {
            std::ifstream stream(path + subfolder + file, std::ios::binary);
            if (stream) {
                text.assign(std::istreambuf_iterator<char>(stream), {});
                return true;
            }
        }
    }
    for (auto embedded = embedded_texts; embedded->file; embedded++) {
        if (file == embedded->file) {
            text = embedded->text;
            return true;
        }
    }
    return false;
}

//! Puts one kernel together from its file and the shared texts that it includes.
class pasted_text
{
public:
    explicit pasted_text(const std::string& path) : d_path(path) {}

    void add(const std::string& file, const std::string& text)
    {
        constexpr std::string_view directive = "#include \"";
        std::size_t done = 0;
        for (auto at = text.find(directive); at != text.npos;
             at = text.find(directive, at + 1)) {
            const auto name = at + directive.size();
            const auto included = text.substr(name, text.find('"', name) - name);
            if (!is_shared_text(included) || (at > 0 && text[at - 1] != '\n'))
                continue;
            d_result.append(text, done, at - done);
            done = std::min(text.find('\n', at), text.size() - 1) + 1;
            include(
                included, file, std::count(text.begin(), text.begin() + at, '\n') + 1);
        }
        d_result.append(text, done);
    }

    std::string result() { return std::move(d_result); }

private:
    void include(const std::string& included, const std::string& file, std::size_t line)
    {
        if (d_pasted.insert(included).second) {
            std::string text;
            if (!read_text(included, d_path, text))
                throw_unknown("file included by line " + std::to_string(line) + " of " +
                                  file,
                              included,
                              embedded_files(true),
                              d_path);
            mark_line(1, included);
            add(included, text + "\n");
        }
        mark_line(line + 1, file);
    }

    //! So the messages of compilers name the lines of the files.
    void mark_line(std::size_t line, const std::string& file)
    {
        d_result += "#line " + std::to_string(line) + " \"" + file + "\"\n";
    }

    std::string d_path;
    std::string d_result;
    std::set<std::string> d_pasted;
};

} // namespace

std::vector<std::string> kernel_names()
{
    // The keys of stored plans hash the files in this order, which must therefore not
    // depend on the folders.
    auto names = embedded_files(false);
    for (auto& name : names)
        name.resize(name.size() - std::string_view(".cl").size());
    return names;
}

std::string kernel_source(const std::string& name, const std::string& folder)
{
    const char* variable = std::getenv("CLDSP_KERNEL_PATH");
    const std::string path = folder.empty() && variable ? variable : folder;
    const std::string file = name + ".cl";
    std::string text;
    if (!read_text(file, path, text))
        throw_unknown("kernel file", name, kernel_names(), path);
    pasted_text pasted(path);
    pasted.add(file, text);
    return pasted.result();
}

} // namespace cldsp
