// SPDX-License-Identifier: BSD-3-Clause
// Rigid limits and dry friction of joint coordinates x as contacts of one row:
//
//   upper limit   gap = upper - x,  u = -x'        lower limit   gap = x - lower,  u = x'        friction   u = x'
//
// The rows act on the motions of the two bodies of the joint, so that joints in the tree, cut joints and maximal
// coordinates are alike.
#include "dynamics/contacts/axis_contacts.h"

#include "constraint/constraint_sources.h"
#include "dynamics/data.h"
#include "dynamics/state.h"

#include <math.h>

int cd_axis_contact_count(const cardan_model* m) { return cd_axis_row_count(m); }

// Contacts of a coordinate: its two limits and its friction, as far as they exist. Returns their number.
static int contacts_of(const cardan_axis_properties* p, int joint, int axis, int row, cd_axis_contact* contact)
{
    int             n    = 0;
    cd_axis_contact base = {.joint = joint, .axis = axis, .row = row};
    for (int side = -1; side <= 1; side += 2) {
        const double limit = side > 0 ? p->upper : p->lower;
        if (!p->rigid_stop || !isfinite(limit)) continue;
        if (contact) {
            contact[n]             = base;
            contact[n].kind        = CD_ELEMENT_LIMIT;
            contact[n].side        = side;
            contact[n].limit       = limit;
            contact[n].restitution = p->stop_restitution;
        }
        ++n;
    }
    if (!p->sticking_friction) return n;
    if (contact) {
        contact[n]      = base;
        contact[n].kind = CD_ELEMENT_FRICTION;
        contact[n].mode = CD_CONTACT_STICK;
    }
    return n + 1;
}

static int list_contacts(const cardan_model* m, cd_axis_contact* contact)
{
    int                  n = 0, row = 0;
    cd_constraint        c;
    cd_constraint_source source = cd_constraint_source_begin_axes(m);
    for (; cd_constraint_source_next(m, &source, &c); ++row) {
        const int axis = c.coupled->coordinate[0].axis_index, joint = c.coupled->coordinate[0].joint;
        n += contacts_of(&m->view.joint[joint].axis[axis], joint, axis, row, contact ? contact + n : NULL);
    }
    return n;
}

void cd_axis_contacts_layout(const cardan_model* m, cd_arena* arena, cd_contacts* c)
{
    cd_axis_set_layout(m, arena, &c->axes);
    c->naxis = list_contacts(m, NULL);
    CD_ARENA_ARRAY(arena, c->axis, c->naxis);
}

static const cardan_axis_properties* properties_of(const cardan_model* m, const cd_axis_contact* axis)
{
    return &m->view.joint[axis->joint].axis[axis->axis];
}

void cd_axis_set_levels(const cardan_model* m, cd_axis_contact* axis)
{
    const cardan_axis_properties* p          = properties_of(m, axis);
    const double                  kinetic[2] = {p->friction_forward, p->friction_backward},
                 fixed[2]                    = {p->static_friction_forward, p->static_friction_backward};
    const double load = axis->load * (cd_joint_velocity_is_rotation(m, axis->joint, axis->axis) ? p->load_radius : 1);
    for (int k = 0; k < 2; ++k) {
        axis->kinetic_friction[k] = kinetic[k] + p->load_friction_kinetic * load;
        axis->static_friction[k]  = fmax(kinetic[k], fixed[k]) + p->load_friction_static * load;
    }
}

static void init_levels(const cardan_model* m, cd_contacts* c)
{
    c->has_load_friction = false;
    for (int i = 0; i < c->naxis; ++i) {
        if (c->axis[i].kind != CD_ELEMENT_FRICTION) continue;
        cd_axis_set_levels(m, &c->axis[i]);
        c->has_load_friction |= properties_of(m, &c->axis[i])->load_friction_static > 0;
    }
}

void cd_axis_contacts_init(const cardan_model* m, cd_contacts* c)
{
    list_contacts(m, c->axis);
    init_levels(m, c);
}

void cd_axis_contacts_update(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    if (c->naxis == 0) return;
    cd_constraint_set_evaluate_with_jacobian(d->m, &d->k, &d->world, &c->axes, NULL);
    for (int i = 0; i < c->naxis; ++i) {
        cd_axis_contact* axis = &c->axis[i];
        const double     x = c->axes.value[axis->row], rate = c->axes.rate[axis->row];
        axis->gap  = axis->kind == CD_ELEMENT_LIMIT ? axis->side * (axis->limit - x) : 0;
        axis->rate = axis->kind == CD_ELEMENT_LIMIT ? -axis->side * rate : rate;
    }
}
