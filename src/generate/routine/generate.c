// SPDX-License-Identifier: BSD-3-Clause
// From a model to the printed files: trace the routines, order their programs, compare them with the runtime library,
// print.
#include "generate/routine/routine_derivatives.h"
#include "generate/generate_tolerances.h"
#include "generate/routine/form_selection.h"
#include "generate/routine/generation.h"
#include "generate/routine/result_difference.h"
#include "generate/routine/test_states.h"

#include "core/check_arguments.h"
#include "core/file.h"
#include "io/format.h"
#include "model/description.h"

#include <cardan/generate.h>
#include <cardan/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Pairs are stored to memory at the end of a part, so parts with pairs are longer. A batch routine is one part if its
// code fits into the first-level instruction cache; with shorter lines compilers keep fewer vectors live.
enum {
    MAX_LINE_OPERATIONS       = 14,
    MAX_BATCH_LINE_OPERATIONS = 4,
    MAX_PART_LINES            = 90,
    MAX_PAIRED_PART_LINES     = 250,
    MAX_WHOLE_BATCH_LINES     = 700
};

static const cardan_model* model_to_trace(const cardan_generated* g)
{
    return g->parametric_model ? g->parametric_model : g->unit.model;
}

cardan_generate_options cardan_generate_options_default(void) { return (cardan_generate_options){.regroup = true}; }

// ---- names

static cardan_status make_names(cardan_generated* g, const cardan_generate_options* options, cardan_report* report)
{
    const char* requested_name = options->name ? options->name : g->unit.model->view.name;
    bool        is_reserved    = false;
    g->name                    = cd_make_identifier(g->language, requested_name, &is_reserved);
    char*               saved  = NULL;
    const cardan_status status = cd_save_canonical_text(g->unit.model->description, &saved, report);
    if (!g->name || status != CARDAN_OK) {
        free(saved);
        return g->name ? status : CARDAN_NO_MEMORY;
    }
    if (is_reserved)
        cardan_note(report, CARDAN_CODE_NAME_CHANGED, cardan_location_none(),
                    "name '%s' is reserved in %s; the generated code uses '%s'", requested_name, g->language->title,
                    g->name);
    cd_sha256(saved, strlen(saved), g->hash);
    free(saved);
    cd_text command = {0};
    cd_text_format(&command, "cc -O2 -std=c11 -DSELFTEST -o %s %s.c -lm && ./%s", g->name, g->name, g->name);
    g->command      = cd_text_detach(&command);
    g->unit.name    = g->name;
    g->unit.hash    = g->hash;
    g->unit.command = g->command;
    for (int i = 0; i < g->language->nfile; ++i) {
        cd_text file = {0};
        cd_text_format(&file, "%s%s", g->name, g->language->file_suffix[i]);
        g->file[i] = cd_text_detach(&file);
        if (!g->file[i]) return CARDAN_NO_MEMORY;
    }
    return g->command ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// ---- requests

// Arguments to differentiate by, and the largest number of weights.
typedef struct derivative_requests {
    unsigned jacobian_arguments, hessian_arguments;
    bool *   jacobian_parameters, *hessian_parameters; // (np)
    int      nweight;
} derivative_requests;

static cardan_status read_derivative_requests(const cardan_generated* g, const cardan_generate_options* options,
                                              derivative_requests* w, cardan_report* report)
{
    const cardan_model* m = g->unit.model;
    if ((options->jacobian || options->hessian) && !options->forms)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_FORM_UNAVAILABLE, cardan_location_none(),
                           "derivatives require the names of forms, and no form is named");
    cardan_status status = cd_derivative_read_arguments("jacobian", options->jacobian, &g->parameters,
                                                        &w->jacobian_arguments, w->jacobian_parameters, report);
    if (status == CARDAN_OK)
        status = cd_derivative_read_arguments("hessian", options->hessian, &g->parameters, &w->hessian_arguments,
                                              w->hessian_parameters, report);
    for (int i = 0; status == CARDAN_OK && w->hessian_arguments && i < cd_routine_count(); ++i) {
        if (!cd_form_is_listed(options->forms, cd_routine_at(i)->form)) continue;
        const int n = cd_derivative_weight_count(m, cd_routine_at(i));
        if (n > w->nweight) w->nweight = n;
    }
    return status;
}

