// SPDX-License-Identifier: BSD-3-Clause
#include "motion/force_jump.h"

#include <math.h>

static const double AGAIN  = 0.5; // of a change, in a step
static const double NARROW = 8;   // times shorter
static const double PART   = 0.01;

// of a unit, that a step over a jump may err by; a whole one where time cannot tell shorter steps
static double allowed(const cd_force_jump* jump, double h) { return h <= 4 * jump->least ? 1 : PART; }

static const double CLOSE = 100; // lengths of the step over a jump: another one there is of the same kind
enum { CROWD = 50 };

static void forget(cd_force_jump* jump)
{
    jump->end  = -INFINITY;
    jump->seen = false;
}

void cd_force_jump_begin(cd_force_jump* jump, double least)
{
    jump->least = least;
    forget(jump);
    jump->last   = -INFINITY;
    jump->crowds = 0;
}

double cd_force_jump_step(const cd_force_jump* jump, double t, double h)
{
    const double rest = jump->end - t;
    if (!jump->seen || rest <= 0) return h;
    return rest * jump->size <= allowed(jump, rest) && h > 0.8 * rest ? rest : fmin(h, rest / 2);
}

bool cd_force_jump_refused(cd_force_jump* jump, double t, double h, double size)
{
    if (t >= jump->end || size < AGAIN * jump->size) // another place, or a change that becomes less
        *jump = (cd_force_jump){t + h, size, h, jump->least, false, jump->last, jump->crowds};
    jump->end  = fmin(jump->end, t + h);
    jump->size = fmax(jump->size, size);
    if (h <= jump->h / NARROW) jump->seen = true;
    return jump->seen && h * size <= allowed(jump, h) && jump->crowds < CROWD;
}

bool cd_force_jump_taken(cd_force_jump* jump, double t, double h, double size)
{
    if (!jump->seen) return false;
    if (t + 1.01 * h < jump->end && size < AGAIN / 2 * jump->size) return false; // the change is still to come
    jump->crowds = t - jump->last < CLOSE * h ? jump->crowds + 1 : 0;
    jump->last   = t + h;
    forget(jump);
    return true;
}
