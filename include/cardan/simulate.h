// SPDX-License-Identifier: BSD-3-Clause
// Motion over time.
//
//   cardan_run run = cardan_run_default();
//   run.end = 10;  run.sample_callback = print_sample;
//   cardan_summary summary;
//   cardan_simulate(data, &run, &summary, &report);
#pragma once

#include <cardan/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

int         cardan_integrator_count(void);
const char* cardan_integrator_name(int integrator);
const char* cardan_integrator_summary(int integrator);
const char* cardan_integrator_citation(int integrator);
/// Index by name, or CARDAN_NONE.
int  cardan_integrator_find(const char* name);
int  cardan_integrator_order(int integrator);       // of a fixed-step method; 0: variable
bool cardan_integrator_is_adaptive(int integrator); // takes a tolerance instead of a step
bool cardan_integrator_is_low_order(
    int integrator);                             // adaptive, of low order: tolerances below 1e-6 take very many steps
bool cardan_integrator_uses_rhs(int integrator); // asks for rates alone: generated code serves it
bool cardan_integrator_uses_rhs_jacobian(int integrator); // and for their derivatives: so do those of generated code
bool cardan_integrator_uses_residual(
    int integrator); // solves equations with their derivatives: generated ones serve it
bool cardan_integrator_is_regularized(int integrator); // keeps loops closed by itself: stabilization none

/// cardan_choose_formulation for runs by this integrator (CARDAN_NONE: dopri5) instead of the one that the description
/// asks for.
cardan_status cardan_choose_formulation_for(const cardan_description* description, int integrator,
                                            cardan_formulation_choice* choice, cardan_report* report);

int         cardan_stabilization_count(void);
const char* cardan_stabilization_name(int stabilization);
const char* cardan_stabilization_summary(int stabilization);
const char* cardan_stabilization_citation(int stabilization);
/// Index by name, or CARDAN_NONE.
int cardan_stabilization_find(const char* name);

typedef enum cardan_event_kind {
    CARDAN_EVENT_JOINT_LIMIT,    // a limit of a joint coordinate was passed
    CARDAN_EVENT_STOP_CONDITION, // the stop condition was met
    CARDAN_EVENT_SINGULAR, // a singular pose was passed: constraints depend on each other there that do not elsewhere
    CARDAN_EVENT_NEAR_SINGULAR, // a pose close to a singular one: reactions are large there
    CARDAN_EVENT_BRANCH_SWITCH, // the motion left its branch at a singular pose: what follows is another assembly
    CARDAN_EVENT_VIOLATION_LIMIT, // a window of sequential regularization leaves more than the gap that was asked for, the one
                                  // before did not
    CARDAN_EVENT_VIOLATION_GROWTH, // gaps that steps have to close grow from step to step: the step is too long
    CARDAN_EVENT_CURVE_CORNER, // a point passed a corner of the curve that it runs along: velocities jumped, energy was lost
    CARDAN_EVENT_CURVE_END, // a point passed an end of the curve that it runs along, which goes on straight there
} cardan_event_kind;

/// Something that happened at a time of its own.
typedef struct cardan_event {
    cardan_event_kind kind;
    double            t;           // [s] just past the crossing
    int               joint, axis; // LIMIT: joint of the model, and which of its axes; else CARDAN_NONE
    bool              is_upper;    // LIMIT: which limit, upper or lower
    bool   is_entering; // LIMIT: passing outward, beyond the limit; CURVE_END: leaving the curve; else coming back
    bool   several;     // singular poses and branches: `where` names several loops
    double value; // singular poses: smallest singular value relative to the largest of its kind in this run; CORNER:
                  // energy lost [J]
    char description
        [160]; // singular poses and branches: which loop, "the loop of a, b, c and d"; CORNER: which constraint,
               // body and corner
} cardan_event;

/// One output row: a state, its accelerations and its energies.
typedef struct cardan_sample {
    double          t;         // [s]
    const double *  q, *v, *a; // (nq), (nv), (nv)
    const double*   state;     // (nstate)
    cardan_energies energy;
    double          work; // [J] since the start, of all forces that are not in the potential
} cardan_sample;

/// A row is due; `data` is set to its state. Return false to end the run.
/// With fixed-step integrators the load of `data` may be changed here; it is held until the next row.
typedef bool (*cardan_sample_callback)(void* user, cardan_data* data, const cardan_sample* row);
/// An event was located; `data` is set to the state there (of singular poses: to the end of the step that shows it).
typedef void (*cardan_event_callback)(void* user, cardan_data* data, const cardan_event* event);
/// After every step, and within a long one about ten times a second (t stays), for progress bars and Ctrl-C between
/// rows. Return false to end the run.
typedef bool (*cardan_progress_callback)(void* user, double t);

/// Laws of drivers from outside at time t, by cardan_data_set_driver; kinematic analysis only.
typedef void (*cardan_driver_callback)(void* user, cardan_data* data, double t);

