// SPDX-License-Identifier: BSD-3-Clause
// A task with its transcription: where unknowns stand, the program, and what the solver found.
//
//   unknowns   x_0 u_0 [X_01 Z_01 ... X_0d Z_0d] p_0 x_1 u_1 [...] ... x_N, then accelerations at the ends and the
//              horizon where they are needed
//
// x = (q, v, states), u efforts; points: X coordinates (turns from x_k for orientations), velocities, states; Z
// accelerations and multipliers of constraints; p: what closes loops at the end of the interval. Full layout: X and,
// unless the form substitutes them, accelerations. Condensed: rates alone, Z and those of turns y and states s,
//
//   v_j = v_k + h sum_l A_jl Z_l        q_j = q_k + h c_j v_k + h^2 sum_l (A A)_jl Z_l
//   y_j = h sum_l A_jl y'_l             s_j = s_k + h sum_l A_jl s'_l
//
// and with a free horizon these in units of h, in which they are linear: h v, h^2 Z, h y', h s' (`scaled`).
#pragma once

#include "optimize/solve.h"
#include "optimize/stage.h"

typedef struct cd_displacement cd_displacement;

struct cardan_plan {
    cardan_task*     task;
    cd_optimize_form form;
    cd_scheme        scheme;
    cd_ties          loops;
    bool             full, kept, scaled; // layout; accelerations of points are unknowns; units of h
    int              N, n, nq, ns, nu, nl, degree, nx, stride,
        npoint; // nl multipliers; nx = nq + n + ns; unknowns of an interval, of a point
    int     at_y, at_v, at_s, at_turn_rate, at_state_rate, at_a, at_l; // in a point; -1: not there
    int     at_push;                                                   // in an interval
    int     a_start, a_end, horizon; // first unknowns, or -1: accelerations and multipliers at the ends; the horizon
    int*    q_of_v;                  // (n) coordinate, or -1 - component of turns
    double *q_first, *q_last;        // (nq) where the guess begins and ends, loops closed
    double  h;                       // [s] where the horizon is fixed, else its guess
    bool    ran;                     // what was solved last is an optimum, with multipliers
    bool    warm, began_warm;        // there are multipliers to start from; the last search had some

    const cd_displacement* drawn; // of the guess that is being made; NULL: that of the task

    cardan_optimize_options wish;
    cd_instant              instant;
    cd_chain                program;
    const cd_kind *         at_start, *at_end, *on_path, *limits,
        *integral; // kinds of blocks that stand for conditions and cost of the task; NULL: it has none
    cd_solved solved;
    double    seconds, seconds_functions;
    int*      control;
    int       nrow;
    double *  t, *q, *v, *a, *effort, *state;
    double    gap; // [m, rad] largest of the loops along the motion
};

static inline int cd_at_x(const cardan_plan* p, int k) { return k * p->stride; }
static inline int cd_at_v(const cardan_plan* p, int k) { return k * p->stride + p->nq; }
static inline int cd_at_u(const cardan_plan* p, int k) { return k * p->stride + p->nx; }
static inline int cd_at_point(const cardan_plan* p, int k, int j)
{
    return k * p->stride + p->nx + p->nu + j * p->npoint;
}
static inline int cd_at_push(const cardan_plan* p, int k) { return k * p->stride + p->at_push; }

// transcribe.c: kinds and blocks
cardan_status cd_transcribe(cardan_plan* plan, cardan_report* report);
// conditions.c: CARDAN_INCONSISTENT where closed loops contradict a condition; a control that nothing holds, or NULL;
// its note after a search that failed
cardan_status     cd_tell_contradictions(const cardan_plan* plan, cardan_report* report);
const cd_control* cd_unheld_control(const cardan_task* task);
void              cd_tell_unbounded(const cardan_plan* plan, cardan_report* report);
// guess.c: where it begins and ends; x_start of the program
cardan_status cd_guess_ends(cardan_plan* plan, cardan_report* report);
cardan_status cd_guess(cardan_plan* plan, cardan_report* report);
// guess_reach.c: q_last where it meets end conditions on positions, if that can be
struct cd_closer;
cardan_status cd_guess_reach(cardan_plan* plan, struct cd_closer* closer);
// pack.c: the outcome of a search with its status, for another process that has the same plan
size_t        cd_plan_packed_size(const cardan_plan* plan);
void          cd_plan_pack(const cardan_plan* plan, cardan_status status, void* to);
cardan_status cd_plan_unpack(cardan_plan* plan, const void* from); // the status of the search
// solution.c: unknowns and multipliers beside results, where they are those of this program; then the plan is warm.
// NO_MEMORY or OK.
cardan_status cd_solution_take(cardan_plan* plan, const char* results);
// violation.c: conditions that blocks of a kind stand for, NULL: they are none; notes which line of the task the last
// motion misses most
const cd_conditions* cd_conditions_of(const cardan_plan* plan, const cd_kind* kind);
void                 cd_plan_tell_missed(const cardan_plan* plan, cardan_report* report);
// undefined.c: notes a formula that has no finite value or slope along the last motion or the guess
void cd_plan_tell_undefined(cardan_plan* plan, cardan_report* report);
// trajectory.c: t, q, v, a, effort from the unknowns
cardan_status cd_plan_tell(cardan_plan* plan);

// bind.c: what inputs are at places of the chain
void cd_bind_interval(const cardan_plan* plan, cd_binding* b, int k,
                      double c);                                        // h, time t_k + c h, efforts of interval k
void cd_bind_node(const cardan_plan* plan, cd_binding* b, int k);       // state at the beginning of interval k
void cd_bind_ends(const cardan_plan* plan, cd_binding* b, int unknown); // accelerations and multipliers, from there on
void cd_bind_point(const cardan_plan* plan, cd_binding* b, int k, int j); // everything of a point
void cd_bind_end(const cardan_plan* plan, cd_binding* b, int k); // state at the end of the interval, by its points

// unknowns.c: states from unknowns and back. Point j of interval k; j = -1: its beginning. States may be NULL.
double cd_plan_step(const cardan_plan* plan, const double* x); // h [s]
void   cd_plan_state(const cardan_plan* plan, const double* x, int k, int j, double* q, double* v, double* state);
void   cd_plan_set_state(const cardan_plan* plan, double* x, int k, int j, const double* q, const double* v,
                         const double* state);
