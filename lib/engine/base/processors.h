// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How many processors this process may use.

#pragma once

#include <string>
#include <vector>

namespace cldsp {

//! The numbers of the processors that the process may run on, in ascending order: those
//! of its first thread, because a block's thread may be bound to a few of them. It is
//! empty where the system does not tell.
std::vector<int> processors_of_process();

//! The processors that the limits of the process's control groups are worth, as a
//! container has them; 0 if there is no limit.
//! \param proc, sys the folders that the system shows its processes and itself in
double processors_of_quota(const std::string& proc = "/proc",
                           const std::string& sys = "/sys");

//! The number of threads that can run at once: processors_of_process(), but no more than
//! the quota, rounded up. It is 1 or more.
unsigned usable_processors();

} // namespace cldsp
