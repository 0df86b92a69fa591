// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/events/time_discontinuities.h"

#include "dynamics/forces.h"
#include "expression/formula_discontinuity.h"
#include "model/description.h"
#include "simulation/simulation_tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Samples; the last one also limits the number of discontinuities.
enum { PER_OUTPUT_INTERVAL = 16, PER_RUN = 4096, PER_RUN_MAX = 1 << 18 };

// ---- discontinuous operations

typedef struct discontinuity_list {
    cd_formula_discontinuity* item; // (count)
    int                       count;
    bool*                     depends_on; // (nsignal + 1)
} discontinuity_list;

cardan_status cd_depends_on_time_only(const cardan_model* m, int node, bool* depends_on, bool* is_time_only)
{
    *is_time_only = false;
    if (m->time_signal == CARDAN_NONE) return CARDAN_OK;
    const cardan_status status = cd_dependence(m->description->graph, 1, &node, m->view.nsignal, depends_on);
    if (status) return status;
    *is_time_only = depends_on[m->time_signal];
    for (int s = 0; s < m->view.nsignal; ++s)
        if (depends_on[s] && s != m->time_signal && m->view.signal[s].kind != CARDAN_SIGNAL_PARAMETER)
            *is_time_only = false;
    return CARDAN_OK;
}

static bool collect_discontinuities(const cardan_model* m, cardan_expression root, discontinuity_list* found)
{
    const cd_graph* graph = m->description->graph;
    if (root == CARDAN_NONE) return true;
    const int n = cd_formula_discontinuities(graph, root, 0, NULL);
    if (n <= 0) return n == 0;
    cd_formula_discontinuity* more = realloc(found->item, (size_t)(found->count + n) * sizeof *more);
    if (!more) return false;
    found->item                     = more;
    cd_formula_discontinuity* added = more + found->count;
    if (cd_formula_discontinuities(graph, root, n, added) != n) return false;
    for (int i = 0; i < n; ++i) {
        bool is_time_only;
        if (cd_depends_on_time_only(m, added[i].node, found->depends_on, &is_time_only)) return false;
        if (is_time_only) found->item[found->count++] = added[i];
    }
    return true;
}

static int compare_nodes(const void* a, const void* b)
{
    const cd_node x = ((const cd_formula_discontinuity*)a)->node, y = ((const cd_formula_discontinuity*)b)->node;
    return (x > y) - (x < y);
}

// Remove duplicates: several formulas may share a node.
static void remove_duplicates(discontinuity_list* found)
{
    int kept = 0;
    if (found->count > 1) qsort(found->item, (size_t)found->count, sizeof *found->item, compare_nodes);
    for (int i = 0; i < found->count; ++i)
        if (i == 0 || found->item[i].node != found->item[i - 1].node) found->item[kept++] = found->item[i];
    found->count = kept;
}

static bool collect_all_discontinuities(const cardan_model* m, discontinuity_list* found)
{
    bool good = true;
    for (int i = 0; good && i < m->view.nforce; ++i)
        for (int k = 0; good && k < 3; ++k) good = collect_discontinuities(m, m->view.force[i].component[k], found);
    for (int i = 0; good && i < m->view.nstate; ++i) good = collect_discontinuities(m, m->view.state[i].rate, found);
    for (int i = 0; good && i < m->view.njoint; ++i)
        for (int k = 0; good && k < m->view.joint[i].ndriver; ++k)
            good = collect_discontinuities(m, m->view.joint[i].driver[k], found);
    for (int i = 0; good && i < m->view.nconstraint; ++i)
        for (int k = 0; good && k < 6; ++k) good = collect_discontinuities(m, m->view.constraint[i].driver[k], found);
    remove_duplicates(found);
    return good;
}

// ---- times

typedef struct discontinuity_search {
    const discontinuity_list* list;
    cd_tape*                  tape; // three outputs each: node, above, below
    double *                  input, *work, *value;
    double *                  side, *trial_side; // (list->count) value of each; at the trial time
    int                       time_signal;       // index among the inputs
    double                    start, end, spacing;
    cd_time_interval*         found;
    int                       count, capacity;
} discontinuity_search;

// Values that identify the side of each discontinuity at t.
static void sides_at(discontinuity_search* s, double t, double* side)
{
    s->input[s->time_signal] = t;
    cd_tape_run(s->tape, s->input, s->work, s->value);
    for (int i = 0; i < s->list->count; ++i)
        side[i] = s->list->item[i].is_modulo ? floor(s->value[3 * i + 1] / s->value[3 * i + 2]) : s->value[3 * i];
}

static bool has_same_sides_at(discontinuity_search* s, double t)
{
    sides_at(s, t, s->trial_side);
    return memcmp(s->side, s->trial_side, (size_t)s->list->count * sizeof *s->side) == 0;
}

