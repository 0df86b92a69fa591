// SPDX-License-Identifier: BSD-3-Clause
// An item (constraint, rotor, force element, law along a measured joint, rate of a state) ties the links that it looks
// at. Units of equations: a link (its six equations), a constraint, a state. Colours are given greedily in the order of
// the links, the least that no link with a common unit has. A. Curtis, M. Powell, J. Reid, On the estimation of sparse
// Jacobian matrices (1974).
#include "dynamics/colouring.h"

#include "dynamics/data.h"
#include "model/description.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct tie {
    int link, unit; // unit: which item, at first
} tie;

typedef struct ties {
    tie* list;
    int  count, capacity;
    bool failed;
} ties;

static void tie_link(ties* t, int link, int unit)
{
    if (link < 0 || t->failed) return;
    if (!cd_grow((void**)&t->list, &t->capacity, t->count, sizeof *t->list))
        t->failed = true;
    else
        t->list[t->count++] = (tie){link, unit};
}

static void tie_marker(const cardan_model* m, ties* t, int marker, int item)
{
    if (marker != CARDAN_NONE) tie_link(t, m->marker[marker].link, item);
}

static void tie_joint(const cardan_model* m, ties* t, int joint, int item)
{
    tie_link(t, m->joint[joint].frame_first.link, item);
    tie_link(t, m->joint[joint].frame_second.link, item);
    for (int i = 0; i < m->joint[joint].nlink; ++i) tie_link(t, m->joint[joint].first_link + i, item);
}

// Links that formulas look at.
static void tie_formulas(const cardan_model* m, ties* t, int count, const cd_node* formula, bool* depends, int item)
{
    if (cd_dependence(m->description->graph, count, formula, m->view.nsignal, depends) != CARDAN_OK) t->failed = true;
    for (int i = 0; i < m->view.nsignal && !t->failed; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (!depends[i] || s->kind == CARDAN_SIGNAL_TIME || s->kind == CARDAN_SIGNAL_STATE ||
            s->kind == CARDAN_SIGNAL_PARAMETER)
            continue;
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED) {
            tie_joint(m, t, s->a, item);
        } else {
            tie_marker(m, t, s->a, item);
            tie_marker(m, t, s->b, item);
        }
    }
}

// Items in turn: constraints, states, and the rest, which has no equations of its own.
static void tie_items(const cardan_data* d, ties* t, bool* depends)
{
    const cardan_model* m    = d->m;
    int                 item = 0;
    for (int i = 0; i < d->closure.nconstraint; ++i, ++item)
        for (int k = 0; k < d->closure.constraint[i].nend; ++k)
            tie_link(t, cd_end_at(&d->closure.constraint[i], k)->link, item);
    for (int i = 0; i < m->nstate; ++i, ++item) tie_formulas(m, t, 1, &m->view.state[i].rate, depends, item);
    for (int i = 0; i < d->rotors.nconstraint; ++i, ++item)
        for (int k = 0; k < d->rotors.constraint[i].nend; ++k)
            tie_link(t, cd_end_at(&d->rotors.constraint[i], k)->link, item);
    for (int i = 0; i < m->nlaw; ++i, ++item) tie_joint(m, t, m->law[i].joint, item);
    for (int i = 0; i < m->view.nforce; ++i, ++item) {
        const cardan_force* f = &m->view.force[i];
        tie_marker(m, t, f->marker[0], item);
        tie_marker(m, t, f->marker[1], item);
        tie_marker(m, t, f->frame, item);
        if (f->joint != CARDAN_NONE) tie_joint(m, t, f->joint, item);
        tie_formulas(m, t, 3, f->component, depends, item);
    }
}

static int by_link(const void* a, const void* b)
{
    const tie *x = a, *y = b;
    return x->link != y->link ? (x->link > y->link) - (x->link < y->link) : (x->unit > y->unit) - (x->unit < y->unit);
}

static int by_unit(const void* a, const void* b)
{
    const tie *x = a, *y = b;
    return x->unit != y->unit ? (x->unit > y->unit) - (x->unit < y->unit) : (x->link > y->link) - (x->link < y->link);
}

static void sort_once(ties* t, int (*order)(const void*, const void*))
{
    int kept = 0;
    if (t->count > 0) qsort(t->list, (size_t)t->count, sizeof *t->list, order);
    for (int i = 0; i < t->count; ++i)
        if (kept == 0 || memcmp(&t->list[i], &t->list[kept - 1], sizeof *t->list) != 0) t->list[kept++] = t->list[i];
    t->count = kept;
}

// From links and items to links and units: nlink links, then constraints and states.
static void find_units(const cardan_data* d, const ties* items, ties* units)
{
    const int nlink = d->m->nlink, own = d->closure.nconstraint + d->m->nstate;
    for (int i = 0; i < nlink; ++i) tie_link(units, i, i);
    for (int from = 0, to; from < items->count; from = to) {
        for (to = from; to < items->count && items->list[to].unit == items->list[from].unit;) ++to;
        for (int i = from; i < to; ++i) {
            if (items->list[i].unit < own) tie_link(units, items->list[i].link, nlink + items->list[i].unit);
            for (int k = from; k < to; ++k) tie_link(units, items->list[i].link, items->list[k].link);
        }
    }
}

