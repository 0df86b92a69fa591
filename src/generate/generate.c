// SPDX-License-Identifier: BSD-3-Clause
// From a model to files: routines traced and ordered, results of the runtime beside them, text.
#include "generate/derive.h"
#include "generate/forms.h"
#include "generate/generation.h"
#include "generate/samples.h"

#include "core/arguments.h"
#include "core/file.h"
#include "io/format.h"
#include "model/description.h"

#include <cardan/generate.h>
#include <cardan/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Twins go through memory wherever a part ends. Batches are one part where their code fits into the first cache of
// instructions; with shorter lines compilers hold fewer vectors at once.
enum { LONGEST_LINE = 14, LONGEST_BATCH_LINE = 4, LONGEST_PART = 90, LONGEST_WITH_TWINS = 250, LONGEST_BATCH = 700 };

static const cardan_model* model_to_trace(const cardan_generated* g)
{
    return g->carried ? g->carried : g->sheet.model;
}

cardan_generate_options cardan_generate_options_default(void) { return (cardan_generate_options){.regroup = true}; }

// ---- names

static cardan_status make_names(cardan_generated* g, const cardan_generate_options* options, cardan_report* report)
{
    const char* wanted         = options->name ? options->name : g->sheet.model->view.name;
    bool        taken          = false;
    g->name                    = cd_make_name(g->language, wanted, &taken);
    char*               saved  = NULL;
    const cardan_status status = cd_save_identity(g->sheet.model->description, &saved, report);
    if (!g->name || status != CARDAN_OK) {
        free(saved);
        return g->name ? status : CARDAN_NO_MEMORY;
    }
    if (taken)
        cardan_note(report, CARDAN_CODE_NAME_CHANGED, cardan_nowhere(),
                    "name '%s' means something else in %s; what is written is called '%s'", wanted, g->language->title,
                    g->name);
    cd_sha256(saved, strlen(saved), g->hash);
    free(saved);
    cd_text command = {0};
    cd_text_format(&command, "cc -O2 -std=c11 -DSELFTEST -o %s %s.c -lm && ./%s", g->name, g->name, g->name);
    g->command       = cd_text_take(&command);
    g->sheet.name    = g->name;
    g->sheet.hash    = g->hash;
    g->sheet.command = g->command;
    for (int i = 0; i < g->language->nfile; ++i) {
        cd_text file = {0};
        cd_text_format(&file, "%s%s", g->name, g->language->ending[i]);
        g->file[i] = cd_text_take(&file);
        if (!g->file[i]) return CARDAN_NO_MEMORY;
    }
    return g->command ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// ---- what is asked for

// Arguments to differentiate by; how many weights there are at most.
typedef struct wishes {
    unsigned first, second;
    bool *   by_first, *by_second; // parameters
    int      nweight;
} wishes;

static cardan_status read_wishes(const cardan_generated* g, const cardan_generate_options* options, wishes* w,
                                 cardan_report* report)
{
    const cardan_model* m = g->sheet.model;
    if ((options->jacobian || options->hessian) && !options->forms)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_FORM_UNAVAILABLE, cardan_nowhere(),
                           "derivatives are those of forms that are named, and no form is named");
    cardan_status status = cd_derive_read("jacobian", options->jacobian, &g->inputs, &w->first, w->by_first, report);
    if (status == CARDAN_OK)
        status = cd_derive_read("hessian", options->hessian, &g->inputs, &w->second, w->by_second, report);
    for (int i = 0; status == CARDAN_OK && w->second && i < cd_routine_count(); ++i) {
        if (!cd_form_listed(options->forms, cd_routine_at(i)->form)) continue;
        const int n = cd_derive_weights(m, cd_routine_at(i));
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

// ---- work

// Of matrices only what is not zero whatever the state.
static cardan_status leave_out_zeros(cd_traced* t, const cd_graph* graph)
{
    int* kept  = cd_allocate((size_t)t->noutput + 1, sizeof *kept);
    int* place = cd_allocate((size_t)t->noutput + 1, sizeof *place);
    t->kept    = kept;
    t->places  = place;
    if (!kept || !place) return CARDAN_NO_MEMORY;
    int n = 0, from = 0;
    for (int r = 0; r < t->nresult; ++r) {
        cd_result* result = &t->result[r];
        const int  all = cd_result_count(result), begin = n;
        for (int i = 0; i < all; ++i) {
            double value;
            if (result->columns > 1 && cd_node_is_constant(graph, t->output[from + i], &value) && value == 0) continue;
            t->output[n] = t->output[from + i];
            kept[n]      = from + i;
            place[n++]   = i;
        }
        from += all;
        if (result->columns < 2) continue;
        result->nkept = n - begin;
        result->kept  = place + begin;
    }
    t->noutput = n;
    return CARDAN_OK;
}

// What the runtime gives, of which what was left out is left out; beside constraints that repeat each other, what the
// routine gives itself: `value`, NULL before it is traced.
static cardan_status ask_reference(const cardan_generated* g, const cd_traced* t, const double* x, const double* value,
                                   double* expected, cardan_report* report)
{
    const size_t  n      = (size_t)t->nall;
    double*       all    = cd_allocate(2 * n + 1, sizeof *all);
    cardan_status status = all ? cd_referee_set(g->referee, &g->sheet.in, x) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = t->routine->reference(g->referee, &g->sheet.in, x, all, report);
    for (int i = 0; status == CARDAN_OK && value && i < t->noutput; ++i)
        all[n + (size_t)(t->kept ? t->kept[i] : i)] = value[i];
    if (status == CARDAN_OK && value) status = cd_settle_beside(g->referee, t->routine, &g->sheet.in, x, all + n, all);
    for (int i = 0; status == CARDAN_OK && i < t->noutput; ++i) expected[i] = all[t->kept ? t->kept[i] : i];
    free(all);
    return status;
}

// Lines of the routine traced last, and of its batch.
static cardan_status order_routine(cardan_generated* g, const cardan_generate_options* options, bool packs)
{
    const int        r      = g->sheet.ntraced - 1;
    const cd_traced* t      = &g->sheet.traced[r];
    const bool       parts  = g->language->gathers;
    cd_cutting       how    = {.longest_line = LONGEST_LINE,
                               .longest_part = !parts                                 ? 0
                                               : packs && cd_graph_twins(g->graph[r]) ? LONGEST_WITH_TWINS
                                                                                      : LONGEST_PART,
                               .packs        = packs,
                               .runs         = parts,
                               .angles       = parts && !options->single};
    cardan_status    status = cd_program_make(&g->sheet.program[r], g->graph[r], t->noutput, t->output, how);
    how.longest_whole       = LONGEST_BATCH;
    how.early               = true;
    how.longest_line        = LONGEST_BATCH_LINE;
    if (status == CARDAN_OK && options->batch)
        status = cd_program_make(&g->sheet.many[r], g->graph[r], t->noutput, t->output, how);
    return status;
}

static cardan_status ask_efforts(cardan_generated* g, cardan_report* report)
{
    const cd_routine* impl   = cd_routine_at(0); // the first of the table
    double*           tau    = cd_allocate((size_t)g->sheet.model->nv + 1, sizeof *tau);
    cardan_status     status = tau ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k <= g->sheet.nvector; ++k) {
        const double* x = g->sheet.input + (size_t)k * (size_t)g->sheet.in.count;
        status          = cd_referee_set(g->referee, &g->sheet.in, x);
        if (status == CARDAN_OK) status = impl->reference(g->referee, &g->sheet.in, x, tau, report);
        for (int i = 0; status == CARDAN_OK && i < g->sheet.model->nv; ++i)
            if (isfinite(tau[i])) g->efforts = fmax(g->efforts, fabs(tau[i]));
    }
    free(tau);
    return status;
}

// What results are measured by, at least. Derivatives of efforts are sums of terms as large as these, of which nothing
// but rounding may be left.
static double least_size(const cardan_generated* g, const cd_routine* routine)
{
    return fmax(cd_least_size(&g->sheet, routine), routine->takes & CD_TAKES_A ? 1e-6 * g->efforts : 0);
}

static cardan_status trace_routine(cardan_generated* g, const cd_routine* routine,
                                   const cardan_generate_options* options, cardan_report* report)
{
    cd_sheet*  sheet = &g->sheet;
    cd_traced* t     = &sheet->traced[sheet->ntraced];
    *t               = (cd_traced){.routine = routine};
    t->nresult       = routine->results(sheet->model, t->result);
    for (int k = 0; k < t->nresult; ++k) t->noutput += cd_result_count(&t->result[k]);
    t->nall   = t->noutput;
    t->output = cd_allocate((size_t)t->noutput + 1, sizeof *t->output);
    if (!t->output) return CARDAN_NO_MEMORY;
    const bool    packs    = g->language->gathers && !options->batch; // states of a batch fill vectors already
    cd_graph**    graph    = &g->graph[sheet->ntraced++];
    double*       expected = cd_allocate((size_t)t->noutput + 1, sizeof *expected);
    cardan_status status = expected ? ask_reference(g, t, sheet->in.sample, NULL, expected, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK)
        status = cd_trace_cheapest(model_to_trace(g), routine, &sheet->in,
                                   (cd_thrift){.regroup  = options->regroup,
                                               .try_axes = true,
                                               .packs    = packs,
                                               .expected = expected,
                                               .size     = least_size(g, routine),
                                               .referee  = g->referee},
                                   graph, t->noutput, t->output);
    free(expected);
    if (status == CARDAN_OK && options->sparse) status = leave_out_zeros(t, *graph);
    if (status != CARDAN_OK) return status;
    return order_routine(g, options, packs);
}

// Its derivatives, where they are asked for.
static cardan_status derive_routine(cardan_generated* g, const cd_derive_wish* wish,
                                    const cardan_generate_options* options, cardan_report* report)
{
    cd_sheet*           sheet  = &g->sheet;
    const int           r      = sheet->ntraced++;
    const cardan_status status = cd_derive(model_to_trace(g), wish, &sheet->in, g->referee,
                                           cd_least_size(sheet, wish->base), &g->graph[r], &sheet->traced[r], report);
    return status == CARDAN_OK ? order_routine(g, options, false) : status;
}

static cardan_status trace_all(cardan_generated* g, const cd_routine* routine, const cardan_generate_options* options,
                               const wishes* w, cardan_report* report)
{
    cd_derive_wish wish   = {.base      = routine,
                             .by        = w->first,
                             .parameter = w->by_first,
                             .name      = g->inputs.name,
                             .regroup   = options->regroup,
                             .dense     = !g->language->gathers};
    cardan_status  status = trace_routine(g, routine, options, report);
    if (status == CARDAN_OK && w->first) status = derive_routine(g, &wish, options, report);
    wish.by        = w->second;
    wish.parameter = w->by_second;
    wish.second    = true;
    if (status == CARDAN_OK && w->second) status = derive_routine(g, &wish, options, report);
    return status;
}

// A form, if it is asked for and there is one. Those that are named must be there; others are left out, with a
// sentence.
static cardan_status trace_form(cardan_generated* g, const cd_routine* routine, const cardan_generate_options* options,
                                const wishes* w, cardan_report* report)
{
    const char*   model  = g->sheet.model->view.name;
    cd_text       why    = {0};
    cardan_place  place  = cardan_nowhere();
    cardan_status status = CARDAN_OK;
    if (!cd_form_wanted(options->forms, routine)) return CARDAN_OK;
    g->form = routine->form;
    if (routine->allows) status = cd_form_allowed(routine, g->sheet.model, &why, &place);
    if (status == CARDAN_OK && routine->takes & (CD_TAKES_EFFORT | CD_TAKES_TIME))
        status = cd_form_exists(&g->sheet, g->referee, routine, &why, &place);
    if (status == CARDAN_OK) {
        status = trace_all(g, routine, options, w, report);
        if (status != CARDAN_OK && status != CARDAN_NO_MEMORY && status != CARDAN_BAD_USAGE)
            cardan_fail(report, status, CARDAN_CODE_FORM_UNAVAILABLE, cardan_nowhere(),
                        "form '%s' of '%s': no way to generate it gives what the library computes at the sample state",
                        routine->form, model);
    } else if (status != CARDAN_NO_MEMORY && !options->forms)
        status = cd_form_leave_out(&g->sheet.missing, routine->form, &why, place) ? CARDAN_OK : CARDAN_NO_MEMORY;
    else if (status != CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_FORM_UNAVAILABLE, place, "there is no form '%s' of '%s': %s",
                    routine->form, model, why.data ? why.data : cardan_status_text(status));
    cd_text_free(&why);
    return status;
}

// The parameter that makes the difference between a trace and the runtime, or -1: alone others than at the sample
// state. -2 without memory.
static int blame(const cardan_generated* g, int r)
{
    const cd_sheet*   sheet = &g->sheet;
    const cd_sources* in    = &sheet->in;
    const cd_traced*  t     = &sheet->traced[r];
    cd_tape*          tape  = cd_tape_create(g->graph[r], t->noutput, t->output);
    double*           work =
        tape ? cd_allocate((size_t)(cd_tape_work(tape) + 2 * t->noutput + in->count) + 1, sizeof *work) : NULL;
    int found = work ? -1 : -2;
    for (int i = 0; found == -1 && i < in->np; ++i) {
        double *value = work + cd_tape_work(tape), *expected = value + t->noutput, *x = expected + t->noutput, off = 0,
               largest = 0;
        memcpy(x, in->sample, (size_t)in->count * sizeof *x);
        x[in->p + i]         = x[in->p + i] != g->inputs.nominal[i] && g->inputs.nominal[i] != 0 ? g->inputs.nominal[i]
                                                                                                 : 1.01 * x[in->p + i];
        cardan_status status = cd_referee_close(g->referee, in, x, NULL);
        if (status == CARDAN_OK) {
            cd_tape_run(tape, x, work, value);
            status = ask_reference(g, t, x, value, expected, NULL);
        }
        if (status == CARDAN_NO_MEMORY) found = -2;
        if (status != CARDAN_OK) continue;
        for (int k = 0; k < t->noutput; ++k) {
            off     = isfinite(value[k]) ? fmax(off, fabs(value[k] - expected[k])) : INFINITY;
            largest = fmax(largest, fabs(expected[k]));
        }
        largest = fmax(largest, least_size(g, t->routine));
        if (off > 1e-7 * (largest > 0 ? largest : 1)) found = i;
    }
    free(work);
    cd_tape_destroy(tape);
    return found;
}

// The trace must give what the runtime gives, which its test expects, or no code is written.
static cardan_status check_trace(const cardan_generated* g, int r, cardan_report* report)
{
    const cd_sheet*  sheet = &g->sheet;
    const cd_traced* t     = &sheet->traced[r];
    cd_tape*         tape  = cd_tape_create(g->graph[r], t->noutput, t->output);
    double*       work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)t->noutput + 1, sizeof *work) : NULL;
    double        off = 0, largest = 0;
    cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k < sheet->nvector; ++k) {
        const double* x  = sheet->input + (size_t)k * (size_t)sheet->in.count;
        double *expected = sheet->expected[r] + (size_t)k * (size_t)t->noutput, *value = work + cd_tape_work(tape);
        cd_tape_run(tape, x, work, value);
        status = ask_reference(g, t, x, value, expected, report);
        for (int i = 0; i < t->noutput; ++i) {
            off     = isfinite(value[i]) ? fmax(off, fabs(value[i] - expected[i])) : INFINITY;
            largest = fmax(largest, fabs(expected[i]));
        }
    }
    free(work);
    cd_tape_destroy(tape);
    if (status != CARDAN_OK) return status;
    const double least = least_size(g, t->routine);
    sheet->off[r] =
        largest < least && t->routine->takes & CD_TAKES_A ? fmax(off, (sheet->single ? 0.1 : 1e-9) * least) : off;
    largest = fmax(largest, least);
    if (off <= 1e-7 * (largest > 0 ? largest : 1)) return CARDAN_OK;
    const int blamed = g->inputs.count > 0 ? blame(g, r) : -1;
    if (blamed == -2) return CARDAN_NO_MEMORY;
    if (blamed >= 0)
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, g->inputs.place[blamed],
            "parameter '%s' comes into form '%s' by a way that generated code does not know; it cannot be an input",
            g->inputs.name[blamed], t->routine->form);
    if (!isfinite(off))
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_nowhere(),
                           "form '%s' of '%s' is not finite where the runtime is, so nothing is written",
                           t->routine->form, sheet->model->view.name);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_nowhere(),
                       "form '%s' of '%s' is off by %.3g of what the runtime computes, so nothing is written; pivots "
                       "of one state may not be good for others",
                       t->routine->form, sheet->model->view.name, off);
}

