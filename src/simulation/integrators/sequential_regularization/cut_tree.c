// SPDX-License-Identifier: BSD-3-Clause
// The tree is solved by the articulated-body algorithm. Rotors of cut joints, compliant rows in the solver rows of
// the formulations, are inertias between links of the tree: if there are any, the elimination by fronts is used,
// which includes them.
//
// Stability of explicit Euler and midpoint steps h under mu = (J v + ...)/epsilon:
//   h lambda_max < 2,   lambda_max = max eig E^-1/2 J M^-1 J' E^-1/2,   E = diag epsilon.
// lambda_max is computed by Lanczos on tree solves, one or two dozen for any number of loops; it is tight, while sums
// of rows would be too large by the number of rows that act on a body. Paper 001, section 3.3;
// docs/theory/regularized.md.
#include "simulation/integrators/sequential_regularization/cut_tree.h"

#include "dynamics/forces.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "formulation/regularized/mobility.h"
#include "simulation/simulation_tolerances.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static void collect_rotor_rows(cardan_data* d, cd_arena* arena, cd_cut_tree* c)
{
    const int n = d->solver_rows.nrow - d->rows.nrow, nblock = d->solver_rows.nblock - d->rows.nblock;
    c->has_cut_rotors = n > 0;
    CD_ARENA_ARRAY(arena, c->rotor_block, nblock);
    CD_ARENA_ARRAY(arena, c->gamma, n);
    c->rotors = (cd_rows){.nrow       = n,
                          .nblock     = nblock,
                          .block      = c->rotor_block,
                          .compliance = c->has_cut_rotors ? d->solve.rotor_rows.compliance + d->rows.nrow : NULL};
    for (int i = 0; c->rotor_block && i < nblock; ++i) {
        c->rotor_block[i] = d->solver_rows.block[d->rows.nblock + i];
        c->rotor_block[i].row -= d->rows.nrow;
    }
}

void cd_cut_tree_layout(cardan_data* d, cd_arena* arena, cd_cut_tree* c)
{
    const int nv = d->m->nv, nrow = d->rows.nrow;
    c->characteristic_length = d->units.length_scale;
    collect_rotor_rows(d, arena, c);
    if (!c->has_cut_rotors)
        cd_articulated_layout(d->m, arena, &c->articulated);
    else {
        if (!c->analysed) {
            const cd_rows rows = {.nrow = c->rotors.nrow, .nblock = c->rotors.nblock, .block = d->rotors.block};
            c->analysed        = cd_fronts_analyse(d->m, &rows, INFINITY, &c->fronts.fronts);
            c->fronts.length   = c->characteristic_length;
        }
        if (c->analysed) cd_reduction_layout(d->m, &c->rotors, arena, &c->fronts);
    }
    CD_ARENA_ARRAY(arena, c->r, nv);
    CD_ARENA_ARRAY(arena, c->u, nv);
    CD_ARENA_ARRAY(arena, c->x, nrow);
    CD_ARENA_ARRAY(arena, c->y, nv);
    CD_ARENA_ARRAY(arena, c->row_mobility, nrow);
    CD_ARENA_ARRAY(arena, c->link_mobility, d->m->nlink);
    CD_ARENA_ARRAY(arena, c->epsilon, nrow);
    CD_ARENA_ARRAY(arena, c->lanczos_basis, (CD_LANCZOS_STEPS_MAX + 1) * nrow);
}

void cd_cut_tree_release(cd_cut_tree* c)
{
    if (c->analysed) cd_fronts_release(&c->fronts.fronts);
    c->analysed = false;
}

cardan_status cd_cut_tree_factor(cardan_data* d, cd_cut_tree* c, cd_solve_info* info)
{
    if (!c->has_cut_rotors) return cd_articulated_factor(d->m, &d->k, &c->articulated, info);
    if (!c->analysed) return CARDAN_NO_MEMORY;
    cd_reduction_set_poses(d->m, &d->k, &c->fronts);
    return cd_reduction_factor(&(cd_problem){d->m, &d->k, &c->rotors, &(cd_solve_policy){0}}, &c->fronts, info);
}

