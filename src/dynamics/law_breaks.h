// SPDX-License-Identifier: BSD-3-Clause
// Where laws of motion break off: no number is there, they jump, or the length of a rod becomes zero. No motion goes on
// beyond.
#pragma once

#include "dynamics/data.h"

typedef struct cd_law_break {
    int    law;           // number of the law of motion
    double t, then;       // [s] the last time at which it is sound, or the first at which it is not; the next behind it
    int    order;         // what breaks: 0 the value, 1 the rate, 2 the acceleration
    double before, after; // it there, and just after; `after` is no finite number, or a jump away
    bool   vanishes;      // a length that becomes zero at `zero`; t is shortly before
    double zero;          // [s]
} cd_law_break;

// The first break of a law between two times, of value or rate where the latter is asked for. *found: whether there is
// one. False without memory.
bool cd_law_breaks(cardan_data* d, double from, double to, cd_law_break* first, bool* found);

// The sentence for it; at the start nothing comes before.
cardan_status cd_fail_law(const cardan_data* d, const cd_law_break* b, cardan_status status, cardan_report* report);
// Laws at the time of the data: CARDAN_BAD_INPUT and its sentence for the first that is no finite number.
cardan_status cd_check_laws(cardan_data* d, cardan_report* report);
// A rate jumps between two times beside each other, at which it is what it was and what it will be.
typedef struct cd_kink {
    double before, after; // [s]
} cd_kink;

// Rates that jump between two times, in their order, and a warning for every law that has such behind the first: forces
// are infinite for an instant there. *at is the caller's to free; -1 without memory. They are looked for until a law
// `ended`: between numbers its acceleration is infinite for an instant.
int cd_law_kinks(cardan_data* d, double from, double to, cd_kink** at, cd_law_break* ends, bool* ended,
                 cardan_report* report);
// Warns of markers that are led round corners of their curves, with `corners`, for those who do not step over them;
// and of those that are led beyond the ends.
void cd_warn_curves(cardan_data* d, double from, double to, bool corners, cardan_report* report);
