// SPDX-License-Identifier: BSD-3-Clause
// cardan compare: every formulation on one mechanism: agreement, time and operations.
//
//   agreement   max |a - a_ref| / max(1, max |a_ref|) over velocities, a_ref by `dense`
//   us          median time of one evaluation from (t, q, v), warm: state, kinematics, forces, solve (implicit:
//   residual) operations  counted on what is executed
#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "core/memory.h"
#include "formulation/formulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Velocities up to which what costs n^3 is compared along, and up to which `dense` is the reference.
enum { ROUNDS = 31, CUBIC_UP_TO = 1500, REFERENCE_UP_TO = 3000 };

typedef struct row {
    cardan_status     status;
    bool              skipped, counted;
    double            agreement, us;
    cardan_operations operations;
} row;

static bool is_residual(int formulation) { return cd_formulation_at(formulation)->supports & CD_RESIDUAL; }

static bool is_cubic(int formulation) { return cd_formulation_at(formulation)->supports & CD_CUBIC; }

static void evaluate(cd_case* c, double* scratch)
{
    cardan_data_set(c->data, c->t, c->q, c->v, c->state);
    if (is_residual(c->formulation))
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
        const double begin = cd_clock();
        for (int i = 0; i < inner; ++i) evaluate(c, scratch);
        t = cd_clock() - begin;
        if (t > 2e-3) break;
    }
    round[n++] = t / inner;
    for (const double begin = cd_clock(); n < ROUNDS && (n < 3 || cd_clock() - begin < 0.2);) {
        const double start = cd_clock();
        for (int i = 0; i < inner; ++i) evaluate(c, scratch);
        round[n++] = (cd_clock() - start) / inner;
    }
    qsort(round, (size_t)n, sizeof *round, by_size);
    return 1e6 * (n % 2 ? round[n / 2] : (round[n / 2 - 1] + round[n / 2]) / 2);
}

// What is compared, by which formulations.
typedef struct comparison {
    cd_mechanism* mechanism;
    int           nv, njoint_v; // velocities of the tree; of all joints, those that close loops too
    bool          loops;
    int           first, last;
    const char*   yardstick;
    double*       reference; // (njoint_v) accelerations by the yardstick
    row*          rows;
} comparison;

// Accelerations joint by joint: coordinates and cuts may differ, joints do not.
static void gather(const cd_case* c, const double* a, double* out)
{
    int n = 0;
    for (int j = 0; j < c->look.njoint; ++j) {
        if (c->look.place[j].v >= 0) cardan_joint_acceleration(c->data, j, a, out + n);
        n += c->look.slot[j].nv;
    }
}

static double agreement(int n, const double* a, const double* reference)
{
    double error = 0, largest = 1;
    for (int i = 0; i < n; ++i) {
        error   = fmax(error, fabs(a[i] - reference[i]));
        largest = fmax(largest, fabs(reference[i]));
    }
    return error / largest;
}

static cardan_status find_reference(comparison* k)
{
    cd_case       c;
    cardan_status status = cd_case_open(&c, k->mechanism, cardan_formulation_find(k->yardstick));
    if (status == CARDAN_OK) status = cardan_accelerate(c.data, c.a, NULL, &k->mechanism->report);
    if (status == CARDAN_OK) gather(&c, c.a, k->reference);
    cd_case_close(&c);
    return status;
}

static row measure(const comparison* k, int formulation)
{
    row     r = {.agreement = NAN, .us = NAN};
    cd_case c;
    r.status = cd_case_open(&c, k->mechanism, formulation);
    if (r.status != CARDAN_OK) return r;
    double* a = cd_allocate((size_t)(k->njoint_v + c.look.nv) + 1, sizeof *a);
    r.status  = a ? cardan_accelerate(c.data, c.a, NULL, &k->mechanism->report) : CARDAN_NO_MEMORY;
    if (r.status == CARDAN_OK) {
        gather(&c, c.a, a);
        r.agreement = agreement(k->njoint_v, a, k->reference);
        r.us        = median_us(&c, a);
        if (!is_cubic(formulation) || k->nv <= CUBIC_UP_TO)
            r.counted = cardan_count(c.model, formulation, c.q, c.v, &r.operations, &k->mechanism->report) == CARDAN_OK;
    }
    free(a);
    cd_case_close(&c);
    return r;
}

static void write_tally(cd_json* json, const char* phase, const cardan_tally* tally)
{
    cd_json_object(json, phase);
    cd_json_integer(json, "mul", tally->mul);
    cd_json_integer(json, "add", tally->add);
    cd_json_integer(json, "div", tally->div);
    cd_json_integer(json, "sqrt", tally->sqrt);
    cd_json_end(json);
}

