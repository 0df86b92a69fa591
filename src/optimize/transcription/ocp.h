// SPDX-License-Identifier: BSD-3-Clause
// Optimal-control problem (OCP): a task with its transcription, its numbering of unknowns, the
// block NLP and the solution.
//
//   unknowns   x_0 u_0 [X_01 Z_01 ... X_0d Z_0d] p_0 x_1 u_1 [...] ... x_N, then accelerations at the ends and the
//              horizon where they are needed
//
// x = (q, v, states), u efforts; points: X coordinates (rotation vectors from x_k for orientations), velocities,
// states; Z accelerations and multipliers of constraints; p: loop corrections at the end of the interval. Full
// layout: X and, unless the form substitutes them, accelerations. Condensed layout: rates only, Z and the rates of
// rotation vectors y and states s,
//
//   v_j = v_k + h sum_l A_jl Z_l        q_j = q_k + h c_j v_k + h^2 sum_l (A A)_jl Z_l
//   y_j = h sum_l A_jl y'_l             s_j = s_k + h sum_l A_jl s'_l
//
// With a free horizon the condensed unknowns are scaled by h, so that these equations are linear in them: h v, h^2 Z,
// h y', h s' (`scaled_by_h`).
#pragma once

#include "optimize/nlp/nlp_solver.h"
#include "optimize/transcription/point_model.h"

typedef struct cd_random_displacement cd_random_displacement;

struct cardan_ocp {
    cardan_task*         task;
    cd_ocp_dynamics_form form;
    cd_scheme            scheme;
    cd_loop_constraints  loops;
    bool                 full_layout, has_acceleration_unknowns,
        scaled_by_h; // full or condensed; points have acceleration unknowns; see above
    int N, n, nq, ns, nu, nl, degree, nx, stride,
        point_stride; // nl multipliers; nx = nq + n + ns; unknowns of an interval, of a point
    int offset_y, offset_v, offset_s, offset_rotation_rate, offset_state_rate, offset_a,
        offset_lambda;          // in a point; -1: none
    int offset_loop_correction; // in an interval
    int first_start_acceleration, first_end_acceleration,
        horizon;              // first unknowns, or -1: accelerations and multipliers at the ends; the horizon
    int*    q_of_v;           // (n) coordinate, or -1 - rotation component
    double *q_first, *q_last; // (nq) start and end of the guess, assembled
    double  h;                // [s] interval length; of the guess if the horizon is free
    bool    has_optimum;      // `solution` is an optimum, with multipliers
    bool    has_multipliers, warm_started; // multipliers for a warm start exist; the last solve used them

    const cd_random_displacement* displacement; // of the guess under construction; NULL: none

    cardan_optimize_options  options;
    cd_point_model           point_model;
    cd_block_nlp             nlp;
    const cd_block_function *start_function, *end_function, *path_function, *limits_function,
        *integral_function; // functions of conditions and cost of the task; NULL: none
    cd_nlp_solution solution;
    double          cpu_time, cpu_time_functions;
    int*            control;
    int             nsample;
    double *        t, *q, *v, *a, *effort, *state;
    double          max_violation; // [m, rad] largest constraint violation along the motion
};

static inline int cd_ocp_offset_x(const cardan_ocp* p, int k) { return k * p->stride; }
static inline int cd_ocp_offset_v(const cardan_ocp* p, int k) { return k * p->stride + p->nq; }
static inline int cd_ocp_offset_u(const cardan_ocp* p, int k) { return k * p->stride + p->nx; }
static inline int cd_ocp_offset_point(const cardan_ocp* p, int k, int j)
{
    return k * p->stride + p->nx + p->nu + j * p->point_stride;
}
static inline int cd_ocp_offset_loop_correction(const cardan_ocp* p, int k)
{
    return k * p->stride + p->offset_loop_correction;
}

// transcribe.c: create block functions and blocks
cardan_status cd_ocp_transcribe(cardan_ocp* ocp, cardan_report* report);
// ocp_conditions.c: return CARDAN_INCONSISTENT if closed loops contradict a condition; return a control with neither
// bounds nor weight, or NULL; note it after a failed solve
cardan_status     cd_ocp_check_contradictions(const cardan_ocp* ocp, cardan_report* report);
const cd_control* cd_task_find_unbounded_control(const cardan_task* task);
void              cd_ocp_note_unbounded_control(const cardan_ocp* ocp, cardan_report* report);
// guess_trajectory.c: assemble start and end of the guess; set x_start of the NLP
cardan_status cd_ocp_guess_end_configurations(cardan_ocp* ocp, cardan_report* report);
cardan_status cd_ocp_guess_trajectory(cardan_ocp* ocp, cardan_report* report);
// guess_end_configuration.c: move q_last so that it satisfies the end conditions on positions, if possible
struct cd_loop_projection;
cardan_status cd_ocp_guess_satisfy_end_conditions(cardan_ocp* ocp, struct cd_loop_projection* projection);
// ocp_pack.c: result of a solve with its status, for another process with the same OCP
size_t        cd_ocp_packed_size(const cardan_ocp* ocp);
void          cd_ocp_pack(const cardan_ocp* ocp, cardan_status status, void* to);
cardan_status cd_ocp_unpack(cardan_ocp* ocp, const void* from); // returns the status of the solve
// solution_file.c: load unknowns and multipliers stored with results if they belong to this NLP, for a warm start.
// Returns CARDAN_NO_MEMORY or CARDAN_OK.
cardan_status cd_ocp_load_solution(cardan_ocp* ocp, const char* results);
// ocp_violation.c: conditions of a block function, NULL: none; note the line of the task with the largest violation
const cd_conditions* cd_ocp_conditions_of(const cardan_ocp* ocp, const cd_block_function* function);
void                 cd_ocp_note_worst_violation(const cardan_ocp* ocp, cardan_report* report);
// ocp_nonfinite.c: note a formula without finite value or derivative at the last iterate or the guess
void cd_ocp_note_nonfinite(cardan_ocp* ocp, cardan_report* report);
// ocp_trajectory.c: compute t, q, v, a, effort from the unknowns
cardan_status cd_ocp_update_trajectory(cardan_ocp* ocp);

// ocp_binding.c: bind the inputs of the point model
void cd_bind_interval(const cardan_ocp* ocp, cd_binding* b, int k,
                      double c);                                          // h, time t_k + c h, efforts of interval k
void cd_bind_interval_start(const cardan_ocp* ocp, cd_binding* b, int k); // state at the beginning of interval k
void cd_bind_accelerations(const cardan_ocp* ocp, cd_binding* b,
                           int unknown);                                // accelerations and multipliers, starting there
void cd_bind_point(const cardan_ocp* ocp, cd_binding* b, int k, int j); // all inputs of a point
void cd_bind_interval_end(const cardan_ocp* ocp, cd_binding* b,
                          int k); // state at the end of the interval, from its points

// ocp_unknowns.c: states from unknowns and back. Point j of interval k; j = -1: its beginning. `state` may be NULL.
double cd_ocp_interval_length(const cardan_ocp* ocp, const double* x); // h [s]
void   cd_ocp_get_state(const cardan_ocp* ocp, const double* x, int k, int j, double* q, double* v, double* state);
void   cd_ocp_set_state(const cardan_ocp* ocp, double* x, int k, int j, const double* q, const double* v,
                        const double* state);
