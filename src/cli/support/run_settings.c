// SPDX-License-Identifier: BSD-3-Clause
// Settings of a run: the command line overrides the model file, which overrides the defaults.
#include "cli/support/run_settings.h"

#include "cli/cli_tolerances.h"
#include "cli/support/messages.h"
#include "core/report.h"
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "formulation/formulation.h"
#include "math/quaternion.h"
#include "simulation/integrators/integrator.h"
#include "simulation/simulation_settings.h"

#include <cardan/diagnose.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_duration = 10; // [s]

// The option if given, else the value of the file if positive, else the default.
static double first_given(double option, double file_value, double default_value)
{
    if (!isnan(option)) return option;
    return file_value > 0 ? file_value : default_value;
}

// Name of a given option that integrator and stabilization do not use, or NULL.
static const char* unused_option(const cd_options* options, const cardan_run_settings* run)
{
    const bool baumgarte = run->stabilization == cardan_stabilization_find("baumgarte");
    if (cd_integrator_at(run->integrator)->is_regularized) return NULL;
    if (!isnan(options->regularization)) return "regularization";
    if (options->window > 0) return "window";
    if (options->iterations > 0) return "iterations";
    if (!isnan(options->violation_tolerance)) return "violation-tolerance";
    return !isnan(options->baumgarte_rate) && !baumgarte ? "baumgarte-rate" : NULL;
}

// Note settings of the file that its own integrator and stabilization do not use; as options they would be rejected.
static void note_unused_defaults(cd_loaded_model* mechanism, const cardan_run_defaults* defaults,
                                 const cardan_run_settings* run)
{
    const cd_integrator* integrator = cd_integrator_at(run->integrator);
    const bool           baumgarte  = run->stabilization == cardan_stabilization_find("baumgarte");
    const struct {
        const char* key;
        bool        given, used;
    } settings[] = {
        {"epsilon", defaults->regularization > 0, integrator->is_regularized},
        {"window", defaults->window > 0, integrator->is_regularized},
        {"iterations", defaults->max_iterations > 0, integrator->is_regularized},
        {"gap", defaults->violation_tolerance > 0, integrator->is_regularized},
        {"pull", defaults->baumgarte_rate > 0, integrator->is_regularized || baumgarte},
        {"step", defaults->step > 0, !integrator->is_adaptive},
        {"tolerance", defaults->tolerance > 0, integrator->is_adaptive},
    };
    if (mechanism->options->integrator || mechanism->options->stabilization) return; // file settings do not apply
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
        if (settings[i].given && !settings[i].used)
            cardan_note(&mechanism->report, CARDAN_CODE_SETTING_UNUSED, defaults->integrator_location,
                        "run: %s does not use '%s' of the file", integrator->name, settings[i].key);
}

int cd_run_settings(cd_loaded_model* mechanism, const cd_model_instance* c, cardan_run_settings* run)
{
    const cd_options*         options   = mechanism->options;
    const cardan_run_defaults none      = cardan_run_defaults_empty(),
                              *defaults = mechanism->view.run ? mechanism->view.run : &none;
    *run                                = cardan_run_default();

    // both names have been checked against the tables: options by option_validation.c, file by loaded_model.c
    run->integrator           = cardan_integrator_find(options->integrator    ? options->integrator
                                                       : defaults->integrator ? defaults->integrator
                                                                              : "dopri5");
    const char* stabilization = options->stabilization ? options->stabilization : defaults->stabilization;
    run->stabilization =
        stabilization ? cardan_stabilization_find(stabilization) : cd_default_stabilization(run->integrator);
    const bool  adaptive = cardan_integrator_is_adaptive(run->integrator);
    const char* name     = cardan_integrator_name(run->integrator);
    if (adaptive && !isnan(options->step)) {
        cd_report_error(CARDAN_CODE_USAGE, "%s has adaptive steps: use --tolerance or --max-step instead of --step",
                        name);
        return CD_EXIT_USAGE;
    }
    if (!adaptive && (!isnan(options->tolerance) || !isnan(options->max_step))) {
        cd_report_error(CARDAN_CODE_USAGE, "%s has fixed steps: use --step instead of --%s", name,
                        isnan(options->tolerance) ? "max-step" : "tolerance");
        return CD_EXIT_USAGE;
    }
    const char* unused = unused_option(options, run);
    if (unused) {
        cd_report_error(CARDAN_CODE_USAGE, "%s does not use --%s: regularized-euler and regularized-midpoint do%s",
                        name, unused, strcmp(unused, "baumgarte-rate") == 0 ? ", and the stabilization baumgarte" : "");
        return CD_EXIT_USAGE;
    }
    note_unused_defaults(mechanism, defaults, run);
    const double duration = first_given(options->duration, defaults->duration, default_duration);
    run->start            = c->t;
    run->end              = c->t + duration;
    run->output_interval =
        fmin(first_given(options->output_interval, defaults->output_interval, duration / 1000), duration);
    run->step                = first_given(options->step, defaults->step, 0);
    run->tolerance           = first_given(options->tolerance, defaults->tolerance, 0);
    run->max_step            = first_given(options->max_step, 0, 0);
    run->regularization      = first_given(options->regularization, defaults->regularization, 0);
    run->violation_tolerance = first_given(options->violation_tolerance, defaults->violation_tolerance, 0);
    run->baumgarte_rate      = first_given(options->baumgarte_rate, defaults->baumgarte_rate, 0);
    run->window              = options->window > 0 ? options->window : defaults->window;
    run->max_iterations      = options->iterations > 0 ? options->iterations : defaults->max_iterations;
    run->stop_condition      = defaults->stop_condition;
    run->q                   = c->q;
    run->v                   = c->v;
    run->state               = c->model_view.nstate > 0 ? c->state : NULL;
    cardan_run_settings full;
    const cardan_status status = cd_settings_complete(run, &full, &mechanism->report);
    return status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(&mechanism->report, status);
}

