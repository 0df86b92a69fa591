// SPDX-License-Identifier: BSD-3-Clause
// A step of length h at velocity v leaves a gap of about (h v)^2 L, which the next one closes. Where gaps grow beside
// that, closing no longer holds what steps open: with tensions that are high for the masses they hold, the stiffest way
// in which loops yield oscillates in a few steps, and each step throws it farther. Nothing is wrong yet when that
// begins; a hundred steps later the energy is.
//
//   g = gap / (L (h v)^2),     the largest of every 20 steps
//
// Growth is believed in where three stretches in a row were each above the one before, to four times the first, and
// gaps can be seen beside the mechanism.
#include "motion/opening.h"

#include <string.h>

enum { STRETCH = 20, STRETCHES = 4 };
static const double grown = 4;
static const double seen  = 1e-5; // of the mechanism's length

bool cd_opening_look(cd_opening* o, double gap, double h, double fast, double length)
{
    const double unit = h * fast * h * fast * length;
    double*      last = &o->part[STRETCHES - 1];
    if (!(unit > 0)) return false;
    if (gap / unit > *last) *last = gap / unit;
    if (gap > o->gap) o->gap = gap;
    if (++o->steps < STRETCH) return false;
    const bool grows =
        o->part[1] > o->part[0] && o->part[2] > o->part[1] && *last > o->part[2] && *last > grown * o->part[0];
    const bool tell = !o->told && ++o->full >= STRETCHES && grows && o->gap > seen * length;
    memmove(o->part, o->part + 1, (STRETCHES - 1) * sizeof *o->part);
    *last    = 0;
    o->gap   = 0;
    o->steps = 0;
    o->told |= tell;
    return tell;
}
