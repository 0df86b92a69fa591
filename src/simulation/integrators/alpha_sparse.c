// SPDX-License-Identifier: BSD-3-Clause
// Matrix of generalized-alpha (alpha_newton.c) in maximal coordinates, assembled entry by entry. Columns: y, s, eta,
// lambda; rows: r, s, c, c'. A row of the equation Jacobian belongs to at most one row of the matrix, with factors of
// its derivatives by position, velocity and acceleration:
//
//     r: k, k v', k a'      s: -h/2, -h/2 v', 0      c: 1, 0, 0      c': 1/v', 1, 0
#include "simulation/integrators/alpha_newton.h"

#include "dynamics/data.h"

typedef struct equation_row {
    int    equation_index; // -1: none
    double factor_q, factor_v, factor_a;
} equation_row;

static equation_row equation_row_of(const cd_ode_system* system, const cd_alpha_work* w, const cd_alpha_coefficients* k,
                                    int row)
{
    const int nv = system->nv, first = nv + system->ns, nrow = w->independent.nrow;
    if (row < nv) return (equation_row){row, k->r, k->r * k->v, k->r * k->a};
    if (row < first) return (equation_row){row, -k->h / 2, -k->h / 2 * k->v, 0};
    const int level = (row - first) / nrow, position = w->sparse_jacobian.independent_index[(row - first) % nrow];
    if (position < 0 || level > 1 || (level == 0 && position >= w->independent.nposition))
        return (equation_row){.equation_index = -1};
    return level == 0 ? (equation_row){first + position, 1, 0, 0}
                      : (equation_row){first + w->independent.nposition + position, 1 / k->v, 1, 0};
}

// Assemble the columns of y, and those of lambda in the rows of r: dc'/dv.
static void assemble_link(const cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k, int link)
{
    const cd_sparse_equation_jacobian* s = &w->sparse_jacobian;
    const int v = system->model->link[link].v, lambda = system->nv + system->ns + w->independent.nposition;
    for (int n = s->colouring.start[link]; n < s->colouring.start[link + 1]; ++n) {
        const int          row = s->colouring.row[n];
        const equation_row e   = equation_row_of(system, w, k, row);
        const double*      x   = cd_sparse_equation_jacobian_block(s, n);
        if (e.equation_index < 0) continue;
        for (int i = 0; i < 6; ++i)
            cd_triplet_matrix_add(&w->sparse_matrix, e.equation_index, v + i,
                                  e.factor_q * x[CD_OFFSET_BY_Q + i] + e.factor_v * x[CD_OFFSET_BY_V + i] +
                                      e.factor_a * x[CD_OFFSET_BY_A + i]);
        if (row < s->cdot) continue;
        for (int i = 0; i < 6; ++i)
            cd_triplet_matrix_add(&w->sparse_matrix, v + i, lambda + s->independent_index[row - s->cdot],
                                  x[CD_OFFSET_BY_V + i]);
    }
}

// Assemble column j of eta: minus the derivatives by position along row j of J.
static void assemble_eta_column(const cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k, int j)
{
    const cd_sparse_equation_jacobian* s   = &w->sparse_jacobian;
    const cardan_model*                m   = system->model;
    const int                          row = w->independent.row[j];
    for (int i = w->J0_csr.row_start[row]; i < w->J0_csr.row_start[row + 1]; ++i) {
        const int v = w->J0_csr.column[i], link = m->v_link[v];
        for (int n = s->colouring.start[link]; n < s->colouring.start[link + 1]; ++n) {
            const equation_row e = equation_row_of(system, w, k, s->colouring.row[n]);
            if (e.equation_index >= 0)
                cd_triplet_matrix_add(
                    &w->sparse_matrix, e.equation_index, system->nv + system->ns + j,
                    -e.factor_q * cd_sparse_equation_jacobian_block(s, n)[CD_OFFSET_BY_Q + v - m->link[link].v] *
                        w->J0_csr.value[i]);
        }
    }
}

