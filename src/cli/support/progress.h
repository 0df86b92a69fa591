// SPDX-License-Identifier: BSD-3-Clause
// A progress bar with the time that remains, on stderr, only where that is a terminal; and Ctrl-C.
#pragma once

#include <stdbool.h>

typedef struct cd_progress {
    const char* name;
    double      start, end;             // [s] simulated
    double      wall_begin, wall_shown; // [s] of the clock
    bool        terminal;
} cd_progress;

// From here on Ctrl-C is only noted, so that results can be completed and nothing is left lying about; a second one
// ends the program.
void cd_catch_interrupts(void);
// The same, and a bar.
void cd_progress_begin(cd_progress* progress, const char* name, double start, double end, bool quiet);
void cd_progress_show(cd_progress* progress, double t); // at most ten times a second
// The same for cases of a study; start and end count cases.
void cd_progress_show_cases(cd_progress* progress, long done, long failed);
void cd_progress_end(cd_progress* progress); // clears the line
bool cd_is_interrupted(void);
