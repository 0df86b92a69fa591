// SPDX-License-Identifier: BSD-3-Clause
// Analysis of the constraints by singular values: rank at a configuration, assembly, other assembled configurations
// nearby.
#pragma once

#include "dynamics/data.h"

typedef struct cd_rank_analysis {
    cardan_data* d;
    int          nrow, nv, max_rank; // max_rank = min(nrow, nv)
    double       t;
    double *     q, *v, *state;       // state of the data at cd_rank_analysis_init
    double*      q_assembled;         // (nq) assembled from there
    double*      q_trial;             // (nq)
    double*      q_generic;           // (nq) configuration nearby with generic rank
    double*      zero_nv;             // (nv)
    bool*        driven;              // (nrow) row follows a driver function
    bool         drivers_released;    // driven rows are ignored
    double       violation_tolerance; // scaled norm accepted as closed; at least that of the start
    double       rank_cutoff;         // minimum of the rank tolerance; 0: none

    // cd_rank_analysis_compute
    double* J;              // (nrow x nv) scaled, overwritten
    double* scale;          // (nrow)
    double* sigma;          // (max_rank)
    double* left_singular;  // (nrow x nrow)
    double* right_singular; // (max_rank x nv)
    int     rank;

    double *           work, *x, *y; // x, y: (nrow + nv) scratch
    cd_arena           arena;
    unsigned long long rng;
} cd_rank_analysis;

bool cd_rank_analysis_init(cd_rank_analysis* p, cardan_data* d, cardan_report* report);
void cd_rank_analysis_destroy(cd_rank_analysis* p); // restores the state of the data

// Singular values below this fraction of max(1, largest) count as zero.
double cd_rank_analysis_tolerance(const cd_rank_analysis* p);
// Compute singular values and rank at a configuration. Returns false if a value is not finite.
bool cd_rank_analysis_compute(cd_rank_analysis* p, const double* q);
// Assemble the loops from q with minimum change. Returns false if a violation remains; q then minimizes it.
bool cd_rank_analysis_assemble(cd_rank_analysis* p, double* q);
// Largest violation at a configuration: of translations [m] and rotations [rad]. worst: constraint with the largest
// violation, may be NULL.
void cd_rank_analysis_violations(cd_rank_analysis* p, const double* q, double* translation_violation,
                                 double* rotation_violation, int* worst);
// Find an assembled configuration q near q_from, displaced at random by about `size` [rad, design_length]. Returns
// false if the loops do not permit that.
bool cd_rank_analysis_find_nearby(cd_rank_analysis* p, const double* q_from, double size, double* q);

// Translational and rotational violation of one constraint at the state of the data.
void cd_split_constraint_violation(const cardan_data* d, int constraint, double* translation_violation,
                                   double* rotation_violation);

// Compute the rank at the state of the data, for mechanisms too large for singular values (sparse_rank.c).
// *rank_computed: false if the elimination is too expensive, too. Returns false if memory is exhausted.
bool cd_sparse_rank(cardan_data* d, int* rank, bool* rank_computed);
// Whether the same elimination, drivers released, finds columns whose remaining norm is between min_column and
// max_column; false if the elimination is too expensive at a start. Returns false if memory is exhausted.
bool cd_has_nearly_dependent_rows(cardan_data* d, double min_column, double max_column, bool* is_doubtful);
