// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that lists, exports, imports and clears measurements.

#include "command.h"
#include "opencl/program_cache.h"
#include "output.h"

#include "common/text.h"

#include <cldsp/errors.h>
#include <cldsp/locked_file.h>
#include <cldsp/program_store.h>
#include <cldsp/wisdom.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <system_error>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
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

//! The bytes of a text for which a line of the table has room.
constexpr std::size_t most_of_text = 58;

//! The text, of which the end is left out if it is longer than \p most bytes.
std::string shortened(const std::string& text, std::size_t most = most_of_text)
{
    if (text.size() <= most)
        return text;
    std::size_t end = most - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        end--; // not within a character of UTF-8
    return text.substr(0, end) + "...";
}

//! The text, of which the middle is left out, up to the word before that at \p place.
std::string from_place(const std::string& text, std::size_t place)
{
    constexpr std::size_t head = 20;
    std::size_t begin = place + 1;
    for (int words = 0; words < 2; words++) // behind the blank before the word, if any
        begin = begin < 2 ? 0 : text.rfind(' ', begin - 2) + 1;
    if (begin <= head)
        return shortened(text);
    return shortened(text, head) + " " +
           shortened(text.substr(begin), most_of_text - head - 1);
}

//! The length of the beginning that two texts share.
std::size_t shared_length(const std::string& a, const std::string& b)
{
    const auto end = std::mismatch(
        a.begin(),
        a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())),
        b.begin());
    return static_cast<std::size_t>(end.first - a.begin());
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
    return text;
}

//! What each question is about, as short as the table wants it, but with as much as tells
//! it from the others of its kind.
std::vector<std::string> questions_of(const std::vector<wisdom::entry>& entries)
{
    std::vector<std::string> shown;
    std::transform(entries.begin(),
                   entries.end(),
                   std::back_inserter(shown),
                   [](const auto& e) { return shortened(question_of(e)); });
    // First by what the questions are about, then by everything that they say.
    for (const auto& whole :
         { std::function(question_of),
           std::function([](const wisdom::entry& e) { return e.key; }) }) {
        std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> alike;
        for (std::size_t i = 0; i < entries.size(); i++)
            alike[{ entries[i].kind, shown[i] }].push_back(i);
        for (const auto& [what, group] : alike)
            for (const auto i : group) {
                const auto text = whole(entries[i]);
                std::size_t shared = 0;
                for (const auto j : group)
                    if (j != i)
                        shared = std::max(shared, shared_length(text, whole(entries[j])));
                if (group.size() > 1)
                    shown[i] = from_place(text, std::min(shared, text.size()));
            }
    }
    return shown;
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
        text += (shown++ ? ", " : "") + name + " " + number_text(value.get<double>(), 3);
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
    const auto questions = questions_of(entries);
    for (std::size_t i = 0; i < entries.size(); i++)
        rows.add({ entries[i].kind,
                   questions[i],
                   answer_of(entries[i]),
                   date_text(entries[i].time).substr(0, 10) });
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

std::string answers_text(std::size_t count)
{
    return std::to_string(count) + (count == 1 ? " answer" : " answers");
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
    std::cout << kept.path() << ": " << answers_text(entries.size())
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
    std::cout << answers_text(kept.entries(kind).size()) << " written to " << file
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

//! Asks at a terminal whether all answers may go.
bool may_clear(wisdom& kept)
{
    const std::size_t count = kept.entries("").size();
    if (count == 0 || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return true;
    std::cerr << "Drop " << answers_text(count) << " from " << kept.path()
              << "? 'cldsp wisdom export FILE' keeps a copy. [y/N] " << std::flush;
    std::string reply;
    std::getline(std::cin, reply);
    return reply == "y" || reply == "Y" || reply == "yes";
}

int clear(const std::string& kind, bool programs, bool unasked)
{
    wisdom kept(cache_folder(), stderr_logger());
    tell_kinds(kept, kind);
    if (kind.empty() && !unasked && !may_clear(kept)) {
        std::cout << "nothing was dropped\n";
        return success;
    }
    std::cout << answers_text(kept.clear(kind)) << " dropped from " << kept.path()
              << "\n";
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
        bool json = false, programs = false, yes = false;
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

    clears->add_flag("-y,--yes", asked->yes, "Do not ask at a terminal");

    return { parser, [=] {
                if (lists->parsed())
                    return list(asked->kind, asked->json);
                if (exports->parsed())
                    return export_to(asked->file, asked->kind);
                if (imports->parsed())
                    return import_from(asked->file);
                return clear(asked->kind, asked->programs, asked->yes);
            } };
}

} // namespace cldsp::app
