// SPDX-License-Identifier: BSD-3-Clause
// cardan compare: all formulations on one mechanism: difference of accelerations, time and operation count.
#include "cli/commands/commands.h"
#include "cli/report/formulation_comparison.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_operation_count(cd_json_writer* json, const char* phase, const cardan_operation_count* operations)
{
    cd_json_begin_object(json, phase);
    cd_json_integer(json, "mul", operations->mul);
    cd_json_integer(json, "add", operations->add);
    cd_json_integer(json, "div", operations->div);
    cd_json_integer(json, "sqrt", operations->sqrt);
    cd_json_end(json);
}

// Write details of the operation count: multipliers if they are optional, and the stages that a paper counts.
static void write_details(cd_json_writer* json, const cd_formulation_result* r)
{
    const cardan_operation_counts* o = &r->operations;
    if (r->is_counted && o->multipliers.mul > 0)
        write_operation_count(json, "multipliers", &o->multipliers);
    else
        cd_json_null(json, "multipliers");
    if (!r->is_counted || o->nstage == 0) {
        cd_json_null(json, "stages");
        return;
    }
    cd_json_begin_object(json, "stages");
    for (int i = 0; i < o->nstage; ++i) write_operation_count(json, o->stage[i].name, &o->stage[i].count);
    cd_json_end(json);
}

// Write the redundant rows that the factorization found.
static void write_pivots(cd_json_writer* json, const cd_formulation_result* r)
{
    if (r->null_pivots < 0) {
        cd_json_null(json, "null_pivots");
        cd_json_null(json, "pivot_ratio");
        return;
    }
    cd_json_integer(json, "null_pivots", r->null_pivots);
    cd_json_number(json, "pivot_ratio", r->pivot_ratio);
}

static void write_formulation(cd_json_writer* json, int formulation, const cd_formulation_result* r)
{
    char word[CD_WORD_LENGTH];
    cd_json_begin_object(json, NULL);
    cd_json_string(json, "formulation", cardan_formulation_name(formulation));
    cd_json_string(json, "status",
                   r->is_skipped             ? "skipped"
                   : r->constraints_violated ? "approximate"
                                             : cd_status_json_name(r->status, word));
    cd_json_number(json, "relative_difference", r->relative_difference);
    cd_json_number(json, "us", r->time_us);
    if (r->is_counted) {
        cd_json_begin_object(json, "operations");
        write_operation_count(json, "kinematics", &r->operations.kinematics);
        write_operation_count(json, "assembly", &r->operations.assembly);
        write_operation_count(json, "factor", &r->operations.factor);
        write_operation_count(json, "solve", &r->operations.solve);
        cd_json_end(json);
    } else {
        cd_json_null(json, "operations");
        if (*r->not_counted_reason) cd_json_string(json, "not_counted", r->not_counted_reason);
    }
    write_details(json, r);
    if (r->is_counted && r->operations.sparse_mul > 0) {
        cd_json_begin_object(json, "scalar_sparse");
        cd_json_integer(json, "mul", r->operations.sparse_mul);
        cd_json_integer(json, "nonzeros", r->operations.sparse_nonzeros);
        cd_json_end(json);
    } else
        cd_json_null(json, "scalar_sparse");
    write_pivots(json, r);
    cd_json_end(json);
}

static void print_operation_count(cd_text_table* table, const cardan_operation_count* t, bool known)
{
    if (!known)
        cd_text_table_add(table, "-");
    else
        cd_text_table_add(table, "%s", cd_count_text(t->mul + t->add + t->div + t->sqrt).text);
}

static void print_formulation(cd_text_table* table, int formulation, const cd_formulation_result* r)
{
    const cardan_operation_counts o = r->operations;
    cd_text_table_add(table, "%s", cardan_formulation_name(formulation));
    if (r->is_skipped)
        cd_text_table_add(table, "not run");
    else if (r->status == CARDAN_UNSUPPORTED)
        cd_text_table_add(table, "unsupported");
    else if (r->status != CARDAN_OK)
        cd_text_table_add(table, "not solved");
    else
        cd_text_table_add(table, "%s", cd_two_digit_text(r->relative_difference).text);
    if (isnan(r->time_us))
        cd_text_table_add(table, "-");
    else
        cd_text_table_add(table, "%.4g", r->time_us);
    print_operation_count(table, &o.kinematics, r->is_counted);
    print_operation_count(table, &o.assembly, r->is_counted);
    print_operation_count(table, &o.factor, r->is_counted);
    print_operation_count(table, &o.solve, r->is_counted);
    const cardan_operation_count sum = {
        .mul  = o.kinematics.mul + o.assembly.mul + o.factor.mul + o.solve.mul,
        .add  = o.kinematics.add + o.assembly.add + o.factor.add + o.solve.add,
        .div  = o.kinematics.div + o.assembly.div + o.factor.div + o.solve.div,
        .sqrt = o.kinematics.sqrt + o.assembly.sqrt + o.factor.sqrt + o.solve.sqrt,
    };
    print_operation_count(table, &sum, r->is_counted);
}

