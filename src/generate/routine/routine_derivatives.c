// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a traced routine f(q, v, a, effort, state, t, p) along directions d: velocities for q, the input
// itself for all others,
//
//   J[i][d] = D_d f_i,     H[c][d] = 1/2 (D_c D_d + D_d D_c) sum_i weight_i f_i
//
// For two angular velocity components of one orientation D_c D_d and D_d D_c differ by the derivative along c x d. The
// mean of both is symmetric, and it is the second derivative by the rotation vector of the orientation. In all other
// cases both are equal.
#include "generate/routine/routine_derivatives.h"

#include "expression/symbolic_jacobian.h"
#include "generate/routine/parameter_arguments.h"
#include "generate/print/syntax.h"

#include <stdlib.h>
#include <string.h>

static bool matches(const char* word, const char* at, size_t n)
{
    return strlen(word) == n && strncmp(word, at, n) == 0;
}

cardan_status cd_derivative_read_arguments(const char* option, const char* list,
                                           const cd_parameter_arguments* parameters, unsigned* arguments,
                                           bool* parameter, cardan_report* report)
{
    const int np = parameters ? parameters->count : 0;
    *arguments   = 0;
    for (int i = 0; i < np; ++i) parameter[i] = false;
    for (const char* at = list; at && *at;) {
        const size_t n    = strcspn(at, ",");
        unsigned     bits = 0;
        for (int k = 0; k < CD_DIFFERENTIABLE_COUNT; ++k)
            if (matches(cd_argument_name[k], at, n)) bits = 1U << k;
        for (int i = 0; i < np; ++i) {
            const bool named = matches(parameters->name[i], at, n);
            if (named && !bits) bits = CD_TAKES_P;
            parameter[i] = parameter[i] || (bits == CD_TAKES_P && (named || matches("p", at, n)));
        }
        if (!bits)
            return cardan_fail(
                report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                "%s by '%.*s': expected q, v, a, effort, state, t, p or the name of a parameter that is an argument",
                option, (int)n, at);
        *arguments |= bits;
        at += n + (at[n] == ',');
    }
    return CARDAN_OK;
}

int cd_derivative_weight_count(const cardan_model* m, const cd_routine* base)
{
    cd_routine_result result[CD_MAX_RESULTS];
    const int         nresult = base->describe_results(m, result);
    int               n       = 0;
    for (int k = 0; k < nresult; ++k) n += result[k].is_return_code ? 0 : cd_result_count(&result[k]);
    return n;
}

void cd_routine_derivative_release(cd_routine_derivative* d)
{
    if (!d) return;
    cd_text_free(&d->form), cd_text_free(&d->name), cd_text_free(&d->summary);
    free(d->argument), free(d->index), free(d->gradient);
    free(d);
}

// ---- description

// Append ": b, d", in the order of the columns.
static void name_parameters(const cd_derivative_request* request, int np, cd_text* text)
{
    const char* comma = ":";
    for (int i = 0; request->parameter_name && i < np; ++i) {
        if (request->parameter && !request->parameter[i]) continue;
        cd_text_format(text, "%s %s", comma, request->parameter_name[i]);
        comma = ",";
    }
}

static void describe_derivative(const cardan_model* m, cd_routine_derivative* d, const int* size, int np)
{
    const cd_routine* base = d->request.base;
    const char*       kind = d->request.second_order ? "hessian" : "jacobian";
    cd_routine_result result[CD_MAX_RESULTS];
    const int         all = base->describe_results(m, result), nresult = all - cd_has_return_code(all, result);
    d->has_return_code = nresult < all;
    cd_text_format(&d->form, "%s_%s", base->form, kind);
    cd_text_format(&d->name, "%s_sparse_%s", base->name, kind);
    cd_text_format(&d->summary,
                   d->request.second_order ? "second derivatives of the weighted sum of the results of %s, weights of"
                                           : "derivatives of %s, rows",
                   base->name);
    for (int k = 0; k < nresult; ++k)
        cd_text_format(&d->summary, "%s %s (%d)", k ? "," : "", result[k].name, cd_result_count(&result[k]));
    cd_text_add(&d->summary, d->request.second_order ? "; rows and columns" : "; columns");
    const char* comma = "";
    for (int k = 0; k < CD_DIFFERENTIABLE_COUNT; ++k) {
        if (!(d->request.arguments & (1U << k))) continue;
        cd_text_format(&d->summary, "%s %s (%d%s", comma, cd_argument_name[k], size[k],
                       k == 0 ? ", along velocities" : "");
        if (1U << k == CD_TAKES_P) name_parameters(&d->request, np, &d->summary);
        cd_text_add(&d->summary, ")");
        comma = ",";
    }
    if (d->request.second_order && !d->request.dense) cd_text_add(&d->summary, "; lower triangle");
}

