// SPDX-License-Identifier: BSD-3-Clause
#include "motion/jump_times.h"

#include "expression/jumps.h"
#include "model/description.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN_ROWS = 16, IN_RUN = 4096, IN_RUN_AT_MOST = 1 << 18 }; // looks; the last, jumps too
static const double some_roundings = 8;                              // of time

// ---- which

typedef struct jumps {
    cd_jump* at; // (count)
    int      count;
    bool*    looks; // (nsignal + 1)
} jumps;

cardan_status cd_is_of_time(const cardan_model* m, int node, bool* looks, bool* is)
{
    *is = false;
    if (m->time_signal == CARDAN_NONE) return CARDAN_OK;
    const cardan_status status = cd_dependence(m->description->graph, 1, &node, m->view.nsignal, looks);
    if (status) return status;
    *is = looks[m->time_signal];
    for (int s = 0; s < m->view.nsignal; ++s)
        if (looks[s] && s != m->time_signal && m->view.signal[s].kind != CARDAN_SIGNAL_PARAMETER) *is = false;
    return CARDAN_OK;
}

static bool collect(const cardan_model* m, cardan_expression root, jumps* found)
{
    const cd_graph* graph = m->description->graph;
    if (root == CARDAN_NONE) return true;
    const int n = cd_jumps(graph, root, 0, NULL);
    if (n <= 0) return n == 0;
    cd_jump* more = realloc(found->at, (size_t)(found->count + n) * sizeof *more);
    if (!more) return false;
    found->at     = more;
    cd_jump* here = more + found->count;
    if (cd_jumps(graph, root, n, here) != n) return false;
    for (int i = 0; i < n; ++i) {
        bool is;
        if (cd_is_of_time(m, here[i].node, found->looks, &is)) return false;
        if (is) found->at[found->count++] = here[i];
    }
    return true;
}

static int by_node(const void* a, const void* b)
{
    const cd_node x = ((const cd_jump*)a)->node, y = ((const cd_jump*)b)->node;
    return (x > y) - (x < y);
}

// Several formulas may share one.
static void leave_out_repeated(jumps* found)
{
    int kept = 0;
    if (found->count > 1) qsort(found->at, (size_t)found->count, sizeof *found->at, by_node);
    for (int i = 0; i < found->count; ++i)
        if (i == 0 || found->at[i].node != found->at[i - 1].node) found->at[kept++] = found->at[i];
    found->count = kept;
}

static bool collect_all(const cardan_model* m, jumps* found)
{
    bool good = true;
    for (int i = 0; good && i < m->view.nforce; ++i)
        for (int k = 0; good && k < 3; ++k) good = collect(m, m->view.force[i].component[k], found);
    for (int i = 0; good && i < m->view.nstate; ++i) good = collect(m, m->view.state[i].rate, found);
    for (int i = 0; good && i < m->view.njoint; ++i)
        for (int k = 0; good && k < m->view.joint[i].ndriver; ++k) good = collect(m, m->view.joint[i].driver[k], found);
    for (int i = 0; good && i < m->view.nconstraint; ++i)
        for (int k = 0; good && k < 6; ++k) good = collect(m, m->view.constraint[i].law[k], found);
    leave_out_repeated(found);
    return good;
}

// ---- when

typedef struct search {
    const jumps* of;
    cd_tape*     tape; // three outputs each: its node, above and below
    double *     input, *work, *value;
    double *     side, *other; // (of->count) what each of them is; at the time looked at
    int          time_signal;  // of the inputs
    double       start, end, spacing;
    cd_kink*     at; // found
    int          count, room;
} search;

// What each of them is at t, one number a side.
static void sides_at(search* s, double t, double* side)
{
    s->input[s->time_signal] = t;
    cd_tape_run(s->tape, s->input, s->work, s->value);
    for (int i = 0; i < s->of->count; ++i)
        side[i] = s->of->at[i].wraps ? floor(s->value[3 * i + 1] / s->value[3 * i + 2]) : s->value[3 * i];
}

