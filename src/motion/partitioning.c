// SPDX-License-Identifier: BSD-3-Clause
// Coordinate partitioning: independent coordinates are believed, dependent ones follow from the constraints after every
// step.
//
//     J = [ Jd Ji ],   Jd by column-pivoted QR of J, its columns in units of sqrt(M(k,k)), rank r by |R(i,i)| <= 1e-9 |R(1,1)|
//     positions        Jd dq = -c,      chord iteration with the same factor
//     velocities       Jd dv = -cdot
//
// It is chosen where loops are closed: by the least change in the mass metric, which is then taken back.
// A partition is kept as long as dependent velocities go no farther with independent ones, Jd^+ Ji, than twice as far
// as when it was chosen, or while its iteration converges, and changed between steps only. docs/theory/stabilization.md
// (4). Source: Wehage, Haug 1982, J. Mech. Design 104(1).
#include "motion/stabilization.h"

#include "dynamics/data.h"
#include "math/lapack.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

static const double rank_tolerance = 1e-9, worn = 2, wanted = 1e-12, enough = 1e-10, vanishing = 1e-3;
static const int    most = 20;

typedef struct partitioning_work {
    int     rows, columns;
    int     rank;          // 0: no partition yet
    double  swing;         // how far dependent velocities go with independent ones, in units, when it was chosen
    int *   order, *place; // (columns) dependent velocities first; and where each velocity stands there
    double *scale, *size;  // (columns), (rows): units of J
    double* M;             // (columns x columns)
    double* J;             // (rows x columns) column major, then its factor
    double *tau, *dx;      // (columns)
    double* b;             // (rows)
    double *q, *v;         // (nq), (columns) the state, while another is looked at
    double* work;
} partitioning_work;

static double entries(const cardan_data* d)
{
    const double n = d->rows.nrow > 0 ? d->m->nv : 0, rows = d->rows.nrow;
    return fmax(n * n, rows * n);
}

static void layout(const cd_system* system, cd_arena* arena, void* work)
{
    partitioning_work* w = work;
    w->rows              = system->data->rows.nrow;
    w->columns           = w->rows > 0 ? system->nv : 0;
    const size_t n = (size_t)w->columns, rows = (size_t)w->rows;
    CD_TAKE(arena, w->order, n);
    CD_TAKE(arena, w->place, n);
    CD_TAKE(arena, w->scale, n);
    CD_TAKE(arena, w->size, rows);
    CD_TAKE(arena, w->M, n * n);
    CD_TAKE(arena, w->J, rows * n);
    CD_TAKE(arena, w->tau, n);
    CD_TAKE(arena, w->dx, n);
    CD_TAKE(arena, w->b, rows);
    CD_TAKE(arena, w->q, rows > 0 ? system->nq : 0);
    CD_TAKE(arena, w->v, n);
    CD_TAKE(arena, w->work, cd_lapack_qr_work(w->rows, w->columns));
}

// J in units, its columns in the order of w->order.
static void fill(cardan_data* d, partitioning_work* w)
{
    const size_t rows = (size_t)w->rows;
    for (int i = 0; i < w->columns; ++i) w->place[w->order[i]] = i;
    memset(w->J, 0, rows * (size_t)w->columns * sizeof *w->J);
    for (int i = 0; i < d->rows.nblock; ++i) {
        const cd_row_block b       = cd_way_of(d, &d->closure, i);
        double             largest = 0;
        for (int k = 0; k < b.nrow; ++k) {
            double sum = 0;
            for (int j = 0; j < b.nv; ++j) sum += pow(b.J[k * b.nv + j] * w->scale[b.v[j]], 2);
            w->size[b.row + k] = sqrt(sum);
            largest            = fmax(largest, sqrt(sum));
        }
        for (int k = 0; k < b.nrow; ++k) {
            double* size = &w->size[b.row + k];
            *size        = largest > 0 ? fmax(*size, vanishing * largest) : 1; // a row about to vanish stays small
            for (int j = 0; j < b.nv; ++j)
                w->J[(size_t)w->place[b.v[j]] * rows + (size_t)(b.row + k)] =
                    b.J[k * b.nv + j] * w->scale[b.v[j]] / *size;
        }
    }
}

static double pivot(const partitioning_work* w, int i) { return fabs(w->J[(size_t)i * (size_t)w->rows + (size_t)i]); }

// A velocity without inertia has a large column: it is dependent first.
static bool choose(cardan_data* d, partitioning_work* w)
{
    const int n = w->columns, few = w->rows < n ? w->rows : n;
    if (cardan_mass_matrix(d, w->M) != CARDAN_OK) return false;
    double heavy = 0;
    for (int i = 0; i < n; ++i) heavy = fmax(heavy, w->M[(size_t)i * (size_t)(n + 1)]);
    for (int i = 0; i < n; ++i) {
        w->scale[i] = 1 / sqrt(fmax(w->M[(size_t)i * (size_t)(n + 1)], fmax(1e-12 * heavy, 1e-300)));
        w->order[i] = i;
    }
    fill(d, w);
    if (!cd_lapack_qr(w->rows, n, w->J, w->order, w->tau, w->work)) return false;
    const double null = sqrt(cd_null_tolerance(&d->rows, rank_tolerance * rank_tolerance));
    w->rank           = 0;
    while (w->rank < few && pivot(w, w->rank) > null * pivot(w, 0)) ++w->rank;
    return true;
}