// Derivatives of the trace are what its test expects, if differences of the runtime give them too. They may be off as
// their routine was, and ten times that.
static cardan_status check_derived(const cardan_generated* g, int r, const double* x, double* value,
                                   cardan_report* report)
{
    const cd_sheet*  sheet = &g->sheet;
    const cd_traced* t     = &sheet->traced[r];
    double           off = 0, largest = 0, ill = 0;
    int              base   = r;
    cardan_status    status = cd_derived_values(sheet->model, t, g->graph[r], &sheet->in, g->referee,
                                                cd_least_size(sheet, t->routine), x, value, &off, report);
    if (status != CARDAN_OK) return status;
    while (sheet->traced[base].derived) --base;
    for (int i = 0; i < sheet->nvector * sheet->traced[base].noutput; ++i)
        ill = fmax(ill, fabs(sheet->expected[base][i]));
    for (int i = 0; i < t->noutput; ++i) largest = fmax(largest, fabs(value[i]));
    sheet->off[r] = fmax(sheet->off[r], 10 * largest * sheet->off[base] / (ill > 0 ? ill : 1));
    if (off <= 1e-6) return CARDAN_OK;
    if ((t->routine->takes & (CD_TAKES_EFFORT | CD_TAKES_STATE | CD_TAKES_A)) == (CD_TAKES_EFFORT | CD_TAKES_STATE) &&
        cd_referee_determines(g->referee, &sheet->in, x, report) != CARDAN_OK)
        return CARDAN_UNSUPPORTED;
    if (!isfinite(off))
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_nowhere(),
                           "form '%s' of '%s' is not finite at a state of its test, or around it, so nothing is "
                           "written; its formulas may bend without bound where the mechanism starts",
                           t->routine->form, sheet->model->view.name);
    return cardan_fail(
        report, CARDAN_INCONSISTENT, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_nowhere(),
        "form '%s' of '%s' is off by %.3g of what differences of the runtime give, so nothing is written",
        t->routine->form, sheet->model->view.name, off);
}

