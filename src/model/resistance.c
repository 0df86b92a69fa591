// SPDX-License-Identifier: BSD-3-Clause
// How large the inertia is that a velocity moves, whatever the direction: the measure of its pivots. A diagonal entry
// of the mass matrix is none, since it may itself be rounding (a slender rod that spins about an axis askew).
//
//   turn(i) = tr I(i) + sum over children of turn + |p|^2 move        move(i) = m(i) + sum over children of move
//
// with p as designed; only the order of magnitude counts.
#include "model/resistance.h"

void cd_resistance(const cardan_model* m, double (*size)[2], double* resistance)
{
    for (int i = 0; i < m->nlink; ++i) {
        size[i][0] = m->link[i].I[0] + m->link[i].I[1] + m->link[i].I[2];
        size[i][1] = m->link[i].m;
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        const double*  p    = m->mount[i].p;
        const double   turn = size[i][0], move = size[i][1], pitch = m->mount[i].pitch;
        for (int k = 0; k < link->nv; ++k) {
            const bool slides       = link->motion == CD_SLIDE || (link->nv == 6 && k < 3);
            resistance[link->v + k] = slides ? move : turn + pitch * pitch * move;
        }
        if (link->parent < 0) continue;
        size[link->parent][0] += turn + (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * move;
        size[link->parent][1] += move;
    }
}
