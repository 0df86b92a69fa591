// SPDX-License-Identifier: BSD-3-Clause
// Settings of a run: the command line overrides the file, which overrides the defaults.
#include "cli/simulation.h"

#include "cli/messages.h"
#include "core/report.h"
#include "dynamics/data.h"
#include "formulation/formulation.h"
#include "math/quaternion.h"
#include "motion/integrator.h"
#include "motion/settings.h"

#include <cardan/diagnose.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double standard_duration = 10; // [s]

// The option where given, else the wish where positive, else the standard.
static double pick(double option, double wish, double standard)
{
    if (!isnan(option)) return option;
    return wish > 0 ? wish : standard;
}

// An option that the integrator and the stabilization have no use for, or NULL.
static const char* idle_option(const cd_options* options, const cardan_run* run)
{
    const bool baumgarte = run->stabilization == cardan_stabilization_find("baumgarte");
    if (cd_integrator_at(run->integrator)->regularizes) return NULL;
    if (!isnan(options->epsilon)) return "epsilon";
    if (options->window > 0) return "window";
    if (options->iterations > 0) return "iterations";
    if (!isnan(options->gap)) return "gap";
    return !isnan(options->pull) && !baumgarte ? "pull" : NULL;
}

// Settings of the file that its own integrator and stabilization have no use for, as they would be refused as options.
static void note_idle_wishes(cd_mechanism* mechanism, const cardan_run_wish* wish, const cardan_run* run)
{
    const cd_integrator* integrator = cd_integrator_at(run->integrator);
    const bool           baumgarte  = run->stabilization == cardan_stabilization_find("baumgarte");
    const struct {
        const char* key;
        bool        given, used;
    } wishes[] = {
        {"epsilon", wish->epsilon > 0, integrator->regularizes},
        {"window", wish->window > 0, integrator->regularizes},
        {"iterations", wish->iterations > 0, integrator->regularizes},
        {"gap", wish->gap > 0, integrator->regularizes},
        {"pull", wish->pull > 0, integrator->regularizes || baumgarte},
        {"step", wish->step > 0, !integrator->adaptive},
        {"tolerance", wish->tolerance > 0, integrator->adaptive},
    };
    if (mechanism->options->integrator || mechanism->options->stabilization) return; // not those of the file
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; ++i)
        if (wishes[i].given && !wishes[i].used)
            cardan_note(&mechanism->report, CARDAN_CODE_SETTING_UNUSED, wish->integrator_place,
                        "run: %s does not use '%s', which the file gives", integrator->name, wishes[i].key);
}

int cd_run_settings(cd_mechanism* mechanism, const cd_case* c, cardan_run* run)
{
    const cd_options*     options = mechanism->options;
    const cardan_run_wish none = cardan_run_wish_default(), *wish = mechanism->view.run ? mechanism->view.run : &none;
    *run = cardan_run_default();

    // names are known to be in their tables: those of the options and those of the file
    run->integrator      = cardan_integrator_find(options->integrator ? options->integrator
                                                  : wish->integrator  ? wish->integrator
                                                                      : "dopri5");
    const char* steady   = options->stabilization ? options->stabilization : wish->stabilization;
    run->stabilization   = steady ? cardan_stabilization_find(steady) : cd_usual_stabilization(run->integrator);
    const bool  adaptive = cardan_integrator_adaptive(run->integrator);
    const char* name     = cardan_integrator_name(run->integrator);
    if (adaptive && !isnan(options->step)) {
        cd_say_error(CARDAN_CODE_USAGE, "%s chooses its steps: give --tolerance or --max-step instead of --step", name);
        return CD_EXIT_USAGE;
    }
    if (!adaptive && (!isnan(options->tolerance) || !isnan(options->max_step))) {
        cd_say_error(CARDAN_CODE_USAGE, "%s has a fixed step: give --step instead of --%s", name,
                     isnan(options->tolerance) ? "max-step" : "tolerance");
        return CD_EXIT_USAGE;
    }
    const char* idle = idle_option(options, run);
    if (idle) {
        cd_say_error(CARDAN_CODE_USAGE, "%s does not use --%s: regularized-euler and regularized-midpoint do%s", name,
                     idle, strcmp(idle, "pull") == 0 ? ", and the stabilization baumgarte" : "");
        return CD_EXIT_USAGE;
    }
    note_idle_wishes(mechanism, wish, run);
    const double duration = pick(options->duration, wish->duration, standard_duration);
    run->start            = c->t;
    run->end              = c->t + duration;
    run->output           = fmin(pick(options->interval, wish->output, duration / 1000), duration);
    run->step             = pick(options->step, wish->step, 0);
    run->tolerance        = pick(options->tolerance, wish->tolerance, 0);
    run->max_step         = pick(options->max_step, 0, 0);
    run->epsilon          = pick(options->epsilon, wish->epsilon, 0);
    run->gap              = pick(options->gap, wish->gap, 0);
    run->pull             = pick(options->pull, wish->pull, 0);
    run->window           = options->window > 0 ? options->window : wish->window;
    run->iterations       = options->iterations > 0 ? options->iterations : wish->iterations;
    run->stop             = wish->stop;
    run->q                = c->q;
    run->v                = c->v;
    run->state            = c->look.nstate > 0 ? c->state : NULL;
    cardan_run          full;
    const cardan_status status = cd_settings_complete(run, &full, &mechanism->report);
    return status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(&mechanism->report, status);
}

