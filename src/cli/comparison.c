// SPDX-License-Identifier: BSD-3-Clause
//   agreement   max |a - a_ref| / max(1, max |a_ref|) over velocities of joints, a_ref by `dense`
//   us          median time of one evaluation from (t, q, v), warm: state, kinematics, forces, solve (implicit: residual)
//   operations  counted on what is executed
#include "cli/comparison.h"

#include "cli/messages.h"

#include "cli/progress.h"
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
}; // rounds at most; evaluations at least, with the first and those of the reference

static const double dense_pace = 1e10, scalar_pace = 1e9; // [1/s] operations in LAPACK, and beside it
static const double once = 0.5;                           // [s] an evaluation that long is timed once
static const double countable =
    0.2; // [s] an evaluation that long is not counted: counting numbers take twenty times as long and more

static unsigned supports(int formulation) { return cd_formulation_at(formulation)->supports; }

bool cd_is_residual(int formulation) { return supports(formulation) & CD_RESIDUAL; }

// Cubes of what may be the whole mechanism, mass matrices along the tree, rows against rows over it. An upper bound:
// where loops fall apart into clusters it is less.
double cd_compare_wait(const cd_comparison* k, int formulation)
{
    const double n = (double)k->nv + k->nrow, nrow = k->nrow;
    double       seconds = 0;
    if (k->loops && !(supports(formulation) & CD_LOOPS)) return 0; // refused at once
    if (cd_formulation_at(formulation)->tree == CARDAN_TREE_FLAT) return 0;
    if (supports(formulation) & CD_CUBIC)
        seconds = 4 * n * n * n / dense_pace;
    else if (supports(formulation) & CD_WAYS)
        seconds = nrow * nrow * n / 3 / scalar_pace;
    else if (cd_is_residual(formulation))
        return 0;
    if (cd_formulation_at(formulation)->appetite) seconds += k->squares / scalar_pace;
    return EVALUATIONS * seconds;
}

static cardan_status count_sizes(cd_comparison* k)
{
    cardan_model*       model = NULL;
    const cardan_status status =
        cardan_model_compile(k->mechanism->description, CARDAN_TREE_SHALLOW, &model, &k->mechanism->report);
    if (status != CARDAN_OK) return status;
    const cardan_model_view look = cardan_model_look(model);
    k->nv                        = look.nv;
    k->nrow                      = cd_closure_rows(model);
    k->loops                     = look.nconstraint > 0;
    k->squares                   = 0;
    int* depth                   = cd_allocate((size_t)model->nlink + 1, sizeof *depth);
    for (int i = 0; depth && i < model->nlink; ++i) {
        depth[i] = model->link[i].nv + (model->link[i].parent < 0 ? 0 : depth[model->link[i].parent]);
        k->squares += (double)depth[i] * depth[i];
    }
    for (int j = 0; j < look.njoint; ++j) k->njoint_v += look.slot[j].nv;
    cardan_model_destroy(model);
    free(depth);
    k->reference = cd_allocate((size_t)k->njoint_v + 1, sizeof *k->reference);
    return k->reference && depth ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Accelerations joint by joint: coordinates and cuts may differ, joints do not.
static void gather(const cd_case* c, const double* a, double* out)
{
    int n = 0;
    for (int j = 0; j < c->look.njoint; ++j) {
        if (c->look.place[j].v >= 0) cardan_joint_acceleration(c->data, j, a, out + n);
        n += c->look.slot[j].nv;
    }
}

static cardan_status find_reference(cd_comparison* k)
{
    cd_case       c;
    cardan_status status = cd_case_open(&c, k->mechanism, cardan_formulation_find(k->yardstick));
    if (status == CARDAN_OK) status = cardan_accelerate(c.data, c.a, NULL, &k->mechanism->report);
    if (status == CARDAN_OK) gather(&c, c.a, k->reference);
    cd_case_close(&c);
    return status;
}

cardan_status cd_compare_begin(cd_comparison* k)
{
    const cardan_status status = count_sizes(k);
    if (status != CARDAN_OK) return status;
    const bool large = cd_compare_wait(k, cardan_formulation_find("dense")) > CD_COMPARE_PATIENCE;
    k->yardstick     = !large ? "dense" : k->loops ? "reduction" : "order-n";
    return find_reference(k);
}

static void evaluate(cd_case* c, double* scratch)
{
    cardan_data_set(c->data, c->t, c->q, c->v, c->state);
    if (cd_is_residual(c->formulation))
        cardan_residual(c->data, c->a, scratch);
    else
        cardan_accelerate(c->data, scratch, NULL, NULL);
}

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Median over rounds; a round is long enough for the clock, and all of them take about a fifth of a second.
static double median_us(cd_case* c, double* scratch)
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
    for (const double begin = cd_clock_wall(); t < once && n < ROUNDS && (n < 3 || cd_clock_wall() - begin < 0.2);) {
        const double start = cd_clock_wall();
        for (int i = 0; i < inner; ++i) evaluate(c, scratch);
        round[n++] = (cd_clock_wall() - start) / inner;
    }
    qsort(round, (size_t)n, sizeof *round, by_size);
    return 1e6 * (n % 2 ? round[n / 2] : (round[n / 2 - 1] + round[n / 2]) / 2);
}

