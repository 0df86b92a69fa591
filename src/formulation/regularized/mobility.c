// SPDX-License-Identifier: BSD-3-Clause
// Mobility: sum of S S'/inertia over the velocities between a link and ground, accumulated outward: linear in the
// number of links. The inertia is that of inertia_scale.c, of all that a velocity moves; velocities with little
// inertia, next to the link, contribute most. For a velocity without inertia the smallest inertia of any velocity is
// used.
#include "formulation/regularized/mobility.h"

#include <math.h>

void cd_mobility(const cardan_model* m, const cd_kinematics* k, const frame* pose, articulated_inertia* mobility)
{
    double min_inertia = INFINITY;
    for (int v = 0; v < m->nv; ++v) {
        const double inertia = m->inertia_scale[v] + m->armature[v];
        if (inertia > 0) min_inertia = fmin(min_inertia, inertia);
    }
    if (!isfinite(min_inertia)) min_inertia = 1;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link*      link = &m->link[i];
        articulated_inertia O    = {0}; // linear and angular parts exchanged, so that the shift of an inertia applies
        if (link->parent >= 0) O = articulated_shift(v3_sub(pose[link->parent].p, pose[i].p), mobility[link->parent]);
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const double  inertia = m->inertia_scale[v] + m->armature[v];
            const spatial S       = {m3_mul(pose[i].R, k->S[v].l), m3_mul(pose[i].R, k->S[v].a)};
            O = articulated_sub_outer(O, sv_scale(r_const(-1 / (inertia > 0 ? inertia : min_inertia)), S), S);
        }
        mobility[i] = O;
    }
}

// The common motion of both ends is not subtracted: for ends that move alike the result is too large, not too small.
double cd_row_mobility(const articulated_inertia* mobility, const frame* link_pose, const cd_row_block* b, int i,
                       double length, double* upper_bound)
{
    double sqrt_mobility = 0;
    *upper_bound         = 0;
    for (int n = 0; n < b->nend; ++n) {
        if (b->link[n] < 0) continue;
        const spatial W = b->G[i * b->nend + n], G = link_pose ? (spatial){m3_tmul(link_pose[b->link[n]].R, W.a),
                                                                           m3_tmul(link_pose[b->link[n]].R, W.l)}
                                                               : W;
        const spatial swapped           = {G.l, G.a};
        const articulated_inertia* O    = &mobility[b->link[n]];
        const double               size = r_value(v3_dot(G.l, G.l)) + r_value(v3_dot(G.a, G.a)) / (length * length);
        const double               translational = r_value(O->A.xx) + r_value(O->A.yy) + r_value(O->A.zz),
                     rotational                  = r_value(O->M.xx) + r_value(O->M.yy) + r_value(O->M.zz);
        sqrt_mobility += sqrt(fmax(0, r_value(sv_dot(swapped, articulated_mul(*O, swapped)))));
        *upper_bound = fmax(*upper_bound, size * (translational + length * length * rotational));
    }
    return sqrt_mobility * sqrt_mobility;
}
