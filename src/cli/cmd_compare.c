// SPDX-License-Identifier: BSD-3-Clause
// cardan compare: every formulation on one mechanism: agreement, time and operations.
//
//   agreement   max |a - a_ref| / max(1, max |a_ref|) over velocities, a_ref by `dense`
//   us          median time of one evaluation from (t, q, v), warm: state, kinematics, forces, solve (implicit: residual)
//   operations  counted on what is executed
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

static bool is_cubic(int formulation)
{
    const char* name = cardan_formulation_name(formulation);
    return strcmp(name, "dense") == 0 || strcmp(name, "semi") == 0;
}

static void evaluate(cd_case* c, double* scratch)
{
    cardan_data_set(c->data, c->t, c->q, c->v, c->state);
    if (is_residual(c->formulation)) cardan_residual(c->data, c->a, scratch);
    else cardan_accelerate(c->data, scratch, NULL, NULL);
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

// Accelerations joint by joint: the order of velocities may differ between trees, that of joints does not.
static void gather(const cd_case* c, const double* a, double* out)
{
    int n = 0;
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot s = c->look.slot[j];
        for (int i = 0; s.v >= 0 && i < s.nv; ++i) out[n++] = a[s.v + i];
    }
}

static double agreement(int nv, const double* a, const double* reference)
{
    double error = 0, largest = 1;
    for (int i = 0; i < nv; ++i) {
        error   = fmax(error, fabs(a[i] - reference[i]));
        largest = fmax(largest, fabs(reference[i]));
    }
    return error / largest;
}

// Accelerations by the reference formulation, joint by joint; NULL where it fails (and the report says why).
static double* reference_of(cd_mechanism* mechanism, int formulation, int* nv, cardan_status* status)
{
    cd_case c;
    *status = cd_case_open(&c, mechanism, formulation);
    if (*status != CARDAN_OK) return NULL;
    *status           = cardan_accelerate(c.data, c.a, NULL, &mechanism->report);
    *nv               = c.look.nv;
    double* reference = *status == CARDAN_OK ? cd_allocate((size_t)c.look.nv + 1, sizeof *reference) : NULL;
    if (reference) gather(&c, c.a, reference);
    cd_case_close(&c);
    return reference;
}