static const cd_language* find_language(const char* name)
{
    for (int i = 0; i < cd_language_count(); ++i)
        if (strcmp(cd_language_at(i)->name, name) == 0) return cd_language_at(i);
    return NULL;
}

// ---- traces

// Drop matrix entries that are identically zero.
static cardan_status drop_zero_entries(cd_traced_routine* t, const cd_graph* graph)
{
    int* full_index   = cd_allocate((size_t)t->noutput + 1, sizeof *full_index);
    int* matrix_index = cd_allocate((size_t)t->noutput + 1, sizeof *matrix_index);
    t->full_index     = full_index;
    t->matrix_index   = matrix_index;
    if (!full_index || !matrix_index) return CARDAN_NO_MEMORY;
    int n = 0, from = 0;
    for (int r = 0; r < t->nresult; ++r) {
        cd_routine_result* result = &t->result[r];
        const int          all = cd_result_count(result), begin = n;
        for (int i = 0; i < all; ++i) {
            double value;
            if (result->columns > 1 && cd_node_is_constant(graph, t->output[from + i], &value) && value == 0) continue;
            t->output[n]      = t->output[from + i];
            full_index[n]     = from + i;
            matrix_index[n++] = i;
        }
        from += all;
        if (result->columns < 2) continue;
        result->nnonzero = n - begin;
        result->nonzero  = matrix_index + begin;
    }
    t->noutput = n;
    return CARDAN_OK;
}

// Evaluate the reference and drop the same entries. If constraints are redundant, the normal part of derivatives is
// adopted from `value`, the results of the routine; NULL before it is traced.
static cardan_status evaluate_reference(const cardan_generated* g, const cd_traced_routine* t, const double* x,
                                        const double* value, double* expected, cardan_report* report)
{
    const size_t  n      = (size_t)t->noutput_full;
    double*       all    = cd_allocate(2 * n + 1, sizeof *all);
    cardan_status status = all ? cd_runtime_reference_set_state(g->reference, &g->unit.in, x) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = t->routine->reference(g->reference, &g->unit.in, x, all, report);
    for (int i = 0; status == CARDAN_OK && value && i < t->noutput; ++i)
        all[n + (size_t)(t->full_index ? t->full_index[i] : i)] = value[i];
    if (status == CARDAN_OK && value)
        status = cd_runtime_reference_adopt_normal_part(g->reference, t->routine, &g->unit.in, x, all + n, all);
    for (int i = 0; status == CARDAN_OK && i < t->noutput; ++i) expected[i] = all[t->full_index ? t->full_index[i] : i];
    free(all);
    return status;
}

// Make the programs of the last traced routine, scalar and batch.
static cardan_status make_programs(cardan_generated* g, const cardan_generate_options* options, bool vector_groups)
{
    const int                r               = g->unit.ntraced - 1;
    const cd_traced_routine* t               = &g->unit.traced[r];
    const bool               parts           = g->language->is_compiled;
    cd_program_options       program_options = {.max_line_operations = MAX_LINE_OPERATIONS,
                                                .max_part_lines      = !parts ? 0
                                                                       : vector_groups && cd_graph_has_pairs(g->graph[r])
                                                                           ? MAX_PAIRED_PART_LINES
                                                                           : MAX_PART_LINES,
                                                .vector_groups       = vector_groups,
                                                .output_runs         = parts,
                                                .precompute_angles   = parts && !options->single_precision};
    cardan_status status = cd_program_make(&g->unit.program[r], g->graph[r], t->noutput, t->output, program_options);
    program_options.max_whole_lines     = MAX_WHOLE_BATCH_LINES;
    program_options.reduce_live         = true;
    program_options.max_line_operations = MAX_BATCH_LINE_OPERATIONS;
    if (status == CARDAN_OK && options->batch)
        status = cd_program_make(&g->unit.batch_program[r], g->graph[r], t->noutput, t->output, program_options);
    return status;
}

static cardan_status compute_effort_scale(cardan_generated* g, cardan_report* report)
{
    const cd_routine* impl   = cd_routine_at(0); // the first of the table
    double*           tau    = cd_allocate((size_t)g->unit.model->nv + 1, sizeof *tau);
    cardan_status     status = tau ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k <= g->unit.ntest; ++k) {
        const double* x = g->unit.test_input + (size_t)k * (size_t)g->unit.in.count;
        status          = cd_runtime_reference_set_state(g->reference, &g->unit.in, x);
        if (status == CARDAN_OK) status = impl->reference(g->reference, &g->unit.in, x, tau, report);
        for (int i = 0; status == CARDAN_OK && i < g->unit.model->nv; ++i)
            if (isfinite(tau[i])) g->effort_scale = fmax(g->effort_scale, fabs(tau[i]));
    }
    free(tau);
    return status;
}

