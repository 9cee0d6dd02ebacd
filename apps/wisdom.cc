// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that lists, exports, imports and clears measurements.

#include "command.h"
#include "opencl/program_cache.h"
#include "output.h"

#include "common/text.h"

#include <cldsp/locked_file.h>
#include <cldsp/program_store.h>
#include <cldsp/wisdom.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <system_error>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

//! The folder with the user's wisdom and programs.
std::string cache_folder()
{
    const std::string folder = program_cache::default_folder();
    if (folder.empty())
        throw std::runtime_error(
            "there is no cache folder: neither XDG_CACHE_HOME nor HOME names one");
    return folder;
}

std::string date_text(std::int64_t seconds)
{
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    std::array<char, 32> text{};
    if (!gmtime_r(&time, &parts))
        return std::to_string(seconds);
    const auto size =
        std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return size > 0 ? std::string(text.data(), size) : std::to_string(seconds);
}

//! The contents of the standard input or of a regular file, up to the size limit.
std::string read_bounded(const std::string& file)
{
    if (file != "-") {
        const auto text = read_file(file, wisdom::max_file_bytes);
        if (!text)
            throw std::runtime_error("cannot read " + file + ": there is no such file");
        return *text;
    }
    std::string text(wisdom::max_file_bytes + 1, '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (std::cin.bad())
        throw std::runtime_error("cannot read the standard input");
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > wisdom::max_file_bytes)
        throw std::runtime_error("the standard input has more than " +
                                 std::to_string(wisdom::max_file_bytes) + " bytes");
    return text;
}

//! The words of a text, which one character or more of \p between separate.
std::vector<std::string> words_of(const std::string& text, char between)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, between);)
        if (!word.empty())
            words.push_back(word);
    return words;
}

//! The text, of which a line of the table has room for the beginning.
std::string shortened(const std::string& text)
{
    constexpr std::size_t most = 58;
    if (text.size() <= most)
        return text;
    std::size_t end = most - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        end--; // not within a character of UTF-8
    return text.substr(0, end) + "...";
}

//! What a question is about: without what it says of everything else that an answer
//! depends on, such as the versions of kernels, and without options that are left open.
std::string question_of(const wisdom::entry& e)
{
    const auto parts = words_of(e.key, '|');
    std::string text;
    for (auto word : words_of(parts.empty() ? e.key : parts[0], ' ')) {
        const auto equals = word.find('=');
        const auto name = word.substr(0, equals);
        if (word == "freq_xlating_filter_bank")
            word = "bank";
        const auto value = equals == std::string::npos ? "" : word.substr(equals + 1);
        const bool is_left_out =
            equals != std::string::npos &&
            (value.empty() || value == "auto" || name == "kernels" || name == "vkfft" ||
             name == "accuracy" || name == "kept" || name == "threads");
        // Before an opening parenthesis stands the name of what FFTW has planned.
        if (word[0] == '(')
            break;
        if (!is_left_out)
            text += (text.empty() ? "" : " ") + word;
    }
    // Commas of a list of parts end with the last one.
    while (!text.empty() && (text.back() == ',' || text.back() == ' '))
        text.pop_back();
    return shortened(text);
}

