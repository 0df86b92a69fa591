// SPDX-License-Identifier: BSD-3-Clause
// Creation and solution of optimal-control problems.
#include "core/clock.h"
#include "optimize/transcription/ocp.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "model/model.h"
#include "optimize/optimize_tolerances.h"
#include "optimize/task/option_names.h"
#include "optimize/transcription/loop_projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_INTERVALS = 100, DEFAULT_DEGREE = 4, DEFAULT_MAX_ITERATIONS = 1000 };

static const char* first_given(const char* a, const char* b, const char* c) { return a ? a : b ? b : c; }
static int         first_positive(int a, int b, int c) { return a > 0 ? a : b > 0 ? b : c; }

static bool has_accelerations(const cardan_task* task, const cd_conditions* list)
{
    for (int i = 0; i < list->count; ++i)
        if (list->list[i].kind == CD_CONDITION_A || (list->list[i].kind == CD_CONDITION_EXPRESSION &&
                                                     cd_task_uses_acceleration(task, list->list[i].expression)))
            return true;
    return false;
}

// Check the options; those of the task were checked when it was read.
static cardan_status check_options(const cardan_optimize_options* o, cardan_report* report)
{
    const struct {
        const char *    what, *word;
        cd_option_name* at;
    } all[] = {{"form", o->dynamics_form, cardan_dynamics_form_name},
               {"transcription", o->transcription, cardan_transcription_name},
               {"layout", o->layout, cd_layout_name},
               {"mode of compiled functions", o->compiled_code, cd_compile_mode_name}};
    char message[CARDAN_MESSAGE_LENGTH];
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i].word && !cd_check_option_name(all[i].what, all[i].word, all[i].at, message, sizeof message))
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(), "%s",
                               message);
    if (o->degree > CD_COLLOCATION_DEGREE_MAX)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "degree %d is too high; the maximum is %d", o->degree, CD_COLLOCATION_DEGREE_MAX);
    if (o->intervals > CD_INTERVALS_MAX)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "%d intervals are too many; the maximum is %d", o->intervals, CD_INTERVALS_MAX);
    return CARDAN_OK;
}

static cardan_status choose_transcription(cardan_ocp* p, cardan_report* report)
{
    const cardan_task*             task   = p->task;
    const cardan_optimize_options* o      = &p->options;
    const char*                    scheme = first_given(o->transcription, task->transcription, "radau");
    const char*                    layout = first_given(o->layout, task->layout, "condensed");
    const cardan_status            status = check_options(o, report);
    p->degree                             = first_positive(o->degree, task->degree, DEFAULT_DEGREE);
    p->N                                  = first_positive(o->intervals, task->intervals, DEFAULT_INTERVALS);
    if (status != CARDAN_OK) return status;
    if (!cd_scheme_init(scheme, p->degree, &p->scheme))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_INVALID_OPTION, task->location,
                           "transcription '%s' has no degree %d", scheme, p->degree);
    p->form        = *cd_ocp_dynamics_form_find(first_given(o->dynamics_form, task->dynamics_form, "impl"));
    p->degree      = p->scheme.degree;
    p->full_layout = strcmp(layout, "full") == 0;
    if (p->full_layout && !p->scheme.collocation)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_INVALID_OPTION, task->location,
                           "layout full requires collocation; transcription '%s' has the condensed layout only",
                           p->scheme.name);
    if (!p->scheme.includes_end && has_accelerations(task, &task->path))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_INVALID_OPTION, task->location,
                           "transcription '%s' has no accelerations at the ends of intervals, which path conditions "
                           "require; use transcription radau",
                           p->scheme.name);
    return CARDAN_OK;
}

static cd_compile_mode compile_mode(const char* word)
{
    for (int i = 0; word && cd_compile_mode_name(i); ++i)
        if (strcmp(word, cd_compile_mode_name(i)) == 0) return (cd_compile_mode)i;
    return CD_COMPILE_AUTO;
}

static int reserve_unknowns(int* next, int count)
{
    const int at = *next;
    *next += count;
    return count > 0 ? at : -1;
}