// Smallest scale for differences. Derivatives of efforts are sums of terms of the size of efforts, which may cancel up
// to round-off.
static double min_scale(const cardan_generated* g, const cd_routine* routine)
{
    return fmax(cd_result_min_scale(&g->unit, routine),
                routine->arguments & CD_TAKES_A ? cd_min_effort_scale * g->effort_scale : 0);
}

static cardan_status trace_routine(cardan_generated* g, const cd_routine* routine,
                                   const cardan_generate_options* options, cardan_report* report)
{
    cd_code_unit*      unit = &g->unit;
    cd_traced_routine* t    = &unit->traced[unit->ntraced];
    *t                      = (cd_traced_routine){.routine = routine};
    t->nresult              = routine->describe_results(unit->model, t->result);
    for (int k = 0; k < t->nresult; ++k) t->noutput += cd_result_count(&t->result[k]);
    t->noutput_full = t->noutput;
    t->output       = cd_allocate((size_t)t->noutput + 1, sizeof *t->output);
    if (!t->output) return CARDAN_NO_MEMORY;
    const bool    vector_groups = g->language->is_compiled && !options->batch; // the states of a batch fill the vectors
    cd_graph**    graph         = &g->graph[unit->ntraced++];
    double*       expected      = cd_allocate((size_t)t->noutput + 1, sizeof *expected);
    cardan_status status =
        expected ? evaluate_reference(g, t, unit->in.trace_input, NULL, expected, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK)
        status = cd_trace_cheapest(model_to_trace(g), routine, &unit->in,
                                   (cd_trace_search){.regroup       = options->regroup,
                                                     .search_axes   = true,
                                                     .vector_groups = vector_groups,
                                                     .expected      = expected,
                                                     .min_scale     = min_scale(g, routine),
                                                     .reference     = g->reference},
                                   graph, t->noutput, t->output);
    free(expected);
    if (status == CARDAN_OK && options->sparse) status = drop_zero_entries(t, *graph);
    if (status != CARDAN_OK) return status;
    return make_programs(g, options, vector_groups);
}

// Differentiate a routine as requested.
static cardan_status derive_routine(cardan_generated* g, const cd_derivative_request* request,
                                    const cardan_generate_options* options, cardan_report* report)
{
    cd_code_unit*       unit = &g->unit;
    const int           r    = unit->ntraced++;
    const cardan_status status =
        cd_derive_routine(model_to_trace(g), request, &unit->in, g->reference, cd_result_min_scale(unit, request->base),
                          &g->graph[r], &unit->traced[r], report);
    return status == CARDAN_OK ? make_programs(g, options, false) : status;
}

static cardan_status trace_with_derivatives(cardan_generated* g, const cd_routine* routine,
                                            const cardan_generate_options* options, const derivative_requests* w,
                                            cardan_report* report)
{
    cd_derivative_request request = {.base           = routine,
                                     .arguments      = w->jacobian_arguments,
                                     .parameter      = w->jacobian_parameters,
                                     .parameter_name = g->parameters.name,
                                     .regroup        = options->regroup,
                                     .dense          = !g->language->is_compiled};
    cardan_status         status  = trace_routine(g, routine, options, report);
    if (status == CARDAN_OK && w->jacobian_arguments) status = derive_routine(g, &request, options, report);
    request.arguments    = w->hessian_arguments;
    request.parameter    = w->hessian_parameters;
    request.second_order = true;
    if (status == CARDAN_OK && w->hessian_arguments) status = derive_routine(g, &request, options, report);
    return status;
}

