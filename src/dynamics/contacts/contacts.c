// SPDX-License-Identifier: BSD-3-Clause
// Memory of contacts, their list, states and validity.
#include "dynamics/contacts/contacts.h"

#include "constraint/constraint_sources.h"
#include "dynamics/contacts/axis_contacts.h"
#include "dynamics/data.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

enum { CONTACT_ROWS_MAX = 600 }; // rows of closed contacts: their problem is dense
enum { ROWS_OF_CORRECTION = 3 }; // groups of rows of a contact in a correction

static bool has_points(const cardan_model* m)
{
    return m->contact_scene && m->contact_scene->settings.law == CARDAN_CONTACT_RIGID;
}

// Most rows of one contact point.
static int rows_per_point(const cd_contact_scene* s)
{
    for (int i = 0; i < s->nproperties; ++i)
        if (s->properties[i].rolling > 0 || s->properties[i].spinning > 0) return 6;
    return 3;
}

void cd_contacts_layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, cd_contacts* c)
{
    const int points = has_points(m) ? m->contact_scene->capacity : 0;
    cd_axis_contacts_layout(m, arena, c);
    c->element_capacity = points + c->naxis;
    c->row_capacity     = (has_points(m) ? points * rows_per_point(m->contact_scene) : 0) + c->naxis;
    if (c->row_capacity > CONTACT_ROWS_MAX) c->row_capacity = CONTACT_ROWS_MAX;
    if (has_points(m)) cd_contact_set_layout(m->contact_scene, arena, &c->set);
    CD_ARENA_ARRAY(arena, c->contact_of, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->element, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->element_state, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->block, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->G, 2 * c->row_capacity);
    CD_ARENA_ARRAY(arena, c->link, 2 * c->element_capacity);
    CD_ARENA_ARRAY(arena, c->v, (size_t)c->element_capacity * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, c->J, (size_t)c->row_capacity * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, c->bias, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->velocity, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->q, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->p, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->u, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->is_unique, ROWS_OF_CORRECTION * c->element_capacity);
    CD_ARENA_ARRAY(arena, c->restitution, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->choice, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->law_element, ROWS_OF_CORRECTION * c->element_capacity);
    CD_ARENA_ARRAY(arena, c->law_of, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->law_unique, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->free_state, ROWS_OF_CORRECTION * c->element_capacity);
    CD_ARENA_ARRAY(arena, c->q0, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->lag, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->applied_lag, c->row_capacity);
    CD_ARENA_ARRAY(arena, c->acceleration, m->nv);
    CD_ARENA_ARRAY(arena, c->free_acceleration, m->nv);
    CD_ARENA_ARRAY(arena, c->free_multiplier, rows->nrow);
    CD_ARENA_ARRAY(arena, c->W, (size_t)c->row_capacity * (size_t)c->row_capacity);
    CD_ARENA_ARRAY(arena, c->basis, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->basis_of, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->rows_of_links, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->is_combined, c->element_capacity);
    CD_ARENA_ARRAY(arena, c->T, (size_t)6 * (size_t)c->row_capacity);
    CD_ARENA_ARRAY(arena, c->basis_J, (size_t)c->row_capacity * (size_t)m->nv);
    CD_ARENA_ARRAY(arena, c->basis_vector, c->row_capacity);
    cd_delassus_layout(m, rows, c->row_capacity, arena, &c->delassus);
    c->states_work = cd_states_work_layout(arena, c->row_capacity, ROWS_OF_CORRECTION * c->element_capacity);
    c->cone_work   = cd_contact_work_layout(arena, c->row_capacity, c->element_capacity);
    c->impact_work = cd_impact_work_layout(arena, c->row_capacity, c->element_capacity);
}

void cd_contacts_init(cardan_data* d)
{
    if (has_points(d->m)) cd_contact_set_init(d->m->contact_scene, &d->contacts->set);
    cd_axis_contacts_init(d->m, d->contacts);
    d->contacts->axes.q = d->q;
    // the speed of a fall by the size of the mechanism, until larger speeds are seen
    const double* g             = d->m->view.gravity;
    d->contacts->velocity_scale = sqrt(sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * d->units.length_scale);
}

void cd_contacts_search(cardan_data* d, double margin)
{
    cd_contacts* c = d->contacts;
    if (!c) return;
    cd_update_world(d);
    if (c->set.scene) cd_contact_set_search(d->m, &d->world, margin, &c->set);
    cd_contacts_changed(d);
}

int cd_contacts_count(const cardan_data* d) { return d->contacts ? d->contacts->set.n + d->contacts->naxis : 0; }

cd_contact* cd_contacts_point(cardan_data* d, int i)
{
    return i < d->contacts->set.n ? &d->contacts->set.contact[i] : NULL;
}

cd_axis_contact* cd_contacts_axis(cardan_data* d, int i)
{
    return i >= d->contacts->set.n ? &d->contacts->axis[i - d->contacts->set.n] : NULL;
}

cd_contact_mode cd_contacts_mode(const cardan_data* d, int i)
{
    const cd_contacts* c = d->contacts;
    return i < c->set.n ? c->set.contact[i].state.mode : c->axis[i - c->set.n].mode;
}

void cd_contacts_set_state(cardan_data* d, int i, const cd_contact_state* state)
{
    cd_contacts* c = d->contacts;
    if (i < c->set.n) {
        c->set.contact[i].state = *state;
    } else {
        cd_axis_contact* axis = &c->axis[i - c->set.n];
        axis->mode            = state->mode;
        axis->direction       = state->direction[0] < 0 ? -1 : 1;
    }
    cd_contacts_changed(d);
}

void cd_contacts_changed(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    if (!c) return;
    cd_contacts_invalidate(c, false);
    d->valid.solution = d->reactions.limit.valid = false;
}

double cd_contact_friction_at(const cd_contact_properties* p, double speed)
{
    if (!(p->stribeck_speed > 0)) return p->kinetic_friction;
    const double x = speed / p->stribeck_speed;
    return p->kinetic_friction + (p->static_friction - p->kinetic_friction) * exp(-x * x);
}
