// SPDX-License-Identifier: BSD-3-Clause
// Plans: a task with its transcription, solved.
#include "core/clock.h"
#include "optimize/plan.h"

#include "core/arguments.h"
#include "core/memory.h"
#include "model/model.h"
#include "optimize/choice.h"
#include "optimize/closer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_INTERVALS = 100, STANDARD_DEGREE = 4, MOST_ITERATIONS = 1000 };

const char* cardan_optimize_form_name(int i) { return cd_optimize_form_at(i) ? cd_optimize_form_at(i)->name : NULL; }
const char* cardan_optimize_form_summary(int i)
{
    return cd_optimize_form_at(i) ? cd_optimize_form_at(i)->summary : NULL;
}
const char* cardan_transcription_name(int i) { return cd_scheme_name(i); }
const char* cardan_transcription_summary(int i) { return cd_scheme_summary(i); }

static const char* first_of(const char* a, const char* b, const char* c) { return a ? a : b ? b : c; }
static int         first_whole(int a, int b, int c) { return a > 0 ? a : b > 0 ? b : c; }

static bool has_accelerations(const cardan_task* task, const cd_conditions* list)
{
    for (int i = 0; i < list->count; ++i)
        if (list->list[i].on == CD_ON_A ||
            (list->list[i].on == CD_ON_VALUE && cd_task_accelerates(task, list->list[i].value)))
            return true;
    return false;
}

// What options say; what the task says was checked when it was read.
static cardan_status check_options(const cardan_optimize_options* o, cardan_report* report)
{
    const struct {
        const char *  what, *word;
        cd_choice_at* at;
    } all[] = {{"form", o->form, cardan_optimize_form_name},
               {"transcription", o->transcription, cardan_transcription_name},
               {"layout", o->layout, cd_layout_name},
               {"choice of compiled functions", o->generated, cd_compile_name}};
    char sentence[CARDAN_MESSAGE_LENGTH];
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i].word && !cd_choice_known(all[i].what, all[i].word, all[i].at, sentence, sizeof sentence))
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(), "%s", sentence);
    if (o->degree > CD_DEGREE_MAX)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "a degree of %d is too high: at most %d", o->degree, CD_DEGREE_MAX);
    if (o->intervals > CD_INTERVALS_MAX)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "%d intervals are too many: at most %d", o->intervals, CD_INTERVALS_MAX);
    return CARDAN_OK;
}

static cardan_status choose(cardan_plan* p, cardan_report* report)
{
    const cardan_task*             task   = p->task;
    const cardan_optimize_options* o      = &p->wish;
    const char*                    scheme = first_of(o->transcription, task->transcription, "radau");
    const char*                    layout = first_of(o->layout, task->layout, "condensed");
    const cardan_status            status = check_options(o, report);
    p->degree                             = first_whole(o->degree, task->degree, STANDARD_DEGREE);
    p->N                                  = first_whole(o->intervals, task->intervals, STANDARD_INTERVALS);
    if (status != CARDAN_OK) return status;
    if (!cd_scheme_make(scheme, p->degree, &p->scheme))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_INVALID_OPTION, task->place, "'%s' has no degree %d",
                           scheme, p->degree);
    p->form   = *cd_optimize_form_find(first_of(o->form, task->form, "impl"));
    p->degree = p->scheme.degree;
    p->full   = strcmp(layout, "full") == 0;
    if (p->full && !p->scheme.collocation)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_INVALID_OPTION, task->place,
                           "the full layout is for collocation; '%s' has the condensed one", p->scheme.name);
    if (!p->scheme.ends && has_accelerations(task, &task->path))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_INVALID_OPTION, task->place,
                           "'%s' has no accelerations at the ends of intervals, where conditions on the way are to "
                           "hold; take transcription radau",
                           p->scheme.name);
    return CARDAN_OK;
}

static cd_compile_wish compile_wish(const char* word)
{
    for (int i = 0; word && cd_compile_name(i); ++i)
        if (strcmp(word, cd_compile_name(i)) == 0) return (cd_compile_wish)i;
    return CD_COMPILE_AUTO;
}

static int take(int* next, int count)
{
    const int at = *next;
    *next += count;
    return count > 0 ? at : -1;
}

