// SPDX-License-Identifier: BSD-3-Clause
// cardan compare: every formulation on one mechanism: agreement, time and operations.
#include "cli/commands.h"
#include "cli/comparison.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/values.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void write_details(cd_json* json, const cd_compared* r)
{
    const cardan_operations* o = &r->operations;
    if (r->counted && o->multipliers.mul > 0)
        write_tally(json, "multipliers", &o->multipliers);
    else
        cd_json_null(json, "multipliers");
    if (!r->counted || o->nstep == 0) {
        cd_json_null(json, "steps");
        return;
    }
    cd_json_object(json, "steps");
    for (int i = 0; i < o->nstep; ++i) write_tally(json, o->step[i].name, &o->step[i].tally);
    cd_json_end(json);
}

// Rows that repeat others, as a factorization met them.
static void write_pivots(cd_json* json, const cd_compared* r)
{
    if (r->null_pivots < 0) {
        cd_json_null(json, "null_pivots");
        cd_json_null(json, "pivot_ratio");
        return;
    }
    cd_json_integer(json, "null_pivots", r->null_pivots);
    cd_json_number(json, "pivot_ratio", r->pivot_ratio);
}

static void write_row(cd_json* json, int formulation, const cd_compared* r)
{
    char word[CD_WORD_LENGTH];
    cd_json_object(json, NULL);
    cd_json_string(json, "formulation", cardan_formulation_name(formulation));
    cd_json_string(json, "status", r->skipped ? "skipped" : r->soft ? "soft" : cd_status_word(r->status, word));
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
        if (*r->why) cd_json_string(json, "not_counted", r->why);
    }
    write_details(json, r);
    if (r->counted && r->operations.sparse_mul > 0) {
        cd_json_object(json, "scalar_sparse");
        cd_json_integer(json, "mul", r->operations.sparse_mul);
        cd_json_integer(json, "nonzeros", r->operations.sparse_nonzeros);
        cd_json_end(json);
    } else
        cd_json_null(json, "scalar_sparse");
    write_pivots(json, r);
    cd_json_end(json);
}

static void print_tally(cd_grid* grid, const cardan_tally* t, bool known)
{
    if (!known)
        cd_grid_add(grid, "-");
    else
        cd_grid_add(grid, "%s", cd_count_word(t->mul + t->add + t->div + t->sqrt).text);
}

