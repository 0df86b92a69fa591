// SPDX-License-Identifier: BSD-3-Clause
#include "motion/ida_sparse.h"

#include "dynamics/data.h"
#include "motion/flat.h"

#include <stdlib.h>
#include <string.h>

bool cd_ida_sparse_start(const cd_system* system, const cd_held* held, int n, cd_ida_sparse* w)
{
    if (!cd_sparse_slopes_create(system, &w->bodies)) return false;
    if (!w->along) w->along = cd_allocate(6 * (size_t)system->nq, sizeof *w->along);
    if (!w->unit) w->unit = cd_allocate((size_t)system->nv, sizeof *w->unit);
    cd_sparse_slopes_hold(held, &w->bodies);
    cd_entries_begin(&w->entries, n);
    return w->along && w->unit;
}

void cd_ida_sparse_free(cd_ida_sparse* w)
{
    cd_sparse_slopes_free(&w->bodies);
    cd_entries_free(&w->entries);
    free(w->along), free(w->unit);
    w->along = w->unit = NULL;
}

typedef struct places {
    int nq, nv, ns, eta, lambda; // sizes; where eta and lambda begin in y, c and c' in F
} places;

// A row of F for one of the slopes, or -1.
static int row_of(const places* p, const cd_held* held, const cd_sparse_slopes* s, int row)
{
    if (row < s->c) return p->nq + row;
    const int level = (row - s->c) / held->nrow, place = s->place[(row - s->c) % held->nrow];
    if (place < 0 || level > 1 || (level == 0 && place >= held->placed)) return -1;
    return level == 0 ? p->eta + place : p->lambda + place;
}

// A slope along the angular velocity of a quaternion, by its components (flat.h).
static void enter_turn(cd_entries* e, int row, int column, double factor, const double* g, const double* q)
{
    const double a = 2 * factor * g[0], b = 2 * factor * g[1], c = 2 * factor * g[2];
    cd_entry(e, row, column, -(a * q[1] + b * q[2] + c * q[3]));
    cd_entry(e, row, column + 1, a * q[0] - b * q[3] + c * q[2]);
    cd_entry(e, row, column + 2, a * q[3] + b * q[0] - c * q[1]);
    cd_entry(e, row, column + 3, -a * q[2] + b * q[1] + c * q[0]);
}

// Multiplier of a row of J: J' in the equations of motion; of positions, the rate of coordinates along it.
static void enter_multiplier(const places* p, const cd_held* held, const cd_link* link, int place, const double* J,
                             cd_ida_sparse* w)
{
    for (int i = 0; i < 6; ++i) cd_entry(&w->entries, p->nq + link->v + i, p->lambda + place, J[i]);
    if (place >= held->placed) return;
    for (int c = 0; c < 7; ++c) {
        double sum = 0;
        for (int i = 0; i < 6; ++i) sum += J[i] * w->along[(size_t)i * (size_t)p->nq + (size_t)(link->q + c)];
        cd_entry(&w->entries, link->q + c, p->eta + place, sum);
    }
}

static void enter_link(const places* p, const cd_held* held, const cd_link* link, int number, double alpha,
                       const double* y, cd_ida_sparse* w)
{
    const cd_sparse_slopes* s = &w->bodies;
    cd_entries*             e = &w->entries;
    for (int n = s->bodies.start[number]; n < s->bodies.start[number + 1]; ++n) {
        const int     row = s->bodies.row[n], at = row_of(p, held, s, row);
        const double* x    = cd_sparse_slope(s, n);
        const double  sign = row >= s->g && row < s->c ? -1 : 1, inertia = row < s->g ? alpha : 0;
        if (at < 0) continue;
        for (int i = 0; i < 3; ++i) cd_entry(e, at, link->q + i, sign * x[CD_BY_Q + i]);
        enter_turn(e, at, link->q + 3, sign, x + CD_BY_Q + 3, y + link->q + 3);
        for (int i = 0; i < 6; ++i)
            cd_entry(e, at, p->nq + link->v + i, sign * x[CD_BY_V + i] + inertia * x[CD_BY_A + i]);
        if (row >= s->rate) enter_multiplier(p, held, link, s->place[row - s->rate], x + CD_BY_V, w);
    }
}

// Rows of coordinates: q' - rate(q, u).
static void enter_coordinates(const places* p, const cd_link* link, double alpha, const double* y, const double* u,
                              cd_ida_sparse* w)
{
    double R[4][4];
    cd_flat_quaternion_slope(y + link->q + 3, u + link->v + 3, R);
    for (int c = 0; c < 7; ++c) {
        cd_entry(&w->entries, link->q + c, link->q + c, alpha);
        for (int i = 0; i < 6; ++i)
            cd_entry(&w->entries, link->q + c, p->nq + link->v + i,
                     -w->along[(size_t)i * (size_t)p->nq + (size_t)(link->q + c)]);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) cd_entry(&w->entries, link->q + 3 + i, link->q + 3 + j, -R[i][j]);
}

static void enter_states(const places* p, double alpha, cd_ida_sparse* w)
{
    const cd_sparse_slopes* s = &w->bodies;
    for (int j = 0; j <= p->ns; ++j) {
        const int column = p->nq + p->nv + j;
        cd_entry(&w->entries, column, column, alpha);
        for (int i = 0; j < p->ns && i < p->nv + p->ns; ++i)
            cd_entry(&w->entries, p->nq + i, column,
                     (i < p->nv ? 1 : -1) * s->by_s[(size_t)j * (size_t)s->n + (size_t)i]);
    }
}

static bool enter(const cd_system* system, const cd_held* held, double alpha, const double* y, const double* u,
                  cd_ida_sparse* w)
{
    const cardan_model* m   = system->model;
    const int           eta = system->nq + system->nz;
    const places        p   = {system->nq, system->nv, system->ns, eta, eta + held->placed};
    cd_entries_open(&w->entries);
    for (int link = 0; link < m->nlink; ++link) {
        enter_coordinates(&p, &m->link[link], alpha, y, u, w);
        enter_link(&p, held, &m->link[link], link, alpha, y, w);
    }
    enter_states(&p, alpha, w);
    return cd_entries_close(&w->entries);
}

bool cd_ida_sparse_enter(const cd_system* system, const cd_held* held, double alpha, const double* y, const double* u,
                         cd_ida_sparse* w)
{
    const cardan_model* m = system->model;
    for (int i = 0; i < 6; ++i) {
        memset(w->unit, 0, (size_t)system->nv * sizeof *w->unit);
        for (int link = 0; link < m->nlink; ++link) w->unit[m->link[link].v + i] = 1;
        cardan_model_rate(m, y, w->unit, w->along + (size_t)i * (size_t)system->nq);
    }
    const bool known = w->entries.known;
    return enter(system, held, alpha, y, u, w) && (known || enter(system, held, alpha, y, u, w));
}
