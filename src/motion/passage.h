// SPDX-License-Identifier: BSD-3-Clause
// Singular poses on the way, and whether the motion stayed on its branch.
#pragma once

#include "motion/integrator.h"

typedef struct cd_look {
    double t, s; // singular value relative to the largest so far
    int    row;
    int    sign; // changed since the look before (-1), or not (1), or unknown (0)
} cd_look;

enum { CD_LOOKS = 4 };

// Of one group of loops (cd_firmness).
typedef struct cd_approach_seen {
    cd_look look[CD_LOOKS]; // the last ones, at the ends of steps
    int     count;
    int     sign;    // since the last look that was not at zero
    bool    told;    // of this approach
    double  crossed; // [s] last, at s = 0
    double  firmest; // the largest singular value when it was last far from zero
} cd_approach_seen;

// The last step, and a state inside it.
typedef struct cd_within {
    const cd_integrator* integrator;
    void*                work; // of the integrator
    double               from; // [s] where it began
    cd_point*            at;   // where it was last looked at
    double               gap;  // [m, rad] that it leaves, where the method endures gaps
} cd_within;

typedef struct cd_passage {
    cd_approach_seen* seen;  // (groups)
    cardan_event*     event; // (2 groups + 1) of the last look
    int               nevent;
    bool              named; // `where` is of this approach
    cd_point          at;    // inside the last step

    // from the last firm pose to the next
    enum { CD_FIRM, CD_WITHIN, CD_LEAVING } place;
    double  t[2];               // [s] ends of the last two steps
    double *v[2], *slope, *out; // (nv) velocities there, rate before, velocities after
    double  t_before, t_out;
    double* before;
    cd_look weakest; // on the way
    double  kink;    // largest bend of the velocity there, from look to look
    double  gap;     // and largest gap

    // how it gets on
    double longest;      // [s] step so far
    double got_t;        // [s] last time at which it did,
    long   got_there_by; // evaluations

    int *   via, *queue, *group; // (bodies + 1) to name loops
    bool*   stressed;            // (joints)
    double* q;                   // (nq)
    char    where[160];          // the last singular pose
    bool    several;             // `where` names several loops
} cd_passage;

void cd_passage_layout(const cd_system* system, cd_arena* arena, cd_passage* p);

// The loops that lose rank at the singular pose near the state of the data, in words: the same whatever solves. It is
// passed `ahead` [s] of that state. Where that cannot be told: the loop of this row. False where no loop loses rank
// there. The data are left at another state.
bool cd_passage_name(const cd_passage* p, const cd_system* system, double ahead, int row, char* text, size_t size,
                     bool* several);

// Whether joints lead from one side of joint j back to the other.
bool cd_passage_on_loop(const cd_passage* p, const cd_system* system, int j);

// Whether the last accelerations were near a singular pose.
bool cd_passage_within(const cd_system* system);

// Whether steps near a singular pose lead nowhere: thousands of evaluations for a part of one step. After every step.
bool cd_passage_stuck(cd_passage* p, const cd_system* system, double from, double t);

// At the end x of the step, or inside it, after accelerations there: events since the last look, in the order of time.
// in.at is not needed.
void cd_passage_look(cd_passage* p, cd_system* system, cd_within in, const cd_point* x);

// Velocities have jumped at x, and for a reason: what comes is compared with what follows from them.
void cd_passage_struck(cd_passage* p, const cd_system* system, const cd_point* x);

// ---- crossing.c

// How firm the pose x is.
cardan_status cd_system_look(cd_system* system, const cd_point* x);
// The same at the nearest pose on the constraints: beside them none is singular.
cardan_status cd_system_look_closed(cd_system* system, const cd_point* x);
// At a singular pose itself rows contradict each other: that is a look, too.
bool cd_has_looked(const cd_system* system, cardan_status status);
// Where s of a group passes zero between two looks, of which the last one was `behind`: the least s that is found, its
// time, and the state there in in.at.
double cd_crossing_find(cd_system* system, cd_within in, int group, cd_look before, cd_look behind, double* t);
