// SPDX-License-Identifier: BSD-3-Clause
// Inside of generalized-alpha: its work, and the solution of the equations of one step (generalized_alpha.c has them).
#pragma once

#include "motion/held.h"
#include "motion/slopes.h"

typedef struct cd_alpha_method {
    double am, af, beta, gamma;
} cd_alpha_method;

typedef struct cd_alpha {
    cd_alpha_method    set;
    cd_slopes slopes;
    cd_held   held;
    double*   J0;  // (nv x nrow) J' at the begin of the step

    cd_point from;                // begin of the last step, and the state there
    double * a0, *b0, *a1, *b1;   // (nv)
    double * g0, *g1, *g_before;  // (ns + 1) rates of states and work
    double*  a_before;            // (nv) accelerations one step before
    double * lambda0, *lambda;  // (nrow)

    double * x, *v, *s;  // unknown: (nv), (nv), (ns)
    cd_point to;
    double * value, *change;  // (n)
    double*  matrix;
    int*     pivot;
    double   factored_h;  // [s] step that the factor belongs to; 0: none
    bool     sloped;      // slopes are known, of this step or one before
    double   rate, trust; // of convergence, when it was last seen; and what it is taken for
    double   h, step, step_before;
    double   b_step;  // [s] step that b0 - a0 belongs to
    int      taken;  // steps since the start
    int      worst;  // entry of [q, z] that an iteration changed most
} cd_alpha;

// Units of errors, as those of the other adaptive methods: of position i, and of entry i of z at the end `value` of the step.
double cd_alpha_x_unit(const cd_system* system, const cd_alpha* w, int i);
double cd_alpha_z_unit(const cd_system* system, const cd_alpha* w, int i, double value);

// Part of a unit that a step of length h may err by: a whole one may be made in a tenth of the run. A method of low order would lose it many
// times over if every step could.
double cd_alpha_share(const cd_system* system, double h);

// Newton from the prediction: the end of a step of length h, in w->to, a1, lambda. CARDAN_NOT_CONVERGED: a shorter step may do.
cardan_status cd_alpha_iterate(cd_system* system, cd_alpha* w, double h);