static void print_pivots(const cd_formulation_comparison* k, int formulation, const cd_formulation_result* r)
{
    if (!k->has_loops || r->null_pivots < 0) return;
    cd_print("  %s: ", cardan_formulation_name(formulation));
    if (r->null_pivots > 0)
        cd_print("%s of redundant rows; the largest of the other pivots",
                 cd_plural_text(r->null_pivots, "null pivot", "null pivots").text);
    else
        cd_print("no null pivots; the largest pivot");
    cd_print(" is %.3g times the smallest\n", r->pivot_ratio);
}

static void print_table(const cd_formulation_comparison* k)
{
    static const char* const head[] = {"formulation", "difference", "us",    "kinematics",
                                       "assembly",    "factor",     "solve", "sum"};
    // with loops, velocities are more than degrees of freedom
    const cd_value_text size  = k->has_loops ? cd_plural_text(k->nv, "velocity", "velocities")
                                             : cd_plural_text(k->nv, "degree of freedom", "degrees of freedom");
    cd_text_table       table = {.align = "lrrrrrrr"};
    cd_print("%s: %s; accelerations compared with %s, median time of one evaluation, counted operations\n",
             k->mechanism->view.name, size.text, k->reference_name);
    for (int i = 0; i < 8; ++i) cd_text_table_add(&table, "%s", head[i]);
    for (int f = k->first; f <= k->last; ++f) print_formulation(&table, f, &k->result[f - k->first]);
    cd_text_table_print(&table);
    bool residual = false;
    for (int f = k->first; f <= k->last; ++f) {
        const cd_formulation_result* r = &k->result[f - k->first];
        residual = residual || (cd_formulation_is_residual(f) && r->status == CARDAN_OK && !r->is_skipped);
        if (r->is_skipped)
            cd_print("  %s is not run: it would take about %s; --formulation %s runs it\n", cardan_formulation_name(f),
                     cd_duration_text(r->predicted_time).text, cardan_formulation_name(f));
        if (r->constraints_violated)
            cd_print("  %s violates the constraints too much; other commands reject its accelerations\n",
                     cardan_formulation_name(f));
        if (*r->not_counted_reason) cd_print("  %s\n", r->not_counted_reason);
        const cardan_operation_counts* o = &r->operations;
        if (o->sparse_mul > 0)
            cd_print("  %s: %s multiplications executed in the blocks of the factor; %s on its scalar nonzeros only\n",
                     cardan_formulation_name(f), cd_count_text(o->factor.mul).text, cd_count_text(o->sparse_mul).text);
        print_pivots(k, f, r);
    }
    for (int f = k->first; k->has_loops && f <= k->last; ++f) {
        const cardan_operation_count r = k->result[f - k->first].operations.constraints;
        if (!k->result[f - k->first].is_counted || r.mul == 0) continue;
        cd_print("  constraints and their rows need %s additional operations for %s\n",
                 cd_count_text(r.mul + r.add + r.div + r.sqrt).text, cardan_formulation_name(f));
        break;
    }
    if (residual) cd_print("  implicit is inverse dynamics: time and operations of one residual\n");
}

