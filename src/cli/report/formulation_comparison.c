// SPDX-License-Identifier: BSD-3-Clause
//   agreement   relative difference max |a - a_ref| / max(1, max |a_ref|) over joint velocities, a_ref by the reference
//   us          median time of an evaluation from (t, q, v), warm: state, kinematics, forces, solve (or residual)
//   operations  counted by executing the formulation on counting numbers
#include "cli/report/formulation_comparison.h"

#include "cli/support/messages.h"

#include "cli/support/progress.h"
#include "core/clock.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "formulation/formulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS      = 31,
    EVALUATIONS = 6
}; // maximum number of rounds; minimum number of evaluations, including the first and the reference

static const double dense_flop_rate = 1e10, scalar_flop_rate = 1e9; // [1/s] operations in LAPACK, and elsewhere
static const double single_run_time = 0.5;                          // [s] longer evaluations are timed once
static const double counting_time_max =
    0.2; // [s] longer evaluations are not counted: counting numbers take at least twenty times as long

static unsigned formulation_flags(int formulation) { return cd_formulation_at(formulation)->properties; }

bool cd_formulation_is_residual(int formulation) { return formulation_flags(formulation) & CD_IS_RESIDUAL; }

// Cubic cost of dense factorizations, mass matrices along the tree, Schur complements of the rows. An upper bound:
// loops that form separate clusters cost less.
double cd_compare_predicted_time(const cd_formulation_comparison* k, int formulation)
{
    const double n = (double)k->nv + k->nrow, nrow = k->nrow;
    double       seconds = 0;
    if (k->has_loops && !(formulation_flags(formulation) & CD_SUPPORTS_LOOPS)) return 0; // rejected at once
    if (cd_formulation_at(formulation)->tree_policy == CARDAN_TREE_MAXIMAL) return 0;
    if (formulation_flags(formulation) & CD_DENSE_COST)
        seconds = 4 * n * n * n / dense_flop_rate;
    else if (formulation_flags(formulation) & CD_NEEDS_JOINT_SPACE_JACOBIAN)
        seconds = nrow * nrow * n / 3 / scalar_flop_rate;
    else if (cd_formulation_is_residual(formulation))
        return 0;
    if (cd_formulation_at(formulation)->memory_estimate) seconds += k->depth_sq_sum / scalar_flop_rate;
    return EVALUATIONS * seconds;
}