typedef struct cardan_run {
    int    integrator;      // index; CARDAN_NONE: dopri5
    double start, end;      // [s]
    double output_interval; // [s] time between rows
    double step;      // [s] longest step of fixed-step methods; 0: 1 ms or `output`. Steps divide the time between rows
                      // evenly or, where they are longer, the run: rows within them are ends of shorter ones.
                      // They end where formulas of time jump, too
    double tolerance; // adaptive methods: error allowed in one step, relative to 1 rad for angles, to 0.1 m + |x| for
                      // lengths, 1 rad/s + |w| and 0.1 m/s + |v| for velocities, 0.1 + |s| for states; in mechanisms
                      // smaller than 0.1 m their length stands for the 0.1 m; 0: 1e-8
    double max_step;  // [s] adaptive methods; 0: a tenth of the run
    int    stabilization;  // index: what keeps loops closed; CARDAN_NONE: projection
    double baumgarte_rate; // [1/s] how gaps are pulled back: of baumgarte, 0: one per step; of regularized-..., 0: 1/s

    // regularized-...: see docs/theory/regularized.md
    double regularization; // softness of all constraint rows; 0: of each row by its mobility and the step
    int    window; // steps that multipliers are iterated over, which end at rows that are not nearer than 5; 0: 5
    int    max_iterations;      // most of them; 0: 6
    double violation_tolerance; // [m, rad] that ends them, where a window adds no more; 0: 1e-8
    cardan_expression stop;     // ends the run where it becomes positive; CARDAN_NONE: never

    const double *q, *v, *state; // start values; NULL: the model's

    cardan_sample_callback   sample_callback;   // may be NULL
    cardan_event_callback    event_callback;    // may be NULL
    cardan_progress_callback progress_callback; // may be NULL
    cardan_driver_callback   driver_callback;   // NULL: the model's laws
    void*                    user;
} cardan_run;

enum { CARDAN_WINDOW_ITERATIONS_MAX = 6 };

/// What sequential regularization did.
typedef struct cardan_regularization_summary {
    long   windows, iterations; // 0: the integrator does not regularize
    double max_mobility; // largest estimate of the eigenvalue that bounds epsilon; of rows scaled by their own mobility
                         // where no epsilon is given
    double
        epsilon_stable_min; // epsilon, or the scale of all, below which steps are unstable: step * mobility / 2, more with
                            // iterations
    double violation_per_iteration
        [CARDAN_WINDOW_ITERATIONS_MAX]; // [m, rad] largest gap that a window adds, after each iteration
    long   windows_over_tolerance;      // windows that leave more than was asked for
    double max_window_violation, max_window_violation_t; // [m, rad] the largest of it, [s] and when its window began
} cardan_regularization_summary;

typedef struct cardan_summary {
    cardan_status status;
    double        t;                     // [s] reached
    bool          stop_condition_met;    // the stop condition ended the run
    long          steps, rejected_steps; // steps taken, attempts that were not accurate enough
    long          evaluations;           // of accelerations (ida: of residuals) by the integrator
    long          generated_evaluations; // of these, by generated code
    long          jacobians;             // matrices of derivatives, of integrators that generated code serves with them
    long          generated_jacobians;   // of these, by generated code
    double        jacobian_wall_time;    // [s] that all of them took
    long          samples, events;
    double        energy_start, energy_end; // [J] kinetic and potential, first and last row
    double        energy_error; // largest |E - E_start - work of the other forces| / largest kinetic energy, at rows
                                // and, between them, at up to a thousand ends of steps. What hardly moves is
                                // compared with 1e-6 of its |potential| + |work| + mass (length/s)^2
    double                        max_position_violation; // [m, rad] largest gap of a constraint at any row
    double                        max_velocity_violation; // [m/s, rad/s] and its largest rate
    cardan_regularization_summary regularization;
    double                        wall_time; // [s]
} cardan_summary;

/// One second, a row every 10 ms, dopri5.
cardan_run cardan_run_default(void);

/// Run `data` from start to end. Loops that the start leaves open are closed first: by assembly where the start is the
/// model's (q is NULL), by projection else. Rows come at start, start + output, ..., and the last one at end, exactly.
/// Where the stop condition is met the run ends with a last row, and that is success. Ended by a callback:
/// CARDAN_STOPPED. All rows, but more energy lost or won than the tolerance of an adaptive method can explain:
/// CARDAN_NOT_CONVERGED. The summary is complete in every case; on failure it says how far the run came, and `report`
/// why and what to try; it may be NULL. A motion that is stiff for its integrator, or a mechanism too large for it, is
/// told in `report` by a note.
cardan_status cardan_simulate(cardan_data* data, const cardan_run* run, cardan_summary* summary, cardan_report* report);

#ifdef __cplusplus
}
#endif