static int report_comparison(const cd_formulation_comparison* k)
{
    if (!k->mechanism->options->json) {
        if (!k->mechanism->options->quiet) print_table(k);
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_begin_array(&json, "formulations");
    for (int f = k->first; f <= k->last; ++f) write_formulation(&json, f, &k->result[f - k->first]);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

static const double agreement_tolerance = 1e-6;

// Compare the formulations first ... last. With several of them, one that does not support the mechanism or would take
// too long is no failure, because the reference has solved it; an exact one with different accelerations is a failure.
static int compare_formulations(cd_formulation_comparison* k)
{
    const bool several = k->first != k->last;
    bool       any     = false;
    int        code    = CD_EXIT_DONE;
    for (int f = k->first; f <= k->last; ++f) {
        cd_formulation_result* r            = &k->result[f - k->first];
        int                    failure_code = CD_EXIT_DONE;
        *r                                  = (cd_formulation_result){.relative_difference = NAN,
                                                                      .time_us             = NAN,
                                                                      .null_pivots         = -1,
                                                                      .predicted_time      = cd_compare_predicted_time(k, f)};
        r->is_skipped                       = several && r->predicted_time > CD_COMPARE_TIME_MAX;
        if (r->is_skipped) continue;
        cd_compare_formulation(k, f, r);
        if (cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE) return CD_EXIT_INPUT; // memory is exhausted
        any = any || r->status == CARDAN_OK;
        if ((several && r->status != CARDAN_OK) || r->constraints_violated)
            cd_print_report_as_notes(&k->mechanism->report);
        else if (r->status != CARDAN_OK)
            failure_code = cd_report_failure(&k->mechanism->report, r->status);
        else if (cardan_formulation_is_exact(f) && r->relative_difference > agreement_tolerance) {
            cd_report_error(CARDAN_CODE_FORMULATIONS_DISAGREE, "accelerations by '%s' and by '%s' differ by %.2g",
                            cardan_formulation_name(f), k->reference_name, r->relative_difference);
            failure_code = CD_EXIT_NUMERICAL;
        }
        if (code == CD_EXIT_DONE) code = failure_code;
    }
    return any || code != CD_EXIT_DONE ? code : CD_EXIT_INPUT;
}

static int compare(cd_formulation_comparison* k)
{
    cardan_status status = cd_compare_begin(k);
    if (status == CARDAN_OK) k->result = cd_allocate((size_t)(k->last - k->first + 1), sizeof *k->result);
    if (status == CARDAN_OK && !k->result) status = CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return cd_report_failure(&k->mechanism->report, status);
    if (strcmp(k->reference_name, "dense") != 0 && !k->mechanism->options->quiet)
        cd_print_error("note: %s velocities%s are too many for n^3 operations: compared with %s instead of dense\n",
                       cd_count_text(k->nv).text, k->has_loops ? " and their loops" : "", k->reference_name);
    const int code = compare_formulations(k);
    if (cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE) return code;
    const int printed = report_comparison(k);
    return code == CD_EXIT_DONE ? printed : code;
}

static int run(const cd_options* options)
{
    cd_loaded_model           mechanism;
    cd_formulation_comparison k   = {.mechanism = &mechanism, .last = cardan_formulation_count() - 1};
    const bool                all = !options->formulation || strcmp(options->formulation, "all") == 0,
               best               = cd_formulation_is_auto(options->formulation);
    if (!all && !best) {
        k.first = k.last = cd_formulation_by_name(options->formulation);
        if (k.first == CARDAN_NONE) return CD_EXIT_USAGE;
    }
    int code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    if (best) k.first = k.last = cd_formulation_from_options(&mechanism, CARDAN_NONE);
    code = compare(&k);
    free(k.reference_acceleration);
    free(k.result);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_compare = {
    .name         = "compare",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "compare all formulations on one mechanism: relative difference, time, operations by phase",
    .text =
        "Solves the same state by every formulation.\n"
        "  difference  max |a - a_ref| / max(1, max |a_ref|) over the velocities, a_ref by `dense`\n"
        "  us          median time of one evaluation from (t, q, v) in microseconds, warm: kinematics, forces, solve\n"
        "  operations  multiplications, additions, divisions and square roots by phase, counted by running the\n"
        "              formulation on counting numbers, not by formulas\n"
        "With loops, null pivots are rows that `lagrange` finds redundant (three in a planar\n"
        "four-bar with revolute joints); they get no multiplier. `implicit` is inverse dynamics:\n"
        "its time and operations are those of one residual. In large mechanisms, formulations that\n"
        "would take more than some seconds are run only if they are named; if `dense` is one of\n"
        "them, the reference is order-n, with loops reduction. For a reference implementation with\n"
        "compliant constraints (penalty) the difference is printed and is no error.",
    .examples = "cardan compare models/puma560                           # all, as a table\n"
                "cardan compare chain-64.yaml --formulation order-n --json # one, for programs\n",
    CD_OPTIONS(CD_OPTION_FORMULATION_ONE, CD_OPTION_THREADS, CD_OPTION_STATE, CD_OPTION_TIME, CD_OPTION_SET,
               CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