// Solve M a = r with the factor; gamma of the rotors, or zero.
static void solve_tree(cardan_data* d, cd_cut_tree* c, const double* r, bool with_gamma, double* a)
{
    if (c->has_cut_rotors) {
        for (int i = 0; i < c->rotors.nrow; ++i) c->gamma[i] = with_gamma ? d->solve.gamma[d->rows.nrow + i] : 0;
        cd_reduction_solve(d->m, &c->rotors, &c->fronts, r, c->gamma, a, d->solve.lambda + d->rows.nrow);
        return;
    }
    cd_articulated_inward(d->m, &d->k, &c->articulated, r, c->u);
    cd_articulated_outward(d->m, &d->k, &c->articulated, c->u, a);
}

void cd_cut_tree_accelerate(cardan_data* d, cd_cut_tree* c, const double* mu, double* a)
{
    const int nrow = d->rows.nrow;
    cd_update_rhs(d);
    for (int i = 0; i < nrow; ++i) c->x[i] = -mu[i];
    memcpy(c->r, d->solve.r, (size_t)d->m->nv * sizeof *c->r);
    cd_add_jacobian_transposed_times(d, &d->rows, c->x, c->r);
    solve_tree(d, c, c->r, true, a);
    memcpy(d->solve.lambda, mu, (size_t)nrow * sizeof *mu);
    d->valid.solution = true;
}

// Relative epsilon of a row.
static double epsilon_share(const cd_cut_tree* c, int i)
{
    return c->row_mobility[i] == 0 ? INFINITY : c->epsilon_given > 0 ? 1 : c->row_mobility[i];
}

static cardan_status apply_scaled_row_mobility(void* context, const double* x, double* y)
{
    cardan_data* d = ((void**)context)[0];
    cd_cut_tree* c = ((void**)context)[1];
    memset(c->y, 0, (size_t)d->m->nv * sizeof *c->y);
    for (int i = 0; i < d->rows.nrow; ++i) c->x[i] = x[i] / sqrt(epsilon_share(c, i));
    cd_add_jacobian_transposed_times(d, &d->rows, c->x, c->y);
    solve_tree(d, c, c->y, false, c->r);
    cd_jacobian_times(d, &d->rows, c->r, y);
    for (int i = 0; i < d->rows.nrow; ++i) y[i] /= sqrt(epsilon_share(c, i));
    return CARDAN_OK;
}

// Update the row mobilities. A row keeps its largest value, since it may vanish near singular configurations.
static void update_row_mobility(cardan_data* d, cd_cut_tree* c)
{
    cd_update_world(d);
    if (c->has_cut_rotors)
        cd_mobility(d->m, &d->k, d->world.pose, c->link_mobility);
    else
        cd_articulated_mobility(d->m, &d->k, &c->articulated, c->link_mobility);
    for (int k = 0; k < d->rows.nblock; ++k) {
        const cd_row_block* b = &d->rows.block[k];
        for (int i = 0; i < b->nrow; ++i) {
            double        mobility_bound;
            const double  row_mobility = cd_row_mobility(c->link_mobility, c->has_cut_rotors ? NULL : d->world.pose, b,
                                                         i, c->characteristic_length, &mobility_bound);
            double* const mobility     = &c->row_mobility[b->row + i];
            if (row_mobility > cd_coupling_tolerance_sq(&d->policy, cd_mobility_roundoff_sq) * mobility_bound &&
                row_mobility > *mobility)
                *mobility = row_mobility;
        }
    }
}

cardan_status cd_cut_tree_stability_bound(cardan_data* d, cd_cut_tree* c, double h, double margin,
                                          double* stability_ratio)
{
    void* const context[2] = {d, c};
    c->lambda_max          = 0;
    update_row_mobility(d, c);
    const cardan_status status =
        d->rows.nrow > 0 ? cd_largest_eigenvalue(d->rows.nrow, apply_scaled_row_mobility, (void*)(uintptr_t)context,
                                                 c->lanczos_basis, &c->lambda_max)
                         : CARDAN_OK;
    const double epsilon_stable_min = h * c->lambda_max / 2;
    *stability_ratio = c->epsilon_given > 0 && epsilon_stable_min > 0 ? c->epsilon_given / epsilon_stable_min : margin;
    for (int i = 0; i < d->rows.nrow; ++i)
        c->epsilon[i] = epsilon_share(c, i) * (c->epsilon_given > 0 ? c->epsilon_given : margin * epsilon_stable_min);
    return status;
}
