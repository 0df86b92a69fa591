// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts of the data. The contact points with a negative gap are found anew at every state, pair by pair in the
// order of the scene, without memory of other states, so that forces are a function of the state.
//
// Which bristle a contact point holds is decided by the features that touch: the one that it held at the start of the step;
// else the first free one of its shapes, whose deflection it takes over.
#include "dynamics/contacts/compliant_contacts.h"

#include "contact/shape/shape.h"
#include "dynamics/contacts/compliant_laws.h"
#include "dynamics/data.h"
#include "dynamics/forces.h"
#include "dynamics/state.h"

#include <stdlib.h>
#include <string.h>

bool cd_model_has_compliant_contacts(const cardan_model* m)
{
    return m->contact_scene && m->contact_scene->settings.law == CARDAN_CONTACT_COMPLIANT;
}

static void layout(cd_compliant_contacts* c)
{
    const cd_contact_scene* s     = c->scene;
    cd_arena*               arena = &c->arena;
    CD_ARENA_ARRAY(arena, c->law, 2 * s->npair);
    CD_ARENA_ARRAY(arena, c->is_open, s->npair);
    CD_ARENA_ARRAY(arena, c->bounds, s->nshape);
    CD_ARENA_ARRAY(arena, c->found, CD_CONTACT_POINTS_MAX);
    CD_ARENA_ARRAY(arena, c->bristle, c->nbristle);
    CD_ARENA_ARRAY(arena, c->relaxation, c->nbristle);
    CD_ARENA_ARRAY(arena, c->contact, c->capacity);
    CD_ARENA_ARRAY(arena, c->pair, c->capacity);
    CD_ARENA_ARRAY(arena, c->key, c->capacity);
    CD_ARENA_ARRAY(arena, c->load, c->capacity);
    CD_ARENA_ARRAY(arena, c->gap, s->npair);
    CD_ARENA_ARRAY(arena, c->gap_rate, s->npair);
}

// Bristles of the shapes in the order of the user states.
static void assign_bristles(const cardan_model* m, cd_compliant_contacts* c)
{
    int b = 0;
    for (int i = 0; i < c->scene->nshape; ++i)
        for (int k = 0; k < cd_shape_bristles(&m->view, c->scene->shape[i].shape) && b < c->nbristle; ++k)
            c->bristle[b++] = (cd_bristle){.shape = i, .pair = CARDAN_NONE};
}

cardan_status cd_compliant_create(cardan_data* d, cardan_report* report)
{
    const cardan_model*     m     = d->m;
    const cd_contact_scene* scene = m->contact_scene;
    if (!cd_model_has_compliant_contacts(m)) return CARDAN_OK;
    cd_compliant_contacts* c = cd_allocate(1, sizeof *c);
    if (!c) return CARDAN_NO_MEMORY;
    d->forces.compliant = c;
    c->scene            = scene;
    c->nbristle         = m->nbristle;
    c->capacity         = scene->capacity;
    layout(c);
    if (!cd_arena_reserve(&c->arena)) return CARDAN_NO_MEMORY;
    layout(c);
    assign_bristles(m, c);
    const cardan_status status = cd_compliant_laws(m, scene, c->law, report);
    for (int i = 0; i < scene->npair; ++i) {
        c->law[scene->npair + i]           = c->law[i];
        c->law[scene->npair + i].has_brush = false;
    }
    return status;
}

void cd_compliant_destroy(cd_compliant_contacts* c)
{
    if (!c) return;
    cd_arena_release(&c->arena);
    free(c);
}

static void update_bounds(cardan_data* d)
{
    cd_compliant_contacts* c = d->forces.compliant;
    for (int i = 0; i < c->scene->nshape; ++i) {
        const cd_shape_pose pose = cd_scene_shape_pose(&c->scene->shape[i], &d->world);
        cd_shape_bounds(&c->scene->shape[i].geometry, &pose, c->bounds[i], c->bounds[i] + 3);
    }
}

static bool boxes_overlap(const double a[6], const double b[6])
{
    for (int i = 0; i < 3; ++i)
        if (a[i] > b[3 + i] || b[i] > a[3 + i]) return false;
    return true;
}

static int collide(cardan_data* d, int pair, double margin)
{
    cd_compliant_contacts* c   = d->forces.compliant;
    const cd_scene_shape * A   = &c->scene->shape[c->scene->pair[pair].shape[0]],
                         *B    = &c->scene->shape[c->scene->pair[pair].shape[1]];
    const cd_shape_pose pose_A = cd_scene_shape_pose(A, &d->world), pose_B = cd_scene_shape_pose(B, &d->world);
    return cd_collide(&A->geometry, &pose_A, &B->geometry, &pose_B, margin, NULL, c->found, CD_CONTACT_POINTS_MAX);
}