// What floats make of a trace, at the same states: code of floats is tested by it, and cannot be better.
static cardan_status round_trace(const cardan_generated* g, int r, cardan_report* report)
{
    const cd_sheet*  sheet = &g->sheet;
    const cd_traced* t     = &sheet->traced[r];
    cd_tape*         tape  = cd_tape_create(g->graph[r], t->noutput, t->output);
    double* work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)t->noutput + 1, sizeof *work) : NULL;
    double  off = 0, largest = 0;
    for (int k = 0; work && k < sheet->nvector; ++k) {
        const double* expected = sheet->expected[r] + (size_t)k * (size_t)t->noutput;
        double*       value    = work + cd_tape_work(tape);
        cd_tape_run_single(tape, sheet->input + (size_t)k * (size_t)sheet->in.count, work, value);
        for (int i = 0; i < t->noutput; ++i) {
            off     = isfinite(value[i]) ? fmax(off, fabs(value[i] - expected[i])) : INFINITY;
            largest = fmax(largest, fabs(expected[i]));
        }
    }
    const cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    free(work);
    cd_tape_destroy(tape);
    sheet->rounded[r] = off;
    if (status == CARDAN_OK && off > fmax(1e-2 * largest, cd_allowed(sheet, r)))
        cardan_warn(report, CARDAN_CODE_SINGLE_PRECISION_LOSS, cardan_nowhere(),
                    "form '%s' of '%s' is off by %.2g of the largest of its results in floats, at the states of its "
                    "test, which will say so; it wants doubles",
                    t->routine->form, sheet->model->view.name, off / (largest > 0 ? largest : 1));
    return status;
}

