// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a traced routine f(q, v, a, effort, state, t, p) along directions d: velocities for q, the number
// itself for the rest,
//
//   J[i][d] = D_d f_i,     H[c][d] = 1/2 (D_c D_d + D_d D_c) sum_i weight_i f_i
//
// Along velocities of one orientation D_c D_d and D_d D_c differ, by the derivative along c x d; half their sum is the
// second derivative by the rotation vector by which the orientation is moved, and symmetric. Everywhere else they are
// equal.
#include "generate/derive.h"

#include "expression/jacobian.h"
#include "generate/inputs.h"
#include "generate/syntax.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(const char* word, const char* at, size_t n)
{
    return strlen(word) == n && strncmp(word, at, n) == 0;
}

cardan_status cd_derive_read(const char* option, const char* list, const cd_inputs* inputs, unsigned* by,
                             bool* parameter, cardan_report* report)
{
    const int np = inputs ? inputs->count : 0;
    *by          = 0;
    for (int i = 0; i < np; ++i) parameter[i] = false;
    for (const char* at = list; at && *at;) {
        const size_t n     = strcspn(at, ",");
        unsigned     found = 0;
        for (int k = 0; k < CD_BY; ++k)
            if (is_word(cd_argument_name[k], at, n)) found = 1U << k;
        for (int i = 0; i < np; ++i) {
            const bool named = is_word(inputs->name[i], at, n);
            if (named && !found) found = CD_TAKES_P;
            parameter[i] = parameter[i] || (found == CD_TAKES_P && (named || is_word("p", at, n)));
        }
        if (!found)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_nowhere(),
                               "%s by '%.*s': there are q, v, a, effort, state and t, and of parameters that are "
                               "arguments p or their names",
                               option, (int)n, at);
        *by |= found;
        at += n + (at[n] == ',');
    }
    return CARDAN_OK;
}

int cd_derive_weights(const cardan_model* m, const cd_routine* base)
{
    cd_result result[CD_RESULTS];
    const int nresult = base->results(m, result);
    int       n       = 0;
    for (int k = 0; k < nresult; ++k) n += result[k].tells ? 0 : cd_result_count(&result[k]);
    return n;
}

void cd_derived_release(cd_derivation* d)
{
    if (!d) return;
    cd_text_free(&d->form), cd_text_free(&d->name), cd_text_free(&d->summary);
    free(d->argument), free(d->index), free(d->gradient);
    free(d);
}

// ---- what it is called

// ": b, d", in the order of the columns.
static void name_parameters(const cd_derive_wish* wish, int np, cd_text* text)
{
    const char* comma = ":";
    for (int i = 0; wish->name && i < np; ++i) {
        if (wish->parameter && !wish->parameter[i]) continue;
        cd_text_format(text, "%s %s", comma, wish->name[i]);
        comma = ",";
    }
}

static void describe(const cardan_model* m, cd_derivation* d, const int* size, int np)
{
    const cd_routine* base = d->wish.base;
    const char*       kind = d->wish.second ? "hessian" : "jacobian";
    cd_result         result[CD_RESULTS];
    const int         all = base->results(m, result), nresult = all - cd_tells(all, result);
    d->tells = nresult < all;
    cd_text_format(&d->form, "%s_%s", base->form, kind);
    cd_text_format(&d->name, "%s_sparse_%s", base->name, kind);
    cd_text_format(&d->summary,
                   d->wish.second ? "second derivatives of the sum of weights times results of %s, weights of"
                                  : "derivatives of %s, rows",
                   base->name);
    for (int k = 0; k < nresult; ++k)
        cd_text_format(&d->summary, "%s %s (%d)", k ? "," : "", result[k].name, cd_result_count(&result[k]));
    cd_text_add(&d->summary, d->wish.second ? "; rows and columns" : "; columns");
    const char* comma = "";
    for (int k = 0; k < CD_BY; ++k) {
        if (!(d->wish.by & (1U << k))) continue;
        cd_text_format(&d->summary, "%s %s (%d%s", comma, cd_argument_name[k], size[k],
                       k == 0 ? ", along velocities" : "");
        if (1U << k == CD_TAKES_P) name_parameters(&d->wish, np, &d->summary);
        cd_text_add(&d->summary, ")");
        comma = ",";
    }
    if (d->wish.second && !d->wish.dense) cd_text_add(&d->summary, "; lower triangle");
}

