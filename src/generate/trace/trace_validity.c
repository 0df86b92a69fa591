// SPDX-License-Identifier: BSD-3-Clause
// Validity check: tests whether the decisions of the trace state still hold. Embedding decides there which rows of J
// get pivots, in which order, and which rows are redundant:
//
//   J_D = L U                scaled pivots p of the rows: conditioning of the dependent coordinates
//   N'M N = L D L'           d = D / diagonal before elimination: digits lost with large influence coefficients
//   J_k w = 0,  w = N z      rows without pivots are still redundant: z is one motion in general position
//
// Errors of accelerations are a small multiple of round-off / (min p min d). Measured between states of all mechanisms
// of models/ at which a pivot changes its sign, they were at most 6e-9 of the largest acceleration where this product
// is above 1e-7, and reached 1e-8 below. Off the constraints, rows are redundant up to the violation, as in the pivot
// test of the library.
//
// Nothing of this depends on velocities and forces, so the check also covers derivatives. The other formulations are
// not differentiated; they are judged by their residuals (trace_residual.c).
#include "generate/trace/traced_mechanism.h"
#include "generate/generate_tolerances.h"

#include "formulation/embedding/embedding.h"

#include <math.h>
#include <stdlib.h>

typedef struct validity_limits {
    double min_pivot_product;    // [-] smallest product min p min d
    double redundancy_tolerance; // [-] largest residual of redundant rows, relative to the row
    double residual_tolerance;   // [-] largest relative residual of the equations
} validity_limits;

static const validity_limits limits_double = {1e-7, 1e-8, 3e-10}, limits_float = {1e-4, 1e-3, 1e-3};
enum { IDENTITY_STATES = 3 }; // states at which identities are tested

static real magnitude(real a) { return r_unary(CD_ABS, a, fabs(r_value(a))); }

// Largest number so far, and the constraint that it belongs to.
typedef struct running_max {
    real size, constraint;
} running_max;

static void update_max(running_max* maximum, real size, int constraint)
{
    maximum->constraint = r_select(maximum->size, size, r_folded(constraint), maximum->constraint);
    maximum->size       = r_binary(CD_MAX, maximum->size, size, fmax(r_value(maximum->size), r_value(size)));
}

// Largest 1/p over all rows with pivots, at least 1.
static running_max smallest_row_pivot(const cd_embedding_work* E)
{
    running_max maximum = {r_folded(1), r_folded(1)};
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p = &E->dependent_block[i];
        for (int k = 0; k < p->n; ++k) {
            const int  row           = E->pivot_row[p->first_dependent + E->row_permutation[p->first_dependent + k]];
            const real inverse_pivot = magnitude(E->lu[p->lu_offset + (size_t)(k * p->n + k)]);
            const real unit = r_folded(1 / (E->row_scale[row] * E->scale[E->dependent[p->first_dependent + k]]));
            update_max(&maximum, r_mul(inverse_pivot, unit), E->block_of[row] + 1);
        }
    }
    return maximum;
}

// Largest 1/d over all motions that rows couple, at least 1. Coordinates from which nothing was subtracted are skipped.
static real smallest_motion_pivot(const cd_graph* graph, const cd_embedding_work* E)
{
    running_max maximum = {r_folded(1), r_folded(0)};
    for (int i = 0; i < E->nz; ++i) {
        const real inverse_pivot = E->z_value[E->z_start[i]], before = E->diagonal[i];
        if (E->cluster[E->cluster_of[E->z[i]]].nrow == 0) continue;
        if (inverse_pivot.graph && inverse_pivot.node >= 0 && cd_node_operation(graph, inverse_pivot.node) == CD_DIV &&
            before.graph && cd_node_operand(graph, inverse_pivot.node, 1) == before.node)
            continue;
        update_max(&maximum, r_mul(magnitude(inverse_pivot), before), 0);
    }
    return maximum.size;
}

// w = N z. The entries of z are pseudorandom numbers in units of the scales.
static void independent_motion(const cd_embedding_work* E, real* w)
{
    unsigned long seed = 7;
    for (int x = 0; x < E->ncoordinate; ++x) {
        seed                  = seed * 48271UL % 2147483647UL;
        const bool is_coupled = E->cluster[E->cluster_of[x]].nrow > 0 && E->dependent_block_of[x] < 0;
        w[x]                  = r_folded(is_coupled ? E->scale[x] * (0.5 + (double)seed / 2147483647.0) : 0);
    }
    for (int i = 0; i < E->ndependent_block; ++i) {
        const cd_dependent_block* p = &E->dependent_block[i];
        for (int j = 0; j < p->nindependent; ++j)
            for (int k = 0; k < p->n; ++k) {
                real* to = &w[E->dependent[p->first_dependent + k]];
                *to      = r_add(*to, r_mul(E->influence[p->influence_offset + (size_t)(j * p->n + k)],
                                            w[E->independent[p->first_independent + j]]));
            }
    }
}

// Residual J_k x of a row, relative to the row.
static real row_residual(const traced_mechanism* w, const cd_embedding_work* E, int row, const real* x)
{
    const cd_row_block* b   = &w->rows.block[E->block_of[row]];
    real                sum = E->rotor_of_row[row] >= 0 ? r_neg(x[E->rotor_of_row[row]]) : r_folded(0);
    for (int j = 0; j < b->nv; ++j) sum = r_add(sum, r_mul(b->J[(row - b->row) * b->nv + j], x[b->v[j]]));
    return r_mul(magnitude(sum), r_folded(E->row_scale[row]));
}

