// SPDX-License-Identifier: BSD-3-Clause
// The tree is solved by articulated bodies. Rotors of joints that were cut, rows with compliance in the list of the
// formulations, are inertias between links of the tree: with some the elimination by fronts is taken, in which they are
// that.
//
// Stability of explicit Euler and midpoint steps h under mu = (J v + ...)/epsilon:   h lam < 2,  lam = max eig E^-1/2 J
// M^-1 J' E^-1/2,  E = diag epsilon. lam is found by Lanczos on tree solves, a dozen or two whatever the number of
// loops; it is tight where sums of rows would be too large by the number of rows that a body meets. Paper 001,
// section 3.3; docs/theory/regularized.md.
#include "motion/cut_tree.h"

#include "formulation/mobility.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double unfelt = 1e-20; // squared, of what a row could meet: rounding

static void find_rotors(cardan_data* d, cd_arena* arena, cd_cut_tree* c)
{
    const int n = d->system.nrow - d->rows.nrow, nblock = d->system.nblock - d->rows.nblock;
    c->beside = n > 0;
    CD_TAKE(arena, c->block, nblock);
    CD_TAKE(arena, c->gamma, n);
    c->rotors = (cd_rows){
        .nrow = n, .nblock = nblock, .block = c->block, .compliance = c->beside ? d->compliance + d->rows.nrow : NULL};
    for (int i = 0; c->block && i < nblock; ++i) {
        c->block[i] = d->system.block[d->rows.nblock + i];
        c->block[i].row -= d->rows.nrow;
    }
}

void cd_cut_tree_layout(cardan_data* d, cd_arena* arena, cd_cut_tree* c)
{
    const int nv = d->m->nv, nrow = d->rows.nrow;
    c->length = d->length;
    find_rotors(d, arena, c);
    if (!c->beside)
        cd_articulated_layout(d->m, arena, &c->tree);
    else {
        if (!c->analysed) {
            const cd_rows rows = {.nrow = c->rotors.nrow, .nblock = c->rotors.nblock, .block = d->rotors.block};
            c->analysed        = cd_fronts_analyse(d->m, &rows, INFINITY, &c->fronts.f);
            c->fronts.length   = c->length;
        }
        if (c->analysed) cd_reduction_layout(d->m, &c->rotors, arena, &c->fronts);
    }
    CD_TAKE(arena, c->r, nv);
    CD_TAKE(arena, c->u, nv);
    CD_TAKE(arena, c->x, nrow);
    CD_TAKE(arena, c->y, nv);
    CD_TAKE(arena, c->mobility, nrow);
    CD_TAKE(arena, c->of_link, d->m->nlink);
    CD_TAKE(arena, c->epsilon, nrow);
    CD_TAKE(arena, c->basis, (CD_LANCZOS + 1) * nrow);
}

void cd_cut_tree_release(cd_cut_tree* c)
{
    if (c->analysed) cd_fronts_release(&c->fronts.f);
    c->analysed = false;
}

cardan_status cd_cut_tree_factor(cardan_data* d, cd_cut_tree* c, cd_where* where)
{
    if (!c->beside) return cd_articulated_factor(d->m, &d->k, &c->tree, where);
    if (!c->analysed) return CARDAN_NO_MEMORY;
    cd_reduction_place(d->m, &d->k, &c->fronts);
    return cd_reduction_factor(d->m, &c->rotors, &c->fronts, where);
}

// M a = r with the factor; gamma of the rotors, or zero.
static void solve(cardan_data* d, cd_cut_tree* c, const double* r, bool moving, double* a)
{
    if (c->beside) {
        for (int i = 0; i < c->rotors.nrow; ++i) c->gamma[i] = moving ? d->gamma[d->rows.nrow + i] : 0;
        cd_reduction_solve(d->m, &c->rotors, &c->fronts, r, c->gamma, a, d->lambda + d->rows.nrow);
        return;
    }
    cd_articulated_inward(d->m, &d->k, &c->tree, r, c->u);
    cd_articulated_outward(d->m, &d->k, &c->tree, c->u, a);
}

void cd_cut_tree_accelerate(cardan_data* d, cd_cut_tree* c, const double* mu, double* a)
{
    const int nrow = d->rows.nrow;
    cd_know_right_side(d);
    for (int i = 0; i < nrow; ++i) c->x[i] = -mu[i];
    memcpy(c->r, d->r, (size_t)d->m->nv * sizeof *c->r);
    cd_jacobian_transposed(d, &d->rows, c->x, c->r);
    solve(d, c, c->r, true, a);
    memcpy(d->lambda, mu, (size_t)nrow * sizeof *mu);
    d->solved = true;
}

// Share of epsilon of a row.
static double share(const cd_cut_tree* c, int i)
{
    return c->mobility[i] == 0 ? INFINITY : c->wish > 0 ? 1 : c->mobility[i];
}

static cardan_status respond(void* who, const double* x, double* y)
{
    cardan_data* d = ((void**)who)[0];
    cd_cut_tree* c = ((void**)who)[1];
    memset(c->y, 0, (size_t)d->m->nv * sizeof *c->y);
    for (int i = 0; i < d->rows.nrow; ++i) c->x[i] = x[i] / sqrt(share(c, i));
    cd_jacobian_transposed(d, &d->rows, c->x, c->y);
    solve(d, c, c->y, false, c->r);
    cd_jacobian_times(d, &d->rows, c->r, y);
    for (int i = 0; i < d->rows.nrow; ++i) y[i] /= sqrt(share(c, i));
    return CARDAN_OK;
}

// What the rows meet. A row keeps the largest it has had, since near singular poses it may vanish.
static void meet_rows(cardan_data* d, cd_cut_tree* c)
{
    cd_know_world(d);
    if (c->beside)
        cd_mobility(d->m, &d->k, d->world.pose, c->of_link);
    else
        cd_articulated_mobility(d->m, &d->k, &c->tree, c->of_link);
    for (int k = 0; k < d->rows.nblock; ++k) {
        const cd_row_block* b = &d->rows.block[k];
        for (int i = 0; i < b->nrow; ++i) {
            double        could;
            const double  felt = cd_row_mobility(c->of_link, c->beside ? NULL : d->world.pose, b, i, c->length, &could);
            double* const mobility = &c->mobility[b->row + i];
            if (felt > cd_unfelt_part(&d->rows, unfelt) * could && felt > *mobility) *mobility = felt;
        }
    }
}

cardan_status cd_cut_tree_bound(cardan_data* d, cd_cut_tree* c, double h, double margin, double* stable)
{
    void* const who[2] = {d, c};
    c->lam             = 0;
    meet_rows(d, c);
    const cardan_status status =
        d->rows.nrow > 0 ? cd_largest_eigenvalue(d->rows.nrow, respond, (void*)(uintptr_t)who, c->basis, &c->lam)
                         : CARDAN_OK;
    const double least = h * c->lam / 2;
    *stable            = c->wish > 0 && least > 0 ? c->wish / least : margin;
    for (int i = 0; i < d->rows.nrow; ++i) c->epsilon[i] = share(c, i) * (c->wish > 0 ? c->wish : margin * least);
    return status;
}