static row measure(cd_mechanism* mechanism, int formulation, const double* reference)
{
    row     r = {.agreement = NAN, .us = NAN};
    cd_case c;
    r.status = cd_case_open(&c, mechanism, formulation);
    if (r.status != CARDAN_OK) return r;
    double* a = cd_allocate((size_t)c.look.nv + 1, sizeof *a);
    r.status  = a ? cardan_accelerate(c.data, c.a, NULL, &mechanism->report) : CARDAN_NO_MEMORY;
    if (r.status == CARDAN_OK) {
        gather(&c, c.a, a);
        if (reference) r.agreement = agreement(c.look.nv, a, reference);
        r.us = median_us(&c, a);
        // only trees are counted yet
        if (c.look.ncut == 0 && (!is_cubic(formulation) || c.look.nv <= CUBIC_UP_TO))
            r.counted = cardan_count(c.model, formulation, c.q, c.v, &r.operations, &mechanism->report) == CARDAN_OK;
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
    cd_json_end(json);
}

static void print_tally(cd_grid* grid, const cardan_tally* t, bool known)
{
    if (!known) cd_grid_add(grid, "-");
    else cd_grid_add(grid, "%s", cd_count_word(t->mul + t->add + t->div + t->sqrt).text);
}

static void print_rows(const cd_mechanism* mechanism, int nv, const char* reference, int first, int last, const row* rows)
{
    cd_grid grid = {.align = "lrrrrrrr"};
    static const char* const head[] = {"formulation", "agreement", "us", "kinematics", "assembly", "factor", "solve", "sum"};
    printf("%s: %s; accelerations compared with %s, median time of one evaluation, operations counted\n", mechanism->view.name,
           cd_plural(nv, "velocity", "velocities").text, reference);
    for (int i = 0; i < 8; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int f = first; f <= last; ++f) {
        const row*              r = &rows[f - first];
        const cardan_operations o = r->operations;
        cd_grid_add(&grid, "%s", cardan_formulation_name(f));
        if (r->skipped) cd_grid_add(&grid, "skipped");
        else if (r->status == CARDAN_UNSUPPORTED) cd_grid_add(&grid, "cannot");
        else if (r->status != CARDAN_OK) cd_grid_add(&grid, "failed");
        else if (isnan(r->agreement)) cd_grid_add(&grid, "-");
        else cd_grid_add(&grid, "%s", cd_small_word(r->agreement).text);
        if (isnan(r->us)) cd_grid_add(&grid, "-");
        else cd_grid_add(&grid, "%.4g", r->us);
        print_tally(&grid, &o.kinematics, r->counted);
        print_tally(&grid, &o.assembly, r->counted);
        print_tally(&grid, &o.factor, r->counted);
        print_tally(&grid, &o.solve, r->counted);
        const cardan_tally sum = {
            .mul  = o.kinematics.mul + o.assembly.mul + o.factor.mul + o.solve.mul,
            .add  = o.kinematics.add + o.assembly.add + o.factor.add + o.solve.add,
            .div  = o.kinematics.div + o.assembly.div + o.factor.div + o.solve.div,
            .sqrt = o.kinematics.sqrt + o.assembly.sqrt + o.factor.sqrt + o.solve.sqrt,
        };
        print_tally(&grid, &sum, r->counted);
    }
    cd_grid_print(&grid);
    printf("  implicit is a residual: its time and operations are those of one residual\n");
}

static int report_rows(cd_mechanism* mechanism, int nv, const char* reference, int first, int last, const row* rows)
{
    if (!mechanism->options->json) {
        if (!mechanism->options->quiet) print_rows(mechanism, nv, reference, first, last, rows);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_array(&json, "rows");
    for (int f = first; f <= last; ++f) write_row(&json, f, &rows[f - first]);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

// Number of velocities of the tree; -1 where it does not compile.
static int velocities(cd_mechanism* mechanism, cardan_status* status)
{
    cardan_model* model = NULL;
    *status = cardan_model_compile(mechanism->description, CARDAN_TREE_SHALLOW, &model, &mechanism->report);
    if (*status != CARDAN_OK) return -1;
    const int nv = cardan_model_look(model).nv;
    cardan_model_destroy(model);
    return nv;
}

static int compare(cd_mechanism* mechanism, int first, int last)
{
    cardan_status status;
    int           nv = velocities(mechanism, &status);
    if (nv < 0) return cd_say_failure(&mechanism->report, status);
    const bool skip = nv > CUBIC_UP_TO && first != last, large = nv > REFERENCE_UP_TO;
    const char* yardstick = large ? "order-n" : "dense";
    double*     reference = reference_of(mechanism, cardan_formulation_find(yardstick), &nv, &status);
    if (!reference) return cd_say_failure(&mechanism->report, status);
    if (large && !mechanism->options->quiet)
        fprintf(stderr, "note: %s velocities are many for n^3 operations: compared with order-n instead of dense\n",
                cd_count_word(nv).text);

    row* rows = cd_allocate((size_t)(last - first + 1), sizeof *rows);
    int  code = rows ? CD_EXIT_DONE : CD_EXIT_INPUT;
    bool any  = false;
    for (int f = first; rows && f <= last; ++f) {
        row* r     = &rows[f - first];
        *r         = (row){.agreement = NAN, .us = NAN};
        r->skipped = skip && (is_cubic(f) || is_residual(f));
        if (!r->skipped) *r = measure(mechanism, f, reference);
        any            = any || (r->status == CARDAN_OK && !r->skipped);
        const bool excused = r->status == CARDAN_UNSUPPORTED && first != last;
        if (excused) cd_say_notes(&mechanism->report);
        const int this = r->status == CARDAN_OK || excused ? CD_EXIT_DONE : cd_say_failure(&mechanism->report, r->status);
        if (code == CD_EXIT_DONE) code = this;
    }
    if (!any && code == CD_EXIT_DONE) code = CD_EXIT_INPUT;
    const int printed = rows ? report_rows(mechanism, nv, yardstick, first, last, rows) : CD_EXIT_INPUT;
    free(rows);
    free(reference);
    return code == CD_EXIT_DONE ? printed : code;
}

static int run(const cd_options* options)
{
    int first = 0, last = cardan_formulation_count() - 1;
    if (options->formulation && strcmp(options->formulation, "all") != 0) {
        first = last = cd_formulation_named(options->formulation);
        if (first == CARDAN_NONE) return CD_EXIT_USAGE;
    }
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);
    code = compare(&mechanism, first, last);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_compare = {
    .name     = "compare",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "every formulation on one mechanism: agreement, time, operations by phase",
    .text     = "Solves the same state by every formulation.\n"
                "  agreement   max |a - a_ref| / max(1, max |a_ref|) over the velocities, a_ref by `dense`\n"
                "  us          median time of one evaluation from (t, q, v) in microseconds, warm: kinematics, forces, solve\n"
                "  operations  multiplications, additions, divisions and square roots by phase, counted by running the\n"
                "              formulation on counting numbers, never from a formula\n"
                "`implicit` is a residual: its time and operations are those of one residual. With more than 1,500 degrees of\n"
                "freedom what costs n^3 is skipped unless it is named; with more than 3,000 the reference is order-n.",
    .examples = "cardan compare models/puma560                           # all, as a table\n"
                "cardan compare chain-64.yaml --formulation order-n --json # one, for programs\n",
    CD_OPTIONS(CD_OPTION_FORMULATION_ONE, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
