// SPDX-License-Identifier: BSD-3-Clause
// Order of magnitude of the inertia moved by a velocity, independent of its direction: the scale of its pivots. A
// diagonal entry of the mass matrix cannot be the scale, since it may itself be round-off (a slender rod that spins
// about a skew axis).
//
//   rotational(i) = tr I(i) + sum over children of rotational + |p|^2 translational
//   translational(i) = m(i) + sum over children of translational
//
// with p in the design configuration; only the order of magnitude matters.
//
// A mass matrix in the frame of the root link contains m |r|^2 in all its terms, r from the root, and the inertia about
// a distant axis is a difference of them. Inertias smaller than
//
//   roundoff(i) = eps (rotational(i) + |r|^2 translational(i)),   |r| <= sum of |p| along the path
//
// are lost: a point mass on its own pin has an inertia of this size instead of zero.
#include "model/compile/inertia_scale.h"
#include "model/model_tolerances.h"

#include <float.h>
#include <math.h>

// |r| of every link.
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
            const bool slides     = link->motion == CD_PRISMATIC || (link->nv == 6 && k < 3);
            scale[link->v + k]    = slides ? translational : rotational + pitch * pitch * translational;
            roundoff[link->v + k] = cd_inertia_roundoff_terms * DBL_EPSILON *
                                    (slides ? translational : scale[link->v + k] + distance * distance * translational);
        }
        if (link->parent < 0) continue;
        link_scale[link->parent][0] += rotational + (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * translational;
        link_scale[link->parent][1] += translational;
    }
}