// Add the singularity errors of the diagnosis to the report as warnings, with the consequence `what`.
static void warn_with_remedy(const cardan_report* from, const char* what, cardan_report* to)
{
    for (int i = 0; i < from->count; ++i) {
        const cardan_message* message = &from->message[i];
        if (message->severity == CARDAN_ERROR && message->code == CARDAN_CODE_SINGULAR_CONFIGURATION)
            cardan_warn(to, CARDAN_CODE_SINGULAR_START, cardan_message_location(message), "%s; %s",
                        cardan_message_sentence(message), what);
    }
}

static bool diagnosis_is_affordable(const cd_model_instance* c)
{
    const double nrow = cd_constraint_row_count(c->model), operations_max = 1e6; // nrow^2 nv: a few milliseconds
    return nrow > 0 && nrow * nrow * c->model_view.nv <= operations_max;
}

// True if the regularized formulation has accelerations at the state of the data. It has none if the velocities belong
// to no solution branch.
static bool regularized_can_start(cd_model_instance* c)
{
    const int     index = cardan_formulation_find("regularized");
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    double*       a     = NULL;
    cardan_status status =
        cardan_model_compile(cardan_model_description(c->model), cardan_formulation_tree_policy(index), &model, NULL);
    if (status == CARDAN_OK) status = cardan_data_create(model, index, &data, NULL);
    if (status == CARDAN_OK) status = cardan_data_copy_state(c->data, data);
    if (status == CARDAN_OK && !(a = cd_allocate((size_t)model->nv + 1, sizeof *a))) status = CARDAN_NO_MEMORY;
    const bool starts = status == CARDAN_OK && cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK;
    cd_report_if_no_memory(status);
    free(a);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return starts;
}

// Diagnose the start configuration. If it is singular with regular configurations nearby, formulations and integrators
// that handle singular configurations start on the branch that forces and velocities determine, with a warning. For
// others it is an error, with a note that names the regularized formulation if that can start. Kinematic analysis
// cannot start there, because the drivers do not determine the velocities. An isolated singular configuration is always
// an error.
static cardan_status check_singular_start(cd_model_instance* c, int integrator, bool prescribed, cardan_report* report)
{
    if (!diagnosis_is_affordable(c)) return CARDAN_OK;
    cardan_diagnosis* diagnosis      = NULL;
    cardan_report     found          = {0};
    cardan_status     status         = cardan_diagnosis_create(c->data, &diagnosis, &found);
    const bool        has_neighbours = diagnosis && diagnosis->rank > diagnosis->rank_at_state;
    const bool        cannot_close   = diagnosis && !diagnosis->assemblable; // beyond the assembly tolerance
    cardan_diagnosis_destroy(diagnosis);
    if (status == CARDAN_NO_MEMORY) cd_report_append(report, &found, CD_APPEND_ERRORS);
    if (status == CARDAN_NO_MEMORY) return status;
    if (status != CARDAN_SINGULAR && !cannot_close) return CARDAN_OK;
    const bool passes_singularity =
        !prescribed && (cd_formulation_at(c->formulation)->properties & CD_HANDLES_SINGULAR ||
                        cd_integrator_at(integrator)->is_regularized);
    if (has_neighbours && passes_singularity) {
        warn_with_remedy(&found, "forces and velocities at the start select the branch of the motion", report);
        return CARDAN_OK;
    }
    cd_report_append(report, &found, CD_APPEND_ERRORS);
    if (has_neighbours && regularized_can_start(c))
        cardan_note(report, CARDAN_CODE_SINGULAR_START, cardan_location_none(),
                    "'%s--formulation regularized' can start from this configuration", prescribed ? "cardan run " : "");
    return status;
}

