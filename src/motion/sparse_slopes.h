// SPDX-License-Identifier: BSD-3-Clause
// Slopes of the equations of motion (slopes.h) in flat coordinates, where a body appears in few equations: packed link
// by link, linear in the number of bodies.
#pragma once

#include "dynamics/colouring.h"
#include "dynamics/dual_slopes.h"
#include "motion/held.h"

enum { CD_BY_Q = 0, CD_BY_V = 6, CD_BY_A = 12 }; // within the CD_FREE_SLOPES of an entry

typedef struct cd_sparse_slopes {
    cd_arena     arena;
    cd_colouring bodies; // entries start[link] to start[link + 1] have the rows row[k]
    cd_dual*     dual;
    int          n, r, g, c, rate; // rows of the equations, as in cd_slopes
    double*      entry;            // (entries x CD_FREE_SLOPES)
    double*      by_s;             // (n x ns)
    int*         place;            // (nrow) of a row among those held, or -1
    bool         ready;
} cd_sparse_slopes;

// Whether matrices of this system should be sparse: many free bodies.
bool cd_sparse_pays(const cd_system* system);

bool cd_sparse_slopes_create(const cd_system* system, cd_sparse_slopes* s); // false: no memory
void cd_sparse_slopes_free(cd_sparse_slopes* s);
void cd_sparse_slopes_hold(const cd_held* held, cd_sparse_slopes* s);

cardan_status cd_sparse_slopes_at(cd_system* system, double t, const double* q, const double* z, const double* a,
                                  const double* lambda, cd_sparse_slopes* s);

static inline double* cd_sparse_slope(const cd_sparse_slopes* s, int k)
{
    return s->entry + (size_t)k * CD_FREE_SLOPES;
}
