// SPDX-License-Identifier: BSD-3-Clause
// Clocks in seconds: wall time, and processor time of this thread and of all threads of the process. Processor time
// does not depend on other load of the machine.
#pragma once

double cd_clock_wall(void);
double cd_clock_thread(void);
double cd_clock_process(void);