// The sentence of the doctor as a warning, with what is done about it.
static void warn_instead(const cardan_report* from, const char* what, cardan_report* to)
{
    for (int i = 0; i < from->count; ++i) {
        const cardan_message* message = &from->message[i];
        if (message->severity == CARDAN_ERROR && message->code == CARDAN_CODE_SINGULAR_CONFIGURATION)
            cardan_warn(to, CARDAN_CODE_SINGULAR_START, cardan_message_place(message), "%s; %s",
                        cardan_message_sentence(message), what);
    }
}

static bool affordable(const cd_case* c)
{
    const double nrow = cd_closure_rows(c->model), most = 1e6; // nrow^2 nv: a few milliseconds
    return nrow > 0 && nrow * nrow * c->look.nv <= most;
}

// Whether regularization has accelerations at the state of the data: velocities of no branch have none.
static bool regularized_starts(cd_case* c)
{
    const int     index = cardan_formulation_find("regularized");
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    double*       a     = NULL;
    cardan_status status =
        cardan_model_compile(cardan_model_description(c->model), cardan_formulation_tree(index), &model, NULL);
    if (status == CARDAN_OK) status = cardan_data_create(model, index, &data, NULL);
    if (status == CARDAN_OK) status = cardan_exchange(c->data, data);
    if (status == CARDAN_OK && !(a = cd_allocate((size_t)model->nv + 1, sizeof *a))) status = CARDAN_NO_MEMORY;
    const bool starts = status == CARDAN_OK && cardan_accelerate(data, a, NULL, NULL) == CARDAN_OK;
    cd_heed_memory(status);
    free(a);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    return starts;
}

// A singular pose leaves open how the motion goes on; the doctor knows it from poses nearby. Regularization goes on as
// forces and velocities at first order say; who cannot is told who can. Kinematics cannot: drivers leave a motion open
// there. A pose that no other is near stays refused.
static cardan_status refuse_singular(cd_case* c, int integrator, bool prescribed, cardan_report* report)
{
    if (!affordable(c)) return CARDAN_OK;
    cardan_diagnosis* diagnosis = NULL;
    cardan_report     found     = {0};
    cardan_status     status    = cardan_diagnose(c->data, &diagnosis, &found);
    const bool        moves     = diagnosis && diagnosis->rank > diagnosis->rank_here;
    const bool        apart     = diagnosis && !diagnosis->closes; // by more than assembly is content with
    cardan_diagnosis_destroy(diagnosis);
    if (status == CARDAN_NO_MEMORY) cd_report_append(report, &found, CD_TAKE_ERRORS);
    if (status == CARDAN_NO_MEMORY) return status;
    if (status != CARDAN_SINGULAR && !apart) return CARDAN_OK;
    const bool passes = !prescribed && (cd_formulation_at(c->formulation)->supports & CD_PASSES ||
                                        cd_integrator_at(integrator)->regularizes);
    if (moves && passes) {
        warn_instead(&found, "which of them it takes is decided by forces and velocities there", report);
        return CARDAN_OK;
    }
    cd_report_append(report, &found, CD_TAKE_ERRORS);
    if (moves && regularized_starts(c))
        cardan_note(report, CARDAN_CODE_SINGULAR_START, cardan_nowhere(),
                    "'%s--formulation regularized' starts there all the same", prescribed ? "cardan run " : "");
    return status;
}

