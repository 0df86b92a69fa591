// SPDX-License-Identifier: BSD-3-Clause
#include "motion/kinks.h"

#include "motion/blow.h"

#include <math.h>

static const double as_one = 64; // shortest steps: what rounding sets apart

// The first that is not yet behind t.
static int next_kink(const cd_law_end* end, double t)
{
    int low = 0, high = end->nkink;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (end->kink[middle].after > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double cd_kink_limit(const cd_law_end* end, double t)
{
    const int i = next_kink(end, t);
    if (i == end->nkink) return INFINITY;
    return end->kink[i].before > t ? end->kink[i].before : end->kink[i].after;
}

double cd_kink_behind(const cd_law_end* end, double t)
{
    const int i = next_kink(end, t);
    return i < end->nkink && end->kink[i].before <= t ? end->kink[i].after : t;
}

double cd_kink_since(const cd_law_end* end, double t)
{
    const int i = next_kink(end, t) - 1;
    return i >= 0 && end->kink[i].after == t ? end->kink[i].before : t;
}

cardan_status cd_kink_pass(const cd_law_end* end, cd_system* system, double least, cd_point* x, bool* passed,
                           cardan_report* report)
{
    const double from = x->t;
    double       work;
    for (int i = next_kink(end, x->t); i < end->nkink && x->t >= end->kink[i].before - as_one * least; ++i)
        x->t = end->kink[i].after;
    *passed = x->t > from;
    return *passed ? cd_blow(system, x, &work, report) : CARDAN_OK;
}

void cd_warn_weak_kink(double t, cardan_report* report)
{
    cardan_warn(report, cardan_nowhere(),
                "at t = %.9g s the rate of a law jumps close to a singular pose, where a blow is not well determined: "
                "compare other formulations, or let the law pass the pose smoothly",
                t);
}