double number_of(const ordered_json& answer, const char* name)
{
    const auto found = answer.find(name);
    return found != answer.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text_of(const ordered_json& answer, const char* name)
{
    const auto found = answer.find(name);
    return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
}

//! The first numbers of an answer that has no form of its own here.
std::string numbers_of(const ordered_json& answer)
{
    constexpr std::size_t most = 3;
    std::string text;
    std::size_t shown = 0;
    for (const auto& [name, value] : answer.items()) {
        if (!value.is_number() || shown == most)
            continue;
        text += (shown++ ? ", " : "") + name + " " + value.dump();
    }
    return text.empty() ? "-" : text;
}

//! What an answer says, in a few words.
std::string answer_of(const wisdom::entry& e)
{
    const auto answer = ordered_json::parse(e.text, nullptr, false);
    if (!answer.is_object())
        return e.kind == "fftw"
                   ? "plans of FFTW, " + std::to_string(e.text.size()) + " bytes"
                   : shortened(e.text);
    const double measured = number_of(answer, "measured");
    const auto algorithm = text_of(answer, "algorithm");
    if (e.kind == "plans" && !algorithm.empty()) {
        const bool is_bank = algorithm == "direct" || algorithm == "fast_convolution";
        return shortened(algorithm + "/" + text_of(answer, "variant") + " on " +
                         text_of(answer, "device") +
                         (measured > 0
                              ? ", " + quantity_text(measured, is_bank ? "S/s" : "op/s")
                              : ", not measured"));
    }
    if (e.kind == "roofline" && number_of(answer, "fp32") > 0)
        return quantity_text(number_of(answer, "fp32"), "FLOP/s") + ", " +
               quantity_text(number_of(answer, "global_read"), "B/s") + " read";
    if (e.kind == "tuning" && number_of(answer, "seconds") > 0)
        return bench::number(number_of(answer, "default_seconds") /
                             number_of(answer, "seconds")) +
               " times as fast as the usual values";
    if (e.kind == "calibration" && number_of(answer, "rate") > 0)
        return quantity_text(number_of(answer, "rate"), "op/s");
    return shortened(numbers_of(answer));
}

std::string table_of(const std::vector<wisdom::entry>& entries)
{
    if (entries.empty())
        return "";
    bench::table rows({ "kind", "question", "answer", "measured" });
    for (const auto& e : entries)
        rows.add(
            { e.kind, question_of(e), answer_of(e), date_text(e.time).substr(0, 10) });
    return rows.text();
}

//! Tells which kinds there are where the one that was asked for has no answer.
void tell_kinds(wisdom& kept, const std::string& kind)
{
    std::set<std::string> kinds;
    for (const auto& e : kept.entries(""))
        kinds.insert(e.kind);
    if (kind.empty() || kinds.empty() || kinds.count(kind))
        return;
    std::string text;
    for (const auto& each : kinds)
        text += (text.empty() ? "" : ", ") + each;
    std::cerr << "cldsp: there is no answer of the kind '" + kind + "', but of " + text +
                     "\n";
}

int list(const std::string& kind, bool json)
{
    wisdom kept(cache_folder(), stderr_logger());
    tell_kinds(kept, kind);
    const auto entries = kept.entries(kind);
    if (json) {
        ordered_json all = ordered_json::array();
        for (const auto& e : entries) {
            auto answer = ordered_json::parse(e.text, nullptr, false);
            if (!answer.is_object())
                answer = e.text;
            all.push_back({ { "kind", e.kind },
                            { "key", e.key },
                            { "time", date_text(e.time) },
                            { "answer", answer } });
        }
        print_json({ { "file", kept.path() }, { "entries", all } });
        return success;
    }
    std::cout << kept.path() << ": " << entries.size()
              << (entries.size() == 1 ? " answer" : " answers")
              << (entries.empty() ? "\n" : "; --json has them whole\n\n");
    std::cout << printable(table_of(entries));
    return success;
}

int export_to(const std::string& file, const std::string& kind)
{
    wisdom kept(cache_folder(), stderr_logger());
    tell_kinds(kept, kind);
    const std::string text = kept.export_text(kind);
    if (file == "-") {
        std::cout << text;
        return success;
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
    const std::size_t count = kept.entries(kind).size();
    std::cout << count << (count == 1 ? " answer" : " answers") << " written to " << file
              << "\n";
    return success;
}

int import_from(const std::string& file)
{
    const std::string text = read_bounded(file);
    wisdom kept(cache_folder(), stderr_logger());
    wisdom::import_result done;
    try {
        done = kept.import_text(text);
    } catch (const std::invalid_argument& e) { // the file is at fault, not the usage
        throw std::runtime_error(file + ": " + e.what());
    }
    std::cout << done.added << " added, " << done.replaced << " replaced, " << done.kept
              << " older than those in " << kept.path() << "\n";
    return success;
}

int clear(const std::string& kind, bool programs)
{
    wisdom kept(cache_folder(), stderr_logger());
    tell_kinds(kept, kind);
    const std::size_t dropped = kept.clear(kind);
    std::cout << dropped << (dropped == 1 ? " answer" : " answers") << " dropped from "
              << kept.path() << "\n";
    if (programs) {
        const std::size_t removed =
            remove_programs(cache_folder(), 0, lock_waiting(stderr_logger()));
        std::cout << removed
                  << (removed == 1 ? " compiled program" : " compiled programs")
                  << " removed\n";
    }
    return success;
}

} // namespace

command add_wisdom(CLI::App& app)
{
    struct options {
        std::string kind, file;
        bool json = false, programs = false;
    };
    const auto asked = std::make_shared<options>();
    auto* parser = app.add_subcommand(
        "wisdom", "Show or drop what measurements on this machine have shown");
    parser->require_subcommand(1);

    auto* lists = parser->add_subcommand("list", "Show every answer");
    lists->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");
    lists->add_flag("--json", asked->json, "Print JSON");

    const char* what = "The file; - stands for the standard output or input";
    auto* exports = parser->add_subcommand(
        "export", "Write the answers to a file, for another machine");
    exports->add_option("file", asked->file, what)->required();
    exports->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");

    auto* imports = parser->add_subcommand(
        "import",
        "Merge the answers of such a file; of two to one key the younger stays");
    imports->add_option("file", asked->file, what)->required();

    auto* clears = parser->add_subcommand("clear", "Drop the answers");
    clears->add_option("--kind", asked->kind, "Only those of this kind, e.g. plans");
    clears->add_flag("--programs", asked->programs, "Remove compiled programs as well");

    return { parser, [=] {
                if (lists->parsed())
                    return list(asked->kind, asked->json);
                if (exports->parsed())
                    return export_to(asked->file, asked->kind);
                if (imports->parsed())
                    return import_from(asked->file);
                return clear(asked->kind, asked->programs);
            } };
}

} // namespace cldsp::app
