// SPDX-License-Identifier: BSD-3-Clause
// Optimal control: the motion of a mechanism from here to there that costs least. A task is a YAML file beside the
// mechanism (docs/optimize.md); dynamics and all derivatives come from the generator, the nonlinear program goes to
// IPOPT.
#pragma once

#include <cardan/io.h>
#include <cardan/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_task cardan_task;
typedef struct cardan_ocp  cardan_ocp;

/// Read a task and its mechanism. Settings go to parameters of the task, else of the model.
cardan_status cardan_task_load(const char* path, const cardan_load_options* options, cardan_task** task,
                               cardan_report* report);
/// The same from text; `name` stands for the file, and the mechanism is looked for beside it.
cardan_status       cardan_task_load_text(const char* text, const char* name, const cardan_load_options* options,
                                          cardan_task** task, cardan_report* report);
void                cardan_task_destroy(cardan_task* task);
const cardan_model* cardan_task_model(const cardan_task* task);
int                 cardan_task_formulation(const cardan_task* task); // what computes its motions at runtime
const char*         cardan_task_name(const cardan_task* task);
const char*         cardan_task_model_path(const cardan_task* task); // the file or folder of its mechanism

/// What the task leaves open, or what replaces what it says: NULL and 0 keep it.
typedef struct cardan_optimize_options {
    const char* dynamics_form; // see cardan_dynamics_form_name
    const char* transcription; // see cardan_transcription_name
    const char* layout;        // "condensed" or "full"
    const char*
        compiled_code; // "auto", "always", "never": whether functions and derivatives are compiled; auto: where that pays
    bool        build_only; // the program is looked at, not solved: nothing is compiled
    const char* guess;      // results to start from; NULL: what the task says
    int         intervals, degree, max_iterations;
    double      tolerance; // 0: 1e-8
    void*       user;
    bool (*iteration_callback)(void* user, int iteration, double objective,
                               double violation); // false: stop; may be NULL
} cardan_optimize_options;

/// Forms and transcriptions there are; NULL behind the last.
const char* cardan_dynamics_form_name(int i);
const char* cardan_dynamics_form_summary(int i);
const char* cardan_transcription_name(int i);
const char* cardan_transcription_summary(int i);

/// The nonlinear program of a task; options may be NULL. The task must outlive the plan.
cardan_status cardan_ocp_create(cardan_task* task, const cardan_optimize_options* options, cardan_ocp** ocp,
                                cardan_report* report);
void          cardan_ocp_destroy(cardan_ocp* ocp);
/// Solve it. The plan holds the last motion seen whatever the status; solving again starts from there, with its
/// multipliers.
cardan_status cardan_ocp_solve(cardan_ocp* ocp, cardan_report* report);

/// Sets the guess that the next solve starts from; multipliers of an earlier solve are dropped. Number 0 is the guess of
/// the task; others are drawn at random around it, from a stream that depends on `seed` and `number` alone
/// (docs/optimize.md). Searches from several guesses find several local minima.
cardan_status cardan_ocp_set_guess(cardan_ocp* ocp, unsigned seed, int number, cardan_report* report);

/// Unknowns and multipliers of the optimum beside results that were written of it: RESULTS.solution.json. A plan of the
/// same program whose guess are these results starts from them. Without an optimum one of an earlier motion is removed.
cardan_status cardan_ocp_save(const cardan_ocp* ocp, const char* results, cardan_report* report);

typedef struct cardan_ocp_view {
    const char *dynamics_form, *transcription, *layout;
    int         intervals, degree;
    int         nunknown, nconstraint, jacobian_nonzeros,
        hessian_nonzeros; // sizes; entries that are not always zero, of the Hessian the lower triangle
    int           iterations;
    double        objective, violation, horizon; // [s]
    double        cpu_time, cpu_time_functions;  // of the processor in the solve, and in functions and derivatives [s]
    bool          is_compiled;                   // these ran as compiled code
    bool          warm_started;                  // the search began with multipliers of an earlier one
    int           ncontrol;
    const int*    control; // (ncontrol) velocities that are driven
    int           nsample; // instants: ends of intervals and points between, in time
    const double *t, *q, *v, *a, *effort,
        *state;           // (nrow), (nrow x nq), (nrow x nv) three times, (nrow x nstate), row by row
    double max_violation; // [m, rad] largest of the loops along the motion; 0 for trees
} cardan_ocp_view;

cardan_ocp_view cardan_ocp_get_view(const cardan_ocp* ocp);

/// What the last motion violates, in rows of the dynamics, in conditions and limits, in bounds of unknowns; and the
/// line of the task that it misses most.
typedef struct cardan_ocp_violation {
    cardan_location location;
    double          size;             // 0: none
    double          value;            // what it is
    char            description[120]; // "the velocity of joint 'hinge' at the end"
} cardan_ocp_violation;

typedef struct cardan_ocp_violation_summary {
    double               dynamics, conditions, bounds;
    cardan_ocp_violation worst;
} cardan_ocp_violation_summary;

cardan_ocp_violation_summary cardan_ocp_violations(const cardan_ocp* ocp);

/// Fly the controls on the runtime from the planned start, with a tight integrator: largest difference at the end in q
/// and v.
cardan_status cardan_ocp_verify(const cardan_ocp* ocp, double* q_error, double* v_error, cardan_report* report);

#ifdef __cplusplus
}
#endif