static void add_point(cardan_data* d, int pair, const cd_contact_point* p)
{
    cd_compliant_contacts* c = d->forces.compliant;
    if (c->n == c->capacity) return;
    const cd_scene_pair*  of = &c->scene->pair[pair];
    cd_compliant_contact* to = &c->contact[c->n];
    to->law                  = &c->law[pair];
    to->brush                = CARDAN_NONE;
    to->gap                  = p->gap;
    for (int i = 0; i < 2; ++i) to->link[i] = c->scene->shape[of->shape[i]].frame.link;
    for (int i = 0; i < 3; ++i) {
        to->point[i]  = (p->a[i] + p->b[i]) / 2;
        to->normal[i] = p->normal[i];
    }
    c->pair[c->n] = pair;
    c->key[c->n]  = p->key;
    ++c->n;
}

// Let a contact point hold a bristle; known: only the one that it held at the start of the step.
static void hold_bristle(cardan_data* d, int i, bool known)
{
    cd_compliant_contacts* c    = d->forces.compliant;
    const cd_scene_pair*   pair = &c->scene->pair[c->pair[i]];
    for (int end = 0; end < 2; ++end)
        for (int b = 0; b < c->nbristle; ++b) {
            cd_bristle* bristle = &c->bristle[b];
            if (bristle->shape != pair->shape[end] || bristle->holder >= 0) continue;
            if (known && (bristle->pair != c->pair[i] || bristle->key != c->key[i])) continue;
            bristle->holder     = i;
            c->contact[i].brush = d->m->view.nstate + 3 * b;
            return;
        }
}

static void hold_bristles(cardan_data* d)
{
    cd_compliant_contacts* c = d->forces.compliant;
    if (c->nbristle == 0) return;
    for (int b = 0; b < c->nbristle; ++b) c->bristle[b].holder = -1;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < c->n; ++i)
            if (c->contact[i].law->has_brush && c->contact[i].brush < 0) hold_bristle(d, i, pass == 0);
    for (int i = 0; i < c->n; ++i)
        if (c->contact[i].law->has_brush && c->contact[i].brush < 0)
            c->contact[i].law = &c->law[c->scene->npair + c->pair[i]];
}

static void find_points(cardan_data* d)
{
    cd_compliant_contacts*  c = d->forces.compliant;
    const cd_contact_scene* s = c->scene;
    c->n                      = 0;
    update_bounds(d);
    for (int i = 0; i < s->npair; ++i) {
        if (c->frozen && c->is_open[i]) continue;
        if (!boxes_overlap(c->bounds[s->pair[i].shape[0]], c->bounds[s->pair[i].shape[1]])) continue;
        const int n = collide(d, i, 0);
        for (int k = 0; k < n; ++k)
            if (c->found[k].gap < 0) add_point(d, i, &c->found[k]);
    }
    hold_bristles(d);
}

static void find_rates(cardan_data* d, int i)
{
    cd_compliant_contacts* c    = d->forces.compliant;
    cd_compliant_contact*  at   = &c->contact[i];
    const cd_scene_pair*   pair = &c->scene->pair[c->pair[i]];
    const cd_scene_shape * A = &c->scene->shape[pair->shape[0]], *B = &c->scene->shape[pair->shape[1]];
    const cd_shape_pose    pose_A = cd_scene_shape_pose(A, &d->world), pose_B = cd_scene_shape_pose(B, &d->world);
    cd_contact_point       p = {.gap = at->gap, .key = c->key[i]};
    for (int k = 0; k < 3; ++k) {
        p.normal[k] = at->normal[k];
        p.a[k]      = at->point[k] + at->gap / 2 * at->normal[k];
        p.b[k]      = at->point[k] - at->gap / 2 * at->normal[k];
    }
    if (!cd_contact_derivative(&A->geometry, &pose_A, &B->geometry, &pose_B, &p, &at->rates))
        cd_fixed_contact_rates(at->normal, &at->rates);
}

void cd_update_compliant_points(cardan_data* d, bool want_rates)
{
    cd_compliant_contacts* c = d->forces.compliant;
    if (!c) return;
    cd_update_world(d);
    if (!c->points_valid) find_points(d);
    for (int i = 0; want_rates && !c->rates_valid && i < c->n; ++i) find_rates(d, i);
    c->rates_valid |= want_rates;
    c->points_valid = true;
}

