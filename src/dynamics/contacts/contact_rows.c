// SPDX-License-Identifier: BSD-3-Clause
// Rows of contacts. With the contact frame E = (n, t1, t2), the contact point c, and the motions of the material points of
// A and B there,
//
//   u  = E (v_A(c) - v_B(c))                              G_A = [ (c - o_A) x e, e ],  G_B = -[ (c - o_B) x e, e ]
//   u' = E (a_A(c) - a_B(c) + w_A x (c' - v_A(c)) - w_B x (c' - v_B(c))) + E'(v_A(c) - v_B(c))
//
// The contact point moves on both bodies: c' and E' are those of the features that touch (contact/scene/contact_rates.c).
// Rows of spinning and rolling: E (w_A - w_B), u' = E (alpha_A - alpha_B) + E'(w_A - w_B).
#include "dynamics/contacts/contact_rows.h"

#include "constraint/joint_space_rows.h"
#include "dynamics/contacts/axis_contacts.h"
#include "dynamics/contacts/contacts_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

void cd_contacts_update_geometry(cardan_data* d, bool open_too)
{
    cd_contacts* c = d->contacts;
    if (open_too ? c->open_geometry_valid : c->geometry_valid) return;
    cd_update_world(d);
    if (c->set.scene) cd_contact_set_follow(d->m, &d->world, open_too, &c->set);
    cd_axis_contacts_update(d);
    c->geometry_valid      = true;
    c->open_geometry_valid = open_too;
}

// Motion of a point of a link: its material point there.
typedef struct point_motion {
    vec3 w, v, alpha, a;
} point_motion;

static point_motion motion_at(const cd_world_motion* world, int link, vec3 point)
{
    const spatial V = world->velocity[link], A = world->acceleration[link];
    const vec3    r = v3_sub(point, world->pose[link].p), w_cross_r = v3_cross(V.a, r);
    return (point_motion){V.a, v3_add(V.l, w_cross_r), A.a,
                          v3_add(v3_add(A.l, v3_cross(A.a, r)), v3_cross(V.a, w_cross_r))};
}

static int rows_of_point(const cd_contact* contact)
{
    return contact->properties->rolling > 0 || contact->properties->spinning > 0 ? 6 : 3;
}

// Rows on the twists of both links.
static void point_rows(const cardan_data* d, const cd_contact* contact, cd_row_block* b)
{
    const vec3 c = v3_const(contact->point);
    for (int side = 0; side < 2; ++side) {
        const vec3 r    = v3_sub(c, d->world.pose[contact->link[side]].p);
        b->link[side]   = contact->link[side];
        const real sign = side == 0 ? 1 : -1;
        for (int i = 0; i < b->nrow; ++i) {
            const vec3 e       = v3_scale(sign, v3_const(i % 3 == 0 ? contact->normal : contact->tangent[i % 3 - 1]));
            b->G[2 * i + side] = i < 3 ? (spatial){v3_cross(r, e), e} : (spatial){e, v3_zero()};
        }
    }
}

// Velocities and acceleration terms at a = 0; the world accelerations are those at a = 0.
static void point_bias(const cardan_data* d, const cd_contact* contact, const cd_row_block* b, double* u, double* bias)
{
    const cd_contacts*    c = d->contacts;
    cd_contact_frame_rate rate;
    cd_contact_frame_rate_of(&c->set, contact, &d->world, &rate);
    const vec3         point = v3_const(contact->point), cdot = v3_const(rate.point);
    const point_motion A = motion_at(&d->world, contact->link[0], point),
                       B = motion_at(&d->world, contact->link[1], point);
    const vec3 v = v3_sub(A.v, B.v), w = v3_sub(A.w, B.w), alpha = v3_sub(A.alpha, B.alpha);
    const vec3 moved = v3_sub(v3_cross(A.w, v3_sub(cdot, A.v)), v3_cross(B.w, v3_sub(cdot, B.v)));
    const vec3 a     = v3_add(v3_sub(A.a, B.a), moved);
    for (int i = 0; i < b->nrow; ++i) {
        const int  k     = i % 3;
        const vec3 e     = v3_const(k == 0 ? contact->normal : contact->tangent[k - 1]),
                   edot  = v3_const(k == 0 ? rate.normal : rate.tangent[k - 1]);
        u[b->row + i]    = v3_dot(e, i < 3 ? v : w);
        bias[b->row + i] = i < 3 ? v3_dot(e, a) + v3_dot(edot, v) : v3_dot(e, alpha) + v3_dot(edot, w);
    }
}