// The largest of |Jd^+ Ji|: near a pose that independent coordinates cannot pass it has no limit.
static double swing(partitioning_work* w)
{
    const size_t rows = (size_t)w->rows;
    double       most = 0;
    for (int i = w->rank; i < w->columns; ++i) {
        memcpy(w->b, w->J + (size_t)i * rows, rows * sizeof *w->b);
        cd_lapack_qr_solve(w->rows, w->rank, w->J, w->tau, w->b, w->work);
        for (int k = 0; k < w->rank; ++k)
            if (!(fabs(w->b[k]) <= most)) most = fabs(w->b[k]);
    }
    return most;
}

static bool factor_chosen(cardan_data* d, partitioning_work* w, double* most)
{
    fill(d, w);
    if (!cd_lapack_qr(w->rows, w->rank, w->J, NULL, w->tau, w->work)) return false;
    *most = swing(w);
    return true;
}

// Beside the constraints rows that depend on each other differ by the gap, and rows of bodies that hardly have inertia
// may be as small: the rank is told apart where loops are closed, so it is decided there, and used here.
static bool choose_closed(cardan_data* d, partitioning_work* w)
{
    if (sqrt(cd_null_beside(&d->rows)) <= rank_tolerance) return choose(d, w) && factor_chosen(d, w, &w->swing);
    memcpy(w->q, d->q, (size_t)d->m->nq * sizeof *w->q);
    memcpy(w->v, d->v, (size_t)d->m->nv * sizeof *w->v);
    bool chosen = cardan_project(d, NULL, NULL, NULL, NULL, NULL) == CARDAN_OK;
    if (chosen) {
        cd_know_rows(d);
        chosen = choose(d, w);
    }
    cd_data_set(d, d->t, w->q, w->v, d->state);
    cd_know_rows(d);
    return (chosen || choose(d, w)) && factor_chosen(d, w, &w->swing);
}

// The factor of Jd at the state of the data; a new partition where the old one is worn.
static bool factor(cardan_data* d, partitioning_work* w)
{
    cd_know_rows(d);
    if (w->rank == 0) return choose_closed(d, w);
    double most;
    if (!factor_chosen(d, w, &most)) return false;
    return most <= worn * fmax(1, w->swing) || choose_closed(d, w);
}

// Jd dx = -c
static void solve(partitioning_work* w, const double* c)
{
    for (int k = 0; k < w->rows; ++k) w->b[k] = -c[k] / w->size[k];
    cd_lapack_qr_solve(w->rows, w->rank, w->J, w->tau, w->b, w->work);
    memset(w->dx, 0, (size_t)w->columns * sizeof *w->dx);
    for (int i = 0; i < w->rank; ++i) w->dx[w->order[i]] = w->b[i] * w->scale[w->order[i]];
}

static double gap(cardan_data* d, bool velocities)
{
    double position, velocity;
    cd_gaps(d, &position, &velocity);
    return velocities ? velocity / fmax(1, cd_largest_motion(d, d->v)) : position;
}

static cardan_status follow(cardan_data* d, partitioning_work* w, bool velocities)
{
    double left = gap(d, velocities);
    for (int i = 0; i < most && left > wanted; ++i) {
        cd_know_closure(d);
        solve(w, velocities ? d->closure.rate : d->closure.value);
        if (velocities) {
            for (int k = 0; k < d->m->nv; ++k) d->v[k] += w->dx[k];
            cd_set_velocity(d, d->v);
        } else {
            cardan_model_move(d->m, d->q, w->dx, d->q);
            cd_data_set(d, d->t, d->q, d->v, d->state);
        }
        const double before = left;
        left                = gap(d, velocities);
        if (!isfinite(left)) return CARDAN_DIVERGED;
        if (left > 0.5 * before && left <= enough) break; // rounding, or rows that depend on each other
        if (left > 0.1 * before && !factor(d, w)) return CARDAN_DIVERGED;
    }
    return left <= cd_gap_endured ? CARDAN_OK : CARDAN_NOT_CONVERGED;
}

// Positions back on the constraints: with this partition, with another one, and where gaps are so wide that none leads
// back, by the least change in the mass metric, with a partition chosen there.
static cardan_status close_positions(cd_system* system, partitioning_work* w, const cd_point* x)
{
    cardan_data*  d      = system->data;
    const double* state  = system->ns ? x->z + system->nv : NULL;
    cardan_status status = follow(d, w, false);
    if (!status) return status;
    cd_data_set(d, x->t, x->q, x->z, state);
    cd_know_rows(d);
    w->rank = 0;
    if (choose_closed(d, w)) status = follow(d, w, false);
    if (!status) return status;
    cd_data_set(d, x->t, x->q, x->z, state);
    if (cardan_project(d, NULL, NULL, NULL, NULL, NULL) != CARDAN_OK) return status;
    w->rank = 0;
    return factor(d, w) ? CARDAN_OK : CARDAN_DIVERGED;
}

static cardan_status correct(cd_system* system, void* work, cd_point* x, cardan_report* report)
{
    partitioning_work* w      = work;
    cardan_data*       d      = system->data;
    cardan_status      status = cd_data_set(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status || w->rows == 0) return status;
    if (!factor(d, w)) return cd_fail_apart(d, false, CARDAN_DIVERGED, report);
    status = close_positions(system, w, x);
    if (status) return cd_fail_apart(d, false, status, report);
    status = follow(d, w, true);
    if (status) return cd_fail_apart(d, true, status, report);
    memcpy(x->q, d->q, (size_t)system->nq * sizeof *x->q);
    memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
    return CARDAN_OK;
}

const cd_stabilization cd_stabilization_partitioning = {
    .name      = "partitioning",
    .summary   = "independent coordinates are believed, dependent ones computed from the constraints after every step",
    .reference = "Wehage, Haug 1982, J. Mech. Design 104(1)",
    .work_size = sizeof(partitioning_work),
    .layout    = layout,
    .entries   = entries,
    .correct   = correct,
};