static bool number_unknowns(cardan_plan* p)
{
    const cardan_task* task = p->task;
    int                next = 0;
    p->n                    = task->model->nv;
    p->nq                   = task->model->nq;
    p->ns                   = task->model->nstate;
    p->nx                   = p->nq + p->n + p->ns;
    p->nu                   = task->ncontrol;
    p->nl                   = p->loops.nrow;
    p->kept                 = !(p->full && p->form.substitutes);
    p->scaled               = !p->full && task->horizon_lower < task->horizon_upper;
    p->at_y                 = take(&next, p->full ? p->n : 0);
    p->at_v                 = take(&next, p->full ? p->n : 0);
    p->at_s                 = take(&next, p->full ? p->ns : 0);
    p->at_turn_rate         = take(&next, p->full ? 0 : 3 * task->model->nrotation);
    p->at_state_rate        = take(&next, p->full ? 0 : p->ns);
    p->at_a                 = take(&next, p->kept ? p->n : 0);
    p->at_l                 = take(&next, p->nl);
    p->npoint               = next;
    p->at_push              = p->nx + p->nu + p->degree * p->npoint;
    p->stride               = p->at_push + p->loops.nposition + p->loops.nclosed;
    p->h                    = task->horizon / p->N;
    next                    = p->N * p->stride + p->nx;
    const int  ends         = (p->kept ? p->n : 0) + p->nl;
    const bool own          = p->kept || p->nl > 0;
    p->a_start              = take(&next, own && has_accelerations(task, &task->start) ? ends : 0);
    p->a_end                = take(&next, own && !p->scheme.ends &&
                                   (has_accelerations(task, &task->end) || cd_task_accelerates(task, task->cost_final))
                                              ? ends
                                              : 0);
    p->horizon              = take(&next, task->horizon_lower < task->horizon_upper);
    p->q_of_v               = cd_allocate((size_t)p->n + 1, sizeof *p->q_of_v);
    for (int i = 0; p->q_of_v && i < p->n; ++i) p->q_of_v[i] = cd_coordinate_at(task->model, i);
    return p->q_of_v != NULL;
}

