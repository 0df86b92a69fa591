// SPDX-License-Identifier: BSD-3-Clause
// Sum of S S'/inertia over the velocities between a link and ground, carried outward: linear in the number of links.
// Inertia is that of resistance.c, of all that a velocity moves; the velocities that move little, next to the link,
// count most. One that moves no inertia counts as the least that any moves.
#include "formulation/mobility.h"

#include <math.h>

void cd_mobility(const cardan_model* m, const cd_kinematics* k, const frame* pose, joined* mobility)
{
    double least = INFINITY;
    for (int v = 0; v < m->nv; ++v) {
        const double inertia = m->resistance[v] + m->armature[v];
        if (inertia > 0) least = fmin(least, inertia);
    }
    if (!isfinite(least)) least = 1;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        joined O = {0}; // of linear and angular motion in the places of angular and linear, so that the shift of an
                        // inertia serves
        if (link->parent >= 0) O = joined_shift(v3_sub(pose[link->parent].p, pose[i].p), mobility[link->parent]);
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const double  inertia = m->resistance[v] + m->armature[v];
            const spatial S       = {m3_mul(pose[i].R, k->S[v].l), m3_mul(pose[i].R, k->S[v].a)};
            O                     = joined_sub_outer(O, sv_scale(r_lift(-1 / (inertia > 0 ? inertia : least)), S), S);
        }
        mobility[i] = O;
    }
}

// What both ends share is not taken out: ends that move alike make it too large, not too small.
double cd_row_mobility(const joined* mobility, const frame* own, const cd_row_block* b, int i, double length,
                       double* could)
{
    double felt = 0;
    *could      = 0;
    for (int n = 0; n < b->nend; ++n) {
        if (b->link[n] < 0) continue;
        const spatial W       = b->G[i * b->nend + n],
                      G       = own ? (spatial){m3_tmul(own[b->link[n]].R, W.a), m3_tmul(own[b->link[n]].R, W.l)} : W;
        const spatial swapped = {G.l, G.a};
        const joined* O       = &mobility[b->link[n]];
        const double  size    = r_value(v3_dot(G.l, G.l)) + r_value(v3_dot(G.a, G.a)) / (length * length);
        const double  move    = r_value(O->A.xx) + r_value(O->A.yy) + r_value(O->A.zz),
                     turn     = r_value(O->M.xx) + r_value(O->M.yy) + r_value(O->M.zz);
        felt += sqrt(fmax(0, r_value(sv_dot(swapped, joined_mul(*O, swapped)))));
        *could = fmax(*could, size * (move + length * length * turn));
    }
    return felt * felt;
}
