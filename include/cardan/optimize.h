// SPDX-License-Identifier: BSD-3-Clause
// Optimal control: the motion of a mechanism between given conditions of least cost. A task is a YAML file that refers
// to the model file (docs/optimize.md). The code generator provides dynamics and all derivatives; IPOPT solves the
// nonlinear program.
#pragma once

#include <cardan/io.h>
#include <cardan/model.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_task cardan_task;
typedef struct cardan_ocp  cardan_ocp;

/// Load a task and its mechanism. Settings apply to parameters of the task, else of the model.
cardan_status cardan_task_load(const char* path, const cardan_load_options* options, cardan_task** task,
                               cardan_report* report);
/// Load a task from text; `name` replaces the file name, and the path of the mechanism is relative to it.
cardan_status       cardan_task_load_text(const char* text, const char* name, const cardan_load_options* options,
                                          cardan_task** task, cardan_report* report);
void                cardan_task_destroy(cardan_task* task);
const cardan_model* cardan_task_model(const cardan_task* task);
int                 cardan_task_formulation(const cardan_task* task); // formulation of its motions at runtime
const char*         cardan_task_name(const cardan_task* task);
const char*         cardan_task_model_path(const cardan_task* task); // file or folder of its mechanism

/// Settings that override those of the task; NULL and 0 keep them.
typedef struct cardan_optimize_options {
    const char* dynamics_form; // see cardan_dynamics_form_name
    const char* transcription; // see cardan_transcription_name
    const char* layout;        // "condensed" or "full"
    const char* compiled_code; // "auto", "always", "never": compile functions and derivatives; auto: if it saves time
    bool        build_only;    // the program is not solved: nothing is compiled
    const char* guess;         // results file as initial guess; NULL: guess of the task
    int         intervals, degree, max_iterations;
    double      tolerance; // 0: 1e-8
    void*       user;
    bool (*iteration_callback)(void* user, int iteration, double objective,
                               double violation); // return false to stop; may be NULL
} cardan_optimize_options;

/// Available forms and transcriptions; NULL if i is out of range.
const char* cardan_dynamics_form_name(int i);
const char* cardan_dynamics_form_summary(int i);
const char* cardan_transcription_name(int i);
const char* cardan_transcription_summary(int i);

/// Create the nonlinear program of a task; `options` may be NULL. The task must outlive it.
cardan_status cardan_ocp_create(cardan_task* task, const cardan_optimize_options* options, cardan_ocp** ocp,
                                cardan_report* report);
void          cardan_ocp_destroy(cardan_ocp* ocp);
/// Solve the nonlinear program. `ocp` holds the last iterate, whatever the status; solving again starts from it with
/// its multipliers.
cardan_status cardan_ocp_solve(cardan_ocp* ocp, cardan_report* report);

/// Set the initial guess of the next solve; multipliers of an earlier solve are dropped. Number 0 is the guess of the
/// task; others are random guesses around it, from a stream that depends on `seed` and `number` only
/// (docs/optimize.md). Searches from several guesses find several local minima.
cardan_status cardan_ocp_set_guess(cardan_ocp* ocp, unsigned seed, int number, cardan_report* report);

/// Save unknowns and multipliers of the optimum next to its results: RESULTS.solution.json. An OCP of the same program
/// with these results as guess starts from them. If there is no optimum, the file of an earlier solve is removed.
cardan_status cardan_ocp_save(const cardan_ocp* ocp, const char* results, cardan_report* report);

typedef struct cardan_ocp_view {
    const char *dynamics_form, *transcription, *layout;
    int         intervals, degree;
    int         nunknown, nconstraint, jacobian_nonzeros,
        hessian_nonzeros; // sizes; structural nonzeros, of the Hessian the lower triangle
    int           iterations;
    double        objective, violation, horizon; // [s]
    double        cpu_time, cpu_time_functions;  // [s] processor time of the solve, of functions and derivatives
    bool          is_compiled;                   // functions and derivatives are compiled code
    bool          warm_started;                  // the solve started with multipliers of an earlier one
    int           ncontrol;
    const int*    control; // (ncontrol) indices of the controlled velocities
    int           nsample; // time points: ends of intervals and collocation points between, ascending
    const double *t, *q, *v, *a, *effort,
        *state;           // (nsample), (nsample x nq), (nsample x nv) three times, (nsample x nstate), row major
    double max_violation; // [m, rad] largest constraint violation along the motion; 0 without loops
} cardan_ocp_view;

cardan_ocp_view cardan_ocp_get_view(const cardan_ocp* ocp);

/// Violations of the last iterate: of the dynamics, of conditions and limits, of bounds of unknowns; and the line of
/// the task with the largest violation.
typedef struct cardan_ocp_violation {
    cardan_location location;
    double          size;             // 0: none
    double          value;            // value of the violated quantity
    char            description[120]; // "the velocity of joint 'hinge' at the end"
} cardan_ocp_violation;

typedef struct cardan_ocp_violation_summary {
    double               dynamics, conditions, bounds;
    cardan_ocp_violation worst;
} cardan_ocp_violation_summary;

cardan_ocp_violation_summary cardan_ocp_violations(const cardan_ocp* ocp);

/// Simulate the controls with the runtime from the computed start, at a tight tolerance; q_error and v_error receive
/// the largest differences of q and v at the end.
cardan_status cardan_ocp_verify(const cardan_ocp* ocp, double* q_error, double* v_error, cardan_report* report);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