// Trace a form if it is requested and available. An unavailable form is an error if it is named, else it is listed.
static cardan_status trace_form(cardan_generated* g, const cd_routine* routine, const cardan_generate_options* options,
                                const derivative_requests* w, cardan_report* report)
{
    const char*     model    = g->unit.model->view.name;
    cd_text         reason   = {0};
    cardan_location location = cardan_location_none();
    cardan_status   status   = CARDAN_OK;
    if (!cd_form_is_requested(options->forms, routine)) return CARDAN_OK;
    g->current_form = routine->form;
    if (routine->check_model) status = cd_form_check_model(routine, g->unit.model, &reason, &location);
    if (status == CARDAN_OK && routine->arguments & (CD_TAKES_EFFORT | CD_TAKES_TIME))
        status = cd_form_check_states(&g->unit, g->reference, routine, &reason, &location);
    if (status == CARDAN_OK) {
        status = trace_with_derivatives(g, routine, options, w, report);
        if (status != CARDAN_OK && status != CARDAN_NO_MEMORY && status != CARDAN_BAD_USAGE)
            cardan_fail(report, status, CARDAN_CODE_FORM_UNAVAILABLE, cardan_location_none(),
                        "form '%s' of '%s': no method reproduces the results of the library at the trace state",
                        routine->form, model);
    } else if (status != CARDAN_NO_MEMORY && !options->forms)
        status = cd_unavailable_forms_add(&g->unit.unavailable, routine->form, &reason, location) ? CARDAN_OK
                                                                                                  : CARDAN_NO_MEMORY;
    else if (status != CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_FORM_UNAVAILABLE, location, "form '%s' is not available for '%s': %s",
                    routine->form, model, reason.data ? reason.data : cardan_status_text(status));
    cd_text_free(&reason);
    return status;
}

// Find the parameter whose change from the trace state alone makes trace and reference differ. Returns -1 if there is
// none, -2 if memory runs out.
static int find_unsupported_parameter(const cardan_generated* g, int r)
{
    const cd_code_unit*      unit = &g->unit;
    const cd_input_layout*   in   = &unit->in;
    const cd_traced_routine* t    = &unit->traced[r];
    cd_tape*                 tape = cd_tape_create(g->graph[r], t->noutput, t->output);
    double*                  work =
        tape ? cd_allocate((size_t)(cd_tape_work(tape) + 2 * t->noutput + in->count) + 1, sizeof *work) : NULL;
    int found = work ? -1 : -2;
    for (int i = 0; found == -1 && i < in->np; ++i) {
        double *value = work + cd_tape_work(tape), *expected = value + t->noutput, *x = expected + t->noutput;
        cd_result_difference compared = {.largest = min_scale(g, t->routine)};
        memcpy(x, in->trace_input, (size_t)in->count * sizeof *x);
        x[in->p + i]         = x[in->p + i] != g->parameters.nominal[i] && g->parameters.nominal[i] != 0
                                   ? g->parameters.nominal[i]
                                   : 1.01 * x[in->p + i];
        cardan_status status = cd_runtime_reference_assemble(g->reference, in, x, NULL);
        if (status == CARDAN_OK) {
            cd_tape_run(tape, x, work, value);
            status = evaluate_reference(g, t, x, value, expected, NULL);
        }
        if (status == CARDAN_NO_MEMORY) found = -2;
        if (status != CARDAN_OK) continue;
        cd_result_difference_add(&compared, (size_t)t->noutput, value, expected);
        if (compared.difference > cd_trace_tolerance * cd_result_difference_scale(&compared)) found = i;
    }
    free(work);
    cd_tape_destroy(tape);
    return found;
}

// Compare a trace with the reference, whose results its test expects; without agreement no code is written.
static cardan_status check_trace(const cardan_generated* g, int r, cardan_report* report)
{
    const cd_code_unit*      unit = &g->unit;
    const cd_traced_routine* t    = &unit->traced[r];
    cd_tape*                 tape = cd_tape_create(g->graph[r], t->noutput, t->output);
    double* work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)t->noutput + 1, sizeof *work) : NULL;
    cd_result_difference found  = {0};
    cardan_status        status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k < unit->ntest; ++k) {
        const double* x        = unit->test_input + (size_t)k * (size_t)unit->in.count;
        double *      expected = unit->expected[r] + (size_t)k * (size_t)t->noutput, *value = work + cd_tape_work(tape);
        cd_tape_run(tape, x, work, value);
        status = evaluate_reference(g, t, x, value, expected, report);
        cd_result_difference_add(&found, (size_t)t->noutput, value, expected);
    }
    free(work);
    cd_tape_destroy(tape);
    if (status != CARDAN_OK) return status;
    const double smallest_scale = min_scale(g, t->routine);
    unit->max_difference[r]     = found.largest < smallest_scale && t->routine->arguments & CD_TAKES_A
                                      ? fmax(found.difference, (unit->single_precision ? cd_small_result_tolerance_float
                                                                                       : cd_small_result_tolerance) *
                                                                   smallest_scale)
                                      : found.difference;
    found.largest               = fmax(found.largest, smallest_scale);
    if (found.difference <= cd_trace_tolerance * cd_result_difference_scale(&found)) return CARDAN_OK;
    const int parameter = g->parameters.count > 0 ? find_unsupported_parameter(g, r) : -1;
    if (parameter == -2) return CARDAN_NO_MEMORY;
    if (parameter >= 0)
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, g->parameters.location[parameter],
            "parameter '%s' affects form '%s' in a way that generated code does not support; it cannot be an argument",
            g->parameters.name[parameter], t->routine->form);
    if (!isfinite(found.difference))
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
                           "form '%s' of '%s' is not finite where the library is, so no code is written",
                           t->routine->form, unit->model->view.name);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
                       "form '%s' of '%s' differs by %.3g from the library, so no code is written; pivots chosen at "
                       "one state may be too small at others",
                       t->routine->form, unit->model->view.name, found.difference);
}