static bool number_unknowns(cardan_ocp* p)
{
    const cardan_task* task      = p->task;
    int                next      = 0;
    p->n                         = task->model->nv;
    p->nq                        = task->model->nq;
    p->ns                        = task->model->nstate;
    p->nx                        = p->nq + p->n + p->ns;
    p->nu                        = task->ncontrol;
    p->nl                        = p->loops.nrow;
    p->has_acceleration_unknowns = !(p->full_layout && p->form.substitutes_acceleration);
    p->scaled_by_h               = !p->full_layout && task->horizon_lower < task->horizon_upper;
    p->offset_y                  = reserve_unknowns(&next, p->full_layout ? p->n : 0);
    p->offset_v                  = reserve_unknowns(&next, p->full_layout ? p->n : 0);
    p->offset_s                  = reserve_unknowns(&next, p->full_layout ? p->ns : 0);
    p->offset_rotation_rate      = reserve_unknowns(&next, p->full_layout ? 0 : 3 * task->model->nquaternion);
    p->offset_state_rate         = reserve_unknowns(&next, p->full_layout ? 0 : p->ns);
    p->offset_a                  = reserve_unknowns(&next, p->has_acceleration_unknowns ? p->n : 0);
    p->offset_lambda             = reserve_unknowns(&next, p->nl);
    p->point_stride              = next;
    p->offset_loop_correction    = p->nx + p->nu + p->degree * p->point_stride;
    p->stride                    = p->offset_loop_correction + p->loops.nposition + p->loops.nconstraint_row;
    p->h                         = task->horizon / p->N;
    next                         = p->N * p->stride + p->nx;
    const int  ends              = (p->has_acceleration_unknowns ? p->n : 0) + p->nl;
    const bool has_end_unknowns  = p->has_acceleration_unknowns || p->nl > 0;
    p->first_start_acceleration =
        reserve_unknowns(&next, has_end_unknowns && has_accelerations(task, &task->start) ? ends : 0);
    p->first_end_acceleration = reserve_unknowns(
        &next, has_end_unknowns && !p->scheme.includes_end &&
                       (has_accelerations(task, &task->end) || cd_task_uses_acceleration(task, task->cost_final))
                   ? ends
                   : 0);
    p->horizon = reserve_unknowns(&next, task->horizon_lower < task->horizon_upper);
    p->q_of_v  = cd_allocate((size_t)p->n + 1, sizeof *p->q_of_v);
    for (int i = 0; p->q_of_v && i < p->n; ++i) p->q_of_v[i] = cd_coordinate_of_velocity(task->model, i);
    return p->q_of_v != NULL;
}

