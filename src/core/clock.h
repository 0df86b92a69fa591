// SPDX-License-Identifier: BSD-3-Clause
// Three clocks in seconds: of the wall, and of the processor for this thread and for all threads of the process, which
// other work on the machine does not move.
#pragma once

double cd_clock_wall(void);
double cd_clock_thread(void);
double cd_clock_process(void);
