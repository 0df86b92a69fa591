// SPDX-License-Identifier: BSD-3-Clause
// The matrix of generalized-alpha (alpha_newton.c) in flat coordinates, entry by entry. Columns: y, s, eta, lambda;
// rows of equations: r, s, c, c'. A row of the slopes is in one equation at most, with factors for what it holds by
// position, velocity and acceleration:
//
//     r: k, k v', k a'      s: -h/2, -h/2 v', 0      c: 1, 0, 0      c': 1/v', 1, 0
#include "motion/alpha_newton.h"

#include "dynamics/data.h"

typedef struct equation {
    int    at; // -1: none
    double q, v, a;
} equation;

static equation equation_of(const cd_system* system, const cd_alpha* w, const cd_alpha_scales* k, int row)
{
    const int nv = system->nv, first = nv + system->ns, nrow = w->held.nrow;
    if (row < nv) return (equation){row, k->r, k->r * k->v, k->r * k->a};
    if (row < first) return (equation){row, -k->h / 2, -k->h / 2 * k->v, 0};
    const int level = (row - first) / nrow, place = w->bodies.place[(row - first) % nrow];
    if (place < 0 || level > 1 || (level == 0 && place >= w->held.placed)) return (equation){.at = -1};
    return level == 0 ? (equation){first + place, 1, 0, 0} : (equation){first + w->held.placed + place, 1 / k->v, 1, 0};
}

// Columns of y, and those of lambda in the rows of y: c' by v.
static void enter_link(const cd_system* system, cd_alpha* w, const cd_alpha_scales* k, int link)
{
    const cd_sparse_slopes* s = &w->bodies;
    const int               v = system->model->link[link].v, lambda = system->nv + system->ns + w->held.placed;
    for (int n = s->bodies.start[link]; n < s->bodies.start[link + 1]; ++n) {
        const int      row = s->bodies.row[n];
        const equation e   = equation_of(system, w, k, row);
        const double*  x   = cd_sparse_slope(s, n);
        if (e.at < 0) continue;
        for (int i = 0; i < 6; ++i)
            cd_entry(&w->entries, e.at, v + i, e.q * x[CD_BY_Q + i] + e.v * x[CD_BY_V + i] + e.a * x[CD_BY_A + i]);
        if (row < s->rate) continue;
        for (int i = 0; i < 6; ++i) cd_entry(&w->entries, v + i, lambda + s->place[row - s->rate], x[CD_BY_V + i]);
    }
}

// Column of eta number j: minus the slopes by position along row j of J.
static void enter_eta(const cd_system* system, cd_alpha* w, const cd_alpha_scales* k, int j)
{
    const cd_sparse_slopes* s   = &w->bodies;
    const cardan_model*     m   = system->model;
    const int               row = w->held.row[j];
    for (int i = w->rows0.start[row]; i < w->rows0.start[row + 1]; ++i) {
        const int v = w->rows0.v[i], link = m->v_link[v];
        for (int n = s->bodies.start[link]; n < s->bodies.start[link + 1]; ++n) {
            const equation e = equation_of(system, w, k, s->bodies.row[n]);
            if (e.at >= 0)
                cd_entry(&w->entries, e.at, system->nv + system->ns + j,
                         -e.q * cd_sparse_slope(s, n)[CD_BY_Q + v - m->link[link].v] * w->rows0.J[i]);
        }
    }
}

static void enter_states(const cd_system* system, cd_alpha* w, const cd_alpha_scales* k)
{
    const cd_sparse_slopes* s  = &w->bodies;
    const int               nv = system->nv, ns = system->ns;
    for (int j = 0; j < ns; ++j)
        for (int i = 0; i < nv + ns; ++i)
            cd_entry(&w->entries, i, nv + j,
                     equation_of(system, w, k, i).q * s->by_s[(size_t)j * (size_t)s->n + (size_t)i] + (i == nv + j));
}

static bool enter(const cd_system* system, cd_alpha* w, const cd_alpha_scales* k)
{
    cd_entries_open(&w->entries);
    for (int link = 0; link < system->model->nlink; ++link) enter_link(system, w, k, link);
    for (int j = 0; j < w->held.placed; ++j) enter_eta(system, w, k, j);
    enter_states(system, w, k);
    return cd_entries_close(&w->entries);
}

cardan_status cd_alpha_sparse_factor(cd_system* system, cd_alpha* w, const cd_alpha_scales* k)
{
    const bool known = w->entries.known;
    if (!enter(system, w, k)) return CARDAN_NO_MEMORY;
    if (!known) enter(system, w, k);
    return cd_sparse_lu_factor(w->entries.lu, w->entries.value) ? CARDAN_OK : CARDAN_SINGULAR;
}

cardan_status cd_alpha_sparse_slopes(cd_system* system, cd_alpha* w)
{
    const cd_sparse_slopes* s  = &w->bodies;
    const cardan_status status = cd_sparse_slopes_at(system, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, &w->bodies);
    if (status) return status;
    for (int link = 0; link < system->model->nlink; ++link) {
        double T[3][3];
        cd_alpha_tangent(w->x + system->model->link[link].v + 3, T);
        for (int n = s->bodies.start[link]; n < s->bodies.start[link + 1]; ++n) {
            double*      x    = cd_sparse_slope(s, n) + CD_BY_Q + 3;
            const double c[3] = {x[0], x[1], x[2]};
            for (int j = 0; j < 3; ++j) x[j] = c[0] * T[0][j] + c[1] * T[1][j] + c[2] * T[2][j];
        }
    }
    return CARDAN_OK;
}

void cd_alpha_sparse_inertias(const cd_system* system, cd_alpha* w)
{
    const cd_sparse_slopes* s = &w->bodies;
    for (int link = 0; link < system->model->nlink; ++link) {
        const int v = system->model->link[link].v;
        for (int n = s->bodies.start[link]; n < s->bodies.start[link + 1]; ++n) {
            const int i = s->bodies.row[n] - v;
            if (i >= 0 && i < 6) w->inertia[v + i] = cd_sparse_slope(s, n)[CD_BY_A + i];
        }
    }
}

void cd_alpha_sparse_begin(cd_system* system, cd_alpha* w) { cd_held_rows_at(system, &w->rows0); }

cardan_status cd_alpha_sparse_start(cd_system* system, cd_alpha* w)
{
    if (!cd_sparse_slopes_create(system, &w->bodies) || !cd_held_rows_create(system, &w->rows0))
        return CARDAN_NO_MEMORY;
    cd_sparse_slopes_hold(&w->held, &w->bodies);
    cd_entries_begin(&w->entries, system->nv + system->ns + w->held.placed + w->held.count);
    return CARDAN_OK;
}

void cd_alpha_finish(void* work)
{
    cd_alpha* w = work;
    cd_sparse_slopes_free(&w->bodies);
    cd_held_rows_free(&w->rows0);
    cd_entries_free(&w->entries);
}