static cd_routine_derivative* begin_derivative(const cardan_model* m, const cd_input_layout* in,
                                               const cd_derivative_request* request)
{
    int np = in->np;
    for (int i = 0; request->parameter && i < in->np; ++i) np -= !request->parameter[i];
    const int              size[] = {m->nv, m->nv, m->nv, m->nv, m->nstate, 1, np};
    cd_routine_derivative* d      = cd_allocate(1, sizeof *d);
    if (!d) return NULL;
    d->request = *request;
    d->request.arguments &= request->base->arguments;
    d->nbase_output = cd_derivative_weight_count(m, request->base);
    for (int k = 0; k < CD_DIFFERENTIABLE_COUNT; ++k) d->ncolumn += d->request.arguments & (1U << k) ? size[k] : 0;
    d->argument = cd_allocate((size_t)d->ncolumn + 1, sizeof *d->argument);
    d->index    = cd_allocate((size_t)d->ncolumn + 1, sizeof *d->index);
    d->gradient = cd_allocate((size_t)d->ncolumn + 1, sizeof *d->gradient);
    describe_derivative(m, d, size, in->np);
    if (!d->argument || !d->index || !d->gradient || d->form.failed || d->name.failed || d->summary.failed) {
        cd_routine_derivative_release(d);
        return NULL;
    }
    for (int k = 0, c = 0; k < CD_DIFFERENTIABLE_COUNT; ++k)
        for (int i = 0, at = 0; d->request.arguments & (1U << k) && i < size[k]; ++i, ++at, ++c) {
            while (k == 6 && request->parameter && !request->parameter[at]) ++at;
            d->argument[c] = k, d->index[c] = at;
        }
    d->routine = (cd_routine){.form      = d->form.data,
                              .name      = d->name.data,
                              .summary   = d->summary.data,
                              .arguments = request->base->arguments | (request->second_order ? CD_TAKES_WEIGHT : 0)};
    return d;
}

// ---- nodes

int cd_derivative_first_input(const cd_input_layout* in, int argument)
{
    return (const int[]){in->q, in->v, in->a, in->effort, in->state, in->time, in->p}[argument];
}

// True for angular velocity components of a quaternion.
static bool is_rotation_velocity(const cardan_model* m, const cd_routine_derivative* d, int c)
{
    if (d->argument[c] != 0) return false;
    const cd_link* link = &m->link[m->v_link[d->index[c]]];
    return link->motion >= CD_SPHERICAL && d->index[c] - link->v >= link->nv - 3;
}
static bool is_same_rotation(const cardan_model* m, const cd_routine_derivative* d, int b, int c)
{
    return is_rotation_velocity(m, d, b) && is_rotation_velocity(m, d, c) &&
           m->v_link[d->index[b]] == m->v_link[d->index[c]];
}

static cd_node entry_at(const cd_symbolic_matrix* s, const int* start, int row, int column, cd_node zero)
{
    for (int i = start[row]; i < start[row + 1]; ++i)
        if (s->column[i] == column) return s->value[i];
    return zero;
}