static cardan_status make_vectors(cardan_generated* g, cardan_report* report)
{
    cd_sheet*     sheet  = &g->sheet;
    cardan_status status = CARDAN_OK;
    for (int r = 0; status == CARDAN_OK && r < sheet->ntraced; ++r) {
        const cd_traced* t = &sheet->traced[r];
        g->form            = t->routine->form;
        sheet->expected[r] = cd_allocate((size_t)(t->noutput * sheet->nvector) + 1, sizeof(double));
        if (!sheet->expected[r]) status = CARDAN_NO_MEMORY;
        for (int k = 0; status == CARDAN_OK && t->derived && k < sheet->nvector; ++k)
            status = check_derived(g, r, sheet->input + (size_t)k * (size_t)sheet->in.count,
                                   sheet->expected[r] + (size_t)k * (size_t)t->noutput, report);
        if (status == CARDAN_OK && !t->derived) status = check_trace(g, r, report);
        if (status == CARDAN_OK && sheet->single) status = round_trace(g, r, report);
    }
    return status;
}

// The mechanism with parameters as at the sample state, and routines that take them.
static cardan_status carry(cardan_generated* g, cardan_report* report)
{
    const int n = cd_routine_count();
    g->routine  = cd_allocate((size_t)n, sizeof *g->routine);
    if (!g->routine) return CARDAN_NO_MEMORY;
    for (int i = 0; i < n; ++i) {
        g->routine[i] = *cd_routine_at(i);
        g->routine[i].takes |= CD_TAKES_P;
    }
    const cd_sources* in = &g->sheet.in;
    cardan_status status = cd_inputs_load(&g->inputs, in->sample + in->p, true, &g->description, &g->carried, report);
    if (status == CARDAN_OK && cd_ledger_failed(g->description->ledger)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && !cd_same_shape(g->sheet.model, g->carried))
        status = cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_PARAMETER_CHANGES_STRUCTURE, g->inputs.place[0],
                             "parameters of '%s' decide the shape of the mechanism; they cannot be inputs",
                             g->sheet.model->view.name);
    return status;
}

