// SPDX-License-Identifier: BSD-3-Clause
// Accelerations where a singular pose is too near to be asked for them.
#pragma once

#include "core/memory.h"

#include <cardan/status.h>

typedef struct cd_system cd_system;

typedef struct cd_beside {
    double  t, *q, *v, *state; // (nq, nv, ns) the pose
    double* there;             // (nq) the one beside it
    double* way;               // (nv) to it
    double* beside[6]; // (nv, nrow, 1, nv) accelerations, multipliers, power, velocities at poses beside, before it and
                       // behind in turns, the nearest first,
    double        u[6], s[6];         // [s] where these are, and how firm
    double *      by[3], *best;       // (nv, nrow, 1, nv) interpolated
    bool          serves;             // `best` does, where the pose has no solution
    const double* toward;             // (nv) where poses beside lie, with
    const double* bend;               // (nv) accelerations on the way there;
    bool          waits;              // at the same time
    double*       along;              // (nv) accelerations that were last well determined,
    double*       entry;              // (nv) velocities that led near the singular pose, or zeros
    double*       still;              // (nv) zeros: any smooth way will do, and noise is none
    bool          knows;              // if there were some on this approach without a look beside,
    double        known_t, known_s;   // when, and how firm the pose was
    double        last;               // [s] when accelerations were last found beside
    double        best_u[6];          // [s] where the poses of `best` are,
    double        best_t;             // [s] beside which pose; -INFINITY
    int           nwrench, nreaction; // of joints and constraints between markers; numbers in these, and multipliers
    double*       reaction[6];        // (nreaction) at these poses,
    double*       force_of;           // (nreaction) so many N each
} cd_beside;

void cd_beside_layout(cd_system* system, cd_arena* arena);
void cd_beside_begin(cd_system* system);
// At the start, where the data are: whether that is near a singular pose.
void cd_beside_start(cd_system* system);
// The data from a start that was looked at so, and is singular, to a pose beside it, on the way of its motion; false
// where that cannot be reached.
bool cd_beside_leave(cd_system* system);

// The state of the data is the pose; and the other way round.
void cd_beside_keep(cd_system* system);
void cd_beside_return(cd_system* system);

// Accelerations that are well determined.
void cd_beside_learn(cd_system* system, const double* a);

// The last accelerations were computed too near to a singular pose.
bool cd_beside_wanted(const cd_system* system);

// Accelerations at the pose from others beside it, where they are well determined, into `best`, and multipliers behind
// them; false where there are none, or those of the pose itself, a (nv), are as good. The data are left at one of the
// poses beside.
bool cd_beside_accelerate(cd_system* system, const double* a);
// They are those of the data, which are back at the pose. Returns the power there [W].
double cd_beside_take(cd_system* system, double* a);
// Velocities at the pose from those beside it, where accelerations were last found there; false where they were not.
bool cd_beside_velocities(const cd_system* system, double* v);

// a (nv, nrow, 1, nv) at the pose u [s] away on the way, where the data are left; false where there is no solution.
bool cd_beside_go(cd_system* system, double u, double* a);
// Whether there are poses beside that of the time t, which was the last to be looked beside.
bool cd_beside_stands(const cd_system* system, double t);

// s, of the firmest pose: rows are not told from such that depend on each other.
static const double cd_null_part = 1e-5;

// Reactions and efforts of drivers there from those at the poses beside it, where they are well determined: their
// limit, or NAN where they have no bound. Where there are no such poses, and drivers lead to one that is singular, by
// singular values below `zero` at least, they are not determined: NAN. False where they are those of the pose itself.
// The data, which are at the time t, may be left elsewhere.
bool cd_beside_react(cd_system* system, double t, double zero);
// Nothing of them is known at the pose, where the data are and solved.
void cd_beside_doubt(cd_system* system);
// They are those of the data, which are back at the pose and solved.
void cd_beside_give(cd_system* system);
