// SPDX-License-Identifier: BSD-3-Clause
// Inside of generalized-alpha: its work, and the solution of the equations of one step (generalized_alpha.c has them).
#pragma once

#include "motion/held.h"
#include "motion/entries.h"
#include "motion/force_jump.h"
#include "motion/slopes.h"
#include "motion/sparse_slopes.h"

typedef struct cd_alpha_method {
    double am, af, beta, gamma;
} cd_alpha_method;

typedef struct cd_alpha {
    cd_alpha_method set;
    cd_slopes       slopes;
    cd_held         held;
    double*         J0; // (nv x nrow) J' at the begin of the step; dense matrices

    bool             sparse; // matrices are: then no slopes but these, and rows of J at the begin of the step
    cd_sparse_slopes bodies;
    cd_held_rows     rows0;
    cd_entries       entries;

    cd_point from;               // begin of the last step, and the state there
    double * a0, *b0, *a1, *b1;  // (nv)
    double * g0, *g1, *g_before; // (ns + 1) rates of states and work
    double*  a_before;           // (nv) accelerations one step before
    double * lambda0, *lambda;   // (nrow)

    double *      x, *v, *s; // unknown: (nv), (nv), (ns)
    cd_point      to;
    double *      value, *change; // (n)
    double*       inertia;        // (nv) on the diagonal of M
    double*       matrix;
    int*          pivot;
    double        factored_h;  // [s] step that the factor belongs to; 0: none
    bool          sloped;      // slopes are known, of this step or one before
    double        rate, trust; // of convergence, when it was last seen; and what it is taken for
    double        h, step, step_before;
    double        b_step; // [s] step that b0 - a0 belongs to
    int           taken;  // steps since the start
    cd_force_jump jump;   // of forces
    bool          anew;   // the next step begins anew, behind a jump
    int           worst;  // entry of [q, z] that an iteration changed most
} cd_alpha;

// Factors of the equations of a step of length h: a', v', k of alpha_newton.c.
typedef struct cd_alpha_scales {
    double h, a, v, r;
} cd_alpha_scales;

// d(q (+) x) = (q (+) x) (+) T dx.
void cd_alpha_tangent(const double x[3], double T[3][3]);

// Sparse matrices (alpha_sparse.c): at a start, with what is held; J at the begin of a step; slopes at the point that
// the iteration has reached; the matrix.
cardan_status cd_alpha_sparse_start(cd_system* system, cd_alpha* w);
void          cd_alpha_sparse_begin(cd_system* system, cd_alpha* w);
cardan_status cd_alpha_sparse_slopes(cd_system* system, cd_alpha* w);
void          cd_alpha_sparse_inertias(const cd_system* system, cd_alpha* w); // of these slopes
cardan_status cd_alpha_sparse_factor(cd_system* system, cd_alpha* w, const cd_alpha_scales* k);
void          cd_alpha_finish(void* work);

// Units of errors, as those of the other adaptive methods: of position i, of velocity i, and of user state i.
double cd_alpha_x_unit(const cd_system* system, const cd_alpha* w, int i);
double cd_alpha_v_unit(const cd_system* system, const cd_alpha* w, int i);
double cd_alpha_s_unit(const cd_system* system, const cd_alpha* w, int i);

// Part of a unit that a step of length h may err by: a whole one may be made in a tenth of the run. A method of low
// order would lose it many times over if every step could.
double cd_alpha_share(const cd_system* system, double h);

// Newton from the prediction: the end of a step of length h, in w->to, a1, lambda. CARDAN_NOT_CONVERGED: a shorter step
// may do.
cardan_status cd_alpha_iterate(cd_system* system, cd_alpha* w, double h);