static cardan_status work(cardan_generated* g, const cardan_generate_options* options, cardan_report* report)
{
    cd_sheet*    sheet   = &g->sheet;
    const size_t n       = 3 * (size_t)cd_routine_count();
    g->chosen            = cd_allocate(2 * (size_t)g->inputs.count + 1, sizeof *g->chosen);
    wishes        wish   = {.by_first = g->chosen, .by_second = g->chosen + g->inputs.count};
    cardan_status status = g->chosen ? read_wishes(g, options, &wish, report) : CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return status;
    sheet->traced   = cd_allocate(n, sizeof *sheet->traced);
    sheet->program  = cd_allocate(n, sizeof *sheet->program);
    sheet->many     = cd_allocate(n, sizeof *sheet->many);
    sheet->expected = cd_allocate(n, sizeof *sheet->expected);
    sheet->off      = cd_allocate(n, sizeof *sheet->off);
    sheet->rounded  = cd_allocate(n, sizeof *sheet->rounded);
    g->graph        = cd_allocate(n, sizeof *g->graph);
    if (!sheet->traced || !sheet->program || !sheet->many || !sheet->expected || !sheet->off || !sheet->rounded ||
        !g->graph || !cd_make_states(sheet, wish.nweight))
        return CARDAN_NO_MEMORY;
    status = make_names(g, options, report);
    if (status == CARDAN_OK) status = cd_referee_create(sheet->model, &g->inputs, &g->referee, report);
    if (status == CARDAN_OK && g->inputs.count > 0) status = carry(g, report);
    if (status == CARDAN_OK) status = cd_place_states(sheet, g->referee, options->forms, report);
    if (status == CARDAN_OK) status = ask_efforts(g, report);
    if (status == CARDAN_OK)
        status = cd_referee_alone(g->referee, &sheet->in, sheet->nvector + 1, sheet->input, &sheet->alone);
    for (int i = 0; status == CARDAN_OK && i < cd_routine_count(); ++i)
        status = trace_form(g, g->routine ? &g->routine[i] : cd_routine_at(i), options, &wish, report);
    if (status == CARDAN_OK) status = make_vectors(g, report);
    if (status != CARDAN_OK) return status;
    cd_forms_tell(&sheet->missing, report);
    if (report && report->no_memory) return CARDAN_NO_MEMORY;
    for (int i = 0; i < g->language->nfile; ++i) {
        g->language->print(sheet, i, &g->text[i]);
        if (g->text[i].failed) return CARDAN_NO_MEMORY;
    }
    return CARDAN_OK;
}

