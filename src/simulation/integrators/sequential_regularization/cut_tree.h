// SPDX-License-Identifier: BSD-3-Clause
// Mechanism with cut loops: accelerations of the tree under given multipliers mu, M a = r - J'mu, linear in the
// number of links for any loops; and the smallest epsilon for which explicit steps are stable.
#pragma once

#include "formulation/tree/articulated.h"
#include "formulation/coordinate_reduction/fronts.h"
#include "simulation/integrators/sequential_regularization/multiplier_window.h"

#include "dynamics/data.h"

typedef struct cd_cut_tree {
    cd_articulated         articulated; // if all rotors are on joints of the tree
    cd_reduction_workspace fronts;      // if some are on off-tree joints: their rows add inertia across the tree
    cd_rows                rotors;
    cd_row_block*          rotor_block; // joint-space rows of the rotors
    bool                   analysed, has_cut_rotors;
    double *               r, *u, *gamma; // (nv), (nv), (rotors)
    double *               x, *y;         // (nrow), (nv) vectors of the Lanczos operator

    articulated_inertia* link_mobility;         // (nlink)
    double               characteristic_length; // [m] length_scale of the data
    double*              row_mobility;          // (nrow) largest so far; 0: no effect on any velocity
    double*              epsilon;               // (nrow) regularization; infinite: no force
    double*              lanczos_basis;
    double               epsilon_given; // epsilon of all rows, set by the user; 0: of each row by its mobility
    double lambda_max; // largest eigenvalue of J M^-1 J', each row divided by the root of its relative epsilon
} cd_cut_tree;

void cd_cut_tree_layout(cardan_data* d, cd_arena* arena, cd_cut_tree* c);
void cd_cut_tree_release(cd_cut_tree* c);

// Factor the tree at the state of the data.
cardan_status cd_cut_tree_factor(cardan_data* d, cd_cut_tree* c, cd_solve_info* info);
// Compute a (nv) under mu (all constraint rows); the data keep the result as their last solution.
void cd_cut_tree_accelerate(cardan_data* d, cd_cut_tree* c, const double* mu, double* a);
// Compute lambda_max with the current factor, and epsilon for steps h: the value set, else `margin` times the
// smallest stable one. *stability_ratio: epsilon divided by the smallest stable one.
cardan_status cd_cut_tree_stability_bound(cardan_data* d, cd_cut_tree* c, double h, double margin,
                                          double* stability_ratio);