// Reduce H to its lower triangle; entries of one orientation become the mean of both triangles.
static cardan_status make_symmetric(cd_graph* graph, const cardan_model* m, const cd_routine_derivative* d,
                                    cd_symbolic_matrix* H)
{
    const size_t       n = (size_t)d->ncolumn, max_entries = (size_t)H->count + 2 * n + 1;
    const cd_node      zero = cd_constant(graph, 0), half = cd_constant(graph, 0.5);
    cd_symbolic_matrix L     = {.nrow    = d->ncolumn,
                                .ncolumn = d->ncolumn,
                                .row     = cd_allocate(max_entries, sizeof *L.row),
                                .column  = cd_allocate(max_entries, sizeof *L.column),
                                .value   = cd_allocate(max_entries, sizeof *L.value)};
    int*               start = cd_allocate(n + 2, sizeof *start);
    cd_node*           line  = cd_allocate(n + 1, sizeof *line);
    bool               ok    = L.row && L.column && L.value && start && line && zero >= 0 && half >= 0;
    for (int i = 0; ok && i < H->count; ++i) ++start[H->row[i] + 1];
    for (size_t r = 0; ok && r < n; ++r) start[r + 1] += start[r];
    for (int r = 0; ok && r < d->ncolumn; ++r) {
        for (int c = 0; c <= r; ++c) line[c] = zero;
        for (int i = start[r]; i < start[r + 1] && H->column[i] <= r; ++i) line[H->column[i]] = H->value[i];
        for (int c = r - 1; c >= 0 && c >= r - 2; --c)
            if (is_same_rotation(m, d, r, c))
                line[c] =
                    cd_binary(graph, CD_MUL, half, cd_binary(graph, CD_ADD, line[c], entry_at(H, start, c, r, zero)));
        for (int c = 0; ok && c <= r; ++c) {
            ok = line[c] >= 0;
            if (line[c] == zero) continue;
            L.row[L.count] = r, L.column[L.count] = c, L.value[L.count++] = line[c];
        }
    }
    free(start), free(line);
    cd_symbolic_matrix_release(ok ? H : &L);
    if (ok) *H = L;
    return ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status second_derivatives(cd_graph* graph, const cardan_model* m, cd_routine_derivative* d,
                                        const cd_input_layout* in, const cd_node* base, cd_directions along,
                                        cd_symbolic_matrix* H)
{
    const cd_node      zero = cd_constant(graph, 0);
    cd_node            sum  = zero;
    cd_symbolic_matrix g;
    for (int i = 0; sum >= 0 && i < d->nbase_output; ++i)
        sum = cd_binary(graph, CD_ADD, sum, cd_binary(graph, CD_MUL, cd_input(graph, in->weight + i), base[i]));
    if (sum < 0) return CARDAN_NO_MEMORY;
    cardan_status status = cd_symbolic_jacobian_along(graph, 1, &sum, along, CD_AD_REVERSE, &g);
    if (status != CARDAN_OK) return status;
    for (int c = 0; c < d->ncolumn; ++c) d->gradient[c] = zero;
    for (int i = 0; i < g.count; ++i) d->gradient[g.column[i]] = g.value[i];
    cd_symbolic_matrix_release(&g);
    status = cd_symbolic_jacobian_along(graph, d->ncolumn, d->gradient, along, CD_AD_FORWARD, H);
    if (status == CARDAN_OK) status = make_symmetric(graph, m, d, H);
    if (status != CARDAN_OK) cd_symbolic_matrix_release(H);
    return status;
}

static cardan_status differentiate(cd_graph* graph, const cardan_model* m, cd_routine_derivative* d,
                                   const cd_input_layout* in, const cd_node* base, cd_symbolic_matrix* S)
{
    const size_t  n      = (size_t)d->ncolumn;
    cd_seed*      seed   = cd_allocate(4 * n + 1, sizeof *seed);
    int*          first  = cd_allocate(n + 2, sizeof *first);
    const cd_node one    = cd_constant(graph, 1);
    cardan_status status = seed && first && one >= 0 ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int c = 0; status == CARDAN_OK && c < d->ncolumn; ++c) {
        cd_seed* here = seed + first[c];
        if (d->argument[c] > 0) *here = (cd_seed){cd_derivative_first_input(in, d->argument[c]) + d->index[c], one};
        first[c + 1] = first[c] + (d->argument[c] > 0 ? 1 : cd_velocity_seeds(graph, m, in, d->index[c], here));
    }
    const cd_directions along = {d->ncolumn, first, seed};
    if (status == CARDAN_OK)
        status = d->request.second_order
                     ? second_derivatives(graph, m, d, in, base, along, S)
                     : cd_symbolic_jacobian_along(graph, d->nbase_output, base, along, CD_AD_CHEAPER, S);
    free(seed), free(first);
    return status;
}

