// SPDX-License-Identifier: BSD-3-Clause
// Simulation: integration of the equations of motion over time.
//
//   cardan_run_settings run = cardan_run_default();
//   run.end = 10;  run.sample_callback = print_sample;
//   cardan_run_summary summary;
//   cardan_simulate(data, &run, &summary, &report);
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

int         cardan_integrator_count(void);
const char* cardan_integrator_name(int integrator);
const char* cardan_integrator_summary(int integrator);
const char* cardan_integrator_citation(int integrator);
/// Index by name, or CARDAN_NONE.
int  cardan_integrator_find(const char* name);
int  cardan_integrator_order(int integrator);        // order of a fixed-step method; 0: variable
bool cardan_integrator_is_adaptive(int integrator);  // uses a tolerance instead of a step
bool cardan_integrator_is_low_order(int integrator); // adaptive, low order: tolerances below 1e-6 need very many steps
bool cardan_integrator_uses_rhs(int integrator);     // evaluates rates only: can use a compiled right-hand side
bool cardan_integrator_uses_rhs_jacobian(int integrator); // also their Jacobian: can use a compiled one
bool cardan_integrator_uses_residual(
    int integrator); // solves the implicit equations: can use a compiled residual with Jacobian
bool        cardan_integrator_is_regularized(int integrator); // satisfies the constraints itself: stabilization none
const char* cardan_integrator_missing_part(int integrator);   // part that it needs and this build has not; NULL: none

/// The same as cardan_formulation_choose for runs with this integrator (CARDAN_NONE: dopri5) instead of that of the
/// description.
cardan_status cardan_formulation_choose_for_integrator(const cardan_description* description, int integrator,
                                                       cardan_formulation_choice* choice, cardan_report* report);

int         cardan_stabilization_count(void);
const char* cardan_stabilization_name(int stabilization);
const char* cardan_stabilization_summary(int stabilization);
const char* cardan_stabilization_citation(int stabilization);
/// Index by name, or CARDAN_NONE.
int cardan_stabilization_find(const char* name);

typedef enum cardan_event_kind {
    CARDAN_EVENT_JOINT_LIMIT,     // a joint coordinate passed its limit
    CARDAN_EVENT_STOP_CONDITION,  // the stop condition was met
    CARDAN_EVENT_SINGULAR,        // passage of a singular configuration: the constraint Jacobian loses rank there
    CARDAN_EVENT_NEAR_SINGULAR,   // configuration close to a singular one: reactions are large there
    CARDAN_EVENT_BRANCH_SWITCH,   // the motion switched to another solution branch at a singular configuration
    CARDAN_EVENT_VIOLATION_LIMIT, // first window of sequential regularization in a row that exceeds violation_tolerance
    CARDAN_EVENT_VIOLATION_GROWTH, // constraint violations per step grow from step to step: the step is too long
    CARDAN_EVENT_CURVE_CORNER,     // a point passed a corner of its curve: velocities are discontinuous, energy is lost
    CARDAN_EVENT_CURVE_END,        // a point passed an end of its curve, which is extended straight there
    CARDAN_EVENT_IMPACT,           // bodies collide: velocities jump
    CARDAN_EVENT_BOUNCES_END,      // impacts follow each other in ever shorter times: the contact closes at their limit
    CARDAN_EVENT_TOUCH,            // a contact closes without an impact
    CARDAN_EVENT_LIFT,             // a contact opens: its normal force has become zero
    CARDAN_EVENT_SLIP,             // a contact that sticks begins to slip, roll or spin
    CARDAN_EVENT_STICK,            // a contact that slips comes to rest: slip, rolling or spinning ends
    CARDAN_EVENT_JAM,              // Painleve's configuration: velocities jump although no bodies collide
} cardan_event_kind;

/// An event located in time.
typedef struct cardan_event {
    cardan_event_kind kind;
    double            t;           // [s] just after the crossing
    int               joint, axis; // JOINT_LIMIT: joint of the model and index of its axis; else CARDAN_NONE
    bool              is_upper;    // JOINT_LIMIT: upper or lower limit
    bool   is_entering; // JOINT_LIMIT: moving outward, beyond the limit; CURVE_END: leaving the curve; else returning
    bool   names_several_loops; // SINGULAR, NEAR_SINGULAR, BRANCH_SWITCH: `description` names several loops
    double value; // SINGULAR, ...: smallest singular value, relative to its maximum in the run; CURVE_CORNER, IMPACT,
                  // JAM: lost energy [J]; BOUNCES_END: limit of the times of the impacts [s]
    char description[160]; // SINGULAR, ...: the loop, "the loop of a, b, c and d"; CURVE_CORNER: constraint, body and
                           // corner; IMPACT, ..., JAM: "'ball' and ground"
    double speed;          // [m/s] IMPACT, BOUNCES_END: largest approach speed before it
    double impulse;        // [N s] IMPACT, JAM: largest impulse of a contact
    int    body[2];        // IMPACT, ..., JAM: bodies, or CARDAN_GROUND; limits of joints: CARDAN_NONE
    int    impacts;        // BOUNCES_END: number of impacts of this contact
} cardan_event;

