// SPDX-License-Identifier: BSD-3-Clause
// Base inertial parameters. Inertia that a joint cannot separate from that of its parent is regrouped to the parent,
// outermost links first:
//
//   revolute    inertia on its axis: m, hz, Jzz                  a line of mass rotates about itself without effort
//   prismatic   the integral J about its moving origin           the link rotates as its parent does
//   spherical   the mass at its centre
//
// with r = p + e z on the parent:  m,  h = m p + hz e,  J = m p p' + hz (p e' + e p') + Jzz e e'.
// Inertia regrouped to ground is dropped. The equations of motion stay the same up to round-off; the mass of a link may
// become negative. Gautier and Khalil 1990; Mayeda, Yoshida, Osuka 1990.
#include "generate/trace/link_tree.h"
#include "generate/generate_tolerances.h"

#include "model/description.h"

#include <math.h>

static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

static void add_outer(cd_parametric* parametric, double J[6], double k, const double* a,
                      const double* b) // J += k (a b' + b a') / 2
{
    for (int i = 0; i < 6; ++i)
        J[i] = par_add(parametric, J[i],
                       par_div(parametric,
                               par_mul(parametric, k,
                                       par_add_product(parametric, par_mul(parametric, a[row[i]], b[column[i]]),
                                                       a[column[i]], b[row[i]])),
                               2));
}

// Add the inertia of a line along e through p.
static void add_axis_inertia(cd_parametric* parametric, cd_tree_link* to, const double* p, const double* e, double m,
                             double hz, double Jzz)
{
    to->m = par_add(parametric, to->m, m);
    for (int i = 0; i < 3; ++i)
        to->h[i] = par_add(parametric, to->h[i], par_add_product(parametric, par_mul(parametric, m, p[i]), hz, e[i]));
    add_outer(parametric, to->J, m, p, p);
    add_outer(parametric, to->J, par_mul(parametric, 2, hz), p, e);
    add_outer(parametric, to->J, Jzz, e, e);
}

// Add J in the axes of the parent: R J R'.
static void add_rotated_inertia(cd_parametric* parametric, cd_tree_link* to, const double* R, const double* J)
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 6; ++i)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                to->J[i] = par_add_product(parametric, to->J[i], par_mul(parametric, R[3 * row[i] + a], J[at[a][b]]),
                                           R[3 * column[i] + b]);
}

static void zero_roundoff(cd_tree_link* link)
{
    double h = 0, J = 0;
    for (int i = 0; i < 3; ++i) h = fmax(h, fabs(link->h[i]));
    for (int i = 0; i < 6; ++i) J = fmax(J, fabs(link->J[i]));
    for (int i = 0; i < 3; ++i)
        if (fabs(link->h[i]) < cd_constant_roundoff * h) link->h[i] = 0;
    for (int i = 0; i < 6; ++i)
        if (fabs(link->J[i]) < cd_constant_roundoff * J) link->J[i] = 0;
}

static void move_to_parent(cd_parametric* parametric, cd_tree_link* link, cd_tree_link* parent)
{
    const double e[3] = {link->R[2], link->R[5], link->R[8]}, none[3] = {0, 0, 0};
    switch (link->motion) {
    case CD_REVOLUTE:
        add_axis_inertia(parametric, parent, link->p, e, link->m, link->h[2], link->J[2]);
        link->m = link->h[2] = link->J[2] = 0;
        break;
    case CD_PRISMATIC:
        add_rotated_inertia(parametric, parent, link->R, link->J);
        for (int i = 0; i < 6; ++i) link->J[i] = 0;
        break;
    case CD_SPHERICAL:
    case CD_SPHERICAL_REVERSED:
        add_axis_inertia(parametric, parent, link->p, none, link->m, 0, 0);
        link->m = 0;
        break;
    default:
        break;
    }
}

void cd_link_tree_regroup(cd_link_tree* tree)
{
    for (int i = tree->nlink - 1; i >= 0; --i) {
        cd_tree_link  ground = {0};
        cd_tree_link* link   = &tree->link[i];
        zero_roundoff(link);
        move_to_parent(tree->model->description->parametric, link,
                       link->parent >= 0 ? &tree->link[link->parent] : &ground);
    }
}
