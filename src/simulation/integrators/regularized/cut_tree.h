// SPDX-License-Identifier: BSD-3-Clause
// A mechanism with its loops cut: accelerations of the tree under multipliers mu that are given, M a = r - J'mu, linear
// in the number of links whatever the loops; and how stiff the cuts may be made before explicit steps become unstable.
#pragma once

#include "formulation/tree/articulated.h"
#include "formulation/reduction/fronts.h"
#include "simulation/integrators/regularized/multiplier_window.h"

#include "dynamics/data.h"

typedef struct cd_cut_tree {
    cd_articulated         articulated; // where rotors sit on joints of the tree alone
    cd_reduction_workspace fronts;      // where some sit beside it: their rows are inertias across the tree
    cd_rows                rotors;
    cd_row_block*          rotor_block; // of the rotors
    bool                   analysed, has_cut_rotors;
    double *               r, *u, *gamma; // (nv), (nv), (rotors)
    double *               x, *y;         // (nrow), (nv) of the operator

    articulated_inertia* link_mobility;         // (nlink) mobility
    double               characteristic_length; // [m] typical
    double*              row_mobility;          // (nrow) largest so far that a row has met; 0: nothing feels it
    double*              epsilon;               // (nrow) of the rows; infinite: no force
    double*              lanczos_basis;
    double               epsilon_given; // epsilon of all rows; 0: of each by its mobility
    double lambda_max; // largest eigenvalue of J M^-1 J', each row divided by the root of its share of epsilon
} cd_cut_tree;

void cd_cut_tree_layout(cardan_data* d, cd_arena* arena, cd_cut_tree* c);
void cd_cut_tree_release(cd_cut_tree* c);

// At the state of the data: the factor of the tree.
cardan_status cd_cut_tree_factor(cardan_data* d, cd_cut_tree* c, cd_solve_info* where);
// a (nv) under mu (rows of the closure), which is left in the data as what was solved last.
void cd_cut_tree_accelerate(cardan_data* d, cd_cut_tree* c, const double* mu, double* a);
// With a factor: lam, and epsilon for steps h: as wished, else `margin` times the least that is stable. *stable:
// epsilon over the least that is.
cardan_status cd_cut_tree_stability_bound(cardan_data* d, cd_cut_tree* c, double h, double margin,
                                          double* stability_ratio);