/// One output sample: state, accelerations and energies.
typedef struct cardan_sample {
    double          t;         // [s]
    const double *  q, *v, *a; // (nq), (nv), (nv)
    const double*   state;     // (nstate)
    cardan_energies energy;
    double          work; // [J] since the start, of all forces without a potential
} cardan_sample;

/// Called at every output sample with `data` set to its state. Return false to end the run. With fixed-step integrators
/// the callback may change the external forces of `data`; they stay constant until the next sample.
typedef bool (*cardan_sample_callback)(void* user, cardan_data* data, const cardan_sample* sample);
/// Called at every event with `data` set to the state there (singular configurations: to the end of the step that
/// detects it).
typedef void (*cardan_event_callback)(void* user, cardan_data* data, const cardan_event* event);
/// Called after every step, and about ten times a second during a long step (t unchanged), for progress bars and
/// Ctrl-C. Return false to end the run.
typedef bool (*cardan_progress_callback)(void* user, double t);

/// Called to set driver functions at time t by cardan_data_set_driver; kinematic analysis only.
typedef void (*cardan_driver_callback)(void* user, cardan_data* data, double t);

typedef struct cardan_run_settings {
    int    integrator;      // index; CARDAN_NONE: dopri5
    double start, end;      // [s]
    double output_interval; // [s] time between samples
    double step;      // [s] maximum step of fixed-step methods; 0: 1 ms or `output_interval`. Steps divide the output
                      // interval evenly; steps longer than it divide the run, and samples within them end shorter
                      // steps. Steps also end at discontinuities of functions of time
    double tolerance; // adaptive methods: error allowed per step, relative to 1 rad for angles, 0.1 m + |x| for
                      // lengths, 1 rad/s + |w| and 0.1 m/s + |v| for velocities, 0.1 + |s| for states; in mechanisms
                      // smaller than 0.1 m their length replaces 0.1 m; 0: 1e-8
    double max_step;  // [s] adaptive methods; 0: a tenth of the run
    int    stabilization;  // index; CARDAN_NONE: projection
    double baumgarte_rate; // [1/s] rate of violation decay: baumgarte, 0: one per step; regularized-..., 0: 1/s

    // regularized-...: see docs/theory/regularized.md
    double regularization; // compliance epsilon of all constraint rows; 0: of each row by its mobility and the step
    int    window; // steps per multiplier iteration; windows end at samples that are at least 5 steps apart; 0: 5
    int    max_iterations;            // per window; 0: 6
    double violation_tolerance;       // [m, rad] the iteration ends if a window adds less; 0: 1e-8
    cardan_expression stop_condition; // the run ends when it becomes positive; CARDAN_NONE: never

    const double *q, *v, *state; // start values; NULL: those of the model
    const char*   checkpoint;    // file of cardan_simulation_save from which the run continues; NULL: start values

    cardan_sample_callback   sample_callback;   // may be NULL
    cardan_event_callback    event_callback;    // may be NULL
    cardan_progress_callback progress_callback; // may be NULL
    cardan_driver_callback   driver_callback;   // NULL: driver functions of the model
    void*                    user;
} cardan_run_settings;

enum { CARDAN_WINDOW_ITERATIONS_REPORTED = 6 };

/// Statistics of sequential regularization.
typedef struct cardan_regularization_summary {
    long   windows, iterations; // 0: the integrator does not regularize
    double max_mobility;        // largest eigenvalue of J M^-1 J' found; without epsilon: of rows scaled by mobility
    // Smallest epsilon (or common scale) for which explicit steps are stable: step * max_mobility / 2, more with
    // iterations.
    double epsilon_stable_min;
    double violation_per_iteration
        [CARDAN_WINDOW_ITERATIONS_REPORTED]; // [m, rad] largest violation that a window adds, after each iteration
    long   windows_over_tolerance;           // windows that exceed violation_tolerance
    double max_window_violation, max_window_violation_t; // [m, rad] largest of these violations, [s] start of its
                                                         // window
} cardan_regularization_summary;

/// Rigid contacts of a run; zeros without them.
typedef struct cardan_contact_summary {
    double contacts_mean;     // closed contacts, mean over time
    int    contacts_max;      // largest number of them
    long   impacts;           // times at which velocities jumped
    long   bounces_ended;     // contacts that closed at the limit of their impacts (Zeno)
    long   jams;              // impacts without collision (Painleve)
    long   changes;           // other changes: touch, lift, slip, stick
    double impact_loss;       // [J] energy lost in impacts
    double friction_loss;     // [J] energy lost by friction in contacts
    double fastest_impact;    // [m/s] approach speed
    double residual;          // worst residual of the contact law in an impact, relative to the speeds
    double residual_t;        // [s] its time
    int    residual_body[2];  // and bodies of a contact of that impact
    double overlap_max;       // [m] largest overlap of closed contacts at samples
    double restitution_least; // smallest factor applied to a restitution so that energy does not rise; 1: none
} cardan_contact_summary;

