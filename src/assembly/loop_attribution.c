// SPDX-License-Identifier: BSD-3-Clause
// Attribution of a violation to one of several loops that share bodies and cannot be closed together. The minimum
// violation is distributed among all of them, so that its largest part may be at a correct loop. The violation is
// attributed to a loop that
//
//   1. is violated in the design configuration, by more than the others that are involved,
//   2. permits all others to close if it is ignored;
//
// its violation is then the minimum with all others closed.
#include "assembly/assembly_errors.h"
#include "assembly/assembly_tolerances.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/state.h"
#include "math/norm_inf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ignored_row_factor      = 1e100; // times the unit of its rows: ignored
static const double low_priority_row_factor = 300; // times the unit of its rows: satisfied as far as all others permit
static const double max_operations          = 2e7; // of one step: larger mechanisms are not searched
enum { MAX_CANDIDATES = 4 };

static void set_positions(cd_assembly* a, const double* q)
{
    memcpy(a->q, q, (size_t)a->d->m->nq * sizeof *q);
    cd_data_set_state(a->d, a->d->t, a->q, a->d->v, a->d->state);
}

void cd_assembly_set_design(cd_assembly* a)
{
    const cardan_model* m = a->d->m;
    memcpy(a->q_saved, a->q_start, (size_t)m->nq * sizeof *a->q_saved);
    for (int j = 0; j < m->njoint; ++j)
        if (m->tree_range[j].q >= 0) cd_joint_design_coordinates(m, j, a->q_saved + m->tree_range[j].q);
    set_positions(a, a->q_saved);
}

// Null-space part of an arbitrary x: x minus the minimum-norm y with A y = A x. It is zero if A has no null space.
bool cd_assembly_can_move(cd_assembly* a)
{
    double null_part_sq = 0, norm_sq = 0;
    cd_assembly_set_unknowns(a, true, true);
    cd_assembly_residual(a, a->c);
    cd_assembly_update_jacobian(a);
    for (int i = 0; i < a->nfree; ++i) a->y[i] = 1 + 0.37 * sin(1.0 + i);
    cd_assembly_apply(a, a->y, a->trial_residual);
    if (!cd_assembly_least_squares(a, 0, a->trial_residual, a->dq)) return true;
    for (int i = 0; i < a->nfree; ++i) {
        null_part_sq += pow(a->y[i] - a->dq[i], 2);
        norm_sq += pow(a->y[i], 2);
    }
    return null_part_sq > cd_motion_roundoff * cd_motion_roundoff * norm_sq;
}

// Scale all rows of the constraint by one unit, so that its minimum violation is a minimum in metres.
static void scale_row_units(cd_assembly* a, const cd_constraint* c, double by)
{
    cd_assembly_set_unknowns(a, false, a->fixed_released);
    const double unit = cd_norm_inf(c->nrow, a->row_unit + c->first_row);
    for (int k = 0; k < c->nrow; ++k) a->row_unit[c->first_row + k] = by * unit;
}

// Whether all others close without constraint i, and its violation then.
static bool others_can_close(cd_assembly* a, int i, cd_located_violation* g)
{
    const cd_constraint* c = &a->d->constraints.constraint[i];
    scale_row_units(a, c, ignored_row_factor);
    if (!(cd_assembly_solve_positions(a) <= fmax(cd_assembly_violation_tolerance, a->violation_roundoff))) return false;
    scale_row_units(a, c, low_priority_row_factor);
    cd_assembly_minimize_residual(a);
    *g = cd_violation_of_constraint(a, i);
    return true;
}

// Violation of the involved constraints in the design configuration, 0 for those that are no candidates. Returns the
// number of involved constraints.
static int find_candidates(cd_assembly* a, double* design_violation)
{
    const cd_constraint_set* constraints  = &a->d->constraints;
    const bool               was_released = a->fixed_released;
    int                      count        = 0;
    for (int i = 0; i < constraints->nconstraint; ++i) {
        const bool is_involved = cd_assembly_is_involved(a, i, false);
        design_violation[i] =
            is_involved && constraints->constraint[i].joint != CARDAN_NONE && !constraints->constraint[i].driven_rows;
        count += is_involved;
    }
    cd_assembly_set_design(a);
    cd_assembly_set_unknowns(a, false, true);
    cd_assembly_residual(a, a->trial_residual);
    for (int i = 0; i < constraints->nconstraint; ++i) {
        double violation = 0;
        for (int k = 0; k < constraints->constraint[i].nrow; ++k)
            violation = fmax(violation, fabs(a->trial_residual[constraints->constraint[i].first_row + k]));
        design_violation[i] *= violation > cd_design_violation_tolerance ? violation : 0;
    }
    a->fixed_released = was_released;
    return count;
}

bool cd_attribute_violation(cd_assembly* a, cd_located_violation* g, bool* out_of_memory)
{
    const int nq = a->d->m->nq, n = a->d->constraints.nconstraint;
    double *  design_violation = malloc((size_t)(nq + n + 1) * sizeof *design_violation),
           *q                  = design_violation ? design_violation + n : NULL;
    bool found                 = false;
    *out_of_memory             = !design_violation;
    if (!design_violation || pow(a->nfree, 2) * (a->nrow + a->nfree) > max_operations) {
        free(design_violation);
        return false;
    }
    memcpy(q, a->d->q, (size_t)nq * sizeof *q);
    const int ncandidate = find_candidates(a, design_violation) > 1 ? MAX_CANDIDATES : 0;
    for (int attempt = 0; attempt < ncandidate && !found; ++attempt) {
        int worst = 0;
        for (int i = 1; i < n; ++i)
            if (design_violation[i] > design_violation[worst]) worst = i;
        if (!(design_violation[worst] > 0)) break;
        design_violation[worst] = 0;
        set_positions(a, q);
        found = others_can_close(a, worst, g);
    }
    set_positions(a, q);
    cd_assembly_set_unknowns(a, false, a->fixed_released);
    cd_assembly_residual(a, a->c);
    free(design_violation);
    return found;
}
