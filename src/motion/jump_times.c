// SPDX-License-Identifier: BSD-3-Clause
#include "motion/jump_times.h"

#include "dynamics/data.h"
#include "expression/jumps.h"
#include "model/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, BETWEEN_ROWS = 16, IN_RUN = 4096, IN_RUN_AT_MOST = 1 << 18 }; // jumps; looks

static const double as_one = 64; // shortest steps

// ---- which

static bool is_of_time(const cardan_model* m, cd_node node, bool* looks)
{
    if (m->time_signal == CARDAN_NONE ||
        cd_dependence(m->description->graph, 1, &node, m->view.nsignal, looks) != CARDAN_OK)
        return false;
    for (int s = 0; s < m->view.nsignal; ++s)
        if (looks[s] && s != m->time_signal && m->view.signal[s].kind != CARDAN_SIGNAL_PARAMETER) return false;
    return looks[m->time_signal];
}

static void collect(const cardan_model* m, cardan_expression root, bool* looks, int* count, cd_jump* found)
{
    cd_jump jump[MOST];
    if (root == CARDAN_NONE) return;
    const int n = cd_jumps(m->description->graph, root, MOST, jump);
    for (int i = 0; i < n && i < MOST && *count < MOST; ++i)
        if (is_of_time(m, jump[i].node, looks)) found[(*count)++] = jump[i];
}

static int collect_all(const cardan_model* m, cd_jump* found)
{
    int   count = 0;
    bool* looks = cd_allocate((size_t)m->view.nsignal + 1, sizeof *looks);
    for (int i = 0; looks && i < m->view.nforce; ++i)
        for (int k = 0; k < 3; ++k) collect(m, m->view.force[i].component[k], looks, &count, found);
    for (int i = 0; looks && i < m->view.nstate; ++i) collect(m, m->view.state[i].rate, looks, &count, found);
    free(looks);
    return count;
}

// ---- when

// What each of them is at t, one number a side.
static void sides_at(cd_jump_times* j, double t, double* side)
{
    j->input[j->time_signal] = t;
    cd_tape_run(j->tape, j->input, j->work, j->value);
    for (int i = 0; i < j->count; ++i)
        side[i] = j->wraps[i] ? floor(j->value[3 * i + 1] / j->value[3 * i + 2]) : j->value[3 * i];
}

static bool same_at(cd_jump_times* j, double t)
{
    sides_at(j, t, j->last);
    return memcmp(j->side, j->last, (size_t)j->count * sizeof *j->side) == 0;
}

static void search(cd_jump_times* j, double from)
{
    double before = from, after = from;
    j->since  = from;
    j->before = j->after = INFINITY;
    sides_at(j, from, j->side);
    while (after < j->end) {
        before = after;
        after  = before + j->spacing;
        if (!same_at(j, after)) break;
    }
    if (!(before < j->end) || same_at(j, after)) return;
    for (;;) {
        const double middle = before + (after - before) / 2;
        if (!(middle > before && middle < after)) break;
        if (same_at(j, middle))
            before = middle;
        else
            after = middle;
    }
    j->before = before;
    j->after  = after;
}

// ---- the whole

void cd_jump_times_open(cd_jump_times* j, cardan_data* d, double start, double end, double output)
{
    const cardan_model* m = d->m;
    cd_jump             found[MOST];
    cd_node             node[3 * MOST];
    const double        run = end - start;
    *j = (cd_jump_times){.count = collect_all(m, found), .end = end, .before = INFINITY, .after = INFINITY};
    if (j->count == 0) return;
    const size_t n = (size_t)j->count;
    for (int i = 0; i < j->count; ++i) {
        node[3 * i]     = found[i].node;
        node[3 * i + 1] = found[i].above;
        node[3 * i + 2] = found[i].below == CD_NO_NODE ? found[i].above : found[i].below;
    }
    j->tape  = cd_tape_create(m->description->graph, 3 * j->count, node);
    j->wraps = cd_allocate(n, sizeof *j->wraps);
    j->value = cd_allocate(3 * n, sizeof *j->value);
    j->side  = cd_allocate(n, sizeof *j->side);
    j->last  = cd_allocate(n, sizeof *j->last);
    j->input = cd_allocate((size_t)m->view.nsignal + 1, sizeof *j->input);
    j->work  = j->tape ? cd_allocate((size_t)cd_tape_work(j->tape) + 1, sizeof *j->work) : NULL;
    if (!j->wraps || !j->value || !j->side || !j->last || !j->input || !j->work) {
        cd_jump_times_close(j);
        return;
    }
    for (int i = 0; i < j->count; ++i) j->wraps[i] = found[i].wraps;
    cd_signals(d, j->input);
    j->time_signal = m->time_signal;
    j->spacing     = fmax(fmin(output / BETWEEN_ROWS, run / IN_RUN), run / IN_RUN_AT_MOST);
    search(j, start);
}

void cd_jump_times_close(cd_jump_times* j)
{
    if (j->tape) cd_tape_destroy(j->tape);
    free(j->wraps), free(j->input), free(j->work), free(j->value), free(j->side), free(j->last);
    *j = (cd_jump_times){.before = INFINITY, .after = INFINITY};
}

double cd_jump_times_limit(cd_jump_times* j, double t)
{
    if (j->count > 0 && (t < j->since || t >= j->after)) search(j, t);
    return j->before > t ? j->before : j->after;
}

// Jumps that rounding sets apart are one.
bool cd_jump_times_passed(cd_jump_times* j, double least, double* t)
{
    const double from = *t;
    while (*t >= j->before - as_one * least && *t < j->after) {
        *t = j->after;
        search(j, *t);
    }
    return *t > from;
}