static cardan_status make_point_model(cardan_ocp* p, cardan_report* report)
{
    cd_loop_projection* projection = NULL;
    double*             weight     = cd_allocate((size_t)p->n + 1, sizeof *weight);
    cardan_status       status = weight ? cd_loop_projection_create(p->task, &projection, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_loop_projection_inertias(projection, p->task->model->q_start, weight);
    for (int i = 0; status == CARDAN_OK && i < p->n; ++i)
        weight[i] = cd_ocp_dynamics_form_is_explicit(&p->form) ? p->h : p->h / weight[i];
    const cd_point_model_options options = {.form                     = &p->form,
                                            .loops                    = &p->loops,
                                            .degree                   = p->degree,
                                            .substitutes_acceleration = !p->has_acceleration_unknowns,
                                            .scaled_by_h              = p->scaled_by_h,
                                            .time_in_intervals        = p->horizon >= 0,
                                            .residual_weight          = weight};
    if (status == CARDAN_OK) status = cd_point_model_create(p->task, &options, &p->point_model, report);
    cd_loop_projection_destroy(projection);
    free(weight);
    return status;
}

static bool allocate_arrays(cardan_ocp* p)
{
    const size_t n = (size_t)p->nlp.n + 1, m = (size_t)p->nlp.m + 1, rows = (size_t)p->N * (size_t)(p->degree + 1) + 2,
                 nv          = (size_t)p->n;
    p->solution.x            = cd_allocate(n, sizeof(double));
    p->solution.lambda_lower = cd_allocate(n, sizeof(double));
    p->solution.lambda_upper = cd_allocate(n, sizeof(double));
    p->solution.g            = cd_allocate(m, sizeof(double));
    p->solution.lambda       = cd_allocate(m, sizeof(double));
    p->t                     = cd_allocate(rows, sizeof(double));
    p->q                     = cd_allocate(rows * (size_t)p->nq, sizeof(double));
    p->state                 = cd_allocate(rows * (size_t)p->ns + 1, sizeof(double));
    p->v                     = cd_allocate(rows * nv, sizeof(double));
    p->a                     = cd_allocate(rows * nv, sizeof(double));
    p->effort                = cd_allocate(rows * nv, sizeof(double));
    p->control               = cd_allocate((size_t)p->nu + 1, sizeof(int));
    return p->solution.x && p->solution.lambda_lower && p->solution.lambda_upper && p->solution.g &&
           p->solution.lambda && p->t && p->q && p->v && p->a && p->effort && p->state && p->control;
}

cardan_status cardan_ocp_create(cardan_task* task, const cardan_optimize_options* options, cardan_ocp** ocp,
                                cardan_report* report)
{
    CD_REQUIRE_POINTER(ocp, "ocp", report);
    *ocp = NULL;
    CD_REQUIRE_POINTER(task, "task", report);
    if (options && !isfinite(options->tolerance)) return cd_fail_not_finite(report, __func__, "options");
    cardan_ocp* p = cd_allocate(1, sizeof *p);
    if (!p) return CARDAN_NO_MEMORY;
    p->task = task;
    if (options) p->options = *options;
    cardan_status status = choose_transcription(p, report);
    if (status == CARDAN_OK) status = cd_loop_constraints_create(task, &p->loops, report);
    if (status == CARDAN_OK && !number_unknowns(p)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = make_point_model(p, report);
    if (status == CARDAN_OK) status = cd_ocp_guess_end_configurations(p, report);
    if (status == CARDAN_OK) status = cd_ocp_transcribe(p, report);
    if (status == CARDAN_OK && !allocate_arrays(p))
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, task->location, "out of memory");
    if (status == CARDAN_OK) status = cd_ocp_guess_trajectory(p, report);
    if (status == CARDAN_OK && !p->options.build_only)
        status = cd_block_nlp_compile(&p->nlp, p->point_model.graph, compile_mode(p->options.compiled_code),
                                      task->location, report);
    if (status != CARDAN_OK) {
        cardan_ocp_destroy(p);
        return status;
    }
    for (int i = 0; i < p->nu; ++i) p->control[i] = task->control[i].velocity_index;
    memcpy(p->solution.x, p->nlp.x_start, (size_t)p->nlp.n * sizeof(double));
    *ocp = p;
    return CARDAN_OK;
}

void cardan_ocp_destroy(cardan_ocp* p)
{
    if (!p) return;
    cd_block_nlp_release(&p->nlp);
    cd_point_model_release(&p->point_model);
    cd_loop_constraints_release(&p->loops);
    double* const all[] = {p->solution.x,
                           p->solution.lambda_lower,
                           p->solution.lambda_upper,
                           p->solution.g,
                           p->solution.lambda,
                           p->t,
                           p->q,
                           p->v,
                           p->a,
                           p->effort,
                           p->state,
                           p->q_first,
                           p->q_last};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(p->q_of_v);
    free(p->control);
    free(p);
}

cardan_status cardan_ocp_solve(cardan_ocp* p, cardan_report* report)
{
    CD_REQUIRE_POINTER(p, "ocp", report);
    const cd_nlp_options options = {
        .tolerance              = p->options.tolerance > 0 ? p->options.tolerance : cd_default_solver_tolerance,
        .max_iterations         = p->options.max_iterations > 0 ? p->options.max_iterations : DEFAULT_MAX_ITERATIONS,
        .warm_start             = p->has_multipliers,
        .condensed              = !p->full_layout,
        .starts_from_trajectory = p->options.guess || p->task->guess_file,
        .may_be_unbounded       = cd_task_find_unbounded_control(p->task) != NULL,
        .location               = p->task->location,
        .user                   = p->options.user,
        .iteration_callback     = p->options.iteration_callback};
    const double start    = cd_clock_process();
    p->nlp.cpu_time       = 0;
    p->warm_started       = p->has_multipliers;
    cardan_status status  = cd_nlp_solve_ipopt(&p->nlp, &options, &p->solution, report);
    p->cpu_time           = cd_clock_process() - start;
    p->cpu_time_functions = p->nlp.cpu_time;
    p->has_optimum = p->has_multipliers = status == CARDAN_OK;
    if (status == CARDAN_NOT_CONVERGED) cd_ocp_note_worst_violation(p, report);
    if (status == CARDAN_NOT_FINITE) cd_ocp_note_nonfinite(p, report);
    if (status == CARDAN_OK) status = cd_ocp_check_contradictions(p, report);
    if (status == CARDAN_NOT_CONVERGED || status == CARDAN_NOT_FINITE) cd_ocp_note_unbounded_control(p, report);
    const cardan_status trajectory_status = cd_ocp_update_trajectory(p);
    return status == CARDAN_OK ? trajectory_status : status;
}

cardan_ocp_view cardan_ocp_get_view(const cardan_ocp* p)
{
    if (!p) return (cardan_ocp_view){0};
    const cardan_ocp_violation_summary violations = cardan_ocp_violations(p);
    return (cardan_ocp_view){.dynamics_form     = p->form.name,
                             .transcription     = p->scheme.name,
                             .layout            = p->full_layout ? "full" : "condensed",
                             .intervals         = p->N,
                             .degree            = p->degree,
                             .nunknown          = p->nlp.n,
                             .nconstraint       = p->nlp.m,
                             .jacobian_nonzeros = p->nlp.njacobian,
                             .hessian_nonzeros  = p->nlp.nhessian,
                             .iterations        = p->solution.iterations,
                             .objective         = p->solution.objective,
                             .violation = fmax(fmax(violations.dynamics, violations.conditions), violations.bounds),
                             .horizon   = p->horizon < 0 ? p->h * p->N : p->solution.x[p->horizon],
                             .cpu_time  = p->cpu_time,
                             .cpu_time_functions = p->cpu_time_functions,
                             .is_compiled        = p->nlp.compiled_code != NULL,
                             .warm_started       = p->warm_started,
                             .ncontrol           = p->nu,
                             .control            = p->control,
                             .nsample            = p->nsample,
                             .t                  = p->t,
                             .q                  = p->q,
                             .v                  = p->v,
                             .a                  = p->a,
                             .effort             = p->effort,
                             .state              = p->state,
                             .max_violation      = p->max_violation};
}