// Parts of the operations: what multipliers cost where they can be left out, and the steps that a paper counts.
static void write_details(cd_json* json, const row* r)
{
    const cardan_operations* o = &r->operations;
    if (r->counted && o->multipliers.mul > 0) write_tally(json, "multipliers", &o->multipliers);
    else cd_json_null(json, "multipliers");
    if (!r->counted || o->nstep == 0) {
        cd_json_null(json, "steps");
        return;
    }
    cd_json_object(json, "steps");
    for (int i = 0; i < o->nstep; ++i) write_tally(json, o->step[i].name, &o->step[i].tally);
    cd_json_end(json);
}

static void write_row(cd_json* json, int formulation, const row* r)
{
    char word[32];
    cd_json_object(json, NULL);
    cd_json_string(json, "formulation", cardan_formulation_name(formulation));
    cd_json_string(json, "status", r->skipped ? "skipped" : cd_status_word(r->status, word));
    cd_json_number(json, "agreement", r->agreement);
    cd_json_number(json, "us", r->us);
    if (r->counted) {
        cd_json_object(json, "operations");
        write_tally(json, "kinematics", &r->operations.kinematics);
        write_tally(json, "assembly", &r->operations.assembly);
        write_tally(json, "factor", &r->operations.factor);
        write_tally(json, "solve", &r->operations.solve);
        cd_json_end(json);
    } else {
        cd_json_null(json, "operations");
    }
    write_details(json, r);
    if (r->counted && r->operations.sparse_mul > 0) {
        cd_json_object(json, "scalar_sparse");
        cd_json_integer(json, "mul", r->operations.sparse_mul);
        cd_json_integer(json, "nonzeros", r->operations.sparse_nonzeros);
        cd_json_end(json);
    } else
        cd_json_null(json, "scalar_sparse");
    cd_json_end(json);
}

static void print_tally(cd_grid* grid, const cardan_tally* t, bool known)
{
    if (!known)
        cd_grid_add(grid, "-");
    else
        cd_grid_add(grid, "%s", cd_count_word(t->mul + t->add + t->div + t->sqrt).text);
}

static void print_row(cd_grid* grid, int formulation, const row* r)
{
    const cardan_operations o = r->operations;
    cd_grid_add(grid, "%s", cardan_formulation_name(formulation));
    if (r->skipped)
        cd_grid_add(grid, "skipped");
    else if (r->status == CARDAN_UNSUPPORTED)
        cd_grid_add(grid, "cannot");
    else if (r->status != CARDAN_OK)
        cd_grid_add(grid, "failed");
    else
        cd_grid_add(grid, "%s", cd_small_word(r->agreement).text);
    if (isnan(r->us))
        cd_grid_add(grid, "-");
    else
        cd_grid_add(grid, "%.4g", r->us);
    print_tally(grid, &o.kinematics, r->counted);
    print_tally(grid, &o.assembly, r->counted);
    print_tally(grid, &o.factor, r->counted);
    print_tally(grid, &o.solve, r->counted);
    const cardan_tally sum = {
        .mul  = o.kinematics.mul + o.assembly.mul + o.factor.mul + o.solve.mul,
        .add  = o.kinematics.add + o.assembly.add + o.factor.add + o.solve.add,
        .div  = o.kinematics.div + o.assembly.div + o.factor.div + o.solve.div,
        .sqrt = o.kinematics.sqrt + o.assembly.sqrt + o.factor.sqrt + o.solve.sqrt,
    };
    print_tally(grid, &sum, r->counted);
}

static void print_rows(const comparison* k)
{
    static const char* const head[] = {"formulation", "agreement", "us",    "kinematics",
                                       "assembly",    "factor",    "solve", "sum"};
    // with loops not every velocity is a freedom of its own
    const cd_word size = k->loops ? cd_plural(k->nv, "velocity", "velocities")
                                  : cd_plural(k->nv, "degree of freedom", "degrees of freedom");
    cd_grid       grid = {.align = "lrrrrrrr"};
    printf("%s: %s; accelerations compared with %s, median time of one evaluation, operations counted\n",
           k->mechanism->view.name, size.text, k->yardstick);
    for (int i = 0; i < 8; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int f = k->first; f <= k->last; ++f) print_row(&grid, f, &k->rows[f - k->first]);
    cd_grid_print(&grid);
    bool residual = false;
    for (int f = k->first; f <= k->last; ++f) residual = residual || (is_residual(f) && !k->rows[f - k->first].skipped);
    for (int f = k->first; f <= k->last; ++f) {
        const cardan_operations* o = &k->rows[f - k->first].operations;
        if (o->sparse_mul > 0)
            printf("  %s: %s multiplications executed in the blocks of the factor; scalar-sparse, on its nonzeros alone, %s\n", cardan_formulation_name(f),
                   cd_count_word(o->factor.mul).text, cd_count_word(o->sparse_mul).text);
    }
    for (int f = k->first; k->loops && f <= k->last; ++f) {
        const cardan_tally r = k->rows[f - k->first].operations.rows;
        if (!k->rows[f - k->first].counted || r.mul == 0) continue;
        printf("  constraints and their rows come before that, %s operations for %s\n", cd_count_word(r.mul + r.add + r.div + r.sqrt).text, cardan_formulation_name(f));
        break;
    }
    if (residual) printf("  implicit is a residual: its time and operations are those of one residual\n");
}