// Explain a failed solution at the start. At a singular configuration without drivers the reason is that the velocities
// belong to no solution branch, whatever row the formulation failed at.
static cardan_status explain_inconsistent_velocities(cd_model_instance* c, cardan_status status,
                                                     const cardan_report* solved, cardan_report* report)
{
    cardan_diagnosis* diagnosis = NULL;
    cardan_report     found     = {0};
    if (status == CARDAN_INCONSISTENT && cardan_data_driver_count(c->data) == 0 && diagnosis_is_affordable(c))
        cd_report_if_no_memory(cardan_diagnosis_create(c->data, &diagnosis, &found));
    const bool singular = diagnosis && diagnosis->rank > diagnosis->rank_at_state;
    cardan_diagnosis_destroy(diagnosis);
    if (singular) {
        cd_report_append(report, &found, CD_APPEND_ERRORS);
        cardan_note(report, CARDAN_CODE_START_INCONSISTENT, cardan_location_none(),
                    "no motion has the given start velocities; mark values that may change with `guess: true`: the "
                    "velocities of the nearest motion are used then");
        return CARDAN_SINGULAR;
    }
    cd_report_append(report, solved, CD_APPEND_ALL);
    return status;
}

cardan_status cd_run_check_start(cd_model_instance* c, int integrator, bool prescribed, cardan_report* report)
{
    cardan_report       messages = {0};
    const cardan_status status   = cardan_data_set_state(c->data, c->t, c->q, c->v, c->state);
    if (status != CARDAN_OK) return status;
    const cardan_status solved = cardan_data_accelerate(c->data, c->a, NULL, &messages);
    return solved == CARDAN_OK ? check_singular_start(c, integrator, prescribed, report)
                               : explain_inconsistent_velocities(c, solved, &messages, report);
}

int cd_run_exit_code(cardan_status status, const cardan_run_summary* summary)
{
    return (status == CARDAN_SINGULAR || status == CARDAN_INCONSISTENT) && summary->samples > 0 ? CD_EXIT_NUMERICAL
                                                                                                : cd_exit_code(status);
}

void cd_warn_start_beyond_limits(const cd_model_instance* c, cardan_report* report)
{
    const cardan_description_view view    = cardan_description_get_view(cardan_model_description(c->model));
    const bool                    maximal = c->formulation != CARDAN_NONE &&
                         cardan_formulation_tree_policy(c->formulation) == CARDAN_TREE_MAXIMAL; // all joints checked
    for (int j = 0; j < view.njoint; ++j) {
        const cardan_joint*      joint = &view.joint[j];
        const cardan_index_range range = c->model_view.joint_range[j];
        if (range.q < 0 || (range.q >= c->model_view.nq && !maximal)) continue; // cut joints follow from the others
        double rotation_vector[3] = {0};
        if (range.nq != range.nv) q4_log(c->q + range.q + range.nq - 4, rotation_vector);
        for (int i = 0; i < joint->naxis && i < range.nv; ++i) {
            // a quaternion is the last four of q; the limits apply to its rotation vector
            const cardan_axis_properties* axis        = &joint->axis[i];
            const bool                    is_rotation = range.nq != range.nv && i >= range.nv - 3;
            const double                  q     = is_rotation ? rotation_vector[i - (range.nv - 3)] : c->q[range.q + i];
            const double                  slack = cd_limit_tolerance * (1 + fabs(q));
            if (q >= axis->lower - slack && q <= axis->upper + slack) continue;
            const bool  upper = q > axis->upper;
            const char* unit  = cardan_model_q_unit(c->model, j, is_rotation ? 0 : i);
            cardan_warn(report, CARDAN_CODE_LIMIT_EXCEEDED, joint->location,
                        "joint '%s', coordinate %d starts at %.6g %s, beyond its %s limit %.6g %s", joint->name, i + 1,
                        q, is_rotation ? "rad" : unit, upper ? "upper" : "lower", upper ? axis->upper : axis->lower,
                        is_rotation ? "rad" : unit);
        }
    }
}

void cd_max_constraint_violation(cardan_data* data, double* position, double* velocity)
{
    if (data->constraints.nrow == 0) return;
    cd_update_rows(data);
    for (int i = 0; i < data->constraints.nrow; ++i) {
        *position = fmax(*position, fabs(data->constraints.value[i]));
        *velocity = fmax(*velocity, fabs(data->constraints.rate[i]));
    }
}

void cd_warn_start_violation(double position, double velocity, cardan_report* report)
{
    if (position > cd_start_violation_tolerance)
        cardan_warn(report, CARDAN_CODE_START_INCONSISTENT, cardan_location_none(),
                    "the constraint violation at the start is %.3g m or rad: the start values are inconsistent",
                    position);
    else if (velocity > cd_start_violation_tolerance)
        cardan_warn(report, CARDAN_CODE_START_INCONSISTENT, cardan_location_none(),
                    "the velocity violation at the start is %.3g m/s or rad/s: the start velocities are inconsistent",
                    velocity);
}
