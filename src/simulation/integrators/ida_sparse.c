// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/integrators/ida_sparse.h"

#include "dynamics/data.h"
#include "simulation/ode/state_vector.h"

#include <stdlib.h>
#include <string.h>

bool cd_ida_sparse_start(const cd_ode_system* system, const cd_independent_rows* independent, int n, cd_ida_sparse* w)
{
    if (!cd_sparse_equation_jacobian_create(system, &w->jacobian)) return false;
    if (!w->q_rate_by_v) w->q_rate_by_v = cd_allocate(6 * (size_t)system->nq, sizeof *w->q_rate_by_v);
    if (!w->unit_velocity) w->unit_velocity = cd_allocate((size_t)system->nv, sizeof *w->unit_velocity);
    cd_sparse_equation_jacobian_set_rows(independent, &w->jacobian);
    cd_triplet_matrix_init(&w->matrix, n);
    return w->q_rate_by_v && w->unit_velocity;
}

void cd_ida_sparse_free(cd_ida_sparse* w)
{
    cd_sparse_equation_jacobian_free(&w->jacobian);
    cd_triplet_matrix_free(&w->matrix);
    free(w->q_rate_by_v), free(w->unit_velocity);
    w->q_rate_by_v = w->unit_velocity = NULL;
}

typedef struct ida_offsets {
    int nq, nv, ns, eta, lambda; // sizes; offsets of eta and lambda in y, of c and c' in F
} ida_offsets;

// Row of F for a row of the equation Jacobian, or -1.
static int residual_row(const ida_offsets* p, const cd_independent_rows* independent,
                        const cd_sparse_equation_jacobian* s, int row)
{
    if (row < s->c) return p->nq + row;
    const int level    = (row - s->c) / independent->nrow,
              position = s->independent_index[(row - s->c) % independent->nrow];
    if (position < 0 || level > 1 || (level == 0 && position >= independent->nposition)) return -1;
    return level == 0 ? p->eta + position : p->lambda + position;
}

// Add a derivative along the angular velocity of a quaternion as derivatives by its components (state_vector.h).
static void add_quaternion_derivative(cd_triplet_matrix* e, int row, int column, double factor, const double* g,
                                      const double* q)
{
    const double a = 2 * factor * g[0], b = 2 * factor * g[1], c = 2 * factor * g[2];
    cd_triplet_matrix_add(e, row, column, -(a * q[1] + b * q[2] + c * q[3]));
    cd_triplet_matrix_add(e, row, column + 1, a * q[0] - b * q[3] + c * q[2]);
    cd_triplet_matrix_add(e, row, column + 2, a * q[3] + b * q[0] - c * q[1]);
    cd_triplet_matrix_add(e, row, column + 3, -a * q[2] + b * q[1] + c * q[0]);
}

// Add the column of a multiplier: J' in the equations of motion; for holonomic rows also the rate of coordinates
// along J'.
static void add_multiplier(const ida_offsets* p, const cd_independent_rows* independent, const cd_link* link,
                           int position, const double* J, cd_ida_sparse* w)
{
    for (int i = 0; i < 6; ++i) cd_triplet_matrix_add(&w->matrix, p->nq + link->v + i, p->lambda + position, J[i]);
    if (position >= independent->nposition) return;
    for (int c = 0; c < 7; ++c) {
        double sum = 0;
        for (int i = 0; i < 6; ++i) sum += J[i] * w->q_rate_by_v[(size_t)i * (size_t)p->nq + (size_t)(link->q + c)];
        cd_triplet_matrix_add(&w->matrix, link->q + c, p->eta + position, sum);
    }
}