cardan_status cardan_generate(const cardan_model* model, const cardan_generate_options* options,
                              cardan_generated** generated, cardan_report* report)
{
    const cardan_generate_options usual = cardan_generate_options_default();
    CD_REFUSE_NULL(generated, "generated", report);
    *generated = NULL;
    CD_REFUSE_NULL(model, "model", report);
    if (!options) options = &usual;
    const cardan_status allowed = cd_forms_check(options->forms, report);
    if (allowed != CARDAN_OK) return allowed;
    const cd_language* language = find_language(options->language ? options->language : "c");
    if (!language)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_nowhere(),
                           "there is no language '%s'; see `cardan list languages`", options->language);
    if (options->batch && strcmp(language->name, "c") != 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "batch routines are written in C alone; in Python all arguments may have a second axis");
    if (options->single && strcmp(language->name, "c") != 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "routines of floats are written in C alone");
    if (options->sparse && strcmp(language->name, "c") != 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_OPTION, cardan_nowhere(),
                           "sparse matrices are written in C alone");
    cardan_generated* g = cd_allocate(1, sizeof *g);
    if (!g) return CARDAN_NO_MEMORY;
    g->language          = language;
    g->sheet.model       = model;
    g->sheet.single      = options->single;
    g->sheet.in.single   = options->single;
    g->sheet.block       = options->single ? 16 : 8; // a line of caches, whatever the width of vectors
    g->sheet.batch       = options->batch;
    g->sheet.inputs      = &g->inputs;
    cardan_status status = cd_inputs_create(options, model, &g->inputs, report);
    if (status == CARDAN_OK) status = work(g, options, report);
    if (status != CARDAN_OK) {
        if (status == CARDAN_NO_MEMORY) cd_form_too_large(g->form, model, report);
        cardan_generated_destroy(g);
        return status;
    }
    *generated = g;
    return CARDAN_OK;
}

void cardan_generated_destroy(cardan_generated* g)
{
    if (!g) return;
    for (int r = 0; r < g->sheet.ntraced; ++r) {
        cd_program_release(&g->sheet.program[r]);
        cd_program_release(&g->sheet.many[r]);
        cd_graph_destroy(g->graph[r]);
        free(g->sheet.traced[r].output);
        free(g->sheet.traced[r].kept);
        free(g->sheet.traced[r].places);
        cd_derived_release(g->sheet.traced[r].derived);
        free(g->sheet.expected[r]);
    }
    cd_referee_destroy(g->referee);
    cd_inputs_release(&g->inputs);
    cardan_model_destroy(g->carried);
    cardan_description_destroy(g->description);
    free(g->routine);
    free(g->chosen);
    free(g->sheet.traced);
    free(g->sheet.program);
    free(g->sheet.many);
    free(g->sheet.expected);
    free(g->sheet.off);
    free(g->sheet.rounded);
    free(g->sheet.input);
    cd_forms_release(&g->sheet.missing);
    free(g->graph);
    free(g->name);
    free(g->command);
    for (int i = 0; i < 2; ++i) {
        free(g->file[i]);
        cd_text_free(&g->text[i]);
    }
    free(g);
}