// ---- colours

typedef struct lists {
    int *start, *entry;
} lists;

static bool list_by(const ties* t, int count, bool units, lists* l)
{
    l->start = cd_allocate((size_t)count + 2, sizeof *l->start);
    l->entry = cd_allocate((size_t)t->count + 1, sizeof *l->entry);
    if (!l->start || !l->entry) return false;
    for (int i = 0; i < t->count; ++i) ++l->start[(units ? t->list[i].unit : t->list[i].link) + 2];
    for (int i = 2; i < count + 2; ++i) l->start[i] += l->start[i - 1];
    for (int i = 0; i < t->count; ++i)
        l->entry[l->start[(units ? t->list[i].unit : t->list[i].link) + 1]++] =
            units ? t->list[i].link : t->list[i].unit;
    return true;
}

static int give_colours(int nlink, const lists* of_link, const lists* of_unit, int* colour, int* seen)
{
    int ncolour = 0;
    for (int i = 0; i < nlink; ++i) colour[i] = seen[i] = -1;
    for (int i = 0; i < nlink; ++i) {
        for (int k = of_link->start[i]; k < of_link->start[i + 1]; ++k) {
            const int unit = of_link->entry[k];
            for (int j = of_unit->start[unit]; j < of_unit->start[unit + 1]; ++j)
                if (colour[of_unit->entry[j]] >= 0) seen[colour[of_unit->entry[j]]] = i;
        }
        while (seen[++colour[i]] == i) {
        }
        if (colour[i] + 1 > ncolour) ncolour = colour[i] + 1;
    }
    return ncolour;
}

// Rows of a unit: counted, and listed where there is room.
static int rows_of(const cardan_data* d, int unit, int* row)
{
    const cardan_model* m = d->m;
    const int nlink = m->nlink, nrow = d->rows.nrow, nconstraint = d->closure.nconstraint, c = m->nv + m->nstate;
    int       n = 0;
    if (unit < nlink) {
        for (int i = 0; i < m->link[unit].nv; ++i, ++n)
            if (row) row[n] = m->link[unit].v + i;
    } else if (unit < nlink + nconstraint) {
        const cd_constraint* q = &d->closure.constraint[unit - nlink];
        for (int level = 0; level < 3; ++level)
            for (int i = 0; i < q->nrow; ++i, ++n)
                if (row) row[n] = c + level * nrow + q->first_row + i;
    } else {
        if (row) row[n] = m->nv + unit - nlink - nconstraint;
        ++n;
    }
    return n;
}

static bool is_flat(const cardan_model* m)
{
    for (int i = 0; i < m->nlink; ++i)
        if (!cd_link_is_free(m, &m->link[i])) return false;
    return m->nlink > 1;
}

static void take(const cardan_data* d, cd_arena* arena, const lists* of_link, cd_colouring* c)
{
    const int nlink = d->m->nlink;
    int       total = 0;
    for (int k = 0; k < of_link->start[nlink]; ++k) total += rows_of(d, of_link->entry[k], NULL);
    CD_TAKE(arena, c->colour, nlink);
    CD_TAKE(arena, c->start, nlink + 1);
    CD_TAKE(arena, c->row, total);
    if (!c->colour) return;
    for (int i = 0, at = 0; i < nlink; ++i) {
        c->start[i] = at;
        for (int k = of_link->start[i]; k < of_link->start[i + 1]; ++k)
            at += rows_of(d, of_link->entry[k], c->row + at);
        c->start[i + 1] = at;
    }
}

void cd_colouring_layout(const cardan_data* d, cd_arena* arena, cd_colouring* c)
{
    const cardan_model* m = d->m;
    *c                    = (cd_colouring){0};
    if (!is_flat(m)) return;
    ties      items = {0}, units = {0};
    lists     of_link = {0}, of_unit = {0};
    bool*     depends = cd_allocate((size_t)m->view.nsignal + 1, sizeof *depends);
    int*      scratch = cd_allocate(2 * (size_t)m->nlink + 2, sizeof *scratch);
    const int nunit   = m->nlink + d->closure.nconstraint + m->nstate;
    if (depends) tie_items(d, &items, depends);
    sort_once(&items, by_unit);
    find_units(d, &items, &units);
    sort_once(&units, by_link);
    const bool made = depends && scratch && !items.failed && !units.failed &&
                      list_by(&units, m->nlink, false, &of_link) && list_by(&units, nunit, true, &of_unit);
    if (made) {
        const int ncolour = give_colours(m->nlink, &of_link, &of_unit, scratch, scratch + m->nlink + 1);
        take(d, arena, &of_link, c);
        if (c->colour) {
            memcpy(c->colour, scratch, (size_t)m->nlink * sizeof *scratch);
            c->ncolour = ncolour;
        }
    }
    if (!made && !arena->base) (void)cd_arena_take(arena, SIZE_MAX, 1); // the reservation fails
    free(items.list), free(units.list), free(of_link.start), free(of_link.entry), free(of_unit.start),
        free(of_unit.entry);
    free(depends), free(scratch);
}