static void assemble_states(const cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    const cd_sparse_equation_jacobian* s  = &w->sparse_jacobian;
    const int                          nv = system->nv, ns = system->ns;
    for (int j = 0; j < ns; ++j)
        for (int i = 0; i < nv + ns; ++i)
            cd_triplet_matrix_add(&w->sparse_matrix, i, nv + j,
                                  equation_row_of(system, w, k, i).factor_q *
                                          s->by_s[(size_t)j * (size_t)s->n + (size_t)i] +
                                      (i == nv + j));
}

static bool assemble(const cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    cd_triplet_matrix_begin(&w->sparse_matrix);
    for (int link = 0; link < system->model->nlink; ++link) assemble_link(system, w, k, link);
    for (int j = 0; j < w->independent.nposition; ++j) assemble_eta_column(system, w, k, j);
    assemble_states(system, w, k);
    return cd_triplet_matrix_end(&w->sparse_matrix);
}

cardan_status cd_alpha_sparse_factor(cd_ode_system* system, cd_alpha_work* w, const cd_alpha_coefficients* k)
{
    const bool known = w->sparse_matrix.pattern_known;
    if (!assemble(system, w, k)) return CARDAN_NO_MEMORY;
    if (!known) assemble(system, w, k);
    return cd_sparse_lu_factor(w->sparse_matrix.lu, w->sparse_matrix.value) ? CARDAN_OK : CARDAN_SINGULAR;
}

cardan_status cd_alpha_sparse_jacobian(cd_ode_system* system, cd_alpha_work* w)
{
    const cd_sparse_equation_jacobian* s = &w->sparse_jacobian;
    const cardan_status                status =
        cd_sparse_equation_jacobian_evaluate(system, w->to.t, w->to.q, w->to.z, w->a1, w->lambda, &w->sparse_jacobian);
    if (status) return status;
    for (int link = 0; link < system->model->nlink; ++link) {
        double T[3][3];
        cd_alpha_tangent(w->x + system->model->link[link].v + 3, T);
        for (int n = s->colouring.start[link]; n < s->colouring.start[link + 1]; ++n) {
            double*      x    = cd_sparse_equation_jacobian_block(s, n) + CD_OFFSET_BY_Q + 3;
            const double c[3] = {x[0], x[1], x[2]};
            for (int j = 0; j < 3; ++j) x[j] = c[0] * T[0][j] + c[1] * T[1][j] + c[2] * T[2][j];
        }
    }
    return CARDAN_OK;
}

void cd_alpha_sparse_inertia_diagonal(const cd_ode_system* system, cd_alpha_work* w)
{
    const cd_sparse_equation_jacobian* s = &w->sparse_jacobian;
    for (int link = 0; link < system->model->nlink; ++link) {
        const int v = system->model->link[link].v;
        for (int n = s->colouring.start[link]; n < s->colouring.start[link + 1]; ++n) {
            const int i = s->colouring.row[n] - v;
            if (i >= 0 && i < 6)
                w->inertia_diagonal[v + i] = cd_sparse_equation_jacobian_block(s, n)[CD_OFFSET_BY_A + i];
        }
    }
}

void cd_alpha_sparse_begin_step(cd_ode_system* system, cd_alpha_work* w)
{
    cd_jacobian_csr_evaluate(system, &w->J0_csr);
}

cardan_status cd_alpha_sparse_start(cd_ode_system* system, cd_alpha_work* w)
{
    if (!cd_sparse_equation_jacobian_create(system, &w->sparse_jacobian) || !cd_jacobian_csr_create(system, &w->J0_csr))
        return CARDAN_NO_MEMORY;
    cd_sparse_equation_jacobian_set_rows(&w->independent, &w->sparse_jacobian);
    cd_triplet_matrix_init(&w->sparse_matrix,
                           system->nv + system->ns + w->independent.nposition + w->independent.count);
    return CARDAN_OK;
}

void cd_alpha_finish(void* work)
{
    cd_alpha_work* w = work;
    cd_sparse_equation_jacobian_free(&w->sparse_jacobian);
    cd_jacobian_csr_free(&w->J0_csr);
    cd_triplet_matrix_free(&w->sparse_matrix);
}
