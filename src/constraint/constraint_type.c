// SPDX-License-Identifier: BSD-3-Clause
// Table of constraint types, and functions that they share.
#include "constraint/constraint.h"

#include "model/parametric_pose.h"
#include "model/description.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CD_CONSTRAINT_TYPE(name) extern const cd_constraint_type cd_constraint_##name;
#include "constraint/constraint_types.def"
#undef CD_CONSTRAINT_TYPE

static const cd_constraint_type* const constraint_types[] = {
#define CD_CONSTRAINT_TYPE(name) &cd_constraint_##name,
#include "constraint/constraint_types.def"
#undef CD_CONSTRAINT_TYPE
};

int cd_constraint_type_count(void) { return (int)(sizeof constraint_types / sizeof *constraint_types); }
const cd_constraint_type* cd_constraint_type_at(int i) { return constraint_types[i]; }

const cd_constraint_type* cd_constraint_type_find(const char* name)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        if (strcmp(constraint_types[i]->name, name) == 0) return constraint_types[i];
    return NULL;
}

bool cd_constraint_fail(const cd_constraint_builder* p, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->reason, p->reason_size, format, arguments);
    va_end(arguments);
    return false;
}

bool cd_constraint_init_markers(const cd_constraint_builder* p, cd_constraint* c)
{
    for (int k = 0; k < 2; ++k) {
        const int marker = p->definition->marker[1 - k]; // the carrier first
        if (marker >= p->m->nmarker) return cd_constraint_fail(p, "there is no marker number %d", marker);
        c->end[k]  = p->m->marker[marker < 0 ? 0 : marker];
        c->body[k] = marker < 0 ? CARDAN_GROUND : p->m->view.marker[marker].body;
    }
    if (c->end[0].link == c->end[1].link) return cd_constraint_fail(p, "both its markers are fixed to the same body");
    c->nend = 2;
    return true;
}

void cd_constraint_init_reference(const cd_constraint_builder* p, cd_constraint* c)
{
    cd_parametric*     parametric = p->m->description->parametric;
    const cardan_pose* reference  = &p->definition->reference;
    cardan_pose        carrier;
    double             q_second[4], q_inverse[4], axes[4];
    memcpy(carrier.p, c->end[0].p, sizeof carrier.p);
    par_q4_of_matrix(parametric, c->end[0].R, carrier.q);
    par_pose_point(parametric, carrier, reference->p, c->end[0].p);
    par_q4_of_matrix(parametric, c->end[1].R, q_second);
    q4_conjugate(reference->q, q_inverse);
    par_q4_mul(parametric, q_second, q_inverse, axes);
    par_q4_matrix(parametric, axes, c->end[1].R);
}

bool cd_constraint_init_driver(const cd_constraint_builder* p, int i, cd_constraint* c)
{
    if (p->definition->driver[i] == CARDAN_NONE) return false;
    int preceding = 0;
    for (int k = 0; k < i; ++k) preceding += p->definition->driver[k] != CARDAN_NONE;
    c->driver_number[i] = 1 + p->first_driver + preceding;
    c->has_driver       = true;
    return true;
}

cd_driver_values cd_driver_values_of(const cd_constraint* c, const cd_constraint_context* context, int i)
{
    if (!c->driver_number[i]) return (cd_driver_values){r_const(0), r_const(0), r_const(0)};
    const real* driver = context->driver_values + 3 * (c->driver_number[i] - 1);
    return (cd_driver_values){driver[0], driver[1], driver[2]};
}

bool cd_constraint_init_coordinates(const cd_constraint_builder* p, int min_joints, int max_joints, cd_constraint* c)
{
    const cardan_constraint* d = p->definition;
    cd_coupled_coordinates*  k = p->coupled;
    if (d->njoint < min_joints || d->njoint > max_joints)
        return cd_constraint_fail(p, "%d joints are given, but it couples %d%s", d->njoint, min_joints,
                                  min_joints == max_joints ? "" : " or more");
    *k         = (cd_coupled_coordinates){.n = d->njoint, .offset = d->offset};
    c->coupled = k;
    for (int i = 0; i < d->njoint; ++i) {
        if (!cd_coordinate_init(p, d->joint[i], d->axis[i], &k->coordinate[i], i == 0 ? c->end : &k->end[2 * i - 2]))
            return false;
        for (int n = 0; n < i; ++n)
            if (d->joint[i] == d->joint[n] && d->axis[i] == d->axis[n])
                return cd_constraint_fail(p, "it couples joint '%s' with itself", p->m->joint[d->joint[i]].name);
        int* body    = i == 0 ? c->body : &k->body[2 * i - 2];
        body[0]      = p->m->view.joint[d->joint[i]].first_body;
        body[1]      = p->m->view.joint[d->joint[i]].second_body;
        k->factor[i] = 1;
    }
    c->nend = 2 * d->njoint;
    c->nrow = c->nholonomic = 1;
    return true;
}