// No accelerations: at a singular pose without drivers because the velocities are those of no branch, whatever row the
// formulation gave up at.
static cardan_status refuse_velocities(cd_case* c, cardan_status status, const cardan_report* solved,
                                       cardan_report* report)
{
    cardan_diagnosis* diagnosis = NULL;
    cardan_report     found     = {0};
    if (status == CARDAN_INCONSISTENT && cardan_driver_count(c->data) == 0 && affordable(c))
        cd_heed_memory(cardan_diagnose(c->data, &diagnosis, &found));
    const bool singular = diagnosis && diagnosis->rank > diagnosis->rank_here;
    cardan_diagnosis_destroy(diagnosis);
    if (singular) {
        cd_report_append(report, &found, CD_TAKE_ERRORS);
        cardan_note(report, CARDAN_CODE_START_INCONSISTENT, cardan_nowhere(),
                    "the velocities given there begin no motion; mark what may change `guess: true`, and those of the "
                    "nearest motion are taken");
        return CARDAN_SINGULAR;
    }
    cd_report_append(report, solved, CD_TAKE_ALL);
    return status;
}

cardan_status cd_run_can_start(cd_case* c, int integrator, bool prescribed, cardan_report* report)
{
    cardan_report       told   = {0};
    const cardan_status status = cardan_data_set(c->data, c->t, c->q, c->v, c->state);
    if (status != CARDAN_OK) return status;
    const cardan_status solved = cardan_accelerate(c->data, c->a, NULL, &told);
    return solved == CARDAN_OK ? refuse_singular(c, integrator, prescribed, report)
                               : refuse_velocities(c, solved, &told, report);
}

int cd_run_exit(cardan_status status, const cardan_summary* summary)
{
    return (status == CARDAN_SINGULAR || status == CARDAN_INCONSISTENT) && summary->rows > 0 ? CD_EXIT_NUMERICAL
                                                                                             : cd_exit_code(status);
}

void cd_limits_warn(const cd_case* c, cardan_report* report)
{
    const cardan_view view = cardan_description_view(cardan_model_description(c->model));
    const bool        flat = c->formulation != CARDAN_NONE &&
                      cardan_formulation_tree(c->formulation) == CARDAN_TREE_FLAT; // there all are known
    for (int j = 0; j < view.njoint; ++j) {
        const cardan_joint* joint = &view.joint[j];
        const cardan_slot   slot  = c->look.place[j];
        if (slot.q < 0 || (slot.q >= c->look.nq && !flat)) continue; // coordinates of joints that close loops follow
        double turn[3] = {0};
        if (slot.nq != slot.nv) q4_log(c->q + slot.q + slot.nq - 4, turn);
        for (int i = 0; i < joint->naxis && i < slot.nv; ++i) {
            // a quaternion is the last four of q; limits hold for its rotation vector
            const cardan_axis* axis  = &joint->axis[i];
            const bool         turns = slot.nq != slot.nv && i >= slot.nv - 3;
            const double       q     = turns ? turn[i - (slot.nv - 3)] : c->q[slot.q + i];
            const double       slack = 1e-9 * (1 + fabs(q));
            if (q >= axis->lower - slack && q <= axis->upper + slack) continue;
            const bool  upper = q > axis->upper;
            const char* unit  = cardan_model_q_unit(c->model, j, turns ? 0 : i);
            cardan_warn(report, CARDAN_CODE_LIMIT_EXCEEDED, joint->place,
                        "joint '%s', coordinate %d starts at %.6g %s, beyond its %s limit %.6g %s", joint->name, i + 1,
                        q, turns ? "rad" : unit, upper ? "upper" : "lower", upper ? axis->upper : axis->lower,
                        turns ? "rad" : unit);
        }
    }
}

void cd_loops_violation(cardan_data* data, double* open, double* slip)
{
    if (data->closure.nrow == 0) return;
    cd_know_rows(data);
    for (int i = 0; i < data->closure.nrow; ++i) {
        *open = fmax(*open, fabs(data->closure.value[i]));
        *slip = fmax(*slip, fabs(data->closure.rate[i]));
    }
}

void cd_loops_warn(double open, double slip, cardan_report* report)
{
    const double enough = 1e-6;
    if (open > enough)
        cardan_warn(report, CARDAN_CODE_START_INCONSISTENT, cardan_nowhere(),
                    "at the start the loops are open by %.3g m or rad: the start values contradict them", open);
    else if (slip > enough)
        cardan_warn(report, CARDAN_CODE_START_INCONSISTENT, cardan_nowhere(),
                    "the start velocities contradict the loops, by %.3g m/s or rad/s", slip);
}
