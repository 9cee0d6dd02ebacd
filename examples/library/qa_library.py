#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""Installs libcldsp below a new prefix, and builds and runs programs against it.

The example programs are built by find_package() and by pkg-config, and their channels are
compared with the textbook's sum. Other programs check the rules of the library: end with open
handles, fork, and hold it beside GNU Radio's blocks. With a prefix as --prefix, nothing is
installed, and the programs are built against the library there.
"""

import argparse
import ctypes
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHANNELS, DECIMATION, ITEMS, SAMPLE_RATE = 8, 50, 150001, 1e6
PASSBAND, STOPBAND, ATTENUATION = 6e3, 10e3, 60
LARGEST_DIFFERENCE = 1e-4  # -80 dB: the default accuracy leaves out bins of the stopband
options = None


def run(command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                             f"{done.stdout.decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


class Taps(ctypes.Structure):
    """The structure cldsp_taps."""

    _fields_ = [("real_taps", ctypes.POINTER(ctypes.c_float)),
                ("complex_taps", ctypes.c_void_p), ("count", ctypes.c_size_t)]


def low_pass(library):
    """The taps of the examples' filter, from the installed library."""
    functions = ctypes.CDLL(str(library))
    functions.cldsp_low_pass_taps.restype = ctypes.POINTER(Taps)
    functions.cldsp_low_pass_taps.argtypes = [ctypes.c_void_p]
    functions.cldsp_low_pass_free.argtypes = [ctypes.c_void_p]
    numbers = [ctypes.c_double(x) for x in (SAMPLE_RATE, PASSBAND, STOPBAND, ATTENUATION)]
    handle = ctypes.c_void_p()
    if functions.cldsp_low_pass_new(*numbers, ctypes.byref(handle)) != 0:
        raise AssertionError("the filter cannot be designed")
    taps = functions.cldsp_low_pass_taps(handle).contents
    values = np.ctypeslib.as_array(taps.real_taps, (taps.count,)).astype(np.float64)
    functions.cldsp_low_pass_free(handle)
    return values