static int report_rows(const comparison* k)
{
    if (!k->mechanism->options->json) {
        if (!k->mechanism->options->quiet) print_rows(k);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_array(&json, "rows");
    for (int f = k->first; f <= k->last; ++f) write_row(&json, f, &k->rows[f - k->first]);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

static cardan_status count_sizes(comparison* k)
{
    cardan_model*       model = NULL;
    const cardan_status status =
        cardan_model_compile(k->mechanism->description, CARDAN_TREE_SHALLOW, &model, &k->mechanism->report);
    if (status != CARDAN_OK) return status;
    const cardan_model_view look = cardan_model_look(model);
    k->nv                        = look.nv;
    k->loops                     = look.nconstraint > 0;
    for (int j = 0; j < look.njoint; ++j) k->njoint_v += look.slot[j].nv;
    cardan_model_destroy(model);
    k->reference = cd_allocate((size_t)k->njoint_v + 1, sizeof *k->reference);
    k->rows      = cd_allocate((size_t)(k->last - k->first + 1), sizeof *k->rows);
    return k->reference && k->rows ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// All rows; the code is that of the first failure. Among several, a formulation that cannot treat the mechanism is
// none.
static int fill_rows(comparison* k)
{
    const bool several = k->first != k->last, skip = several && k->nv > CUBIC_UP_TO;
    bool       any  = false;
    int        code = CD_EXIT_DONE;
    for (int f = k->first; f <= k->last; ++f) {
        row* r     = &k->rows[f - k->first];
        *r         = (row){.agreement = NAN, .us = NAN};
        r->skipped = skip && (is_cubic(f) || is_residual(f));
        if (r->skipped) continue;
        *r                 = measure(k, f);
        any                = any || r->status == CARDAN_OK;
        const bool excused = several && r->status == CARDAN_UNSUPPORTED;
        if (excused) cd_say_notes(&k->mechanism->report);
        const int this =
            r->status == CARDAN_OK || excused ? CD_EXIT_DONE : cd_say_failure(&k->mechanism->report, r->status);
        if (code == CD_EXIT_DONE) code = this;
    }
    return any || code != CD_EXIT_DONE ? code : CD_EXIT_INPUT;
}

static int compare(comparison* k)
{
    cardan_status status = count_sizes(k);
    k->yardstick         = k->nv > REFERENCE_UP_TO ? "order-n" : "dense";
    if (status == CARDAN_OK) status = find_reference(k);
    if (status != CARDAN_OK) return cd_say_failure(&k->mechanism->report, status);
    if (k->nv > REFERENCE_UP_TO && !k->mechanism->options->quiet)
        fprintf(stderr, "note: %s velocities are many for n^3 operations: compared with order-n instead of dense\n",
                cd_count_word(k->nv).text);
    const int code = fill_rows(k), printed = report_rows(k);
    return code == CD_EXIT_DONE ? printed : code;
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    comparison   k = {.mechanism = &mechanism, .last = cardan_formulation_count() - 1};
    const bool   all = !options->formulation || strcmp(options->formulation, "all") == 0, best = cd_is_auto(options->formulation);
    if (!all && !best) {
        k.first = k.last = cd_formulation_named(options->formulation);
        if (k.first == CARDAN_NONE) return CD_EXIT_USAGE;
    }
    int code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    if (best) k.first = k.last = cd_formulation_asked(&mechanism, CARDAN_NONE);
    code = compare(&k);
    free(k.reference);
    free(k.rows);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_compare = {
    .name     = "compare",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "every formulation on one mechanism: agreement, time, operations by phase",
    .text =
        "Solves the same state by every formulation.\n"
        "  agreement   max |a - a_ref| / max(1, max |a_ref|) over the velocities, a_ref by `dense`\n"
        "  us          median time of one evaluation from (t, q, v) in microseconds, warm: kinematics, forces, solve\n"
        "  operations  multiplications, additions, divisions and square roots by phase, counted by running the\n"
        "              formulation on counting numbers, never from a formula\n"
        "`implicit` is a residual: its time and operations are those of one residual. With more than\n"
        "1,500 degrees of freedom what costs n^3 is skipped unless it is named; with more than 3,000\n"
        "the reference is order-n.",
    .examples = "cardan compare models/puma560                           # all, as a table\n"
                "cardan compare chain-64.yaml --formulation order-n --json # one, for programs\n",
    CD_OPTIONS(CD_OPTION_FORMULATION_ONE, CD_OPTION_THREADS, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STRICT,
               CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
