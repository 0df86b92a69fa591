// SPDX-License-Identifier: BSD-3-Clause
// Residual of the cone law, element by element: d |p - P_K(p - (u + w + mu |u_t| n)/d)|, d the mean of the diagonal of
// W over the rows n, t1, t2. Moments of friction are scaled by the diagonal of their rows.
#include "impact/active_columns.h"
#include "impact/cone/cone_projection.h"
#include "impact/contact_solve.h"

#include <math.h>

typedef struct scaled_element {
    cd_friction_set set[CD_CONE_MAX_SETS];
    int             nset, nrow;
    double          x[CD_CONE_MAX_ROWS], y[CD_CONE_MAX_ROWS], scale[CD_CONE_MAX_ROWS];
} scaled_element;

static void add_set(scaled_element* s, int row, int nrow, double coefficient, double preload)
{
    const double scaled = coefficient * s->scale[row] / s->scale[0];
    s->set[s->nset++]   = (cd_friction_set){row, nrow, 0, scaled, scaled * preload * s->scale[0]};
}

static void scale_rows(const cd_contact_problem* problem, int element, const double* p, const double* u,
                       scaled_element* s)
{
    const cd_contact_element* e = &problem->element[element];
    s->nset                     = 0;
    s->nrow                     = e->nrow;
    for (int i = 0; i < e->nrow; ++i) {
        s->scale[i] = cd_contact_row_scale(problem, element, e->row + i);
        s->x[i]     = p[e->row + i] * s->scale[i];
        s->y[i]     = u[e->row + i] / s->scale[i];
    }
}

static double point_residual(const cd_contact_element* e, scaled_element* s)
{
    s->y[0] += e->shift / s->scale[0];
    add_set(s, 1, 2, e->mu, e->preload);
    if (e->nrow == 6) {
        add_set(s, 3, 1, e->spinning, e->preload);
        add_set(s, 4, 2, e->rolling, e->preload);
    }
    return cd_cone_distance(s->set, s->nset, true, e->nrow, s->x, s->y);
}

static double element_residual(const cd_contact_problem* problem, int element, const double* p, const double* u)
{
    const cd_contact_element* e = &problem->element[element];
    scaled_element            s;
    double                    worst = 0;
    if (e->kind == CD_ELEMENT_BILATERAL) {
        for (int i = 0; i < e->nrow; ++i) worst = fmax(worst, fabs(u[e->row + i]));
        return worst;
    }
    scale_rows(problem, element, p, u, &s);
    switch (e->kind) {
    case CD_ELEMENT_POINT:
        worst = point_residual(e, &s);
        break;
    case CD_ELEMENT_FRICTION:
        s.set[0] = (cd_friction_set){0, 1, -1, 0, e->bound * s.scale[0]};
        worst    = cd_cone_distance(s.set, 1, false, 1, s.x, s.y);
        break;
    case CD_ELEMENT_LIMIT:
    case CD_ELEMENT_SLIDING:
        s.y[0] += e->shift / s.scale[0];
        worst = cd_cone_distance(s.set, 0, true, 1, s.x, s.y);
        break;
    case CD_ELEMENT_BILATERAL:
        break;
    }
    return worst * s.scale[0];
}

double cd_contact_residual(const cd_contact_problem* problem, const double* p, double* u)
{
    double worst = 0;
    for (int i = 0; i < problem->nrow; ++i) {
        const double* W   = problem->W + (long)i * problem->nrow;
        double        sum = problem->q[i];
        for (int j = 0; j < problem->nrow; ++j) sum += W[j] * p[j];
        u[i] = sum;
        if (!isfinite(sum)) worst = INFINITY;
    }
    for (int i = 0; i < problem->nelement; ++i) {
        const double residual = element_residual(problem, i, p, u);
        worst                 = fmax(worst, residual);
    }
    return worst;
}
