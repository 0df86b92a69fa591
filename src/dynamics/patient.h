// SPDX-License-Identifier: BSD-3-Clause
// A mechanism looked at by singular values: rank at a pose, closing of its loops, other closed poses nearby.
#pragma once

#include "dynamics/data.h"

typedef struct cd_patient {
    cardan_data* d;
    int          nrow, nv, most; // most = min(nrow, nv)
    double       t;
    double *     q, *v, *state; // as they were given
    double*      closed;        // (nq) the loops closed from there
    double*      trial;         // (nq)
    double*      generic;       // (nq) a pose nearby of full rank
    double*      zero;          // (nv)
    bool*        driven;        // (nrow) follows a law of time
    bool         released;      // rows that follow laws of time are left out
    double       endured;       // opening, of all rows, that counts as closed: what the start cannot do without
    double       cut;           // in place of the tolerance of ranks; 0: none

    // cd_examine
    double* J;     // (nrow x nv) scaled, overwritten
    double* scale; // (nrow)
    double* sigma; // (most)
    double* left;  // (nrow x nrow)
    double* right; // (most x nv)
    int     rank;

    double *           work, *x, *y; // x, y: (nrow + nv) scratch
    cd_arena           arena;
    unsigned long long dice;
} cd_patient;

bool cd_patient_admit(cd_patient* p, cardan_data* d, cardan_report* report);
void cd_patient_dismiss(cd_patient* p); // state of the data as it was

// Singular values below this part of the largest do not count.
double cd_rank_tolerance(const cd_patient* p);
// Singular values and rank at a pose; false if something is not finite.
bool cd_examine(cd_patient* p, const double* q);
// Close the loops from q, moving it as little as possible. False if an opening is left; q is then where it is smallest.
bool cd_close(cd_patient* p, double* q);
// Largest opening at a pose: of lengths [m] and angles [rad]. `worst` is the constraint with the largest, may be NULL.
void cd_openings(cd_patient* p, const double* q, double* gap, double* turn, int* worst);
// A closed pose near `from`, moved at random by about `size` [rad, lengths]; false if the loops let nothing move that
// far.
bool cd_wander(cd_patient* p, const double* from, double size, double* q);

// Openings of one constraint at the state of the data.
void cd_constraint_opening(const cardan_data* d, int constraint, double* gap, double* turn);

// Rank at the state of the data, for mechanisms too large for singular values (sparse_rank.c). *counted: false where
// that is too much too. False without memory.
bool cd_sparse_rank(cardan_data* d, int* rank, bool* counted);
// Whether the same elimination, drivers released, meets columns of which more than `least`, and less than `most`, is
// left; not where it takes too long for a start. False without memory.
bool cd_rows_doubtful(cardan_data* d, double least, double most, bool* doubtful);
