// SPDX-License-Identifier: BSD-3-Clause
// A task with its transcription: where unknowns stand, the program, and what the solver found.
//
//   unknowns   x_0 u_0 [X_01 Z_01 ... X_0d Z_0d] x_1 u_1 [...] ... x_N, then accelerations at the ends and the horizon where they are needed
//
// x = (q, v), u efforts, X states and Z accelerations of points. Full layout: X and, unless the form substitutes them, Z. Condensed: Z alone,
//
//   v_j = v_k + h sum_l A_jl Z_l        q_j = q_k + h c_j v_k + h^2 sum_l (A A)_jl Z_l
#pragma once

#include "optimize/solve.h"
#include "optimize/stage.h"

struct cardan_plan {
    cardan_task*     task;
    cd_optimize_form form;
    cd_scheme        scheme;
    bool             full, kept;  // layout; accelerations of points are unknowns
    int              N, n, nu, degree, nx, stride, npoint;  // nx = 2n; unknowns of an interval, of a point
    int              a_start, a_end, horizon;               // first unknowns, or -1
    double           h;                                     // [s] where the horizon is fixed, else its guess
    bool             ran;                                   // there are multipliers to start from

    cardan_optimize_options wish;
    cd_instant       instant;
    cd_chain       program;
    cd_solved        solved;
    double           seconds, seconds_functions, violation;
    int*             control;
    int              nrow;
    double *         t, *q, *v, *a, *effort;
};

static inline int cd_at_x(const cardan_plan* p, int k) { return k * p->stride; }
static inline int cd_at_u(const cardan_plan* p, int k) { return k * p->stride + p->nx; }
static inline int cd_at_point(const cardan_plan* p, int k, int j) { return k * p->stride + p->nx + p->nu + j * p->npoint; }
static inline int cd_at_a(const cardan_plan* p, int k, int j) { return cd_at_point(p, k, j) + (p->full ? p->nx : 0); }

// transcribe.c: kinds and blocks
cardan_status cd_transcribe(cardan_plan* plan, cardan_report* report);
// guess.c: x_start of the program
cardan_status cd_guess(cardan_plan* plan, cardan_report* report);
// violation.c: notes which line of the task the last motion misses most
void cd_plan_tell_missed(const cardan_plan* plan, cardan_report* report);
// trajectory.c: t, q, v, a, effort from the unknowns
cardan_status cd_plan_tell(cardan_plan* plan);

// bind.c: what inputs are at places of the chain
void cd_bind_interval(const cardan_plan* plan, cd_binding* b, int k, double c);  // h, time t_k + c h, efforts of interval k
void cd_bind_state(const cardan_plan* plan, cd_binding* b, int unknown);         // q and v
void cd_bind_accelerations(const cardan_plan* plan, cd_binding* b, int unknown);
void cd_bind_point(const cardan_plan* plan, cd_binding* b, int k, int j);        // q, v, a of a point
void cd_bind_end(const cardan_plan* plan, cd_binding* b, int k);                 // q, v at the end of the interval, by its points