static void print_row(cd_grid* grid, int formulation, const cd_compared* r)
{
    const cardan_operations o = r->operations;
    cd_grid_add(grid, "%s", cardan_formulation_name(formulation));
    if (r->skipped)
        cd_grid_add(grid, "not run");
    else if (r->status == CARDAN_UNSUPPORTED)
        cd_grid_add(grid, "cannot");
    else if (r->status != CARDAN_OK)
        cd_grid_add(grid, "not solved");
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

static void print_pivots(const cd_comparison* k, int formulation, const cd_compared* r)
{
    if (!k->loops || r->null_pivots < 0) return;
    cd_print("  %s: ", cardan_formulation_name(formulation));
    if (r->null_pivots > 0)
        cd_print("%s, of rows that repeat others; the largest of the other pivots",
                 cd_plural(r->null_pivots, "null pivot", "null pivots").text);
    else
        cd_print("no null pivots; the largest");
    cd_print(" is %.3g times the smallest\n", r->pivot_ratio);
}

static void print_rows(const cd_comparison* k)
{
    static const char* const head[] = {"formulation", "agreement", "us",    "kinematics",
                                       "assembly",    "factor",    "solve", "sum"};
    // with loops not every velocity is a freedom of its own
    const cd_word size = k->loops ? cd_plural(k->nv, "velocity", "velocities")
                                  : cd_plural(k->nv, "degree of freedom", "degrees of freedom");
    cd_grid       grid = {.align = "lrrrrrrr"};
    cd_print("%s: %s; accelerations compared with %s, median time of one evaluation, operations counted\n",
             k->mechanism->view.name, size.text, k->yardstick);
    for (int i = 0; i < 8; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int f = k->first; f <= k->last; ++f) print_row(&grid, f, &k->rows[f - k->first]);
    cd_grid_print(&grid);
    bool residual = false;
    for (int f = k->first; f <= k->last; ++f) {
        const cd_compared* r = &k->rows[f - k->first];
        residual             = residual || (cd_is_residual(f) && r->status == CARDAN_OK && !r->skipped);
        if (r->skipped)
            cd_print("  %s is not run: it would need about %s; --formulation %s runs it\n", cardan_formulation_name(f),
                     cd_wait_word(r->wait).text, cardan_formulation_name(f));
        if (r->soft)
            cd_print("  %s leaves the constraints so soft that its accelerations are refused elsewhere\n",
                     cardan_formulation_name(f));
        if (*r->why) cd_print("  %s\n", r->why);
        const cardan_operations* o = &r->operations;
        if (o->sparse_mul > 0)
            cd_print("  %s: %s multiplications executed in the blocks of the factor; scalar-sparse, on its nonzeros "
                     "alone, %s\n",
                     cardan_formulation_name(f), cd_count_word(o->factor.mul).text, cd_count_word(o->sparse_mul).text);
        print_pivots(k, f, r);
    }
    for (int f = k->first; k->loops && f <= k->last; ++f) {
        const cardan_tally r = k->rows[f - k->first].operations.rows;
        if (!k->rows[f - k->first].counted || r.mul == 0) continue;
        cd_print("  constraints and their rows come before that, %s operations for %s\n",
                 cd_count_word(r.mul + r.add + r.div + r.sqrt).text, cardan_formulation_name(f));
        break;
    }
    if (residual) cd_print("  implicit is a residual: its time and operations are those of one residual\n");
}

static int report_rows(const cd_comparison* k)
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

static const double agreed = 1e-6;

// All rows. The reference has solved it: among several, one that does not take the mechanism is no failure, nor is one
// that would take long; one that is exact and finds something else is.
static int fill_rows(cd_comparison* k)
{
    const bool several = k->first != k->last;
    bool       any     = false;
    int        code    = CD_EXIT_DONE;
    for (int f = k->first; f <= k->last; ++f) {
        cd_compared* r = &k->rows[f - k->first];
        int this       = CD_EXIT_DONE;
        *r             = (cd_compared){.agreement = NAN, .us = NAN, .null_pivots = -1, .wait = cd_compare_wait(k, f)};
        r->skipped     = several && r->wait > CD_COMPARE_PATIENCE;
        if (r->skipped) continue;
        cd_compare_one(k, f, r);
        if (cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE) return CD_EXIT_INPUT; // no memory
        any = any || r->status == CARDAN_OK;
        if ((several && r->status != CARDAN_OK) || r->soft)
            cd_say_notes(&k->mechanism->report);
        else if (r->status != CARDAN_OK)
            this = cd_say_failure(&k->mechanism->report, r->status);
        else if (cardan_formulation_is_exact(f) && r->agreement > agreed) {
            cd_say_error(CARDAN_CODE_FORMULATIONS_DISAGREE, "accelerations by '%s' and by '%s' differ by %.2g",
                         cardan_formulation_name(f), k->yardstick, r->agreement);
            this = CD_EXIT_NUMERICAL;
        }
        if (code == CD_EXIT_DONE) code = this;
    }
    return any || code != CD_EXIT_DONE ? code : CD_EXIT_INPUT;
}

static int compare(cd_comparison* k)
{
    cardan_status status = cd_compare_begin(k);
    if (status == CARDAN_OK) k->rows = cd_allocate((size_t)(k->last - k->first + 1), sizeof *k->rows);
    if (status == CARDAN_OK && !k->rows) status = CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return cd_say_failure(&k->mechanism->report, status);
    if (strcmp(k->yardstick, "dense") != 0 && !k->mechanism->options->quiet)
        cd_print_error("note: %s velocities%s are many for n^3 operations: compared with %s instead of dense\n",
                       cd_count_word(k->nv).text, k->loops ? " and their loops" : "", k->yardstick);
    const int code = fill_rows(k);
    if (cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE) return code;
    const int printed = report_rows(k);
    return code == CD_EXIT_DONE ? printed : code;
}

static int run(const cd_options* options)
{
    cd_mechanism  mechanism;
    cd_comparison k   = {.mechanism = &mechanism, .last = cardan_formulation_count() - 1};
    const bool    all = !options->formulation || strcmp(options->formulation, "all") == 0,
               best   = cd_is_auto(options->formulation);
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
        "With loops, null pivots are rows that `lagrange` found to repeat others, as in a planar four-bar of hinges\n"
        "three do; they get no force.\n"
        "`implicit` is a residual: its time and operations are those of one residual. In large mechanisms,\n"
        "formulations that would take more than some seconds are not run unless they are named, and where\n"
        "`dense` is one of them the reference is order-n, with loops reduction. A baseline that leaves\n"
        "constraints soft (penalty) is told by how far it is off, and fails nothing.",
    .examples = "cardan compare models/puma560                           # all, as a table\n"
                "cardan compare chain-64.yaml --formulation order-n --json # one, for programs\n",
    CD_OPTIONS(CD_OPTION_FORMULATION_ONE, CD_OPTION_THREADS, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET,
               CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
