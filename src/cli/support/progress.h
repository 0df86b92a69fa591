// SPDX-License-Identifier: BSD-3-Clause
// Progress bar with the estimated remaining time on standard error, if that is a terminal; handling of Ctrl-C.
#pragma once

#include <stdbool.h>

typedef struct cd_progress {
    const char* name;
    double      start, end;             // [s] simulated time, or numbers of cases
    double      wall_begin, wall_shown; // [s] wall-clock time
    bool        terminal;
} cd_progress;

// Catch Ctrl-C: the first signal only sets a flag, so that the command completes its results and removes its temporary
// files; the second ends the process.
void cd_catch_interrupts(void);
// Catch interrupts and start the bar.
void cd_progress_begin(cd_progress* progress, const char* name, double start, double end, bool quiet);
void cd_progress_show(cd_progress* progress, double t); // updates at most ten times a second
// Show the progress of a parameter study; start and end are numbers of cases.
void cd_progress_show_cases(cd_progress* progress, long done, long failed);
void cd_progress_clear(const cd_progress* progress); // remove the line, before a message is printed
void cd_progress_end(cd_progress* progress);         // clears the line
bool cd_is_interrupted(void);