// Compare derivatives of a trace with finite differences. The test expects the derivatives of the trace; its tolerance
// includes ten times the relative difference of the base routine.
static cardan_status check_derivative(const cardan_generated* g, int r, const double* x, double* value,
                                      cardan_report* report)
{
    const cd_code_unit*      unit       = &g->unit;
    const cd_traced_routine* t          = &unit->traced[r];
    double                   difference = 0, largest = 0, base_scale = 0;
    int                      base = r;
    cardan_status            status =
        cd_derivative_check_values(unit->model, t, g->graph[r], &unit->in, g->reference,
                                   cd_result_min_scale(unit, t->routine), x, value, &difference, report);
    if (status != CARDAN_OK) return status;
    while (unit->traced[base].derivative) --base;
    for (int i = 0; i < unit->ntest * unit->traced[base].noutput; ++i)
        base_scale = fmax(base_scale, fabs(unit->expected[base][i]));
    for (int i = 0; i < t->noutput; ++i) largest = fmax(largest, fabs(value[i]));
    unit->max_difference[r] =
        fmax(unit->max_difference[r], 10 * largest * unit->max_difference[base] / (base_scale > 0 ? base_scale : 1));
    if (difference <= cd_derivative_tolerance) return CARDAN_OK;
    if ((t->routine->arguments & (CD_TAKES_EFFORT | CD_TAKES_STATE | CD_TAKES_A)) ==
            (CD_TAKES_EFFORT | CD_TAKES_STATE) &&
        cd_runtime_reference_check_determined(g->reference, &unit->in, x, report) != CARDAN_OK)
        return CARDAN_UNSUPPORTED;
    if (!isfinite(difference))
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
                           "form '%s' of '%s' is not finite at or near a test state, so no code is written; "
                           "derivatives of its formulas may be unbounded at the start",
                           t->routine->form, unit->model->view.name);
    return cardan_fail(
        report, CARDAN_INCONSISTENT, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
        "form '%s' of '%s' differs by %.3g from finite differences of the library, so no code is written",
        t->routine->form, unit->model->view.name, difference);
}

// Evaluate a trace in single precision at the test states. The test of float code uses this difference as tolerance.
static cardan_status measure_float_error(const cardan_generated* g, int r, cardan_report* report)
{
    const cd_code_unit*      unit = &g->unit;
    const cd_traced_routine* t    = &unit->traced[r];
    cd_tape*                 tape = cd_tape_create(g->graph[r], t->noutput, t->output);
    double* work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)t->noutput + 1, sizeof *work) : NULL;
    cd_result_difference found = {0};
    for (int k = 0; work && k < unit->ntest; ++k) {
        const double* expected = unit->expected[r] + (size_t)k * (size_t)t->noutput;
        double*       value    = work + cd_tape_work(tape);
        cd_tape_run_single(tape, unit->test_input + (size_t)k * (size_t)unit->in.count, work, value);
        cd_result_difference_add(&found, (size_t)t->noutput, value, expected);
    }
    const cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    free(work);
    cd_tape_destroy(tape);
    unit->float_difference[r] = found.difference;
    if (status == CARDAN_OK &&
        found.difference > fmax(cd_selftest_max_tolerance_float * found.largest, cd_test_tolerance(unit, r)))
        cardan_warn(report, CARDAN_CODE_SINGLE_PRECISION_LOSS, cardan_location_none(),
                    "form '%s' of '%s' in single precision differs by %.2g of its largest result at the test states, "
                    "so its self-test will fail; use double precision",
                    t->routine->form, unit->model->view.name, found.difference / cd_result_difference_scale(&found));
    return status;
}