static cd_derivation* begin(const cardan_model* m, const cd_sources* in, const cd_derive_wish* wish)
{
    int np = in->np;
    for (int i = 0; wish->parameter && i < in->np; ++i) np -= !wish->parameter[i];
    const int      size[] = {m->nv, m->nv, m->nv, m->nv, m->nstate, 1, np};
    cd_derivation* d      = cd_allocate(1, sizeof *d);
    if (!d) return NULL;
    d->wish = *wish;
    d->wish.by &= wish->base->takes;
    d->nbase = cd_derive_weights(m, wish->base);
    for (int k = 0; k < CD_BY; ++k) d->ncolumn += d->wish.by & (1U << k) ? size[k] : 0;
    d->argument = cd_allocate((size_t)d->ncolumn + 1, sizeof *d->argument);
    d->index    = cd_allocate((size_t)d->ncolumn + 1, sizeof *d->index);
    d->gradient = cd_allocate((size_t)d->ncolumn + 1, sizeof *d->gradient);
    describe(m, d, size, in->np);
    if (!d->argument || !d->index || !d->gradient || d->form.failed || d->name.failed || d->summary.failed) {
        cd_derived_release(d);
        return NULL;
    }
    for (int k = 0, c = 0; k < CD_BY; ++k)
        for (int i = 0, at = 0; d->wish.by & (1U << k) && i < size[k]; ++i, ++at, ++c) {
            while (k == 6 && wish->parameter && !wish->parameter[at]) ++at;
            d->argument[c] = k, d->index[c] = at;
        }
    d->routine = (cd_routine){.form    = d->form.data,
                              .name    = d->name.data,
                              .summary = d->summary.data,
                              .takes   = wish->base->takes | (wish->second ? CD_TAKES_WEIGHT : 0)};
    return d;
}

// ---- nodes

int cd_derived_input(const cd_sources* in, int argument)
{
    return (const int[]){in->q, in->v, in->a, in->effort, in->state, in->time, in->p}[argument];
}

// Velocities of one quaternion.
static bool is_turn(const cardan_model* m, const cd_derivation* d, int c)
{
    if (d->argument[c] != 0) return false;
    const cd_link* link = &m->link[m->v_link[d->index[c]]];
    return link->motion >= CD_BALL && d->index[c] - link->v >= link->nv - 3;
}
static bool is_one_turn(const cardan_model* m, const cd_derivation* d, int b, int c)
{
    return is_turn(m, d, b) && is_turn(m, d, c) && m->v_link[d->index[b]] == m->v_link[d->index[c]];
}

static cd_node entry(const cd_sparse* s, const int* start, int row, int column, cd_node zero)
{
    for (int i = start[row]; i < start[row + 1]; ++i)
        if (s->column[i] == column) return s->value[i];
    return zero;
}

// The lower triangle, entries of one turn being half the sum with those above.
static cardan_status make_symmetric(cd_graph* graph, const cardan_model* m, const cd_derivation* d, cd_sparse* H)
{
    const size_t  n = (size_t)d->ncolumn, most = (size_t)H->count + 2 * n + 1;
    const cd_node zero = cd_constant(graph, 0), half = cd_constant(graph, 0.5);
    cd_sparse     L     = {.rows    = d->ncolumn,
                           .columns = d->ncolumn,
                           .row     = cd_allocate(most, sizeof *L.row),
                           .column  = cd_allocate(most, sizeof *L.column),
                           .value   = cd_allocate(most, sizeof *L.value)};
    int*          start = cd_allocate(n + 2, sizeof *start);
    cd_node*      line  = cd_allocate(n + 1, sizeof *line);
    bool          ok    = L.row && L.column && L.value && start && line && zero >= 0 && half >= 0;
    for (int i = 0; ok && i < H->count; ++i) ++start[H->row[i] + 1];
    for (size_t r = 0; ok && r < n; ++r) start[r + 1] += start[r];
    for (int r = 0; ok && r < d->ncolumn; ++r) {
        for (int c = 0; c <= r; ++c) line[c] = zero;
        for (int i = start[r]; i < start[r + 1] && H->column[i] <= r; ++i) line[H->column[i]] = H->value[i];
        for (int c = r - 1; c >= 0 && c >= r - 2; --c)
            if (is_one_turn(m, d, r, c))
                line[c] =
                    cd_binary(graph, CD_MUL, half, cd_binary(graph, CD_ADD, line[c], entry(H, start, c, r, zero)));
        for (int c = 0; ok && c <= r; ++c) {
            ok = line[c] >= 0;
            if (line[c] == zero) continue;
            L.row[L.count] = r, L.column[L.count] = c, L.value[L.count++] = line[c];
        }
    }
    free(start), free(line);
    cd_sparse_release(ok ? H : &L);
    if (ok) *H = L;
    return ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status second(cd_graph* graph, const cardan_model* m, cd_derivation* d, const cd_sources* in,
                            const cd_node* base, cd_directions along, cd_sparse* H)
{
    const cd_node zero = cd_constant(graph, 0);
    cd_node       sum  = zero;
    cd_sparse     g;
    for (int i = 0; sum >= 0 && i < d->nbase; ++i)
        sum = cd_binary(graph, CD_ADD, sum, cd_binary(graph, CD_MUL, cd_input(graph, in->weight + i), base[i]));
    if (sum < 0) return CARDAN_NO_MEMORY;
    cardan_status status = cd_jacobian_along(graph, 1, &sum, along, CD_SWEEP_REVERSE, &g);
    if (status != CARDAN_OK) return status;
    for (int c = 0; c < d->ncolumn; ++c) d->gradient[c] = zero;
    for (int i = 0; i < g.count; ++i) d->gradient[g.column[i]] = g.value[i];
    cd_sparse_release(&g);
    status = cd_jacobian_along(graph, d->ncolumn, d->gradient, along, CD_SWEEP_FORWARD, H);
    if (status == CARDAN_OK) status = make_symmetric(graph, m, d, H);
    if (status != CARDAN_OK) cd_sparse_release(H);
    return status;
}

static cardan_status differentiate(cd_graph* graph, const cardan_model* m, cd_derivation* d, const cd_sources* in,
                                   const cd_node* base, cd_sparse* S)
{
    const size_t  n      = (size_t)d->ncolumn;
    cd_seed*      seed   = cd_allocate(4 * n + 1, sizeof *seed);
    int*          first  = cd_allocate(n + 2, sizeof *first);
    const cd_node one    = cd_constant(graph, 1);
    cardan_status status = seed && first && one >= 0 ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int c = 0; status == CARDAN_OK && c < d->ncolumn; ++c) {
        cd_seed* here = seed + first[c];
        if (d->argument[c] > 0) *here = (cd_seed){cd_derived_input(in, d->argument[c]) + d->index[c], one};
        first[c + 1] = first[c] + (d->argument[c] > 0 ? 1 : cd_velocity_seeds(graph, m, in, d->index[c], here));
    }
    const cd_directions along = {d->ncolumn, first, seed};
    if (status == CARDAN_OK)
        status = d->wish.second ? second(graph, m, d, in, base, along, S)
                                : cd_jacobian_along(graph, d->nbase, base, along, CD_SWEEP_CHEAPER, S);
    free(seed), free(first);
    return status;
}