def textbook(samples, taps, frequency):
    """Mixes, filters and decimates in double precision."""
    mixed = samples * np.exp(-2j * np.pi * frequency / SAMPLE_RATE * np.arange(len(samples)))
    filtered = np.convolve(mixed, taps)[:len(samples)]
    return filtered[::DECIMATION][:len(samples) // DECIMATION]


class Library(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="cldsp-library-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.prefix = options.prefix
        if cls.prefix is None:
            cls.prefix = cls.scratch / "a prefix"
            run([options.cmake, "--install", options.build, "--prefix", cls.prefix],
                env={k: v for k, v in os.environ.items() if k != "DESTDIR"})
        cls.config = next(found for pattern in ("lib*", "lib/*")
                          for found in cls.prefix.glob(f"{pattern}/pkgconfig/cldsp.pc"))
        cls.library = next(cls.config.parent.parent.glob("libcldsp.so.0"))
        cls.environment = dict(
            os.environ, XDG_CACHE_HOME=str(cls.scratch / "cache"),
            PKG_CONFIG_PATH=str(cls.config.parent),
            LD_LIBRARY_PATH=os.pathsep.join(
                [str(cls.library.parent), os.environ.get("LD_LIBRARY_PATH", "")]))

    def compile(self, compiler, flags, source, *libraries):
        program = self.scratch / ("program" + re.sub(r"\W", "_", source.name + compiler))
        found = shlex.split(
            run(["pkg-config", "--cflags", "--libs", "cldsp"], env=self.environment))
        run([compiler, *flags, "-Wall", "-Wextra", "-pedantic", "-Werror", source, "-o", program,
             *found, *libraries], env=self.environment)
        return program

    def compile_text(self, name, text):
        source = self.scratch / name
        source.write_text(text, encoding="utf-8")
        return self.compile("cc", ["-std=c99", "-D_POSIX_C_SOURCE=200809L"], source, "-lpthread")

    def check_example(self, program):
        random = np.random.default_rng(1)
        samples = random.standard_normal((ITEMS, 2)).astype(np.float32).view(np.complex64)[:, 0]
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        run([program], input=samples.tobytes(), cwd=folder, env=self.environment)
        taps = low_pass(self.library)
        for channel in range(CHANNELS):
            found = np.fromfile(folder / f"channel{channel}.cf32", np.complex64)
            expected = textbook(samples, taps, -420e3 + 120e3 * channel)
            self.assertEqual(len(expected), len(found))
            difference = np.max(np.abs(found - expected)) / np.max(np.abs(expected))
            self.assertLess(difference, LARGEST_DIFFERENCE)

    def test_examples_by_pkg_config(self):
        self.check_example(self.compile("cc", ["-std=c99"], HERE / "channelizer.c"))
        self.check_example(self.compile("c++", ["-std=c++17"], HERE / "channelizer.cc"))

    def test_examples_by_find_package(self):
        build = self.scratch / "build"
        run([options.cmake, "-S", HERE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}"],
            env=self.environment)
        run([options.cmake, "--build", build], env=self.environment)
        self.check_example(build / "channelizer_c")
        self.check_example(build / "channelizer_cc")

    def test_examples_report_errors(self):
        for program in (self.compile("cc", ["-std=c99"], HERE / "channelizer.c"),
                        self.compile("c++", ["-std=c++17"], HERE / "channelizer.cc")):
            done = subprocess.run([program], input=b"12345678", cwd="/proc", check=False,
                                  env=self.environment, stderr=subprocess.PIPE)
            self.assertEqual(1, done.returncode)
            self.assertIn(b"channel0", done.stderr)
            folder = os.open(self.scratch, os.O_RDONLY)  # reading a folder fails
            done = subprocess.run([program], stdin=folder, cwd=self.scratch, check=False,
                                  env=self.environment, stderr=subprocess.PIPE)
            os.close(folder)
            self.assertEqual(1, done.returncode)
            self.assertIn(b"input", done.stderr)

    def test_low_pass_of_the_examples(self):
        taps = low_pass(self.library)
        size = 1 << 18
        gains = np.abs(np.fft.rfft(taps, size))
        hertz = np.arange(len(gains)) * SAMPLE_RATE / size
        error = 10 ** (-ATTENUATION / 20)
        self.assertLessEqual(gains[hertz >= STOPBAND].max(), error)
        self.assertLessEqual(np.abs(gains[hertz <= PASSBAND] - 1).max(), 2 * error)

    def test_symbols_are_the_intended_ones(self):
        header = (self.prefix / "include/cldsp/cldsp.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"^CLDSP_EXPORT [^;(]*?(cldsp_\w+)\(", header, re.MULTILINE))
        self.assertGreater(len(declared), 20)
        listed = run(["nm", "--dynamic", "--defined-only", "--demangle", self.library])
        versions = {}
        for line in listed.splitlines():
            kind, symbol = line.split(" ", 2)[1:]
            name, _, version = symbol.rpartition("@@")
            if kind == "A":  # the name of a version
                continue
            versions.setdefault(version, set()).add(name)
        version = run(["pkg-config", "--modversion", "cldsp"], env=self.environment).strip()
        private = f"CLDSP_PRIVATE_{version}"
        self.assertEqual({"CLDSP_0", private}, set(versions))
        self.assertEqual(declared, versions["CLDSP_0"])
        strangers = {name for name in versions[private]
                     if not re.sub(r"^(typeinfo|typeinfo name|vtable) for ", "",
                                   name).startswith("cldsp::")}
        self.assertEqual(set(), strangers)
        self.assertIn("SONAME", run(["readelf", "-d", self.library]))
        self.assertIn("[libcldsp.so.0]", run(["readelf", "-d", self.library]))

    def test_headers_stand_alone(self):
        self.assertEqual({"cldsp.h", "cldsp.hpp"},
                         {path.name for path in (self.prefix / "include/cldsp").iterdir()})
        # <complex.h> has a macro I, and programs have members of that name.
        program = self.scratch / "iq.c"
        program.write_text("#include <cldsp/cldsp.h>\nstruct iq { short I, Q; };\n")
        for standard in ("c99", "c11"):
            run(["cc", f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror",
                 "-fsyntax-only", f"-I{self.prefix}/include", program])
        run(["c++", "-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
             f"-I{self.prefix}/include", "-x", "c++", self.prefix / "include/cldsp/cldsp.hpp"])

    SETUP = """
        #include <cldsp/cldsp.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <time.h>
        #include <unistd.h>
        static const float one = 1;
        static const double frequency = 1000;
        static cldsp_filter_bank *make(const char *device)
        {
            const cldsp_taps taps = { &one, NULL, 1 };
            cldsp_filter_bank_config config = cldsp_filter_bank_defaults();
            cldsp_filter_bank *bank;
            config.sampling_freq = 48000;
            config.decimation = 4;
            config.center_freqs = &frequency;
            config.channels = 1;
            config.taps = &taps;
            config.tap_lists = 1;
            config.device = device;
            if (cldsp_filter_bank_new(NULL, &config, &bank) != CLDSP_OK) {
                fprintf(stderr, "%s\\n", cldsp_last_error());
                exit(3);
            }
            return bank;
        }
        static cldsp_status process(cldsp_filter_bank *bank)
        {
            static const cldsp_complex in[4000];
            cldsp_complex out[1001], *const place = out;
            size_t outputs;
            return cldsp_filter_bank_process(bank, in, 4000, &place, 1001, &outputs);
        }
        """

    def test_two_threads_with_one_bank(self):
        """One of two threads is refused, and nothing breaks."""
        source = self.scratch / "threads.cc"
        source.write_text("""
            #include <cldsp/cldsp.hpp>
            #include <atomic>
            #include <thread>
            int main()
            {
                cldsp::filter_bank_config config;
                config.center_freqs = { 0, 0.1 };
                config.taps = { std::vector<float>(8, 0.1f) };
                config.device = "host";
                config.algorithm = "direct";
                cldsp::filter_bank bank(config);
                std::atomic<bool> refused{ false };
                std::atomic<int> wrong{ 0 };
                const auto work = [&](std::size_t items) {
                    const std::vector<std::complex<float>> in(items);
                    std::vector<std::vector<std::complex<float>>> out;
                    for (int i = 0; i < 2000 || (!refused && i < 1000000); i++)
                        try {
                            bank.process(in.data(), items, out);
                            wrong += out[0].size() != items || out[1].size() != items;
                            wrong += bank.plan().device != "host";
                        } catch (const std::logic_error&) {
                            refused = true;
                        }
                };
                std::thread other(work, 10);
                work(5000);
                other.join();
                return wrong ? 1 : refused ? 0 : 2;
            }
            """, encoding="utf-8")
        program = self.compile("c++", ["-std=c++17", "-O1", "-pthread"], source)
        run([program], env=self.environment)

    def test_cpp_interface(self):
        source = self.scratch / "interface.cc"
        source.write_text("""
            #include <cldsp/cldsp.hpp>
            #include <cstdint>
            #include <cstdlib>
            #include <iostream>
            #define REQUIRE(what) \\
                if (!(what)) { \\
                    std::cerr << __LINE__ << ": " #what << std::endl; \\
                    std::exit(1); \\
                }
            template <class E, class F>
            void require_error(const std::string& word, F&& function)
            {
                try {
                    function();
                } catch (const E& e) {
                    std::cout << e.what() << std::endl;
                    REQUIRE(std::string(e.what()).find(word) != std::string::npos);
                    return;
                }
                REQUIRE(!"an exception");
            }
            struct iq {
                std::int16_t i, q;
            };
            int main()
            {
                REQUIRE(!cldsp::version().empty());
                REQUIRE(cldsp::devices().back().id == "host");
                int messages = 0;
                cldsp::context_config settings;
                settings.no_files = true;
                settings.log = [&](cldsp_log_level, const std::string&) { messages++; };
                cldsp::filter_bank_config config;
                config.input = CLDSP_CS16;
                config.sampling_freq = 48000;
                config.decimation = 4;
                config.device = "host";
                config.algorithm = "direct"; // exact for these taps
                config.max_channels = 3;
                require_error<std::invalid_argument>(
                    "channels", [&] { cldsp::filter_bank bank(config); });
                const std::vector<float> designed = cldsp::low_pass(48000, 3000, 6000, 40);
                REQUIRE(designed.size() % 2 == 1 && designed.front() == designed.back());
                REQUIRE(cldsp::low_pass(48000, 3000, 6000) ==
                        cldsp::low_pass(48000, 3000, 6000, 60));
                require_error<std::invalid_argument>(
                    "'sampling_freq' is 0 Hz", [] { cldsp::low_pass(0, 3000, 6000); });
                require_error<std::invalid_argument>(
                    "'pass_freq' is -1 Hz", [] { cldsp::low_pass(48000, -1, 6000); });
                require_error<std::invalid_argument>(
                    "'stop_freq' is 3000 Hz", [] { cldsp::low_pass(48000, 3000, 3000); });
                require_error<std::invalid_argument>(
                    "4194304 taps", [] { cldsp::low_pass(48000, 3000, 3000.001); });
                require_error<std::invalid_argument>(
                    "20 to 120 dB", [] { cldsp::low_pass(48000, 3000, 6000, 10); });
                config.center_freqs = { 0, 12000 };
                require_error<std::invalid_argument>(
                    "tap_lists", [&] { cldsp::filter_bank bank(config); });
                config.taps = { std::vector<float>() };
                require_error<std::invalid_argument>(
                    "taps[0].count", [&] { cldsp::filter_bank bank(config); });
                config.taps = { std::vector<float>{ 1 } };
                cldsp::filter_bank bank(config);
                {
                    const cldsp::context own(settings);
                    cldsp::filter_bank other(config, own);
                    bank = std::move(other);
                }
                {
                    cldsp::context own(settings);
                    const cldsp::context moved = std::move(own);
                    REQUIRE(own.get() && own.get() == moved.get());
                }
                std::vector<std::vector<std::complex<float>>> out;
                const std::vector<iq> in(400, { 16384, 0 });
                bank.process(in.data(), in.size(), out);
                REQUIRE(out.size() == 3 && out[0].size() == 100);
                REQUIRE(out[0][99] == std::complex<float>(0.5f));
                bank.set_active(0, false);
                REQUIRE(bank.add_channel(std::vector<std::complex<float>>{ { 0, 1 } }, 0) == 2);
                bank.process(in.data(), in.size(), out);
                REQUIRE(out[0][99] == std::complex<float>(0));
                REQUIRE(out[2][99] == std::complex<float>(0, 0.5f));
                bank.set_center_freq(1, 0);
                bank.set_taps({ std::vector<float>{ 2 } });
                bank.reset();
                bank.process(in.data(), in.size(), out);
                REQUIRE(out[1][0] == std::complex<float>(1));
                bank.remove_channel(2);
                REQUIRE(bank.plan().device == "host" && !bank.plan().fell_back);
                const std::vector<float> floats(8);
                const std::vector<double> doubles(8);
                bank.process(floats.data(), floats.size(), out); // of the same size
                require_error<std::invalid_argument>(
                    "bytes", [&] { bank.process(doubles.data(), 8, out); });
                require_error<std::invalid_argument>(
                    "0 to 2", [&] { bank.set_center_freq(3, 0); });
                bank.process(in.data(), in.size(), out);
                require_error<std::invalid_argument>(
                    "'in'", [&] { bank.process((const iq*)nullptr, 400, out); });
                REQUIRE(out[0].empty() && out[2].empty());
                bank.process(in.data(), in.size(), out);
                require_error<std::invalid_argument>(
                    "bytes", [&] { bank.process(doubles.data(), 8, out); });
                REQUIRE(out[0].empty());

                cldsp::matrix_product_config sizes;
                sizes.m = sizes.n = sizes.k = 1;
                sizes.device = "host";
                sizes.precision = "bf16";
                require_error<std::invalid_argument>(
                    "precision", [&] { cldsp::matrix_product product(sizes); });
                sizes.precision = "half";
                cldsp::matrix_product product(sizes);
                const float a = 3, b = 4;
                float c = 1;
                require_error<std::logic_error>(
                    "hold_b", [&] { product.multiply_held(1, 1, &a, 1, 0, &c, 1); });
                product.multiply(1, 1, 1, 2, &a, 1, &b, 1, 1, &c, 1);
                REQUIRE(c == 25);
                product.hold_b(1, 1, &b, 1);
                product.multiply_held(1, 1, &a, 1, 0, &c, 1);
                REQUIRE(c == 12 && product.plan().device == "host");
                REQUIRE(product.plan().text.find("exact") != std::string::npos);
                cldsp::filter_bank_config one;
                one.center_freqs = { 0 };
                one.taps = { std::vector<float>{ 1 } };
                one.device = "host";
                cldsp::filter_bank turning(one);
                turning.schedule(0, { { 0, 0.25, 0 } });
                const std::complex<float> i(0, 1), ones[] = { 1, 1 };
                turning.process(ones, 2, out);
                REQUIRE(std::abs(out[0][1] - -i * out[0][0]) < 1e-6f);
                cldsp::correlator_config antennas;
                antennas.device = "host";
                require_error<std::invalid_argument>("antennas", [&] {
                    auto none = antennas;
                    none.antennas = 0;
                    cldsp::correlator correlator(none);
                });
                antennas.antennas = antennas.integration = 2;
                cldsp::correlator correlator(antennas);
                const std::complex<float> signals[] = { 1, 1, i, 1 };
                const void* const first[] = { signals, signals + 2 };
                REQUIRE(correlator.process(first, 1, 1).empty());
                correlator.reset();
                REQUIRE((correlator.process(first, 1, 2) ==
                         std::vector<std::complex<float>>{ 2, 1.0f + i, 2 }));
                correlator = cldsp::correlator(antennas);
                REQUIRE(correlator.plan().device == "host");
            }
            """, encoding="utf-8")
        program = self.compile("c++", ["-std=c++17", "-O1"], source)
        run([program], env=self.environment)

    def test_exit_with_open_handles(self):
        program = self.compile_text("exit.c", self.SETUP + """
            static void *work(void *bank)
            {
                while (process(bank) == CLDSP_OK)
                    ;
                return NULL;
            }
            int main(void)
            {
                const struct timespec short_time = { 0, 20000000 };
                pthread_t thread;
                cldsp_filter_bank *busy = make("auto"), *open = make("host");
                if (process(open) != CLDSP_OK || pthread_create(&thread, NULL, work, busy))
                    return 4;
                nanosleep(&short_time, NULL);
                exit(0);
            }
            """)
        for _ in range(5):
            run([program], env=self.environment, timeout=300)

    def test_functions_that_run_at_exit(self):
        # Messages are longer than what a string holds without memory of its own.
        program = self.compile_text("atexit.c", self.SETUP + """
            static cldsp_filter_bank *bank;
            static void at_exit(void)
            {
                cldsp_filter_bank_config config = cldsp_filter_bank_defaults();
                puts(cldsp_last_error());
                config.channels = 234567;
                if (process(bank) != CLDSP_OK ||
                    cldsp_filter_bank_new(NULL, &config, &bank) != CLDSP_INVALID_ARGUMENT)
                    _exit(4);
                puts(cldsp_last_error());
            }
            int main(void)
            {
                bank = make("host");
                atexit(at_exit);
                cldsp_filter_bank_set_center_freq(bank, 123456, 0);
                exit(0);
            }
            """)
        first, second = run([program], env=self.environment, timeout=300).splitlines()
        self.assertRegex(first, "'channel' is 123456, but must be 0 to 0")
        self.assertRegex(second, "'channels' is 234567, but must be 1 to 65536")

    def test_calls_without_memory_change_nothing(self):
        # Every allocation of a call fails in turn; the call is then repeated. After the third
        # call of a stream its taps become longer; this is call number CALLS.
        program = self.compile_text("memory.c", """
            #include <cldsp/cldsp.h>
            #include <stdio.h>
            #include <stdlib.h>
            #define SLOTS 2
            #define MOST 6000
            static int counts, has_failed; /* an allocation of the call that counts */
            static long allocations, failing;
            extern void *__libc_malloc(size_t size);
            extern void *__libc_memalign(size_t alignment, size_t size);
            static int fails(void)
            {
                const int now = counts && allocations++ == failing;
                has_failed = has_failed || now;
                return now;
            }
            void *malloc(size_t size)
            {
                return fails() ? NULL : __libc_malloc(size);
            }
            void *aligned_alloc(size_t alignment, size_t size)
            {
                return fails() ? NULL : __libc_memalign(alignment, size);
            }
            int posix_memalign(void **memory, size_t alignment, size_t size)
            {
                *memory = fails() ? NULL : __libc_memalign(alignment, size);
                return *memory ? 0 : 12;
            }
            static const size_t lengths[] = { 100, 3, 5000, 5500, 7 };
            #define CALLS (sizeof lengths / sizeof *lengths)
            static unsigned char in[2 * 20000];
            static cldsp_complex expected[SLOTS][20000], out[SLOTS][MOST];
            /* Whether two outputs are not the same but for rounding. */
            static int differ(const cldsp_complex *one, const cldsp_complex *other)
            {
                const float *a = (const float *)one, *b = (const float *)other;
                const float re = a[0] - b[0], im = a[1] - b[1];
                return !(re * re + im * im < 1e-4f);
            }
            static float list[150];
            /* Returns whether an allocation has failed. The first stream is the expected one. */
            static int stream(const cldsp_filter_bank_config *config, size_t disturbed, long at)
            {
                const cldsp_taps longer = { list, NULL, 150 };
                static int is_known = 0;
                size_t begin = 0, done[SLOTS] = { 0, 0 };
                int failures = 0;
                cldsp_filter_bank *bank;
                has_failed = 0;
                if (cldsp_filter_bank_new(NULL, config, &bank) != CLDSP_OK)
                    exit(3);
                for (size_t call = 0; call < CALLS; begin += lengths[call++]) {
                    cldsp_complex *const places[] = { out[0], out[1] };
                    size_t outputs[SLOTS];
                    cldsp_status status;
                    do {
                        allocations = 0;
                        failing = at;
                        counts = call == disturbed && !failures;
                        status = cldsp_filter_bank_process(bank, in + 2 * begin, lengths[call],
                                                           places, MOST, outputs);
                        counts = 0;
                        if (status != CLDSP_OK && (status != CLDSP_OUT_OF_MEMORY || failures++))
                            exit(4);
                    } while (status != CLDSP_OK);
                    while (call == 2) {
                        allocations = 0;
                        failing = at;
                        counts = disturbed == CALLS && !failures;
                        status = cldsp_filter_bank_set_taps(bank, &longer, 1);
                        counts = 0;
                        if (status == CLDSP_OK)
                            break;
                        if (status != CLDSP_OUT_OF_MEMORY || failures++)
                            exit(7);
                    }
                    for (size_t c = 0; c < SLOTS; c++)
                        for (size_t m = 0; m < outputs[c]; m++) {
                            cldsp_complex *to = &expected[c][done[c]++];
                            if (!is_known)
                                *to = out[c][m];
                            else if (differ(to, &out[c][m]))
                                exit(5);
                        }
                }
                cldsp_filter_bank_free(bank);
                is_known = 1;
                return has_failed;
            }
            /* The number of allocations of the filter's design, each of which has failed. */
            static int design(void)
            {
                cldsp_low_pass *low_pass;
                cldsp_status status = CLDSP_OUT_OF_MEMORY;
                for (long at = 0; status != CLDSP_OK; at++) {
                    low_pass = (cldsp_low_pass *)list;
                    allocations = has_failed = 0;
                    failing = at;
                    counts = 1;
                    status = cldsp_low_pass_new(48000, 3000, 6000, 60, &low_pass);
                    counts = 0;
                    if ((status != CLDSP_OK) != has_failed || (low_pass == NULL) != has_failed ||
                        (has_failed && status != CLDSP_OUT_OF_MEMORY))
                        exit(8);
                }
                cldsp_low_pass_free(low_pass);
                return (int)failing;
            }
            int main(int argc, char **argv)
            {
                const cldsp_taps taps = { list, NULL, 100 };
                const double frequencies[] = { 1000, -2000 };
                const cldsp_rate rates[] = { { 1, 4 }, { 3, 16 } };
                cldsp_filter_bank_config config = cldsp_filter_bank_defaults();
                int failures = 0;
                if (argc != 3)
                    return 6;
                for (int k = 0; k < 150; k++)
                    list[k] = (float)(1 + k % 3);
                for (size_t i = 0; i < sizeof in; i++)
                    in[i] = (unsigned char)(i * 7919 >> 3);
                config.input = CLDSP_CU8;
                config.sampling_freq = 48000;
                config.decimation = 4;
                config.center_freqs = frequencies;
                config.channels = SLOTS;
                config.taps = &taps;
                config.tap_lists = 1;
                config.device = "host";
                config.algorithm = argv[1];
                config.accuracy = 0;
                config.threads = 1;
                config.max_taps = 150;
                if (argv[2][0] == '1') {
                    config.rates = rates;
                    config.rate_count = SLOTS;
                }
                if (design() < 2) /* the filter and its taps */
                    return 9;
                stream(&config, CALLS + 1, 0);
                for (size_t call = 0; call <= CALLS; call++)
                    for (long at = 0; stream(&config, call, at); at++)
                        failures++;
                printf("%d\\n", failures);
                return 0;
            }
            """)
        for algorithm, rates in itertools.product(("direct", "fast_convolution"), "01"):
            with self.subTest(algorithm=algorithm, rates=rates):
                failures = run([program, algorithm, rates], env=self.environment, timeout=300)
                self.assertGreater(int(failures.splitlines()[-1]), 5)  # below the log of VOLK

    def test_forked_process(self):
        program = self.compile_text("fork.c", self.SETUP + """
            int main(void)
            {
                int status;
                cldsp_context *context;
                cldsp_filter_bank *bank;
                if (fork() == 0) { /* before the first use everything is permitted */
                    bank = make("host");
                    _exit(process(bank) == CLDSP_OK ? 0 : 5);
                }
                if (wait(&status) < 0 || status != 0)
                    return 6;
                bank = make("auto");
                if (fork() == 0) {
                    cldsp_devices *devices;
                    if (process(bank) != CLDSP_WRONG_STATE ||
                        cldsp_devices_new(NULL, &devices) != CLDSP_WRONG_STATE)
                        _exit(7);
                    cldsp_filter_bank_free(bank);
                    puts(cldsp_last_error());
                    exit(0);
                }
                if (wait(&status) < 0 || status != 0)
                    return 8;
                if (cldsp_context_new(NULL, &context) != CLDSP_OK)
                    return 10;
                if (fork() == 0) { /* the driver may wait for threads of the parent */
                    cldsp_context_free(context);
                    _exit(strstr(cldsp_last_error(), "forked") ? 0 : 11);
                }
                if (wait(&status) < 0 || status != 0)
                    return 12;
                cldsp_context_free(context);
                return process(bank) == CLDSP_OK ? 0 : 9;
            }
            """)
        self.assertIn("forked", run([program], env=self.environment, timeout=300))

    def test_one_engine_in_a_process_with_blocks(self):
        if not options.blocks:
            self.skipTest("GNU Radio's blocks are not part of this test")
        script = """if True:
            import ctypes
            from gnuradio import blocks, cldsp, gr
            library = ctypes.CDLL("libcldsp.so.0")
            library.cldsp_version.restype = ctypes.c_char_p
            print(library.cldsp_version().decode())
            devices = ctypes.c_void_p()
            assert library.cldsp_devices_new(None, ctypes.byref(devices)) == 0
            assert library.cldsp_devices_count(devices) == len(cldsp.devices())
            top_block = gr.top_block()
            sink = blocks.vector_sink_c()
            filter = cldsp.freq_xlating_fir_filter_ccf(4, [1.0] * 20, 1000, 48000, device="host")
            top_block.connect(blocks.vector_source_c([1j] * 4000), filter, sink)
            top_block.run()
            assert len(sink.data()) == 1000
            with open("/proc/self/maps") as maps:
                files = {line.split()[-1] for line in maps if "libcldsp" in line}
            assert len(files) == 1, files
            """
        # The blocks of the build folder use the library there.
        environment = dict(self.environment, LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", ""))
        environment["LD_LIBRARY_PATH"] = f"{options.build}:{environment['LD_LIBRARY_PATH']}"
        run([sys.executable, "-B", "-c", script], env=environment, timeout=600)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cmake", default="cmake", help="the program CMake")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--build", type=pathlib.Path, help="the build folder of lib/engine")
    source.add_argument("--prefix", type=pathlib.Path, help="where the library is installed")
    parser.add_argument("--blocks", action="store_true", help="test beside GNU Radio's blocks")
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest],
                  testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=2))


if __name__ == "__main__":
    main()