static real violation_of(const traced_mechanism* w)
{
    real maximum = r_folded(0);
    for (int i = 0; i < w->constraints.nrow; ++i) {
        const real size = magnitude(w->constraints.value[i]);
        maximum         = r_binary(CD_MAX, maximum, size, fmax(r_value(maximum), r_value(size)));
    }
    return maximum;
}

// Tolerance for the residual of redundant rows at the current violation.
static real tolerance_at_violation(const traced_mechanism* w, double min_tolerance)
{
    const real tolerance =
        r_add(r_folded(min_tolerance), r_mul(r_folded(cd_validity_violation_factor), violation_of(w)));
    return r_binary(CD_MIN, tolerance, r_folded(cd_validity_max_tolerance),
                    fmin(r_value(tolerance), cd_validity_max_tolerance));
}

static double random_number(unsigned long* seed)
{
    *seed = *seed * 48271UL % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// Random inputs, off the constraints; parameters near their values.
static void fill_inputs(const cd_input_layout* in, unsigned long* seed, double* x)
{
    for (int i = 0; i < in->count; ++i) {
        const bool is_parameter = i >= in->p && i < in->p + in->np;
        x[i]                    = in->trace_input[i] * (is_parameter ? 1 + 0.03 * random_number(seed) : 1) +
               (is_parameter ? 0 : random_number(seed));
    }
}

// Find rows that are redundant at all states, also off the constraints, such as those out of the plane of a planar
// mechanism: their residual is zero, although its expression is not.
static cardan_status find_identical_rows(const traced_mechanism* w, int n, const real* residual, bool* is_identity)
{
    const cd_input_layout* in   = w->t.in;
    cd_node*               node = cd_allocate((size_t)n + 1, sizeof *node);
    for (int i = 0; node && i < n; ++i) node[i] = r_node(w->t.graph, residual[i]), is_identity[i] = true;
    cd_tape* tape = node ? cd_tape_create(w->t.graph, n, node) : NULL;
    double*  work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)(n + in->count) + 1, sizeof *work) : NULL;
    unsigned long seed = 1009;
    for (int k = 0; work && k < IDENTITY_STATES; ++k) {
        double *value = work + cd_tape_work(tape), *x = value + n;
        fill_inputs(in, &seed, x);
        cd_tape_run(tape, x, work, value);
        for (int i = 0; i < n; ++i) is_identity[i] = is_identity[i] && value[i] <= cd_identity_tolerance;
    }
    const cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    free(work), free(node);
    cd_tape_destroy(tape);
    return status;
}

// Check the rows that were redundant at the trace state.
static cardan_status check_redundant_rows(const traced_mechanism* w, const cd_embedding_work* E, double min_tolerance,
                                          real* invalid)
{
    const size_t  n           = (size_t)E->nnull;
    real*         x           = cd_allocate((size_t)E->ncoordinate + n + 1, sizeof *x);
    bool*         is_identity = cd_allocate(n + 1, sizeof *is_identity);
    running_max   maximum     = {r_folded(0), r_folded(0)};
    cardan_status status      = x && is_identity ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        real* residual = x + E->ncoordinate;
        independent_motion(E, x);
        for (int i = 0; i < E->nnull; ++i) residual[i] = row_residual(w, E, E->null_row[i], x);
        status = find_identical_rows(w, E->nnull, residual, is_identity);
        for (int i = 0; status == CARDAN_OK && i < E->nnull; ++i)
            if (!is_identity[i]) update_max(&maximum, residual[i], E->block_of[E->null_row[i]] + 1);
    }
    if (maximum.size.graph)
        *invalid = r_select(maximum.size, tolerance_at_violation(w, min_tolerance), *invalid, maximum.constraint);
    free(x), free(is_identity);
    return status;
}

static cardan_status check_embedding(const traced_mechanism* w, const cd_embedding_work* E, validity_limits limit,
                                     real* invalid)
{
    const cardan_status status =
        E->nnull > 0 ? check_redundant_rows(w, E, limit.redundancy_tolerance, invalid) : CARDAN_OK;
    const running_max row   = smallest_row_pivot(E);
    const real        worst = r_mul(row.size, smallest_motion_pivot(w->t.graph, E));
    *invalid                = r_select(worst, r_folded(1 / limit.min_pivot_product), *invalid, row.constraint);
    return status;
}

cardan_status cd_traced_mechanism_validity(const cardan_model* m, traced_mechanism* w, const traced_solver* s,
                                           real* invalid)
{
    const validity_limits limit = w->t.in->single_precision ? limits_float : limits_double;
    *invalid                    = r_folded(0);
    if (!s->f) return CARDAN_OK; // nothing is decided at the trace state for trees
    if (cd_is_embedding(s->f)) return check_embedding(w, s->work, limit, invalid);
    real                square    = r_folded(0);
    const cardan_status status    = cd_traced_mechanism_relative_residual(m, w, &square);
    const real          tolerance = tolerance_at_violation(w, limit.residual_tolerance);
    *invalid = r_select(square, r_mul(tolerance, tolerance), *invalid, r_folded(w->rows.nblock + 1));
    return status;
}
