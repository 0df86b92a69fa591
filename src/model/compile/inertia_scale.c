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
#include "model/compile/inertia_scale.h"

#include <float.h>
#include <math.h>

static const double roundoff_terms = 32; // some dozens of terms

// |r| of every link, at its first velocity.
static void distances_from_root(const cardan_model* m, double* distance)
{
    for (int i = 0; i < m->nlink; ++i) {
        const int     parent = m->link[i].parent;
        const double* p      = m->tree_transform[i].p;
        distance[m->link[i].v] =
            parent < 0 ? 0 : distance[m->link[parent].v] + sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
}

void cd_inertia_scales(const cardan_model* m, double (*link_scale)[2], double* scale, double* roundoff)
{
    distances_from_root(m, roundoff);
    for (int i = 0; i < m->nlink; ++i) {
        link_scale[i][0] = m->link[i].I[0] + m->link[i].I[1] + m->link[i].I[2];
        link_scale[i][1] = m->link[i].m;
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link       = &m->link[i];
        const double*  p          = m->tree_transform[i].p;
        const double   rotational = link_scale[i][0], translational = link_scale[i][1],
                     pitch    = m->tree_transform[i].pitch;
        const double distance = roundoff[link->v];
        for (int k = 0; k < link->nv; ++k) {
            const bool slides     = link->motion == CD_SLIDE || (link->nv == 6 && k < 3);
            scale[link->v + k]    = slides ? translational : rotational + pitch * pitch * translational;
            roundoff[link->v + k] = roundoff_terms * DBL_EPSILON *
                                    (slides ? translational : scale[link->v + k] + distance * distance * translational);
        }
        if (link->parent < 0) continue;
        link_scale[link->parent][0] += rotational + (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * translational;
        link_scale[link->parent][1] += translational;
    }
}
