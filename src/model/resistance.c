// SPDX-License-Identifier: BSD-3-Clause
// How large the inertia is that a velocity moves, whatever the direction: the measure of its pivots. A diagonal entry
// of the mass matrix is none, since it may itself be rounding (a slender rod that spins about an axis askew).
//
//   turn(i) = tr I(i) + sum over children of turn + |p|^2 move        move(i) = m(i) + sum over children of move
//
// with p as designed; only the order of magnitude counts.
//
// A mass matrix in the frame of the root link has m |r|^2 in all its terms, r from there, and what turns about an axis
// far away is a difference of them. Less than
//
//   lost(i) = eps (turn(i) + |r|^2 move(i)),   |r| <= sum of |p| on the way
//
// is not there: a point mass on its own pin has an inertia of this size instead of none.
#include "model/resistance.h"

#include <float.h>
#include <math.h>

static const double roundings = 32; // some dozens of terms

// |r| of every link, at its first velocity.
static void find_ways(const cardan_model* m, double* way)
{
    for (int i = 0; i < m->nlink; ++i) {
        const int     parent = m->link[i].parent;
        const double* p      = m->mount[i].p;
        way[m->link[i].v]    = parent < 0 ? 0 : way[m->link[parent].v] + sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
}

void cd_resistance(const cardan_model* m, double (*size)[2], double* resistance, double* lost)
{
    find_ways(m, lost);
    for (int i = 0; i < m->nlink; ++i) {
        size[i][0] = m->link[i].I[0] + m->link[i].I[1] + m->link[i].I[2];
        size[i][1] = m->link[i].m;
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        const double*  p    = m->mount[i].p;
        const double   turn = size[i][0], move = size[i][1], pitch = m->mount[i].pitch;
        const double   way = lost[link->v];
        for (int k = 0; k < link->nv; ++k) {
            const bool slides       = link->motion == CD_SLIDE || (link->nv == 6 && k < 3);
            resistance[link->v + k] = slides ? move : turn + pitch * pitch * move;
            lost[link->v + k] = roundings * DBL_EPSILON * (slides ? move : resistance[link->v + k] + way * way * move);
        }
        if (link->parent < 0) continue;
        size[link->parent][0] += turn + (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * move;
        size[link->parent][1] += move;
    }
}
