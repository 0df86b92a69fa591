// SPDX-License-Identifier: BSD-3-Clause
// A mechanism looked at by singular values: rank at a pose, closing of its loops, other closed poses nearby.
#pragma once

#include "dynamics/data.h"

typedef struct cd_rank_analysis {
    cardan_data* d;
    int          nrow, nv, max_rank; // most = min(nrow, nv)
    double       t;
    double *     q, *v, *state;       // as they were given
    double*      q_assembled;         // (nq) the loops closed from there
    double*      q_trial;             // (nq)
    double*      q_generic;           // (nq) a pose nearby of full rank
    double*      zero_nv;             // (nv)
    bool*        driven;              // (nrow) follows a law of time
    bool         drivers_released;    // rows that follow laws of time are left out
    double       violation_tolerance; // opening, of all rows, that counts as closed: what the start cannot do without
    double       rank_cutoff;         // in place of the tolerance of ranks; 0: none

    // cd_rank_analysis_compute
    double* J;              // (nrow x nv) scaled, overwritten
    double* scale;          // (nrow)
    double* sigma;          // (most)
    double* left_singular;  // (nrow x nrow)
    double* right_singular; // (most x nv)
    int     rank;

    double *           work, *x, *y; // x, y: (nrow + nv) scratch
    cd_arena           arena;
    unsigned long long rng;
} cd_rank_analysis;

bool cd_rank_analysis_init(cd_rank_analysis* p, cardan_data* d, cardan_report* report);
void cd_rank_analysis_destroy(cd_rank_analysis* p); // state of the data as it was

// Singular values below this part of the largest do not count.
double cd_rank_analysis_tolerance(const cd_rank_analysis* p);
// Singular values and rank at a pose; false if something is not finite.
bool cd_rank_analysis_compute(cd_rank_analysis* p, const double* q);
// Close the loops from q, moving it as little as possible. False if an opening is left; q is then where it is smallest.
bool cd_rank_analysis_assemble(cd_rank_analysis* p, double* q);
// Largest opening at a pose: of lengths [m] and angles [rad]. `worst` is the constraint with the largest, may be NULL.
void cd_rank_analysis_violations(cd_rank_analysis* p, const double* q, double* translation_violation,
                                 double* rotation_violation, int* worst);
// A closed pose near `from`, moved at random by about `size` [rad, lengths]; false if the loops let nothing move that
// far.
bool cd_rank_analysis_find_nearby(cd_rank_analysis* p, const double* q_from, double size, double* q);

// Openings of one constraint at the state of the data.
void cd_split_constraint_violation(const cardan_data* d, int constraint, double* translation_violation,
                                   double* rotation_violation);

// Rank at the state of the data, for mechanisms too large for singular values (sparse_rank.c). *counted: false where
// that is too much too. False without memory.
bool cd_sparse_rank(cardan_data* d, int* rank, bool* rank_computed);
// Whether the same elimination, drivers released, meets columns of which more than `least`, and less than `most`, is
// left; not where it takes too long for a start. False without memory.
bool cd_has_nearly_dependent_rows(cardan_data* d, double min_column, double max_column, bool* is_doubtful);