// ---- results

static cardan_status output_entries(cd_graph* graph, const cd_routine_derivative* d, const cd_symbolic_matrix* S,
                                    cd_node invalid, cd_traced_routine* t)
{
    const int    rows = d->request.second_order ? d->ncolumn : d->nbase_output, columns = d->ncolumn;
    const size_t all = d->request.dense ? (size_t)rows * (size_t)columns : (size_t)S->count;
    t->output        = cd_allocate(all + 2, sizeof *t->output);
    t->matrix_index  = d->request.dense ? NULL : cd_allocate(all + 1, sizeof *t->matrix_index);
    t->noutput = t->noutput_full = (int)all;
    t->nresult                   = 1;
    t->nweight                   = d->request.second_order ? d->nbase_output : 0;
    t->result[0]                 = (cd_routine_result){d->request.second_order ? "H" : "J",
                                       d->request.dense ? "row by row" : "structurally nonzero entries, row by row",
                                       rows,
                                       columns,
                                       S->count,
                                       t->matrix_index,
                                       false};
    const cd_node zero = cd_constant(graph, 0);
    if (!t->output || zero < 0 || (!d->request.dense && !t->matrix_index)) return CARDAN_NO_MEMORY;
    for (size_t i = 0; d->request.dense && i < all; ++i) t->output[i] = zero;
    for (int i = 0; i < S->count; ++i) {
        const int at = S->row[i] * columns + S->column[i];
        if (!d->request.dense) t->matrix_index[i] = at;
        t->output[d->request.dense ? at : i] = S->value[i];
        if (d->request.dense && d->request.second_order) t->output[S->column[i] * columns + S->row[i]] = S->value[i];
    }
    if (!d->has_return_code) return CARDAN_OK;
    t->result[t->nresult++] = (cd_routine_result){"invalid", "return code", 1, 1, 0, NULL, true};
    t->output[t->noutput++] = invalid;
    t->noutput_full         = t->noutput;
    return CARDAN_OK;
}

cardan_status cd_derivative_base_reference(const cd_routine_derivative* d, const cd_input_layout* in,
                                           cd_runtime_reference* reference, const double* x, double* f,
                                           cardan_report* report)
{
    const cardan_status status = cd_runtime_reference_set_state(reference, in, x);
    return status == CARDAN_OK ? d->request.base->reference(reference, in, x, f, report) : status;
}

cardan_status cd_derive_routine(const cardan_model* m, const cd_derivative_request* request, const cd_input_layout* in,
                                cd_runtime_reference* reference, double min_scale, cd_graph** graph,
                                cd_traced_routine* t, cardan_report* report)
{
    cd_routine_derivative* d = begin_derivative(m, in, request);
    *t                       = (cd_traced_routine){.routine = d ? &d->routine : NULL, .derivative = d};
    *graph                   = NULL;
    if (!d) return CARDAN_NO_MEMORY;
    if (d->ncolumn == 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_FORM_UNAVAILABLE, cardan_location_none(),
                           "form '%s' of '%s' has none of the arguments that --%s names, so it has no such derivatives",
                           request->base->form, m->view.name, request->second_order ? "hessian" : "jacobian");
    double*            expected          = cd_allocate((size_t)d->nbase_output + 2, sizeof *expected);
    cd_node*           base              = cd_allocate((size_t)d->nbase_output + 2, sizeof *base);
    cd_symbolic_matrix S                 = {0};
    cd_input_layout    derivative_layout = *in;
    derivative_layout.for_derivatives    = true;
    cardan_status status                 = expected && base
                                               ? cd_derivative_base_reference(d, in, reference, in->trace_input, expected, report)
                                               : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK)
        status = cd_trace_cheapest(
            m, request->base, &derivative_layout,
            (cd_trace_search){
                .regroup = request->regroup, .search_axes = true, .expected = expected, .min_scale = min_scale},
            graph, d->nbase_output + d->has_return_code, base);
    if (status == CARDAN_OK) status = differentiate(*graph, m, d, in, base, &S);
    if (status == CARDAN_OK) status = output_entries(*graph, d, &S, base[d->nbase_output], t);
    cd_symbolic_matrix_release(&S);
    free(expected), free(base);
    return status;
}