// Find the next discontinuity after `from`: the two adjacent floating-point times that enclose it.
static bool find_next(discontinuity_search* s, double from, cd_time_interval* found)
{
    double before = from, after = from;
    sides_at(s, from, s->side);
    do {
        if (!(after < s->end)) return false;
        before = after;
        after  = fmin(fmax(before + s->spacing, nextafter(before, INFINITY)), s->end);
    } while (has_same_sides_at(s, after));
    for (;;) {
        const double middle = before + (after - before) / 2;
        if (!(middle > before && middle < after)) break;
        if (has_same_sides_at(s, middle))
            before = middle;
        else
            after = middle;
    }
    *found = (cd_time_interval){before, after};
    return true;
}

// Widen the interval by round-off: it includes sample times and other formulas that jump at the same time, which may
// jump back soon.
static cd_time_interval widen_by_roundoff(const discontinuity_search* s, cd_time_interval found)
{
    const double margin = cd_discontinuity_time_roundoff * DBL_EPSILON * fmax(fabs(s->start), fabs(found.t_after));
    return (cd_time_interval){found.t_before - margin, fmin(found.t_after + margin, s->end)};
}

static bool find_all(discontinuity_search* s, cardan_report* report)
{
    cd_time_interval found = {.t_after = s->start};
    while (find_next(s, found.t_after, &found)) {
        found = widen_by_roundoff(s, found);
        if (s->count == PER_RUN_MAX) {
            cardan_warn(report, CARDAN_CODE_DISCONTINUITIES_SKIPPED, cardan_location_none(),
                        "formulas of t have more than %d discontinuities: from t = %.9g s on steps do not end at them",
                        s->count, found.t_before);
            return true;
        }
        if (!cd_array_grow((void**)&s->found, &s->capacity, s->count, sizeof *s->found)) return false;
        s->found[s->count++] = found;
    }
    return true;
}

// ---- search

static bool open_search(discontinuity_search* s, cardan_data* d, const discontinuity_list* list)
{
    const cardan_model* m    = d->m;
    const size_t        n    = (size_t)list->count;
    cd_node*            node = cd_allocate(3 * n, sizeof *node);
    for (size_t i = 0; node && i < n; ++i) {
        node[3 * i]     = list->item[i].node;
        node[3 * i + 1] = list->item[i].above;
        node[3 * i + 2] = list->item[i].below == CD_NO_NODE ? list->item[i].above : list->item[i].below;
    }
    s->list       = list;
    s->tape       = node ? cd_tape_create(m->description->graph, 3 * list->count, node) : NULL;
    s->value      = cd_allocate(3 * n, sizeof *s->value);
    s->side       = cd_allocate(n, sizeof *s->side);
    s->trial_side = cd_allocate(n, sizeof *s->trial_side);
    s->input      = cd_allocate((size_t)m->view.nsignal + 1, sizeof *s->input);
    s->work       = s->tape ? cd_allocate((size_t)cd_tape_work(s->tape) + 1, sizeof *s->work) : NULL;
    free(node);
    if (!s->value || !s->side || !s->trial_side || !s->input || !s->work) return false;
    cd_evaluate_signals(d, s->input);
    s->time_signal = m->time_signal;
    return true;
}

static void close_search(discontinuity_search* s)
{
    if (s->tape) cd_tape_destroy(s->tape);
    free(s->input), free(s->work), free(s->value), free(s->side), free(s->trial_side);
}

bool cd_has_time_discontinuities(const cardan_model* m, bool* has_any)
{
    discontinuity_list found = {.depends_on = cd_allocate((size_t)m->view.nsignal + 1, sizeof *found.depends_on)};
    const bool         good  = found.depends_on && collect_all_discontinuities(m, &found);
    *has_any                 = found.count > 0;
    free(found.depends_on);
    free(found.item);
    return good;
}

int cd_find_time_discontinuities(cardan_data* d, double start, double end, double output_interval,
                                 cd_time_interval** intervals, cardan_report* report)
{
    const double         run   = end - start;
    discontinuity_list   found = {.depends_on = cd_allocate((size_t)d->m->view.nsignal + 1, sizeof *found.depends_on)};
    discontinuity_search s     = {.start = start,
                                  .end   = end,
                                  .spacing =
                                      fmax(fmin(output_interval / PER_OUTPUT_INTERVAL, run / PER_RUN), run / PER_RUN_MAX)};
    bool                 good  = found.depends_on && collect_all_discontinuities(d->m, &found);
    if (good && found.count > 0) {
        good = open_search(&s, d, &found) && find_all(&s, report);
        close_search(&s);
    }
    free(found.depends_on);
    free(found.item);
    *intervals = s.found;
    return good ? s.count : -1;
}