// ---- results

static cardan_status give(cd_graph* graph, const cd_derivation* d, const cd_sparse* S, cd_node lost, cd_traced* t)
{
    const int    rows = d->wish.second ? d->ncolumn : d->nbase, columns = d->ncolumn;
    const size_t all = d->wish.dense ? (size_t)rows * (size_t)columns : (size_t)S->count;
    t->output        = cd_allocate(all + 2, sizeof *t->output);
    t->places        = d->wish.dense ? NULL : cd_allocate(all + 1, sizeof *t->places);
    t->noutput = t->nall = (int)all;
    t->nresult           = 1;
    t->nweight           = d->wish.second ? d->nbase : 0;
    t->result[0]         = (cd_result){d->wish.second ? "H" : "J",
                               d->wish.dense ? "row by row" : "entries that are not always zero, row by row",
                               rows,
                               columns,
                               S->count,
                               t->places,
                               false};
    const cd_node zero = cd_constant(graph, 0);
    if (!t->output || zero < 0 || (!d->wish.dense && !t->places)) return CARDAN_NO_MEMORY;
    for (size_t i = 0; d->wish.dense && i < all; ++i) t->output[i] = zero;
    for (int i = 0; i < S->count; ++i) {
        const int at = S->row[i] * columns + S->column[i];
        if (!d->wish.dense) t->places[i] = at;
        t->output[d->wish.dense ? at : i] = S->value[i];
        if (d->wish.dense && d->wish.second) t->output[S->column[i] * columns + S->row[i]] = S->value[i];
    }
    if (!d->tells) return CARDAN_OK;
    t->result[t->nresult++] = (cd_result){"lost", "what is returned", 1, 1, 0, NULL, true};
    t->output[t->noutput++] = lost;
    t->nall                 = t->noutput;
    return CARDAN_OK;
}

cardan_status cd_derived_ask(const cd_derivation* d, const cd_sources* in, cd_referee* referee, const double* x,
                             double* f, cardan_report* report)
{
    const cardan_status status = cd_referee_set(referee, in, x);
    return status == CARDAN_OK ? d->wish.base->reference(referee, in, x, f, report) : status;
}

cardan_status cd_derive(const cardan_model* m, const cd_derive_wish* wish, const cd_sources* in, cd_referee* referee,
                        double size, cd_graph** graph, cd_traced* t, cardan_report* report)
{
    cd_derivation* d = begin(m, in, wish);
    *t               = (cd_traced){.routine = d ? &d->routine : NULL, .derived = d};
    *graph           = NULL;
    if (!d) return CARDAN_NO_MEMORY;
    if (d->ncolumn == 0)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_FORM_UNAVAILABLE, cardan_nowhere(),
                           "form '%s' of '%s' takes nothing of what --%s names: its derivatives are not there",
                           wish->base->form, m->view.name, wish->second ? "hessian" : "jacobian");
    double*    expected = cd_allocate((size_t)d->nbase + 2, sizeof *expected);
    cd_node*   base     = cd_allocate((size_t)d->nbase + 2, sizeof *base);
    cd_sparse  S        = {0};
    cd_sources here     = *in;
    here.derived        = true;
    cardan_status status =
        expected && base ? cd_derived_ask(d, in, referee, in->sample, expected, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK)
        status = cd_trace_cheapest(
            m, wish->base, &here,
            (cd_thrift){.regroup = wish->regroup, .try_axes = true, .expected = expected, .size = size}, graph,
            d->nbase + d->tells, base);
    if (status == CARDAN_OK) status = differentiate(*graph, m, d, in, base, &S);
    if (status == CARDAN_OK) status = give(*graph, d, &S, base[d->nbase], t);
    cd_sparse_release(&S);
    free(expected), free(base);
    return status;
}
