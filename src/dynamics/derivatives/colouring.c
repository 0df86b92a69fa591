// SPDX-License-Identifier: BSD-3-Clause
// An item (constraint, rotor, force element, joint force element of an off-tree joint, state rate) depends on some
// links. Units of equations are: a link (its six equations), a constraint, a user state. Links that occur in a common
// unit need different colours. Colours are assigned greedily in the order of the links, each the smallest that no
// link with a common unit has. A. Curtis, M. Powell, J. Reid, On the estimation of sparse Jacobian matrices (1974).
#include "dynamics/derivatives/colouring.h"

#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/data.h"
#include "model/description.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct incidence {
    int link, unit; // unit: the item, before expand_items_to_units
} incidence;

typedef struct incidence_list {
    incidence* list;
    int        count, capacity;
    bool       failed;
} incidence_list;

static void add_link(incidence_list* t, int link, int unit)
{
    if (link < 0 || t->failed) return;
    if (!cd_array_grow((void**)&t->list, &t->capacity, t->count, sizeof *t->list))
        t->failed = true;
    else
        t->list[t->count++] = (incidence){link, unit};
}

static void add_marker(const cardan_model* m, incidence_list* t, int marker, int item)
{
    if (marker != CARDAN_NONE) add_link(t, m->marker[marker].link, item);
}

static void add_joint(const cardan_model* m, incidence_list* t, int joint, int item)
{
    add_link(t, m->joint[joint].frame_first.link, item);
    add_link(t, m->joint[joint].frame_second.link, item);
    for (int i = 0; i < m->joint[joint].nlink; ++i) add_link(t, m->joint[joint].first_link + i, item);
}

// Add the links on which formulas depend.
static void add_formulas(const cardan_model* m, incidence_list* t, int count, const cd_node* formula, bool* depends,
                         int item)
{
    if (cd_dependence(m->description->graph, count, formula, m->view.nsignal, depends) != CARDAN_OK) t->failed = true;
    for (int i = 0; i < m->view.nsignal && !t->failed; ++i) {
        const cardan_signal* s = &m->view.signal[i];
        if (!depends[i] || s->kind == CARDAN_SIGNAL_TIME || s->kind == CARDAN_SIGNAL_STATE ||
            s->kind == CARDAN_SIGNAL_PARAMETER)
            continue;
        if (s->kind == CARDAN_SIGNAL_COORDINATE || s->kind == CARDAN_SIGNAL_SPEED) {
            add_joint(m, t, s->a, item);
        } else {
            add_marker(m, t, s->a, item);
            add_marker(m, t, s->b, item);
        }
    }
}

// Add the links that may hold a bristle.
static void add_bristle(const cardan_data* d, incidence_list* t, int bristle, int item)
{
    const cd_contact_scene* s = d->forces.compliant ? d->forces.compliant->scene : NULL;
    for (int i = 0; s && i < s->npair; ++i)
        if (s->pair[i].shape[0] == d->forces.compliant->bristle[bristle].shape ||
            s->pair[i].shape[1] == d->forces.compliant->bristle[bristle].shape)
            for (int k = 0; k < 2; ++k) add_link(t, s->shape[s->pair[i].shape[k]].frame.link, item);
}

// Add all items: constraints, user states, then those without equations (rotors, forces).
static void add_items(const cardan_data* d, incidence_list* t, bool* depends)
{
    const cardan_model* m    = d->m;
    int                 item = 0;
    for (int i = 0; i < d->constraints.nconstraint; ++i, ++item)
        for (int k = 0; k < d->constraints.constraint[i].nend; ++k)
            add_link(t, cd_constraint_end(&d->constraints.constraint[i], k)->link, item);
    for (int i = 0; i < m->view.nstate; ++i, ++item) add_formulas(m, t, 1, &m->view.state[i].rate, depends, item);
    for (int i = 0; i < 3 * m->nbristle; ++i, ++item) add_bristle(d, t, i / 3, item);
    for (int i = 0; i < d->rotors.nconstraint; ++i, ++item)
        for (int k = 0; k < d->rotors.constraint[i].nend; ++k)
            add_link(t, cd_constraint_end(&d->rotors.constraint[i], k)->link, item);
    for (int i = 0; i < m->njoint_force; ++i, ++item) add_joint(m, t, m->joint_force[i].joint, item);
    for (int i = 0; i < m->view.nforce; ++i, ++item) {
        const cardan_force* f = &m->view.force[i];
        add_marker(m, t, f->marker[0], item);
        add_marker(m, t, f->marker[1], item);
        add_marker(m, t, f->frame, item);
        if (f->joint != CARDAN_NONE) add_joint(m, t, f->joint, item);
        add_formulas(m, t, 3, f->component, depends, item);
    }
    for (int i = 0; d->forces.compliant && i < d->forces.compliant->scene->npair; ++i, ++item)
        for (int k = 0; k < 2; ++k)
            add_link(t, d->forces.compliant->scene->shape[d->forces.compliant->scene->pair[i].shape[k]].frame.link,
                     item);
}

static int compare_by_link(const void* a, const void* b)
{
    const incidence *x = a, *y = b;
    return x->link != y->link ? (x->link > y->link) - (x->link < y->link) : (x->unit > y->unit) - (x->unit < y->unit);
}