typedef struct cardan_run_summary {
    cardan_status status;
    double        t;                     // [s] time at the end
    bool          stop_condition_met;    // the stop condition ended the run
    long          steps, rejected_steps; // accepted steps, rejected steps
    long          evaluations;           // of accelerations (ida: of residuals) by the integrator
    long          generated_evaluations; // of these, by generated code
    long          jacobians;             // Jacobian evaluations, of integrators that can use compiled ones
    long          generated_jacobians;   // of these, by generated code
    double        jacobian_wall_time;    // [s] of all Jacobian evaluations
    long          samples, events;
    double        energy_start, energy_end; // [J] kinetic and potential, first and last sample
    double        energy_error; // largest |E - E_start - work of forces without potential| / largest kinetic energy, at
                                // samples and at up to a thousand ends of steps between them. Slow motions: relative to
                                // 1e-6 of |potential| + |work| + mass (length/s)^2
    double                        max_position_violation; // [m, rad] largest constraint violation at any sample
    double                        max_velocity_violation; // [m/s, rad/s] largest velocity violation
    cardan_regularization_summary regularization;
    cardan_contact_summary        contacts;
    double                        wall_time; // [s]
} cardan_run_summary;

/// Default run: one second, a sample every 10 ms, dopri5.
cardan_run_settings cardan_run_default(void);

/// A run that is advanced piece by piece, for viewers, controllers and game loops:
///
///   cardan_simulation_open(data, &run, &simulation, &report);
///   for (t = run.start + dt; ...; t += dt) {
///       cardan_simulation_advance(simulation, t, &report);
///       cardan_simulation_sample(simulation, &sample, &report);
///       cardan_data_grab(...);        // forces, grabs and driven joints may change here: the data are at the sample
///   }
///   cardan_simulation_close(simulation, &summary, &report);
///
/// The integrator takes the same steps whatever times are asked for; the state in between is dense output. After a
/// change of external forces, grabs or drivers it starts again at the time of the change. `open` allocates all memory;
/// exceptions are cvode and ida, and the search for discontinuities of formulas of time in runs without end.
typedef struct cardan_simulation cardan_simulation;

/// Start a run as cardan_simulate does, with its first sample. run->end may be INFINITY: then max_step is 1 s if it is
/// not given. `data` and the callbacks must outlive the simulation. On failure *simulation is NULL.
cardan_status cardan_simulation_open(cardan_data* data, const cardan_run_settings* run, cardan_simulation** simulation,
                                     cardan_report* report);
/// Advance to time t, which is not before the time reached. Samples and events up to t are passed to the callbacks. If
/// the stop condition is met before, the simulation stays there (cardan_simulation_summary). After a failure the last
/// valid state can be read by cardan_simulation_sample, and the simulation must be restarted before it is advanced.
cardan_status cardan_simulation_advance(cardan_simulation* simulation, double t, cardan_report* report);
/// Start again at time t from another state, or from that of the model where NULL. Violated constraints are corrected
/// by projection. Nothing of the past is kept; a sample at t is output; the summary begins anew.
cardan_status cardan_simulation_restart(cardan_simulation* simulation, double t, const double* q, const double* v,
                                        const double* state, cardan_report* report);
/// Save the state at the time reached to a file, and begin anew at it, without history of integrator and solver: a
/// simulation that loads the file, in any process, has the same bits from there on as this one.
cardan_status cardan_simulation_save(cardan_simulation* simulation, const char* path, cardan_report* report);
/// Continue from a saved state of the same model, formulation and integrator.
cardan_status cardan_simulation_load(cardan_simulation* simulation, const char* path, cardan_report* report);
/// Compute the sample at the time reached, and set the data to its state. Its arrays are valid until the next call with
/// this simulation.
cardan_status cardan_simulation_sample(cardan_simulation* simulation, cardan_sample* sample, cardan_report* report);
/// Summary up to the time reached: samples, events, steps, violations, stop condition. The other fields are computed by
/// cardan_simulation_close.
const cardan_run_summary* cardan_simulation_summary(const cardan_simulation* simulation);
/// End the run: warnings and notes about it, its summary (may be NULL), and its status as of cardan_simulate. NULL is
/// ignored.
cardan_status cardan_simulation_close(cardan_simulation* simulation, cardan_run_summary* summary,
                                      cardan_report* report);

/// Simulate `data` from start to end: open, advance and close. A start that violates constraints is corrected first:
/// by assembly if it is that of the model (q is NULL), else by projection. Samples are at start, start +
/// output_interval, ..., and exactly at end. If the stop condition is met, the run ends successfully with a last
/// sample. If a callback ends it: CARDAN_STOPPED. If all samples are computed, but the energy error exceeds what the
/// tolerance of an adaptive method explains: CARDAN_NOT_CONVERGED. The summary is complete in every case; on failure
/// it contains the time reached, and `report` (may be NULL) the reason and suggestions. Notes in `report` point out a
/// motion that is stiff, or a mechanism that is too large, for its integrator.
cardan_status cardan_simulate(cardan_data* data, const cardan_run_settings* run, cardan_run_summary* summary,
                              cardan_report* report);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