static double agreement(int n, const double* a, const double* reference)
{
    double error = 0, largest = 1;
    for (int i = 0; i < n; ++i) {
        const double off = fabs(a[i] - reference[i]);
        if (!(off <= error)) error = off;
        largest = fmax(largest, fabs(reference[i]));
    }
    return error / largest;
}

// Accelerations into a (njoint_v). What a rough formulation finds is told even where its rows are far from holding.
static cardan_status solve(const cd_comparison* k, cd_case* c, double* a, bool* soft)
{
    const bool    rough = supports(c->formulation) & CD_ROUGH;
    cardan_report found = {0};
    for (int i = 0; rough && i < c->look.nv; ++i) c->a[i] = NAN;
    const cardan_status status = cardan_accelerate(c->data, c->a, NULL, rough ? &found : &k->mechanism->report);
    *soft                      = rough && status == CARDAN_INCONSISTENT && (c->look.nv == 0 || isfinite(c->a[0]));
    if (status == CARDAN_OK || *soft)
        gather(c, c->a, a);
    else if (rough)
        k->mechanism->report = found;
    return *soft ? CARDAN_OK : status;
}

static void count(const cd_case* c, cd_compared* r)
{
    cardan_report report = {0};
    r->counted           = r->us < 1e6 * countable && cd_heed_memory(cardan_count(c->model, c->formulation, c->q, c->v,
                                                                                  &r->operations, &report)) == CARDAN_OK;
    if (r->counted) return;
    if (report.count > 0)
        snprintf(r->why, sizeof r->why, "%s", cardan_message_sentence(&report.message[report.count - 1]));
    else
        snprintf(r->why, sizeof r->why,
                 "the operations of '%s' are not counted: counting takes some twenty times as long as an evaluation, "
                 "and that takes %.2g s",
                 cardan_formulation_name(c->formulation), 1e-6 * r->us);
}

void cd_compare_one(const cd_comparison* k, int formulation, cd_compared* r)
{
    cd_case c;
    r->status = cd_heed_memory(cd_case_open(&c, k->mechanism, formulation));
    if (r->status != CARDAN_OK) return;
    double* a = cd_allocate((size_t)(k->njoint_v + c.look.nv) + 1, sizeof *a);
    r->status = cd_heed_memory(a ? solve(k, &c, a, &r->soft) : CARDAN_NO_MEMORY);
    if (r->status == CARDAN_OK) {
        r->agreement   = agreement(k->njoint_v, a, k->reference);
        r->null_pivots = cardan_null_rows(c.data, 0, NULL, &r->pivot_ratio);
        r->us          = median_us(&c, a);
        count(&c, r);
    }
    free(a);
    cd_case_close(&c);
}