static int compare_by_unit(const void* a, const void* b)
{
    const incidence *x = a, *y = b;
    return x->unit != y->unit ? (x->unit > y->unit) - (x->unit < y->unit) : (x->link > y->link) - (x->link < y->link);
}

static void sort_unique(incidence_list* t, int (*order)(const void*, const void*))
{
    int nunique = 0;
    if (t->count > 0) qsort(t->list, (size_t)t->count, sizeof *t->list, order);
    for (int i = 0; i < t->count; ++i)
        if (nunique == 0 || memcmp(&t->list[i], &t->list[nunique - 1], sizeof *t->list) != 0)
            t->list[nunique++] = t->list[i];
    t->count = nunique;
}

// From (link, item) to (link, unit) pairs: nlink links, then constraints and user states.
static void expand_items_to_units(const cardan_data* d, const incidence_list* items, incidence_list* units)
{
    const int nlink = d->m->nlink, own = d->constraints.nconstraint + d->m->nstate;
    for (int i = 0; i < nlink; ++i) add_link(units, i, i);
    for (int from = 0, to; from < items->count; from = to) {
        for (to = from; to < items->count && items->list[to].unit == items->list[from].unit;) ++to;
        for (int i = from; i < to; ++i) {
            if (items->list[i].unit < own) add_link(units, items->list[i].link, nlink + items->list[i].unit);
            for (int k = from; k < to; ++k) add_link(units, items->list[i].link, items->list[k].link);
        }
    }
}

// ---- colours

typedef struct adjacency {
    int *start, *entry;
} adjacency;

static bool build_adjacency(const incidence_list* t, int count, bool units, adjacency* l)
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

static int colour_greedily(int nlink, const adjacency* of_link, const adjacency* of_unit, int* colour, int* seen)
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

// Count the rows of a unit; list them if row is not NULL.
static int rows_of_unit(const cardan_data* d, int unit, int* row)
{
    const cardan_model* m = d->m;
    const int nlink = m->nlink, nrow = d->rows.nrow, nconstraint = d->constraints.nconstraint, c = m->nv + m->nstate;
    int       n = 0;
    if (unit < nlink) {
        for (int i = 0; i < m->link[unit].nv; ++i, ++n)
            if (row) row[n] = m->link[unit].v + i;
    } else if (unit < nlink + nconstraint) {
        const cd_constraint* q = &d->constraints.constraint[unit - nlink];
        for (int level = 0; level < 3; ++level)
            for (int i = 0; i < q->nrow; ++i, ++n)
                if (row) row[n] = c + level * nrow + q->first_row + i;
    } else {
        if (row) row[n] = m->nv + unit - nlink - nconstraint;
        ++n;
    }
    return n;
}

static bool is_maximal(const cardan_model* m)
{
    for (int i = 0; i < m->nlink; ++i)
        if (!cd_link_is_free(m, &m->link[i])) return false;
    return m->nlink > 1;
}

static void store_pattern(const cardan_data* d, cd_arena* arena, const adjacency* of_link, cd_colouring* c)
{
    const int nlink = d->m->nlink;
    int       total = 0;
    for (int k = 0; k < of_link->start[nlink]; ++k) total += rows_of_unit(d, of_link->entry[k], NULL);
    CD_ARENA_ARRAY(arena, c->colour, nlink);
    CD_ARENA_ARRAY(arena, c->start, nlink + 1);
    CD_ARENA_ARRAY(arena, c->row, total);
    if (!c->colour) return;
    for (int i = 0, at = 0; i < nlink; ++i) {
        c->start[i] = at;
        for (int k = of_link->start[i]; k < of_link->start[i + 1]; ++k)
            at += rows_of_unit(d, of_link->entry[k], c->row + at);
        c->start[i + 1] = at;
    }
}

void cd_colouring_layout(const cardan_data* d, cd_arena* arena, cd_colouring* c)
{
    const cardan_model* m = d->m;
    *c                    = (cd_colouring){0};
    if (!is_maximal(m)) return;
    incidence_list items = {0}, units = {0};
    adjacency      of_link = {0}, of_unit = {0};
    bool*          depends = cd_allocate((size_t)m->view.nsignal + 1, sizeof *depends);
    int*           scratch = cd_allocate(2 * (size_t)m->nlink + 2, sizeof *scratch);
    const int      nunit   = m->nlink + d->constraints.nconstraint + m->nstate;
    if (depends) add_items(d, &items, depends);
    sort_unique(&items, compare_by_unit);
    expand_items_to_units(d, &items, &units);
    sort_unique(&units, compare_by_link);
    const bool made = depends && scratch && !items.failed && !units.failed &&
                      build_adjacency(&units, m->nlink, false, &of_link) &&
                      build_adjacency(&units, nunit, true, &of_unit);
    if (made) {
        const int ncolour = colour_greedily(m->nlink, &of_link, &of_unit, scratch, scratch + m->nlink + 1);
        store_pattern(d, arena, &of_link, c);
        if (c->colour) {
            memcpy(c->colour, scratch, (size_t)m->nlink * sizeof *scratch);
            c->ncolour = ncolour;
        }
    }
    if (!made && !arena->base) (void)cd_arena_allocate(arena, SIZE_MAX, 1); // makes the reservation of the arena fail
    free(items.list), free(units.list), free(of_link.start), free(of_link.entry), free(of_unit.start),
        free(of_unit.entry);
    free(depends), free(scratch);
}