static void assemble_link(const ida_offsets* p, const cd_independent_rows* independent, const cd_link* link, int number,
                          double alpha, const double* y, cd_ida_sparse* w)
{
    const cd_sparse_equation_jacobian* s = &w->jacobian;
    cd_triplet_matrix*                 e = &w->matrix;
    for (int n = s->colouring.start[number]; n < s->colouring.start[number + 1]; ++n) {
        const int     row = s->colouring.row[n], at = residual_row(p, independent, s, row);
        const double* x    = cd_sparse_equation_jacobian_block(s, n);
        const double  sign = row >= s->g && row < s->c ? -1 : 1, inertia = row < s->g ? alpha : 0;
        if (at < 0) continue;
        for (int i = 0; i < 3; ++i) cd_triplet_matrix_add(e, at, link->q + i, sign * x[CD_OFFSET_BY_Q + i]);
        add_quaternion_derivative(e, at, link->q + 3, sign, x + CD_OFFSET_BY_Q + 3, y + link->q + 3);
        for (int i = 0; i < 6; ++i)
            cd_triplet_matrix_add(e, at, p->nq + link->v + i,
                                  sign * x[CD_OFFSET_BY_V + i] + inertia * x[CD_OFFSET_BY_A + i]);
        if (row >= s->cdot)
            add_multiplier(p, independent, link, s->independent_index[row - s->cdot], x + CD_OFFSET_BY_V, w);
    }
}

// Rows of coordinates: q' - rate(q, u).
static void assemble_coordinates(const ida_offsets* p, const cd_link* link, double alpha, const double* y,
                                 const double* u, cd_ida_sparse* w)
{
    double R[4][4];
    cd_quaternion_rate_jacobian(y + link->q + 3, u + link->v + 3, R);
    for (int c = 0; c < 7; ++c) {
        cd_triplet_matrix_add(&w->matrix, link->q + c, link->q + c, alpha);
        for (int i = 0; i < 6; ++i)
            cd_triplet_matrix_add(&w->matrix, link->q + c, p->nq + link->v + i,
                                  -w->q_rate_by_v[(size_t)i * (size_t)p->nq + (size_t)(link->q + c)]);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) cd_triplet_matrix_add(&w->matrix, link->q + 3 + i, link->q + 3 + j, -R[i][j]);
}

static void assemble_states(const ida_offsets* p, double alpha, cd_ida_sparse* w)
{
    const cd_sparse_equation_jacobian* s = &w->jacobian;
    for (int j = 0; j <= p->ns; ++j) {
        const int column = p->nq + p->nv + j;
        cd_triplet_matrix_add(&w->matrix, column, column, alpha);
        for (int i = 0; j < p->ns && i < p->nv + p->ns; ++i)
            cd_triplet_matrix_add(&w->matrix, p->nq + i, column,
                                  (i < p->nv ? 1 : -1) * s->by_s[(size_t)j * (size_t)s->n + (size_t)i]);
    }
}

static bool assemble(const cd_ode_system* system, const cd_independent_rows* independent, double alpha, const double* y,
                     const double* u, cd_ida_sparse* w)
{
    const cardan_model* m   = system->model;
    const int           eta = system->nq + system->nz;
    const ida_offsets   p   = {system->nq, system->nv, system->ns, eta, eta + independent->nposition};
    cd_triplet_matrix_begin(&w->matrix);
    for (int link = 0; link < m->nlink; ++link) {
        assemble_coordinates(&p, &m->link[link], alpha, y, u, w);
        assemble_link(&p, independent, &m->link[link], link, alpha, y, w);
    }
    assemble_states(&p, alpha, w);
    return cd_triplet_matrix_end(&w->matrix);
}

bool cd_ida_sparse_assemble(const cd_ode_system* system, const cd_independent_rows* independent, double alpha,
                            const double* y, const double* u, cd_ida_sparse* w)
{
    const cardan_model* m = system->model;
    for (int i = 0; i < 6; ++i) {
        memset(w->unit_velocity, 0, (size_t)system->nv * sizeof *w->unit_velocity);
        for (int link = 0; link < m->nlink; ++link) w->unit_velocity[m->link[link].v + i] = 1;
        cardan_model_position_rate(m, y, w->unit_velocity, w->q_rate_by_v + (size_t)i * (size_t)system->nq);
    }
    const bool known = w->matrix.pattern_known;
    return assemble(system, independent, alpha, y, u, w) && (known || assemble(system, independent, alpha, y, u, w));
}
