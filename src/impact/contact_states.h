// SPDX-License-Identifier: BSD-3-Clause
// Forces of contacts whose states are known: a linear system.
//
//   u = W p + q,  p = B y + p_0,  C'u = 0
//
// The rows of y and of C: all rows of an element that sticks; the normal row of one that slips, whose friction is
// p_t = -mu p_n s with the direction s of slip, so that its column of B is n - mu s; none of an open one, p = 0.
// q contains the accelerations of the rows without contact forces, minus those that are required.
#pragma once

#include "core/memory.h"
#include "impact/contact_problem.h"

// State of an element. LIMIT: is_open alone. FRICTION: slips and slip[0] = +-1. BILATERAL: never open. SLIDING: its
// own direction. `slips` is true where mu = 0 or is ignored there: rows without friction coefficient carry no force.
typedef struct cd_element_state {
    bool   is_open;
    bool   slips, spins, rolls;    // relative velocity, spin, rolling rate is not 0: friction is at its limit
    double slip[2], spin, roll[2]; // unit directions of the relative velocity, of spin (+-1), of the rolling rate
} cd_element_state;

typedef enum cd_states_status {
    CD_STATES_UNIQUE,       // p is determined
    CD_STATES_REDUNDANT,    // u is determined, p is the least one (weighted by the diagonal of W)
    CD_STATES_INCONSISTENT, // no p satisfies C'u = 0: rows contradict each other, or the matrix of sliding contacts is
                            // singular (Painleve). p is that of the least squares
} cd_states_status;

typedef struct cd_states_solution {
    double* p;              // (nrow)
    double* u;              // (nrow)
    bool*   is_unique;      // (nelement)
    int     nfree, rank;    // size and rank of C'W B
    double  smallest_pivot; // of the factorization of C'W B relative to the diagonal of W; 0 at a deficient rank
    int     determinant;    // sign of det C'W B: -1, 0, 1; negative: the configuration is one of Painleve
    double  inconsistency;  // largest |C'u| [units of u]
} cd_states_solution;

typedef struct cd_states_work cd_states_work;

cd_states_work* cd_states_work_layout(cd_arena* arena, int max_rows, int max_elements);

// state: (nelement)
cd_states_status cd_contact_states_solve(const cd_contact_problem* problem, const cd_element_state* state,
                                         cd_states_work* work, cd_states_solution* solution);

// Admissible forces of redundant contacts: of all p = p_0 + B z, C'W B z = 0, one of the largest margin
//
//   margin = least over the closed elements of  p_n  and, where they stick, (mu p_n - |p_t|)/sqrt(1 + mu^2)
//
// [N], the moments of friction likewise, divided by the lever arms. Not negative: p is admissible. solution: the result
// of cd_contact_states_solve for the same states. If the margin of its p is not negative, or p is unique, it stays and
// its margin is returned; else p is replaced and the largest margin is returned: negative if no admissible forces exist
// in these states.
double cd_contact_feasible_forces(const cd_contact_problem* problem, const cd_element_state* state,
                                  cd_states_work* work, cd_states_solution* solution);