// Energy of the deflections that no contact point holds, and its rate: they relax.
static void add_energy_of_free_bristles(cardan_data* d)
{
    cd_compliant_contacts* c = d->forces.compliant;
    for (int b = 0; b < c->nbristle; ++b) {
        if (c->bristle[b].holder >= 0) continue;
        const double* x      = d->state + d->m->view.nstate + 3 * b;
        const double  energy = c->bristle[b].stiffness / 2 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        c->stored_energy += energy;
        c->stored_power -= 2 * c->relaxation[b] * energy;
    }
}

static void add_to_wrenches_and_rates(cardan_data* d, spatial* wrench)
{
    cd_compliant_contacts* c      = d->forces.compliant;
    const int              nstate = d->m->view.nstate;
    double*                rate   = d->forces.formula_value + 3 * d->m->view.nforce;
    cd_relax_bristles(c->nbristle, c->relaxation, d->state + nstate, rate + nstate);
    const cd_compliant_sums sums =
        cd_add_compliant_contacts(c->n, c->contact, &d->world, d->state, wrench, rate, c->load);
    c->stored_energy = sums.stored_energy;
    c->stored_power  = sums.stored_power;
    add_energy_of_free_bristles(d);
}

void cd_apply_compliant_contacts(cardan_data* d, spatial* wrench)
{
    cd_update_compliant_points(d, false);
    add_to_wrenches_and_rates(d, wrench);
}

// ---- gaps

static void insert_gap(double gap, double rate, double* gaps, double* rates)
{
    int at = CD_PAIR_GAPS;
    while (at > 0 && gap < gaps[at - 1]) --at;
    for (int k = CD_PAIR_GAPS - 1; k > at; --k) {
        gaps[k]  = gaps[k - 1];
        rates[k] = rates[k - 1];
    }
    if (at == CD_PAIR_GAPS) return;
    gaps[at]  = gap;
    rates[at] = rate;
}

static double gap_rate(const cardan_data* d, const cd_scene_pair* pair, const cd_contact_point* p)
{
    const cd_contact_scene* s       = d->forces.compliant->scene;
    const int               link[2] = {s->shape[pair->shape[0]].frame.link, s->shape[pair->shape[1]].frame.link};
    const vec3              c       = v3_scale(0.5, v3_add(v3_const(p->a), v3_const(p->b)));
    return v3_dot(v3_const(p->normal), cd_relative_motion_at(&d->world, link, c).l);
}

void cd_update_compliant_gaps(cardan_data* d)
{
    cd_compliant_contacts*  c = d->forces.compliant;
    const cd_contact_scene* s = c->scene;
    if (c->gaps_valid) return;
    cd_update_world(d);
    for (int i = 0; i < s->npair; ++i) {
        const cd_scene_pair* pair   = &s->pair[i];
        const bool           convex = cd_shape_type_of(&s->shape[pair->shape[0]].geometry)->convex &&
                            cd_shape_type_of(&s->shape[pair->shape[1]].geometry)->convex;
        for (int k = 0; k < CD_PAIR_GAPS; ++k) {
            c->gap[i][k]      = INFINITY;
            c->gap_rate[i][k] = 0;
        }
        const int n = collide(d, i, convex ? INFINITY : s->length);
        for (int k = 0; k < n; ++k)
            insert_gap(c->found[k].gap, gap_rate(d, pair, &c->found[k]), c->gap[i], c->gap_rate[i]);
    }
    c->gaps_valid = true;
}

// ---- start of a step

void cd_compliant_freeze(cardan_data* d, const bool* is_open)
{
    cd_compliant_contacts* c = d->forces.compliant;
    c->frozen                = is_open != NULL;
    if (is_open && c->scene->npair > 0) memcpy(c->is_open, is_open, (size_t)c->scene->npair * sizeof *is_open);
    c->points_valid = c->rates_valid = d->valid.forces = false;
}

void cd_compliant_release_bristles(cardan_data* d)
{
    cd_compliant_contacts* c = d->forces.compliant;
    for (int b = 0; b < c->nbristle; ++b) {
        c->bristle[b].pair      = CARDAN_NONE;
        c->bristle[b].stiffness = 0;
        c->relaxation[b]        = 0;
    }
    c->points_valid = c->rates_valid = d->valid.forces = false;
}

void cd_compliant_hold_bristles(cardan_data* d)
{
    cd_compliant_contacts* c = d->forces.compliant;
    cd_update_compliant_points(d, false);
    for (int b = 0; b < c->nbristle; ++b) {
        cd_bristle* bristle = &c->bristle[b];
        if (bristle->holder < 0) continue;
        const cd_compliant_law* law = &c->law[c->pair[bristle->holder]];
        bristle->pair               = c->pair[bristle->holder];
        bristle->key                = c->key[bristle->holder];
        c->relaxation[b]            = law->tangential_stiffness / law->tangential_damping;
        bristle->stiffness          = law->tangential_stiffness;
    }
}