static cardan_status make_test_vectors(cardan_generated* g, cardan_report* report)
{
    cd_code_unit* unit   = &g->unit;
    cardan_status status = CARDAN_OK;
    for (int r = 0; status == CARDAN_OK && r < unit->ntraced; ++r) {
        const cd_traced_routine* t = &unit->traced[r];
        g->current_form            = t->routine->form;
        unit->expected[r]          = cd_allocate((size_t)(t->noutput * unit->ntest) + 1, sizeof(double));
        if (!unit->expected[r]) status = CARDAN_NO_MEMORY;
        for (int k = 0; status == CARDAN_OK && t->derivative && k < unit->ntest; ++k)
            status = check_derivative(g, r, unit->test_input + (size_t)k * (size_t)unit->in.count,
                                      unit->expected[r] + (size_t)k * (size_t)t->noutput, report);
        if (status == CARDAN_OK && !t->derivative) status = check_trace(g, r, report);
        if (status == CARDAN_OK && unit->single_precision) status = measure_float_error(g, r, report);
    }
    return status;
}

// Load the parametric model with the parameters of the trace state, and add argument p to all routines.
static cardan_status load_parametric_model(cardan_generated* g, cardan_report* report)
{
    const int n           = cd_routine_count();
    g->parametric_routine = cd_allocate((size_t)n, sizeof *g->parametric_routine);
    if (!g->parametric_routine) return CARDAN_NO_MEMORY;
    for (int i = 0; i < n; ++i) {
        g->parametric_routine[i] = *cd_routine_at(i);
        g->parametric_routine[i].arguments |= CD_TAKES_P;
    }
    const cd_input_layout* in = &g->unit.in;
    cardan_status status = cd_parameter_arguments_load(&g->parameters, in->trace_input + in->p, true, &g->description,
                                                       &g->parametric_model, report);
    if (status == CARDAN_OK && cd_parametric_has_failed(g->description->parametric)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && !cd_same_topology(g->unit.model, g->parametric_model))
        status =
            cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_PARAMETER_CHANGES_STRUCTURE, g->parameters.location[0],
                        "parameters of '%s' change the structure of the mechanism; they cannot be arguments",
                        g->unit.model->view.name);
    return status;
}

static cardan_status generate_code(cardan_generated* g, const cardan_generate_options* options, cardan_report* report)
{
    cd_code_unit* unit          = &g->unit;
    const size_t  n             = 3 * (size_t)cd_routine_count();
    g->by_parameter             = cd_allocate(2 * (size_t)g->parameters.count + 1, sizeof *g->by_parameter);
    derivative_requests request = {.jacobian_parameters = g->by_parameter,
                                   .hessian_parameters  = g->by_parameter + g->parameters.count};
    cardan_status status = g->by_parameter ? read_derivative_requests(g, options, &request, report) : CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return status;
    unit->traced           = cd_allocate(n, sizeof *unit->traced);
    unit->program          = cd_allocate(n, sizeof *unit->program);
    unit->batch_program    = cd_allocate(n, sizeof *unit->batch_program);
    unit->expected         = cd_allocate(n, sizeof *unit->expected);
    unit->max_difference   = cd_allocate(n, sizeof *unit->max_difference);
    unit->float_difference = cd_allocate(n, sizeof *unit->float_difference);
    g->graph               = cd_allocate(n, sizeof *g->graph);
    if (!unit->traced || !unit->program || !unit->batch_program || !unit->expected || !unit->max_difference ||
        !unit->float_difference || !g->graph || !cd_test_states_create(unit, request.nweight))
        return CARDAN_NO_MEMORY;
    status = make_names(g, options, report);
    if (status == CARDAN_OK) status = cd_runtime_reference_create(unit->model, &g->parameters, &g->reference, report);
    if (status == CARDAN_OK && g->parameters.count > 0) status = load_parametric_model(g, report);
    if (status == CARDAN_OK) status = cd_test_states_assemble(unit, g->reference, options->forms, report);
    if (status == CARDAN_OK) status = compute_effort_scale(g, report);
    if (status == CARDAN_OK)
        status = cd_runtime_reference_unconstrained_acceleration(g->reference, &unit->in, unit->ntest + 1,
                                                                 unit->test_input, &unit->unconstrained_acceleration);
    for (int i = 0; status == CARDAN_OK && i < cd_routine_count(); ++i)
        status = trace_form(g, g->parametric_routine ? &g->parametric_routine[i] : cd_routine_at(i), options, &request,
                            report);
    if (status == CARDAN_OK) status = make_test_vectors(g, report);
    if (status != CARDAN_OK) return status;
    cd_unavailable_forms_report(&unit->unavailable, report);
    if (report && report->no_memory) return CARDAN_NO_MEMORY;
    for (int i = 0; i < g->language->nfile; ++i) {
        g->language->print(unit, i, &g->text[i]);
        if (g->text[i].failed) return CARDAN_NO_MEMORY;
    }
    return CARDAN_OK;
}

