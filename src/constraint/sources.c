// SPDX-License-Identifier: BSD-3-Clause
// Constraints of a model: joints that are cut become locks, couplings couplers, driven coordinates drivers; the others
// are as described.
#include "constraint/sources.h"

#include "model/description.h"

#include <math.h>
#include <string.h>

enum { CUTS, COUPLINGS, CONSTRAINTS, DRIVERS, ROTORS };

cd_source cd_source_rotors(const cardan_model* m) { return (void)m, (cd_source){.stage = ROTORS}; }

cd_source cd_source_begin(const cardan_model* m) { return (cd_source){.law = m->ndriver}; }

static cd_constraint blank(const char* what, const char* name, cardan_place place)
{
    return (cd_constraint){.what = what, .name = name, .place = place, .joint = CARDAN_NONE};
}

// The lock that does what a joint does; rows: translations, screw, rotations, Hooke. Or the sequence of its steps.
static bool cut_joint(const cardan_model* m, int j, cd_constraint* out)
{
    const cd_joint_info* joint = &m->joint[j];
    const cardan_joint*  d     = &m->view.joint[j];
    cd_constraint        c     = blank("joint", joint->name, d->place);
    unsigned             locks = joint->type->locks;
    c.type                     = &cd_constraint_lock;
    c.joint                    = j;
    c.nend                     = 2;
    c.end[0]                   = joint->frame_first;
    c.end[1]                   = joint->frame_second;
    c.body[0]                  = d->first;
    c.body[1]                  = d->second;
    c.hooke                    = strcmp(joint->type->name, "universal") == 0;
    c.screw                    = joint->nstep == 1 && joint->step[0].motion == CD_HELIX;
    if (c.hooke) {
        locks &= ~(unsigned)CD_LOCK_RZ;
        for (int i = 0; i < 2; ++i) {
            const double* a = joint->step[i].axis;
            cd_ledger*    l = m->description->ledger;
            const double  n = l_sqrt(l, l_dot(l, a, a));
            for (int k = 0; k < 3; ++k) c.axis[i][k] = l_div(l, a[k], n);
        }
    }
    if (c.screw) {
        locks &= ~(unsigned)CD_LOCK_Z;
        c.parameter[0] = joint->step[0].pitch;
        if (d->start_q_given) c.start = d->start_q[0];
    }
    cd_take_locks(locks, &c);
    c.nrow += c.hooke + c.screw;
    if (strcmp(joint->type->name, "general") == 0) {
        c.type     = &cd_constraint_sequence;
        c.steps    = joint;
        c.measured = m->place[j].q;
        c.nrow     = 6 - joint->nstep;
    }
    c.nposition = c.nrow;
    *out        = c;
    return true;
}

static bool described(const cardan_model* m, const cardan_constraint* d, int first_law, cd_source* source,
                      cd_constraint* c)
{
    const cd_prepare p = {m, d, first_law, &source->coupled, source->why, sizeof source->why};
    c->type            = cd_constraint_type_find(d->type);
    if (!c->type) return cd_refuse(&p, "there is no constraint type '%s'", d->type), true;
    if (c->type->prepare(&p, c)) return true;
    c->nrow = c->nposition = c->nend = 0;
    if (!source->why[0]) cd_refuse(&p, "it cannot be solved");
    return true;
}

static bool coupling(const cardan_model* m, const cardan_coupling* k, cd_source* source, cd_constraint* c)
{
    cardan_constraint d = cardan_constraint_default(m->view.joint[k->joint].name, "coupler");
    d.njoint            = 2;
    d.joint[0]          = k->joint;
    d.joint[1]          = k->other;
    d.factor[1]         = -k->factor;
    d.offset            = k->offset;
    *c                  = blank("coupling of", d.name, k->place);
    return described(m, &d, 0, source, c);
}

static bool driver(const cardan_model* m, int j, int axis, cd_source* source, cd_constraint* c)
{
    const cardan_joint* joint = &m->view.joint[j];
    cardan_constraint   d     = cardan_constraint_default(joint->name, "driver");
    d.njoint                  = 1;
    d.joint[0]                = j;
    d.axis[0]                 = axis;
    d.law[0]                  = joint->driver[axis];
    *c                        = blank("driver of", joint->name, joint->place);
    return described(m, &d, source->joint_law++, source, c);
}

static bool next_driver(const cardan_model* m, cd_source* source, cd_constraint* c)
{
    for (; source->index < m->view.njoint; ++source->index, source->axis = 0) {
        const cardan_joint* joint = &m->view.joint[source->index];
        while (source->axis < joint->ndriver) {
            const int axis = source->axis++;
            if (joint->driver[axis] != CARDAN_NONE) return driver(m, source->index, axis, source, c);
        }
    }
    return false;
}

// Constraints are told by cd_evaluate_coordinates, whatever their type is called.
static const cd_constraint_type rotor_type = {.name = "rotor", .evaluate = cd_evaluate_coordinates};

static bool rotor(const cardan_model* m, int j, int axis, cd_source* source, cd_constraint* c)
{
    const cardan_joint* joint = &m->view.joint[j];
    const cd_prepare    p     = {.m = m, .why = source->why, .size = sizeof source->why};
    source->coupled           = (cd_coupled){.n = 1, .factor = {1}};
    *c                        = blank("rotor of", joint->name, joint->place);
    c->type                   = &rotor_type;
    c->nend                   = 2;
    c->nrow                   = 1;
    c->body[0]                = joint->first;
    c->body[1]                = joint->second;
    c->coupled                = &source->coupled;
    c->parameter[0]           = joint->axis[axis].armature;
    cd_rate_of(&p, j, axis, &source->coupled.coordinate[0], c->end);
    return true;
}

static bool next_rotor(const cardan_model* m, cd_source* source, cd_constraint* c)
{
    for (; source->index < m->view.njoint; ++source->index, source->axis = 0) {
        const cardan_joint* joint = &m->view.joint[source->index];
        if (m->joint[source->index].nlink > 0 || m->joint[source->index].nstep == 0) continue;
        while (source->axis < joint->naxis) {
            const int axis = source->axis++;
            if (joint->axis[axis].armature > 0) return rotor(m, source->index, axis, source, c);
        }
    }
    return false;
}

static int stage_size(const cardan_model* m, int stage)
{
    return stage == CUTS ? m->ncut : stage == COUPLINGS ? m->view.ncoupling : m->view.nconstraint;
}

bool cd_source_next(const cardan_model* m, cd_source* source, cd_constraint* c)
{
    source->why[0] = '\0';
    while (source->stage < DRIVERS && source->index >= stage_size(m, source->stage)) {
        ++source->stage;
        source->index = 0;
    }
    if (source->stage == DRIVERS) return next_driver(m, source, c);
    if (source->stage == ROTORS) return next_rotor(m, source, c);
    const int i = source->index++;
    if (source->stage == CUTS) return cut_joint(m, m->cut[i], c);
    if (source->stage == COUPLINGS) return coupling(m, &m->view.coupling[i], source, c);
    const cardan_constraint* d   = &m->view.constraint[i];
    const int                law = source->law;
    for (int k = 0; k < 6; ++k) source->law += d->law[k] != CARDAN_NONE;
    *c = blank("constraint", d->name, d->place);
    return described(m, d, law, source, c);
}