static bool same_at(search* s, double t)
{
    sides_at(s, t, s->other);
    return memcmp(s->side, s->other, (size_t)s->of->count * sizeof *s->side) == 0;
}

// The next one from `from` on: the times beside each other that it is between.
static bool find_next(search* s, double from, cd_kink* found)
{
    double before = from, after = from;
    sides_at(s, from, s->side);
    do {
        if (!(after < s->end)) return false;
        before = after;
        after  = fmin(fmax(before + s->spacing, nextafter(before, INFINITY)), s->end);
    } while (same_at(s, after));
    for (;;) {
        const double middle = before + (after - before) / 2;
        if (!(middle > before && middle < after)) break;
        if (same_at(s, middle))
            before = middle;
        else
            after = middle;
    }
    *found = (cd_kink){before, after};
    return true;
}

// With what rounding sets apart: rows, and other formulas that jump at the same time, maybe to jump back soon.
static cd_kink widen(const search* s, cd_kink found)
{
    const double about = some_roundings * DBL_EPSILON * fmax(fabs(s->start), fabs(found.after));
    return (cd_kink){found.before - about, fmin(found.after + about, s->end)};
}

static bool find_all(search* s, cardan_report* report)
{
    cd_kink found = {.after = s->start};
    while (find_next(s, found.after, &found)) {
        found = widen(s, found);
        if (s->count == IN_RUN_AT_MOST) {
            cardan_warn(report, CARDAN_CODE_DISCONTINUITIES_SKIPPED, cardan_nowhere(),
                        "formulas of t jump more than %d times: from t = %.9g s on steps do not end at their jumps",
                        s->count, found.before);
            return true;
        }
        if (!cd_grow((void**)&s->at, &s->room, s->count, sizeof *s->at)) return false;
        s->at[s->count++] = found;
    }
    return true;
}

// ---- the whole

static bool open_search(search* s, cardan_data* d, const jumps* of)
{
    const cardan_model* m    = d->m;
    const size_t        n    = (size_t)of->count;
    cd_node*            node = cd_allocate(3 * n, sizeof *node);
    for (size_t i = 0; node && i < n; ++i) {
        node[3 * i]     = of->at[i].node;
        node[3 * i + 1] = of->at[i].above;
        node[3 * i + 2] = of->at[i].below == CD_NO_NODE ? of->at[i].above : of->at[i].below;
    }
    s->of    = of;
    s->tape  = node ? cd_tape_create(m->description->graph, 3 * of->count, node) : NULL;
    s->value = cd_allocate(3 * n, sizeof *s->value);
    s->side  = cd_allocate(n, sizeof *s->side);
    s->other = cd_allocate(n, sizeof *s->other);
    s->input = cd_allocate((size_t)m->view.nsignal + 1, sizeof *s->input);
    s->work  = s->tape ? cd_allocate((size_t)cd_tape_work(s->tape) + 1, sizeof *s->work) : NULL;
    free(node);
    if (!s->value || !s->side || !s->other || !s->input || !s->work) return false;
    cd_signals(d, s->input);
    s->time_signal = m->time_signal;
    return true;
}

static void close_search(search* s)
{
    if (s->tape) cd_tape_destroy(s->tape);
    free(s->input), free(s->work), free(s->value), free(s->side), free(s->other);
}

int cd_jump_times(cardan_data* d, double start, double end, double output, cd_kink** at, cardan_report* report)
{
    const double run   = end - start;
    jumps        found = {.looks = cd_allocate((size_t)d->m->view.nsignal + 1, sizeof *found.looks)};
    search       s     = {
                  .start = start, .end = end, .spacing = fmax(fmin(output / BETWEEN_ROWS, run / IN_RUN), run / IN_RUN_AT_MOST)};
    bool good = found.looks && collect_all(d->m, &found);
    if (good && found.count > 0) {
        good = open_search(&s, d, &found) && find_all(&s, report);
        close_search(&s);
    }
    free(found.looks);
    free(found.at);
    *at = s.at;
    return good ? s.count : -1;
}
