// SPDX-License-Identifier: BSD-3-Clause
// Work memory and parts of contact_states.c, feasible_forces.c and least_change.c.
#pragma once

#include "impact/active_columns.h"
#include "impact/contact_states.h"
#include "impact/cone/interior_point.h"

struct cd_states_work {
    cd_active_columns columns;
    double *          matrix, *basis; // (max_rows^2)
    double *          y, *right, *sub;
    int *             order, *pivot;
    int               nullity; // rows of basis: the null space of the last solution
    // feasible_forces.c
    cd_conic_program  program;
    int*              shifted; // of program
    double*           shift_by;
    cd_interior_point interior;
    double *          H, *c, *x;  // of nullity + 1 unknowns
    double*           null_force; // (max_rows^2) impulses of the null vectors
};

// |p_t| <= factor p_n + bound - weight margin; nrow 0: p_n >= margin
typedef struct cd_state_set {
    int    row, nrow, normal;
    double factor, bound, weight;
} cd_state_set;

enum { CD_STATE_MAX_SETS = 4 };

// Sets that restrict the impulses of an element in its state; returns their number.
int    cd_states_list_sets(const cd_contact_element* element, const cd_element_state* state,
                           cd_state_set set[CD_STATE_MAX_SETS]);
double cd_states_margin(const cd_contact_problem* problem, const cd_element_state* state, const double* p);

// Columns of B in the states.
void cd_states_select(const cd_contact_problem* problem, const cd_element_state* state, cd_active_columns* columns);

// Solve for y of the least norm where rows of C'W B are dependent (dependent_rows.c); false: they are not, or contradict
// each other.
bool cd_states_solve_dependent_rows(const cd_contact_problem* problem, cd_states_work* work,
                                    cd_states_solution* solution);

void cd_states_cones_layout(cd_arena* arena, int max_rows, int max_elements, cd_states_work* work);
// Cones of p + null_force x in units of `scale`; with the margin as the last unknown, at most 1, if has_margin.
void cd_states_build_cones(const cd_contact_problem* problem, const cd_element_state* state, cd_states_work* work,
                           const double* p, double scale, bool has_margin);