static cardan_status count_sizes(cd_formulation_comparison* k)
{
    cardan_model*       model = NULL;
    const cardan_status status =
        cardan_model_compile(k->mechanism->description, CARDAN_TREE_BREADTH_FIRST, &model, &k->mechanism->report);
    if (status != CARDAN_OK) return status;
    const cardan_model_view view = cardan_model_get_view(model);
    k->nv                        = view.nv;
    k->nrow                      = cd_constraint_row_count(model);
    k->has_loops                 = view.nconstraint > 0;
    k->depth_sq_sum              = 0;
    int* depth                   = cd_allocate((size_t)model->nlink + 1, sizeof *depth);
    for (int i = 0; depth && i < model->nlink; ++i) {
        depth[i] = model->link[i].nv + (model->link[i].parent < 0 ? 0 : depth[model->link[i].parent]);
        k->depth_sq_sum += (double)depth[i] * depth[i];
    }
    for (int j = 0; j < view.njoint; ++j) k->nv_joint += view.tree_range[j].nv;
    cardan_model_destroy(model);
    free(depth);
    k->reference_acceleration = cd_allocate((size_t)k->nv_joint + 1, sizeof *k->reference_acceleration);
    return k->reference_acceleration && depth ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Accelerations of all joints (nv_joint): comparable between formulations with different coordinates and cut joints.
static void gather_accelerations(const cd_model_instance* c, const double* a, double* out)
{
    int n = 0;
    for (int j = 0; j < c->model_view.njoint; ++j) {
        if (c->model_view.joint_range[j].v >= 0) cardan_data_joint_acceleration(c->data, j, a, out + n);
        n += c->model_view.tree_range[j].nv;
    }
}

static cardan_status find_reference(cd_formulation_comparison* k)
{
    cd_model_instance c;
    cardan_status     status = cd_model_instance_open(&c, k->mechanism, cardan_formulation_find(k->reference_name));
    if (status == CARDAN_OK) status = cardan_data_accelerate(c.data, c.a, NULL, &k->mechanism->report);
    if (status == CARDAN_OK) gather_accelerations(&c, c.a, k->reference_acceleration);
    cd_model_instance_close(&c);
    return status;
}

cardan_status cd_compare_begin(cd_formulation_comparison* k)
{
    const cardan_status status = count_sizes(k);
    if (status != CARDAN_OK) return status;
    const bool large  = cd_compare_predicted_time(k, cardan_formulation_find("dense")) > CD_COMPARE_TIME_MAX;
    k->reference_name = !large ? "dense" : k->has_loops ? "reduction" : "order-n";
    return find_reference(k);
}

static void evaluate(cd_model_instance* c, double* scratch)
{
    cardan_data_set_state(c->data, c->t, c->q, c->v, c->state);
    if (cd_formulation_is_residual(c->formulation))
        cardan_data_residual(c->data, c->a, scratch);
    else
        cardan_data_accelerate(c->data, scratch, NULL, NULL);
}

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Median of several rounds; a round is long enough for the clock, all rounds take about 0.2 s.
static double median_us(cd_model_instance* c, double* scratch)
{
    double round[ROUNDS];
    int    inner = 1, n = 0;
    double t = 0;
    for (evaluate(c, scratch); inner < 1 << 20; inner *= 2) {
        const double begin = cd_clock_wall();
        for (int i = 0; i < inner; ++i) evaluate(c, scratch);
        t = cd_clock_wall() - begin;
        if (t > 2e-3) break;
    }
    round[n++] = t / inner;
    for (const double begin = cd_clock_wall();
         t < single_run_time && n < ROUNDS && (n < 3 || cd_clock_wall() - begin < 0.2);) {
        const double start = cd_clock_wall();
        for (int i = 0; i < inner; ++i) evaluate(c, scratch);
        round[n++] = (cd_clock_wall() - start) / inner;
    }
    qsort(round, (size_t)n, sizeof *round, by_size);
    return 1e6 * (n % 2 ? round[n / 2] : (round[n / 2 - 1] + round[n / 2]) / 2);
}

static double relative_difference(int n, const double* a, const double* reference)
{
    double error = 0, largest = 1;
    for (int i = 0; i < n; ++i) {
        const double difference = fabs(a[i] - reference[i]);
        if (!(difference <= error)) error = difference;
        largest = fmax(largest, fabs(reference[i]));
    }
    return error / largest;
}

// Solve for the joint accelerations a (nv_joint). An approximate formulation that violates its rows still returns them,
// with *violated set.
static cardan_status solve(const cd_formulation_comparison* k, cd_model_instance* c, double* a, bool* violated)
{
    const bool    approximate = formulation_flags(c->formulation) & CD_APPROXIMATE;
    cardan_report messages    = {0};
    for (int i = 0; approximate && i < c->model_view.nv; ++i) c->a[i] = NAN;
    const cardan_status status =
        cardan_data_accelerate(c->data, c->a, NULL, approximate ? &messages : &k->mechanism->report);
    *violated = approximate && status == CARDAN_INCONSISTENT && (c->model_view.nv == 0 || isfinite(c->a[0]));
    if (status == CARDAN_OK || *violated)
        gather_accelerations(c, c->a, a);
    else if (approximate)
        k->mechanism->report = messages;
    return *violated ? CARDAN_OK : status;
}

static void count_operations(const cd_model_instance* c, cd_formulation_result* r)
{
    cardan_report report = {0};
    r->is_counted        = r->time_us < 1e6 * counting_time_max &&
                    cd_report_if_no_memory(cardan_model_count_operations(c->model, c->formulation, c->q, c->v,
                                                                         &r->operations, &report)) == CARDAN_OK;
    if (r->is_counted) return;
    if (report.count > 0)
        snprintf(r->not_counted_reason, sizeof r->not_counted_reason, "%s",
                 cardan_message_sentence(&report.message[report.count - 1]));
    else
        snprintf(r->not_counted_reason, sizeof r->not_counted_reason,
                 "the operations of '%s' are not counted: counting takes about twenty times as long as one evaluation, "
                 "which takes %.2g s",
                 cardan_formulation_name(c->formulation), 1e-6 * r->time_us);
}

void cd_compare_formulation(const cd_formulation_comparison* k, int formulation, cd_formulation_result* r)
{
    cd_model_instance c;
    r->status = cd_report_if_no_memory(cd_model_instance_open(&c, k->mechanism, formulation));
    if (r->status != CARDAN_OK) return;
    double* a = cd_allocate((size_t)(k->nv_joint + c.model_view.nv) + 1, sizeof *a);
    r->status = cd_report_if_no_memory(a ? solve(k, &c, a, &r->constraints_violated) : CARDAN_NO_MEMORY);
    if (r->status == CARDAN_OK) {
        r->relative_difference = relative_difference(k->nv_joint, a, k->reference_acceleration);
        r->null_pivots         = cardan_data_redundant_rows(c.data, 0, NULL, &r->pivot_ratio);
        r->time_us             = median_us(&c, a);
        count_operations(&c, r);
    }
    free(a);
    cd_model_instance_close(&c);
}