static double axis_sign(const cd_axis_contact* axis) { return axis->kind == CD_ELEMENT_LIMIT ? -axis->side : 1; }

static void axis_rows(const cd_contacts* c, const cd_axis_contact* axis, cd_row_block* b)
{
    const cd_row_block* row = &c->axes.block[axis->row];
    for (int side = 0; side < 2; ++side) {
        b->link[side] = row->link[side];
        b->G[side]    = sv_scale(axis_sign(axis), row->G[side]);
    }
}

static void axis_bias(const cardan_data* d, const cd_axis_contact* axis, const cd_row_block* b, double* u, double* bias)
{
    const cd_contacts* c = d->contacts;
    u[b->row]            = axis->rate;
    bias[b->row]         = axis_sign(axis) * c->axes.h[axis->row] + sv_dot(b->G[0], d->world.acceleration[b->link[0]]) +
                   sv_dot(b->G[1], d->world.acceleration[b->link[1]]);
}

void cd_contact_joint_rows(const cardan_data* d, const double* point, cd_row_block* b)
{
    cd_constraint c = {.nend = 2, .nrow = b->nrow};
    double        square[CD_CONTACT_ROWS_MAX];
    for (int side = 0; side < 2; ++side) {
        c.end[side].link = b->link[side];
        if (!point) continue;
        const vec3 arm = v3_sub(v3_const(point), d->world.pose[b->link[side]].p);
        for (int i = 0; i < 3; ++i) c.end[side].p[i] = v3_component(arm, i);
    }
    b->nv = cd_joint_space_velocities(d->m, &c, b->v);
    cd_joint_space_rows(d->m, &d->k, &d->world, &c, b, square);
}

void cd_contact_slip_direction(const cd_contacts* c, const cd_contact* contact, const double velocity[2],
                               double direction[2])
{
    double held[2] = {0, 0};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k) held[k] += contact->state.direction[i] * contact->tangent[k][i];
    const double small  = cd_slip_direction_velocity * c->velocity_scale;
    const double along  = velocity[0] * held[0] + velocity[1] * held[1];
    const double speed  = hypot(velocity[0], velocity[1]);
    const double part   = small > 0 ? small / (1 + speed / small * (speed / small)) : 0; // none at larger speeds
    const bool   turned = along < -cd_turned_direction * speed;
    for (int k = 0; k < 2; ++k) direction[k] = turned ? held[k] : velocity[k] + part * held[k];
    const double size = hypot(direction[0], direction[1]);
    for (int k = 0; k < 2; ++k) direction[k] = size > 0 ? direction[k] / size : held[k];
}

static void point_element(const cd_contacts* c, const cd_contact* contact, const double* u, cd_contact_element* element,
                          cd_element_state* state)
{
    const cd_contact_properties* p = contact->properties;
    const cd_contact_state*      s = &contact->state;
    element->kind                  = CD_ELEMENT_POINT;
    element->mu       = s->mode == CD_CONTACT_SLIP ? cd_contact_friction_at(p, hypot(u[1], u[2])) : p->static_friction;
    element->rolling  = p->rolling;
    element->spinning = p->spinning;
    state->slips      = s->mode == CD_CONTACT_SLIP;
    state->spins      = s->spins;
    state->rolls      = s->rolls;
    state->spin       = s->spin_direction < 0 ? -1 : 1;
    cd_contact_slip_direction(c, contact, u + 1, state->slip);
    for (int k = 0; k < 2; ++k)
        state->roll[k] = s->roll_direction[0] * contact->tangent[k][0] + s->roll_direction[1] * contact->tangent[k][1] +
                         s->roll_direction[2] * contact->tangent[k][2];
    const double size = hypot(state->roll[0], state->roll[1]);
    for (int k = 0; k < 2 && size > 0; ++k) state->roll[k] /= size;
}

