// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of locks of files between processes and threads, and of the wait for them.

#include "storage/file_lock.h"
#include "tests/support/qa_process.h"

#include <cldsp/locked_file.h>
#include <cldsp/program_store.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <system_error>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace cldsp;

// Tests of locks of files, and of the wait for them.
class qa_file_lock : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_file_lock);
    CPPUNIT_TEST(descriptors_of_one_process_exclude_each_other);
    CPPUNIT_TEST(a_removed_file_is_made_again);
    CPPUNIT_TEST(links_are_not_followed);
    CPPUNIT_TEST(a_child_does_not_keep_the_lock);
    CPPUNIT_TEST(two_locks_in_opposite_orders);
    CPPUNIT_TEST(processes_and_threads_never_overlap);
    CPPUNIT_TEST(they_do_not_overlap_without_record_locks);
    CPPUNIT_TEST(a_stopped_holder_is_named_and_passed_by);
    CPPUNIT_TEST(who_has_the_lock_is_told_while_it_is_waited_for);
    CPPUNIT_TEST(a_killed_holder_frees_the_lock);
    CPPUNIT_TEST(work_without_a_lock_is_told);
    CPPUNIT_TEST_SUITE_END();

    std::vector<std::string> d_log;

    logger log()
    {
        return [this](log_level, const std::string& text) { d_log.push_back(text); };
    }

    bool is_told(std::size_t line, const std::string& text) const
    {
        return d_log.at(line).find(text) != std::string::npos;
    }

    void descriptors_of_one_process_exclude_each_other()
    {
        const temporary_folder folder;
        file_lock other(folder.path("lock"));
        {
            file_lock one(folder.path("lock"));
            CPPUNIT_ASSERT(one.try_lock());
            CPPUNIT_ASSERT(!other.try_lock());
            CPPUNIT_ASSERT_EQUAL(
                std::size_t(0),
                other.holder().find("process " + std::to_string(getpid()) + " ("));
            // Opening and closing the file elsewhere does not release the lock.
            file_lock third(folder.path("lock"));
            CPPUNIT_ASSERT(!third.try_lock());
        }
        CPPUNIT_ASSERT(other.try_lock());
        CPPUNIT_ASSERT_EQUAL(std::string(), folder.read("lock"));
    }

    void a_removed_file_is_made_again()
    {
        const temporary_folder folder;
        file_lock late(folder.path("lock"));
        std::filesystem::remove(folder.path("lock"));
        file_lock one(folder.path("lock"));
        CPPUNIT_ASSERT(one.try_lock());
        for (int attempt = 0; attempt < 3; attempt++)
            CPPUNIT_ASSERT(!late.try_lock());
    }

    void links_are_not_followed()
    {
        const temporary_folder folder, elsewhere;
        std::filesystem::create_symlink(elsewhere.path("made"), folder.path(".lock"));
        CPPUNIT_ASSERT_THROW(write_locked(folder.path("file"), "x"), std::system_error);
        CPPUNIT_ASSERT(!std::filesystem::exists(elsewhere.path("made")));
        CPPUNIT_ASSERT(!std::filesystem::exists(folder.path("file")));
        elsewhere.write("made", "text");
        CPPUNIT_ASSERT_THROW(write_locked(folder.path("file"), "x"), std::system_error);
        CPPUNIT_ASSERT_EQUAL(std::string("text"), elsewhere.read("made"));
    }

    // A child has the same open file, as does any program that another thread starts
    // briefly.
    void a_child_does_not_keep_the_lock()
    {
        const temporary_folder folder;
        pid_t child = 0;
        run_locked(folder.path("lock"), [&] {
            child = fork();
            if (child == 0) {
                pause();
                _exit(0);
            }
        });
        file_lock other(folder.path("lock"));
        const bool is_free = other.try_lock();
        kill(child, SIGKILL);
        succeeded(child);
        CPPUNIT_ASSERT(is_free);
    }

    //! Counts the entries that overlap with another one: a file can be created only once.
    static void enter(const std::string& lock, std::atomic<int>& overlaps)
    {
        const std::string inside = lock + "-taken";
        const file_descriptor file(
            ::open(inside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file.get() < 0)
            overlaps++;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        if (file.get() >= 0)
            ::unlink(inside.c_str());
    }

    /*
     * One process has the lock a and waits for b in another thread; another process has b
     * and waits for a. With locks that belong to processes, that looks like a deadlock.
     */
    void two_locks_in_opposite_orders()
    {
        constexpr int sections = 40;
        if (is_child()) {
            const std::string folder = std::getenv("CLDSP_TEST_FOLDER");
            const int number = std::stoi(std::getenv("CLDSP_TEST_NUMBER"));
            std::atomic<int> overlaps{ 0 };
            const lock_waiting waiting(log(), 300);
            in_threads(2, [&](int thread) {
                for (int i = 0; i < sections; i++) {
                    const bool first = (thread + number + i) % 2 == 0;
                    const auto lock = folder + (first ? "/a" : "/b");
                    run_locked(
                        lock,
                        [&] {
                            enter(lock, overlaps);
                            std::this_thread::sleep_for(std::chrono::milliseconds(1));
                        },
                        waiting);
                }
            });
            CPPUNIT_ASSERT_EQUAL(0, overlaps.load());
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(in_processes(2,
                                    "qa_file_lock::two_locks_in_opposite_orders",
                                    { { "CLDSP_TEST_FOLDER", folder.path() } }));
    }

    //! The actions of each of several processes with several lock files.
    static void stress()
    {
        constexpr int threads = 4, sections = 60, locks = 3;
        const std::string folder = std::getenv("CLDSP_TEST_FOLDER");
        std::atomic<int> overlaps{ 0 }, runs{ 0 };
        const lock_waiting waiting({}, 300);
        in_threads(threads, [&](int thread) {
            for (int i = 0; i < sections; i++) {
                const auto lock =
                    folder + "/lock-" + std::to_string((thread + i) % locks);
                const auto action = [&] {
                    enter(lock, overlaps);
                    runs++;
                };
                run_locked(lock, action, waiting);
            }
        });
        CPPUNIT_ASSERT_EQUAL(threads * sections, runs.load());
        CPPUNIT_ASSERT_EQUAL(0, overlaps.load());
    }

    void processes_and_threads_never_overlap()
    {
        if (is_child()) {
            stress();
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(in_processes(4,
                                    "qa_file_lock::processes_and_threads_never_overlap",
                                    { { "CLDSP_TEST_FOLDER", folder.path() } }));
    }

#ifdef F_OFD_SETLK
    //! Makes the system answer from now on as if it had no locks of open file
    //! descriptions.
    //! \return false if that is not possible
    static bool refuse_record_locks()
    {
        constexpr auto low_word = [](int argument) {
            return static_cast<__u32>(offsetof(struct seccomp_data, args) +
                                      sizeof(__u64) * argument
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
                                      + sizeof(__u32)
#endif
            );
        };
        sock_filter rules[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_fcntl64 // what 32-bit libraries call
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl64, 1, 0),
#endif
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_word(1)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const sock_fprog program = { sizeof(rules) / sizeof(rules[0]), rules };
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    }
#else
    static bool refuse_record_locks() { return true; } // there are no such locks
#endif

    void they_do_not_overlap_without_record_locks()
    {
        if (is_child()) {
            // An emulated processor does not support such filters.
            if (!refuse_record_locks())
                return;
            const temporary_folder folder;
            {
                const file_lock one(folder.path("lock"));
                const file_descriptor file(
                    ::open(folder.path("lock").c_str(), O_RDWR | O_CLOEXEC));
                struct flock whole_file = {};
                whole_file.l_type = F_WRLCK;
                CPPUNIT_ASSERT(::fcntl(file.get(), F_OFD_SETLK, &whole_file) != 0);
            }
            descriptors_of_one_process_exclude_each_other();
            stress();
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(
            in_processes(3,
                         "qa_file_lock::they_do_not_overlap_without_record_locks",
                         { { "CLDSP_TEST_FOLDER", folder.path() } }));
    }

    //! A process that holds a lock until it is killed.
    class holder
    {
    public:
        holder(const std::string& test, const std::string& lock)
            : d_process(start_again(test, { { "CLDSP_TEST_LOCK", lock } }))
        {
            while (!std::filesystem::exists(lock + "-held"))
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ~holder() { kill_it(); }
        holder(const holder&) = delete;
        holder& operator=(const holder&) = delete;

        static void be_one()
        {
            const std::string lock = std::getenv("CLDSP_TEST_LOCK");
            run_locked(lock, [&] {
                std::filesystem::create_directory(lock + "-held");
                for (;;)
                    pause();
            });
        }
        void stop() const
        {
            kill(d_process, SIGSTOP);
            int status = 0;
            CPPUNIT_ASSERT_EQUAL(d_process, waitpid(d_process, &status, WUNTRACED));
            CPPUNIT_ASSERT(WIFSTOPPED(status));
        }
        void kill_it()
        {
            if (d_process > 0) {
                kill(d_process, SIGKILL);
                succeeded(d_process);
            }
            d_process = 0;
        }
        std::string name() const { return "process " + std::to_string(d_process) + " ("; }

    private:
        pid_t d_process;
    };

    void a_stopped_holder_is_named_and_passed_by()
    {
        if (is_child()) {
            holder::be_one();
            return;
        }
        const temporary_folder folder;
        folder.write("file", "1");
        const auto lock = folder.path(".lock");
        holder other("qa_file_lock::a_stopped_holder_is_named_and_passed_by", lock);
        other.stop();
        const lock_waiting waiting(log(), 0.05);
        int runs = 0;
        run_locked(
            lock, [&] { runs++; }, waiting);
        CPPUNIT_ASSERT_EQUAL(1, runs);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_MESSAGE(d_log[0], is_told(0, "goes on without the lock " + lock));
        const auto after = d_log[0].find("after ");
        CPPUNIT_ASSERT_MESSAGE(d_log[0], after != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(d_log[0], std::stod(d_log[0].substr(after + 6)) >= 0.05);
        CPPUNIT_ASSERT_MESSAGE(d_log[0], is_told(0, other.name()));
        CPPUNIT_ASSERT_MESSAGE(d_log[0], is_told(0, "), which is stopped"));
        // Writers also continue, and readers never wait. The message is not repeated.
        const auto append = [](const std::optional<std::string>& bytes) {
            return bytes.value_or("none") + "2";
        };
        // A process without the lock removes no temporary file, because another process
        // may have just made it.
        folder.write("file.tmp-a1B2c3", "");
        folder.write("program-1.bin.tmp-a1B2c3", "");
        update_locked(folder.path("file"), 100, append, waiting);
        remove_programs(folder.path(), 0, waiting);
        CPPUNIT_ASSERT(std::filesystem::exists(folder.path("file.tmp-a1B2c3")));
        CPPUNIT_ASSERT(std::filesystem::exists(folder.path("program-1.bin.tmp-a1B2c3")));
        CPPUNIT_ASSERT(read_file(folder.path("file"), 100) == std::string("12"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_EQUAL(0.0, waiting.max_seconds());

        other.kill_it();
        run_locked(
            lock, [&] { CPPUNIT_ASSERT(!file_lock(lock).try_lock()); }, waiting);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_EQUAL(0.05, waiting.max_seconds());
        update_locked(folder.path("file"), 100, append, waiting);
        remove_programs(folder.path(), 0, waiting);
        CPPUNIT_ASSERT(!std::filesystem::exists(folder.path("file.tmp-a1B2c3")));
        CPPUNIT_ASSERT(!std::filesystem::exists(folder.path("program-1.bin.tmp-a1B2c3")));
    }

    void who_has_the_lock_is_told_while_it_is_waited_for()
    {
        if (is_child()) {
            holder::be_one();
            return;
        }
        const temporary_folder folder;
        const auto lock = folder.path("lock");
        holder other("qa_file_lock::who_has_the_lock_is_told_while_it_is_waited_for",
                     lock);
        const auto name = other.name();
        // The lock is released when the message is logged, so that the test does not
        // depend on time.
        const logger told = [&](log_level, const std::string& text) {
            d_log.push_back(text);
            other.kill_it();
        };
        const lock_waiting waiting(told, 300, 0);
        run_locked(
            lock, [&] { CPPUNIT_ASSERT(!file_lock(lock).try_lock()); }, waiting);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_MESSAGE(d_log[0], is_told(0, "waiting for the lock " + lock));
        CPPUNIT_ASSERT_MESSAGE(d_log[0], is_told(0, name));
    }

    void a_killed_holder_frees_the_lock()
    {
        if (is_child()) {
            holder::be_one();
            return;
        }
        const temporary_folder folder;
        holder other("qa_file_lock::a_killed_holder_frees_the_lock", folder.path("lock"));
        file_lock lock(folder.path("lock"));
        CPPUNIT_ASSERT(!lock.try_lock());
        other.kill_it();
        CPPUNIT_ASSERT(lock.try_lock());
    }

    void work_without_a_lock_is_told()
    {
        const lock_waiting waiting(log());
        int runs = 0;
        for (int i = 0; i < 3; i++)
            run_locked(
                "/proc/cldsp/lock", [&] { runs++; }, waiting);
        CPPUNIT_ASSERT_EQUAL(3, runs);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), d_log.size());
        CPPUNIT_ASSERT_MESSAGE(d_log[0], is_told(0, "/proc/cldsp"));
        const auto fails = [] { throw std::runtime_error("no"); };
        CPPUNIT_ASSERT_THROW(run_locked("/proc/cldsp/lock", fails), std::runtime_error);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_file_lock, "qa_file_lock");
