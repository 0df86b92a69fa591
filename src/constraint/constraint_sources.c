// SPDX-License-Identifier: BSD-3-Clause
// Constraints of a model: cut joints become locks or general joints, couplings become couplers, driven coordinates
// become drivers; the others are as described.
#include "constraint/constraint_sources.h"

#include "model/description.h"

#include <math.h>
#include <string.h>

enum { STAGE_CUT_JOINTS, STAGE_COUPLINGS, STAGE_CONSTRAINTS, STAGE_DRIVERS, STAGE_ROTORS, STAGE_AXES };

cd_constraint_source cd_constraint_source_begin_rotors(const cardan_model* m)
{
    return (void)m, (cd_constraint_source){.stage = STAGE_ROTORS};
}

cd_constraint_source cd_constraint_source_begin_axes(const cardan_model* m)
{
    return (void)m, (cd_constraint_source){.stage = STAGE_AXES};
}

cd_constraint_source cd_constraint_source_begin(const cardan_model* m)
{
    return (cd_constraint_source){.constraint_driver = m->njoint_driver};
}

static cd_constraint new_constraint(const char* category, const char* name, cardan_location location)
{
    return (cd_constraint){.category = category, .name = name, .location = location, .joint = CARDAN_NONE};
}

// Lock that is equivalent to a joint; rows: translations, screw, rotations, universal. Or a general joint.
static bool init_cut_joint(const cardan_model* m, int j, cd_constraint* out)
{
    const cd_compiled_joint* joint = &m->joint[j];
    const cardan_joint*      d     = &m->view.joint[j];
    cd_constraint            c     = new_constraint("joint", joint->name, d->location);
    unsigned                 locks = joint->type->locked;
    c.type                         = &cd_constraint_lock;
    c.joint                        = j;
    c.nend                         = 2;
    c.end[0]                       = joint->frame_first;
    c.end[1]                       = joint->frame_second;
    c.body[0]                      = d->first_body;
    c.body[1]                      = d->second_body;
    c.is_universal_joint           = strcmp(joint->type->name, "universal") == 0;
    c.is_screw                     = joint->nelementary == 1 && joint->elementary[0].motion == CD_SCREW;
    if (c.is_universal_joint) {
        locks &= ~(unsigned)CD_LOCK_RZ;
        for (int i = 0; i < 2; ++i) {
            const double*  a          = joint->elementary[i].axis;
            cd_parametric* parametric = m->description->parametric;
            const double   n          = par_sqrt(parametric, par_dot(parametric, a, a));
            for (int k = 0; k < 3; ++k) c.axis[i][k] = par_div(parametric, a[k], n);
        }
    }
    if (c.is_screw) {
        locks &= ~(unsigned)CD_LOCK_Z;
        c.parameter[0] = joint->elementary[0].pitch;
        if (d->start_q_given) c.start_angle = d->start_q[0];
    }
    cd_constraint_init_locks(locks, &c);
    c.nrow += c.is_universal_joint + c.is_screw;
    if (strcmp(joint->type->name, "general") == 0) {
        c.type          = &cd_constraint_general_joint;
        c.general_joint = joint;
        c.q_joint       = m->joint_range[j].q;
        c.nrow          = 6 - joint->nelementary;
    }
    c.nholonomic = c.nrow;
    *out         = c;
    return true;
}

static bool init_from_definition(const cardan_model* m, const cardan_constraint* d, int first_driver,
                                 cd_constraint_source* source, cd_constraint* c)
{
    const cd_constraint_builder p = {m, d, first_driver, &source->coupled, source->reason, sizeof source->reason};
    c->type                       = cd_constraint_type_find(d->type);
    if (!c->type) return cd_constraint_fail(&p, "there is no constraint type '%s'", d->type), true;
    if (c->type->prepare(&p, c)) return true;
    c->nrow = c->nholonomic = c->nend = 0;
    if (!source->reason[0]) cd_constraint_fail(&p, "it has no equations");
    return true;
}

static bool init_coupling(const cardan_model* m, const cardan_coupling* k, cd_constraint_source* source,
                          cd_constraint* c)
{
    cardan_constraint d = cardan_constraint_default(m->view.joint[k->joint].name, "coupler");
    d.njoint            = 2;
    d.joint[0]          = k->joint;
    d.joint[1]          = k->other;
    d.factor[1]         = -k->factor;
    d.offset            = k->offset;
    *c                  = new_constraint("coupling of", d.name, k->location);
    return init_from_definition(m, &d, 0, source, c);
}

