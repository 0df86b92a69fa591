// SPDX-License-Identifier: BSD-3-Clause
// How a solve decides: input of the formulations, constant during a solve, and not kept in their work memory.
#pragma once

#include "formulation/formulation_tolerances.h"
#include "math/block_ldl/pivot_test.h"

#include <math.h>
#include <stdbool.h>

// How redundant rows are found.
typedef enum cd_rank_mode {
    CD_RANK_BY_PIVOTS,   // by null pivots of the factorization
    CD_RANK_BY_GEOMETRY, // where supported, by a QR factorization of J without masses (CD_GEOMETRIC_RANK); otherwise by
                         // pivots with a sharper tolerance
    CD_RANK_FROZEN       // those of the last factorization (CD_CAN_FREEZE_RANK); their residuals are not corrected
} cd_rank_mode;

typedef struct cd_solve_policy {
    cd_rank_mode rank;
    double violation; // constraint violation at the state, scaled: redundant rows are dependent up to this. 0 if the
                      // caller knows that the rows are independent
    double unscaled_violation; // [m, rad] the same, unscaled
    double redundancy_error;   // relative size up to which dependent rows are dependent, by the digits of the
                               // description (dynamics/rank/near_redundancy.h)
    double pivot_floor; // relative pivots up to this carry no information about the rank, in addition to the pivot test
    double residual_tolerance;     // of the equations, relative to their terms, if steps follow; 0: round-off only
    double row_residual_tolerance; // [m/s^2, rad/s^2] residual of rows that the next step corrects; 0: none
} cd_solve_policy;

// Off the constraint manifold, redundant rows have pivots of order violation^2 instead of zero. The tolerance of null
// pivots grows accordingly, else such rows would lock free motions. Far from the constraints this estimate is not
// valid. Limited digits of the description (redundancy_error) have the same effect everywhere.
static inline double cd_rank_tolerance_at(const cd_solve_policy* p, double violation)
{
    return fmin(cd_dependent_row_pivot_max_sq,
                cd_dependent_row_factor_sq *
                    fmax(violation < cd_dependent_row_violation_max ? violation * violation : 0,
                         p->redundancy_error * p->redundancy_error));
}
static inline double cd_rank_tolerance_off_constraint(const cd_solve_policy* p)
{
    return cd_rank_tolerance_at(p, p->violation);
}

// Whether a row is only a redundancy error, relative to the largest row of its constraint.
static inline bool cd_is_redundancy_error(const cd_solve_policy* p, double row_norm, double max_row_norm)
{
    return row_norm < cd_dependent_row_factor * p->redundancy_error * max_row_norm;
}

// Squared tolerance of a coupling, at least that of the redundancy error.
static inline double cd_coupling_tolerance_sq(const cd_solve_policy* p, double tolerance_sq)
{
    return fmax(tolerance_sq, cd_dependent_row_factor_sq * p->redundancy_error * p->redundancy_error);
}

// Tolerance up to which redundant rows are satisfied.
static inline double cd_redundant_row_tolerance(const cd_solve_policy* p, double tolerance)
{
    return fmax(tolerance, cd_dependent_row_factor * p->redundancy_error);
}

// Tolerance of null pivots without the violation.
static inline double cd_null_pivot_tolerance(const cd_solve_policy* p, double tolerance)
{
    return fmax(p->rank == CD_RANK_BY_GEOMETRY ? cd_sharp_rank_factor * tolerance : tolerance, p->pivot_floor);
}

static inline double cd_pivot_tolerance(const cd_solve_policy* p, double tolerance)
{
    return fmax(cd_null_pivot_tolerance(p, tolerance), cd_rank_tolerance_off_constraint(p));
}

static inline cd_pivot_test cd_pivot_test_of(const cd_solve_policy* p, double tolerance)
{
    return (cd_pivot_test){cd_null_pivot_tolerance(p, tolerance), cd_rank_tolerance_at(p, p->unscaled_violation)};
}