static cardan_status make_instant(cardan_plan* p, cardan_report* report)
{
    cd_closer*    closer = NULL;
    double*       weight = cd_allocate((size_t)p->n + 1, sizeof *weight);
    cardan_status status = weight ? cd_closer_create(p->task, &closer, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cd_closer_inertias(closer, p->task->model->q_start, weight);
    for (int i = 0; status == CARDAN_OK && i < p->n; ++i)
        weight[i] = cd_optimize_form_explicit(&p->form) ? p->h : p->h / weight[i];
    const cd_instant_wish wish = {.form        = &p->form,
                                  .loops       = &p->loops,
                                  .degree      = p->degree,
                                  .substituted = !p->kept,
                                  .scaled      = p->scaled,
                                  .counted     = p->horizon >= 0,
                                  .weight      = weight};
    if (status == CARDAN_OK) status = cd_instant_create(p->task, &wish, &p->instant, report);
    cd_closer_destroy(closer);
    free(weight);
    return status;
}

static bool make_room(cardan_plan* p)
{
    const size_t n = (size_t)p->program.n + 1, m = (size_t)p->program.m + 1,
                 rows = (size_t)p->N * (size_t)(p->degree + 1) + 2, nv = (size_t)p->n;
    p->solved.x       = cd_allocate(n, sizeof(double));
    p->solved.x_lower = cd_allocate(n, sizeof(double));
    p->solved.x_upper = cd_allocate(n, sizeof(double));
    p->solved.g       = cd_allocate(m, sizeof(double));
    p->solved.lambda  = cd_allocate(m, sizeof(double));
    p->t              = cd_allocate(rows, sizeof(double));
    p->q              = cd_allocate(rows * (size_t)p->nq, sizeof(double));
    p->state          = cd_allocate(rows * (size_t)p->ns + 1, sizeof(double));
    p->v              = cd_allocate(rows * nv, sizeof(double));
    p->a              = cd_allocate(rows * nv, sizeof(double));
    p->effort         = cd_allocate(rows * nv, sizeof(double));
    p->control        = cd_allocate((size_t)p->nu + 1, sizeof(int));
    return p->solved.x && p->solved.x_lower && p->solved.x_upper && p->solved.g && p->solved.lambda && p->t && p->q &&
           p->v && p->a && p->effort && p->state && p->control;
}

cardan_status cardan_plan_create(cardan_task* task, const cardan_optimize_options* options, cardan_plan** plan,
                                 cardan_report* report)
{
    CD_REFUSE_NULL(plan, "plan", report);
    *plan = NULL;
    CD_REFUSE_NULL(task, "task", report);
    if (options && !isfinite(options->tolerance)) return cd_fail_not_finite(report, __func__, "options");
    cardan_plan* p = cd_allocate(1, sizeof *p);
    if (!p) return CARDAN_NO_MEMORY;
    p->task = task;
    if (options) p->wish = *options;
    cardan_status status = choose(p, report);
    if (status == CARDAN_OK) status = cd_ties_create(task, &p->loops, report);
    if (status == CARDAN_OK && !number_unknowns(p)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = make_instant(p, report);
    if (status == CARDAN_OK) status = cd_guess_ends(p, report);
    if (status == CARDAN_OK) status = cd_transcribe(p, report);
    if (status == CARDAN_OK && !make_room(p))
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, task->place, "out of memory");
    if (status == CARDAN_OK) status = cd_guess(p, report);
    if (status == CARDAN_OK && !p->wish.unsolved)
        status = cd_chain_compile(&p->program, p->instant.graph, compile_wish(p->wish.generated), task->place, report);
    if (status != CARDAN_OK) {
        cardan_plan_destroy(p);
        return status;
    }
    for (int i = 0; i < p->nu; ++i) p->control[i] = task->control[i].v;
    memcpy(p->solved.x, p->program.x_start, (size_t)p->program.n * sizeof(double));
    *plan = p;
    return CARDAN_OK;
}

void cardan_plan_destroy(cardan_plan* p)
{
    if (!p) return;
    cd_chain_release(&p->program);
    cd_instant_release(&p->instant);
    cd_ties_release(&p->loops);
    double* const all[] = {
        p->solved.x, p->solved.x_lower, p->solved.x_upper, p->solved.g, p->solved.lambda, p->t, p->q, p->v,
        p->a,        p->effort,         p->state,          p->q_first,  p->q_last};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(p->q_of_v);
    free(p->control);
    free(p);
}

cardan_status cardan_plan_solve(cardan_plan* p, cardan_report* report)
{
    CD_REFUSE_NULL(p, "plan", report);
    const cd_solve_wish wish  = {.tolerance  = p->wish.tolerance > 0 ? p->wish.tolerance : 1e-8,
                                 .iterations = p->wish.iterations > 0 ? p->wish.iterations : MOST_ITERATIONS,
                                 .warm       = p->warm,
                                 .condensed  = !p->full,
                                 .near       = p->wish.guess || p->task->guess_file,
                                 .unheld     = cd_unheld_control(p->task) != NULL,
                                 .place      = p->task->place,
                                 .user       = p->wish.user,
                                 .watch      = p->wish.watch};
    const double        start = cd_clock_process();
    p->program.seconds        = 0;
    p->began_warm             = p->warm;
    cardan_status status      = cd_solve_ipopt(&p->program, &wish, &p->solved, report);
    p->seconds                = cd_clock_process() - start;
    p->seconds_functions      = p->program.seconds;
    p->ran = p->warm = status == CARDAN_OK;
    if (status == CARDAN_NOT_CONVERGED) cd_plan_tell_missed(p, report);
    if (status == CARDAN_DIVERGED) cd_plan_tell_undefined(p, report);
    if (status == CARDAN_OK) status = cd_tell_contradictions(p, report);
    if (status == CARDAN_NOT_CONVERGED || status == CARDAN_DIVERGED) cd_tell_unbounded(p, report);
    const cardan_status told = cd_plan_tell(p);
    return status == CARDAN_OK ? told : status;
}

cardan_plan_view cardan_plan_look(const cardan_plan* p)
{
    if (!p) return (cardan_plan_view){0};
    const cardan_violations missed = cardan_plan_violations(p);
    return (cardan_plan_view){.form              = p->form.name,
                              .transcription     = p->scheme.name,
                              .layout            = p->full ? "full" : "condensed",
                              .intervals         = p->N,
                              .degree            = p->degree,
                              .unknowns          = p->program.n,
                              .rows              = p->program.m,
                              .jacobian          = p->program.njacobian,
                              .hessian           = p->program.nhessian,
                              .iterations        = p->solved.iterations,
                              .objective         = p->solved.objective,
                              .violation         = fmax(fmax(missed.dynamics, missed.conditions), missed.bounds),
                              .horizon           = p->horizon < 0 ? p->h * p->N : p->solved.x[p->horizon],
                              .seconds           = p->seconds,
                              .seconds_functions = p->seconds_functions,
                              .compiled          = p->program.code != NULL,
                              .warm              = p->began_warm,
                              .ncontrol          = p->nu,
                              .control           = p->control,
                              .nrow              = p->nrow,
                              .t                 = p->t,
                              .q                 = p->q,
                              .v                 = p->v,
                              .a                 = p->a,
                              .effort            = p->effort,
                              .state             = p->state,
                              .gap               = p->gap};
}