static bool init_driver(const cardan_model* m, int j, int axis, cd_constraint_source* source, cd_constraint* c)
{
    const cardan_joint* joint = &m->view.joint[j];
    cardan_constraint   d     = cardan_constraint_default(joint->name, "driver");
    d.njoint                  = 1;
    d.joint[0]                = j;
    d.axis[0]                 = axis;
    d.driver[0]               = joint->driver[axis];
    *c                        = new_constraint("driver of", joint->name, joint->location);
    return init_from_definition(m, &d, source->joint_driver++, source, c);
}

static bool next_driver(const cardan_model* m, cd_constraint_source* source, cd_constraint* c)
{
    for (; source->index < m->view.njoint; ++source->index, source->axis = 0) {
        const cardan_joint* joint = &m->view.joint[source->index];
        while (source->axis < joint->ndriver) {
            const int axis = source->axis++;
            if (joint->driver[axis] != CARDAN_NONE) return init_driver(m, source->index, axis, source, c);
        }
    }
    return false;
}

// All of these are evaluated by cd_evaluate_coupled_coordinates.
static const cd_constraint_type rotor_type = {.name = "rotor", .evaluate = cd_evaluate_coupled_coordinates};
static const cd_constraint_type axis_type  = {.name = "axis", .evaluate = cd_evaluate_coupled_coordinates};

// Row of coordinate `axis` of a joint.
static bool init_coordinate(const cardan_model* m, int j, int axis, cd_constraint_source* source, cd_constraint* c)
{
    const cardan_joint*         joint = &m->view.joint[j];
    const cd_constraint_builder p     = {.m = m, .reason = source->reason, .reason_size = sizeof source->reason};
    const bool                  rotor = source->stage == STAGE_ROTORS;
    source->coupled                   = (cd_coupled_coordinates){.n = 1, .factor = {1}};
    *c                                = new_constraint(rotor ? "rotor of" : "axis of", joint->name, joint->location);
    c->type                           = rotor ? &rotor_type : &axis_type;
    c->nend                           = 2;
    c->nrow                           = 1;
    c->body[0]                        = joint->first_body;
    c->body[1]                        = joint->second_body;
    c->coupled                        = &source->coupled;
    c->parameter[0]                   = joint->axis[axis].armature;
    cd_coordinate_init_velocity(&p, j, axis, &source->coupled.coordinate[0], c->end);
    return true;
}

static bool next_rotor(const cardan_model* m, cd_constraint_source* source, cd_constraint* c)
{
    for (; source->index < m->view.njoint; ++source->index, source->axis = 0) {
        const cardan_joint* joint = &m->view.joint[source->index];
        if (m->joint[source->index].nlink > 0 || m->joint[source->index].nelementary == 0) continue;
        while (source->axis < joint->naxis) {
            const int axis = source->axis++;
            if (joint->axis[axis].armature > 0) return init_coordinate(m, source->index, axis, source, c);
        }
    }
    return false;
}

static bool is_unilateral_or_sticks(const cardan_axis_properties* a)
{
    return a->sticking_friction || (a->rigid_stop && (isfinite(a->lower) || isfinite(a->upper)));
}

static bool next_axis(const cardan_model* m, cd_constraint_source* source, cd_constraint* c)
{
    for (; source->index < m->view.njoint; ++source->index, source->axis = 0) {
        const cardan_joint* joint = &m->view.joint[source->index];
        while (source->axis < joint->naxis && source->axis < m->tree_range[source->index].nv) {
            const int axis = source->axis++;
            if (is_unilateral_or_sticks(&joint->axis[axis])) return init_coordinate(m, source->index, axis, source, c);
        }
    }
    return false;
}

static int stage_size(const cardan_model* m, int stage)
{
    return stage == STAGE_CUT_JOINTS ? m->ncut : stage == STAGE_COUPLINGS ? m->view.ncoupling : m->view.nconstraint;
}

bool cd_constraint_source_next(const cardan_model* m, cd_constraint_source* source, cd_constraint* c)
{
    source->reason[0] = '\0';
    while (source->stage < STAGE_DRIVERS && source->index >= stage_size(m, source->stage)) {
        ++source->stage;
        source->index = 0;
    }
    if (source->stage == STAGE_DRIVERS) return next_driver(m, source, c);
    if (source->stage == STAGE_ROTORS) return next_rotor(m, source, c);
    if (source->stage == STAGE_AXES) return next_axis(m, source, c);
    const int i = source->index++;
    if (source->stage == STAGE_CUT_JOINTS) return init_cut_joint(m, m->cut[i], c);
    if (source->stage == STAGE_COUPLINGS) return init_coupling(m, &m->view.coupling[i], source, c);
    const cardan_constraint* d            = &m->view.constraint[i];
    const int                first_driver = source->constraint_driver;
    for (int k = 0; k < 6; ++k) source->constraint_driver += d->driver[k] != CARDAN_NONE;
    *c = new_constraint("constraint", d->name, d->location);
    return init_from_definition(m, d, first_driver, source, c);
}