cardan_status cardan_generated_create(const cardan_model* model, const cardan_generate_options* options,
                                      cardan_generated** generated, cardan_report* report)
{
    const cardan_generate_options defaults = cardan_generate_options_default();
    CD_REQUIRE_POINTER(generated, "generated", report);
    *generated = NULL;
    CD_REQUIRE_POINTER(model, "model", report);
    if (!options) options = &defaults;
    const cardan_status names_status = cd_forms_check_names(options->forms, report);
    if (names_status != CARDAN_OK) return names_status;
    const cardan_status inputs_status = cd_forms_refuse_drivable(model, report);
    if (inputs_status != CARDAN_OK) return inputs_status;
    const cd_language* language = find_language(options->language ? options->language : "c");
    if (!language)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                           "there is no language '%s'; see `cardan list languages`", options->language);
    if (options->batch && strcmp(language->name, "c") != 0)
        return cardan_fail(
            report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
            "batch routines are available in C only; in Python, arguments may have a second axis for several states");
    if (options->single_precision && strcmp(language->name, "c") != 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "single precision is available in C only");
    if (options->sparse && strcmp(language->name, "c") != 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_location_none(),
                           "sparse matrices are available in C only");
    cardan_generated* g = cd_allocate(1, sizeof *g);
    if (!g) return CARDAN_NO_MEMORY;
    g->language                 = language;
    g->unit.model               = model;
    g->unit.single_precision    = options->single_precision;
    g->unit.in.single_precision = options->single_precision;
    g->unit.block_size          = options->single_precision ? 16 : 8; // a cache line, for all vector widths
    g->unit.batch               = options->batch;
    g->unit.parameters          = &g->parameters;
    cardan_status status        = cd_parameter_arguments_create(options, model, &g->parameters, report);
    if (status == CARDAN_OK) status = generate_code(g, options, report);
    if (status != CARDAN_OK) {
        if (status == CARDAN_NO_MEMORY) cd_form_fail_memory(g->current_form, model, report);
        cardan_generated_destroy(g);
        return status;
    }
    *generated = g;
    return CARDAN_OK;
}

void cardan_generated_destroy(cardan_generated* g)
{
    if (!g) return;
    for (int r = 0; r < g->unit.ntraced; ++r) {
        cd_program_release(&g->unit.program[r]);
        cd_program_release(&g->unit.batch_program[r]);
        cd_graph_destroy(g->graph[r]);
        free(g->unit.traced[r].output);
        free(g->unit.traced[r].full_index);
        free(g->unit.traced[r].matrix_index);
        cd_routine_derivative_release(g->unit.traced[r].derivative);
        free(g->unit.expected[r]);
    }
    cd_runtime_reference_destroy(g->reference);
    cd_parameter_arguments_release(&g->parameters);
    cardan_model_destroy(g->parametric_model);
    cardan_description_destroy(g->description);
    free(g->parametric_routine);
    free(g->by_parameter);
    free(g->unit.traced);
    free(g->unit.program);
    free(g->unit.batch_program);
    free(g->unit.expected);
    free(g->unit.max_difference);
    free(g->unit.float_difference);
    free(g->unit.test_input);
    cd_unavailable_forms_release(&g->unit.unavailable);
    free(g->graph);
    free(g->name);
    free(g->command);
    for (int i = 0; i < 2; ++i) {
        free(g->file[i]);
        cd_text_free(&g->text[i]);
    }
    free(g);
}