static void axis_element(const cd_axis_contact* axis, cd_contact_element* element, cd_element_state* state)
{
    const int side = axis->direction < 0;
    element->kind  = axis->kind;
    element->bound = axis->mode == CD_CONTACT_SLIP ? axis->kinetic_friction[side] : axis->static_friction[side];
    state->slips   = axis->mode == CD_CONTACT_SLIP;
    state->slip[0] = axis->direction < 0 ? -1 : 1;
}

void cd_contacts_update_bounds(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    for (int e = 0; e < c->nelement; ++e) {
        const cd_axis_contact* axis = cd_contacts_axis(d, c->contact_of[e]);
        if (axis) axis_element(axis, &c->element[e], &c->element_state[e]);
    }
}

// Rows and element of a closed contact; false if there is no room for them.
static bool add_element(cardan_data* d, int contact)
{
    cd_contacts*           c     = d->contacts;
    const cd_contact*      point = cd_contacts_point(d, contact);
    const cd_axis_contact* axis  = cd_contacts_axis(d, contact);
    const int              nrow = point ? rows_of_point(point) : 1, e = c->nelement;
    if (c->nrow + nrow > c->row_capacity) return false;
    c->block[e]         = (cd_row_block){.row  = c->nrow,
                                         .nrow = nrow,
                                         .nend = 2,
                                         .link = c->link + 2 * e,
                                         .G    = c->G + 2 * c->nrow,
                                         .v    = c->v + (size_t)e * (size_t)d->m->nv,
                                         .J    = c->J + (size_t)c->nrow * (size_t)d->m->nv};
    c->contact_of[e]    = contact;
    c->element[e]       = (cd_contact_element){.row = c->nrow, .nrow = nrow};
    c->element_state[e] = (cd_element_state){0};
    if (point)
        point_rows(d, point, &c->block[e]);
    else
        axis_rows(c, axis, &c->block[e]);
    c->nrow += nrow;
    ++c->nelement;
    return true;
}

static void update_velocities(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    if (c->velocity_valid) return;
    cd_update_world(d);
    cd_world_accelerations(d->m, &d->k, d->v, d->scratch.zero_nv, &d->world);
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact*      point = cd_contacts_point(d, c->contact_of[e]);
        const cd_axis_contact* axis  = cd_contacts_axis(d, c->contact_of[e]);
        if (point) {
            point_bias(d, point, &c->block[e], c->velocity, c->bias);
            point_element(c, point, c->velocity + c->block[e].row, &c->element[e], &c->element_state[e]);
        } else {
            axis_bias(d, axis, &c->block[e], c->velocity, c->bias);
            axis_element(axis, &c->element[e], &c->element_state[e]);
        }
    }
    for (int i = 0; i < c->nrow; ++i) c->velocity_scale = fmax(c->velocity_scale, fabs(c->velocity[i]));
    c->velocity_valid = true;
}

void cd_contacts_update_rows(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    cd_contacts_update_geometry(d, false);
    if (!c->rows_valid) {
        c->nrow = c->nelement = 0;
        c->overflow           = false;
        for (int i = 0; i < cd_contacts_count(d); ++i)
            if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN && !add_element(d, i)) c->overflow = true;
        cd_contacts_make_basis(d);
        c->rows_valid     = true;
        c->velocity_valid = c->delassus_valid = false;
    }
    update_velocities(d);
}
