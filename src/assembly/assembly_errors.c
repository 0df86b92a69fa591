// SPDX-License-Identifier: BSD-3-Clause
// Messages of assembly: joints, violation and time.
#include "assembly/assembly_errors.h"

#include "assembly/assembly_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_name(cd_name_list* w, const char* name)
{
    if (w->length > CD_NAME_LIST_SIZE - 80) {
        if (w->length < CD_NAME_LIST_SIZE - 8) w->length += snprintf(w->text + w->length, 8, ", ...");
        w->length = CD_NAME_LIST_SIZE;
        return;
    }
    w->length += snprintf(w->text + w->length, (size_t)(CD_NAME_LIST_SIZE - w->length), "%s'%.60s'",
                          w->count++ ? ", " : "", name);
}

static bool is_on_path_to_ground(const cardan_model* m, int link, int joint)
{
    for (; link >= 0; link = m->link[link].parent)
        if (m->link[link].joint == joint) return true;
    return false;
}

// Whether the constraint depends on the joint: the joint is on the path from one end to ground but not from the
// other, or it is the closing joint.
static bool is_in_loop(const cardan_model* m, const cd_constraint* c, int joint)
{
    for (int n = 0; n + 1 < c->nend; n += 2)
        if (is_on_path_to_ground(m, cd_constraint_end(c, n)->link, joint) !=
            is_on_path_to_ground(m, cd_constraint_end(c, n + 1)->link, joint))
            return true;
    return c->joint == joint;
}

// The last common joint of the paths from both ends to ground: the loop ends before it.
static int root_of_loop(const cardan_model* m, const cd_constraint* c)
{
    int i = cd_constraint_end(c, 0)->link, k = cd_constraint_end(c, 1)->link;
    while (i != k) {
        if (i > k)
            i = m->link[i].parent;
        else
            k = m->link[k].parent;
    }
    return i >= 0 ? m->link[i].joint : CARDAN_NONE;
}

// The i-th link of the loop on the path from an end to ground; -1 after the last.
static int link_of_loop(const cardan_model* m, const cd_constraint* c, int end, int i)
{
    const int root = root_of_loop(m, c);
    int       link = cd_constraint_end(c, end)->link;
    for (; link >= 0 && m->link[link].joint != root; link = m->link[link].parent)
        if (i-- == 0) return link;
    return -1;
}

cd_name_list cd_coupled_joint_names(const cardan_model* m, const cd_constraint* c)
{
    cd_name_list w = {0};
    for (int j = 0; j < m->njoint; ++j)
        if (is_in_loop(m, c, j)) add_name(&w, m->joint[j].name);
    return w;
}

cd_name_list cd_loop_joint_names(const cardan_model* m, const cd_constraint* c)
{
    cd_name_list w     = {0};
    int          count = 0, last = CARDAN_NONE;
    const int    root = root_of_loop(m, c);
    for (int link = c->end[0].link; link >= 0 && m->link[link].joint != root; link = m->link[link].parent) ++count;
    for (int i = count - 1; i >= 0 && w.length < CD_NAME_LIST_SIZE; --i) {
        const int j = m->link[link_of_loop(m, c, 0, i)].joint;
        if (j != last) add_name(&w, m->joint[j].name);
        last = j;
    }
    add_name(&w, c->name);
    for (int i = 0, link; (link = link_of_loop(m, c, 1, i)) >= 0 && w.length < CD_NAME_LIST_SIZE; ++i) {
        const int j = m->link[link].joint;
        if (j != last) add_name(&w, m->joint[j].name);
        last = j;
    }
    return w;
}

// Angle of the rotational rows: couplers contain it, universal joints the difference of a cosine, all others a chord.
static double rotation_violation(const cd_constraint* c, double size, double last)
{
    const double d = v3_dot(v3_const(c->axis[0]), v3_const(c->axis[1]));
    if (c->coupled) return size;
    if (c->is_universal_joint) return fabs(acos(fmax(-1, fmin(1, d + last))) - acos(fmax(-1, fmin(1, d))));
    return 2 * asin(fmin(1, size / 2));
}

static void update_largest_violation(const cd_assembly* a, const cd_constraint* c, const spatial* G, int first_row,
                                     double* largest_sq, cd_located_violation* g)
{
    for (int is_rotation = 0; is_rotation < 2; ++is_rotation) {
        double scaled_sq = 0, size_sq = 0, last = 0;
        for (int k = 0; k < c->nrow; ++k) {
            const vec3 l = G[k * c->nend].l;
            if ((v3_dot(l, l) > 0) == is_rotation) continue;
            last = a->c[first_row + k] * a->row_unit[first_row + k];
            scaled_sq += pow(a->c[first_row + k], 2);
            size_sq += pow(last, 2);
        }
        if (scaled_sq <= (1 + cd_equal_violation_tolerance) * *largest_sq) continue;
        *largest_sq = scaled_sq;
        *g          = (cd_located_violation){
                     c, is_rotation && !a->velocity_level ? rotation_violation(c, sqrt(size_sq), last) : sqrt(size_sq),
            is_rotation ? "rad" : "m"};
    }
}

cd_located_violation cd_violation_of_constraint(const cd_assembly* a, int constraint)
{
    const cd_constraint* c          = &a->d->constraints.constraint[constraint];
    cd_located_violation g          = {0};
    double               largest_sq = -1;
    update_largest_violation(a, c, a->d->constraints.equations[constraint].G, c->first_row, &largest_sq, &g);
    return g;
}

cd_located_violation cd_largest_violation(const cd_assembly* a)
{
    const cd_constraint_set* constraints = &a->d->constraints;
    cd_located_violation     g           = {0};
    double                   largest_sq  = -1;
    for (int i = 0; i < constraints->nconstraint; ++i)
        update_largest_violation(a, &constraints->constraint[i], constraints->equations[i].G,
                                 constraints->constraint[i].first_row, &largest_sq, &g);
    for (int i = 0; i < a->nfixed; ++i)
        update_largest_violation(a, &a->fixed_joint[i].c, a->fixed_joint[i].e.G,
                                 constraints->nrow + a->fixed_joint[i].c.first_row, &largest_sq, &g);
    return g;
}

static bool is_fixed(const cd_assembly* a, int j) { return cd_assembly_start_mode(a, j) == CARDAN_START_FIXED; }

cd_name_list cd_fixed_joint_names(const cd_assembly* a, const cd_constraint* c)
{
    cd_name_list w = {0};
    for (int j = 0; j < a->d->m->njoint; ++j)
        if (is_fixed(a, j) && is_in_loop(a->d->m, c, j)) add_name(&w, a->d->m->joint[j].name);
    return w;
}

cd_name_list cd_conflicting_driver_names(const cd_assembly* a, const cd_constraint** first)
{
    const cd_constraint_set* constraints = &a->d->constraints;
    cd_name_list             w           = {0};
    for (int i = 0; i < constraints->nconstraint; ++i) {
        if (!cd_assembly_driver_is_involved(a, i)) continue;
        if (w.count == 0) *first = &constraints->constraint[i];
        add_name(&w, constraints->constraint[i].name);
    }
    return w;
}

// Other constraints than joints that are involved in the largest violation: " and constraint 'd'".
static cd_name_list conflicting_constraint_names(const cd_assembly* a, const cd_constraint* c)
{
    cd_name_list w = {0};
    for (int i = 0; i < a->d->constraints.nconstraint; ++i) {
        const cd_constraint* other = &a->d->constraints.constraint[i];
        if (other == c || other->joint != CARDAN_NONE || !cd_assembly_is_involved(a, i, false)) continue;
        if (w.length < CD_NAME_LIST_SIZE - 120)
            w.length += snprintf(w.text + w.length, (size_t)(CD_NAME_LIST_SIZE - w.length), " and %s '%.60s'",
                                 other->category, other->name);
        ++w.count;
    }
    return w;
}

// Other loops involved in the largest violation: " against joint 'E' in the loop of joints 'A', 'B', 'E', 'F'". Which
// of them has wrong lengths cannot be decided.
static cd_name_list conflicting_loop_names(const cd_assembly* a, const cd_constraint* c)
{
    cd_name_list w    = {0};
    const int    room = CD_NAME_LIST_SIZE - 20;
    for (int i = 0; i < a->d->constraints.nconstraint; ++i) {
        const cd_constraint* other = &a->d->constraints.constraint[i];
        if (other == c || other->joint == CARDAN_NONE || !cd_assembly_is_involved(a, i, false)) continue;
        const cd_name_list loop = cd_loop_joint_names(a->d->m, other);
        if (w.length + 60 + (int)strlen(other->name) + (int)strlen(loop.text) >= room) {
            w.length += snprintf(w.text + w.length, (size_t)(CD_NAME_LIST_SIZE - w.length), " and others");
            break;
        }
        w.length +=
            snprintf(w.text + w.length, (size_t)(CD_NAME_LIST_SIZE - w.length), " %s %s '%s' in the loop of joints %s",
                     w.count++ > 0 ? "and" : "against", other->category, other->name, loop.text);
    }
    return w;
}

cardan_status cd_fail_driver_conflict(const cd_assembly* a, cd_located_violation g, cd_name_list drivers,
                                      const cd_constraint* first, cardan_report* report)
{
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT, first->location,
                       "at t = %g s the driver%s of %s require%s %s that the joints and the other constraints do not "
                       "allow: a violation of %.3g %s%s remains at %s '%s'",
                       a->d->t, drivers.count > 1 ? "s" : "", drivers.text, drivers.count > 1 ? "" : "s",
                       a->velocity_level ? "velocities" : "positions", g.size, g.unit, a->velocity_level ? "/s" : "",
                       g.c->category, g.c->name);
}

cardan_status cd_fail_loop_closure(const cd_assembly* a, cd_located_violation g, bool attributed, cardan_report* report)
{
    const double       t      = a->d->t;
    const cd_name_list others = a->dense ? conflicting_constraint_names(a, g.c) : (cd_name_list){0};
    if (g.c->joint == CARDAN_NONE) {
        const cd_name_list joints = cd_coupled_joint_names(a->d->m, g.c);
        if (others.count > 0)
            return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, g.c->location,
                               "%s '%s'%s cannot be satisfied together by joints %s: a violation of %.3g %s remains at "
                               "'%s' at t = %g s",
                               g.c->category, g.c->name, others.text, joints.text, g.size, g.unit, g.c->name, t);
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, g.c->location,
                           "%s '%s' cannot be satisfied by joints %s: a violation of %.3g %s remains at t = %g s",
                           g.c->category, g.c->name, joints.text, g.size, g.unit, t);
    }
    const cd_name_list loop = cd_loop_joint_names(a->d->m, g.c);
    if (!a->dense)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ASSEMBLY_FAILED, g.c->location,
                           "the loop of joints %s was not closed, a violation of %.3g %s remains at '%s' at t = %g s: "
                           "a mechanism of %d velocities needs a start that is nearly assembled",
                           loop.text, g.size, g.unit, g.c->name, t, a->d->m->nv);
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_ASSEMBLY_FAILED, g.c->location,
                       "the loop of joints %s%s could not be closed: a violation of %.3g %s remains at '%s' at t = %g "
                       "s%s; check the lengths in it, or start nearer to an assembled configuration",
                       loop.text, others.text, g.size, g.unit, g.c->name, t,
                       attributed ? " where all others are closed" : "");
}

cardan_status cd_fail_fixed_start(const cd_assembly* a, cd_located_violation g, bool is_rigid, cardan_report* report)
{
    const cd_name_list fixed = cd_fixed_joint_names(a, g.c),
                       loop  = g.c->joint == CARDAN_NONE ? (cd_name_list){0} : cd_loop_joint_names(a->d->m, g.c);
    const char*  in          = loop.count ? " in the loop of joints " : "";
    const double t           = a->d->t;
    const char*  advice      = is_rigid
                                   ? "without them loops close only in a configuration without degrees of freedom: correct "
                                     "the lengths in this loop"
                               : fixed.count > 1 ? "correct them, or mark joints that may move with `guess: true`"
                                                 : "correct it, or mark joints that may move with `guess: true`";
    if (!a->velocity_level) // a solution may exist that was not found
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->location,
                           "no assembled configuration was found with joint%s %s at %s fixed start position%s: a "
                           "violation of %.3g %s remains at %s '%s'%s%s at t = %g s; %s",
                           fixed.count > 1 ? "s" : "", fixed.text, fixed.count > 1 ? "their" : "its",
                           fixed.count > 1 ? "s" : "", g.size, g.unit, g.c->category, g.c->name, in, loop.text, t,
                           advice);
    const cd_name_list others = loop.count ? conflicting_loop_names(a, g.c) : (cd_name_list){0};
    if (fixed.count == 1)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->location,
                           "joint %s cannot have its fixed start velocity: a violation of %.3g %s/s remains at %s "
                           "'%s'%s%s%s at t = %g s; correct it, or mark it `guess: true`%s",
                           fixed.text, g.size, g.unit, g.c->category, g.c->name, in, loop.text, others.text, t,
                           others.length > 0 ? ", or check the positions of all these joints" : "");
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->location,
                       "joints %s cannot all have their fixed start velocity: a violation of %.3g %s/s remains at %s "
                       "'%s' at t = %g s; mark joints that may move with `guess: true`",
                       fixed.text, g.size, g.unit, g.c->category, g.c->name, t);
}

cardan_status cd_report_rigid(const cd_assembly* a, cd_located_violation g, bool error, cardan_report* report)
{
    const cardan_model* m    = a->d->m;
    const cd_name_list  loop = g.c->joint == CARDAN_NONE ? cd_coupled_joint_names(m, g.c) : cd_loop_joint_names(m, g.c);
    char                text[2 * CD_NAME_LIST_SIZE + 200];
    snprintf(text, sizeof text,
             "'%.80s' has no degree of freedom: in the design configuration %s '%.80s' is violated by %.3g %s, and the "
             "configuration that satisfies it at t = %g s allows no motion; %s the lengths and positions in the loop "
             "of joints %s",
             m->view.name, g.c->category, g.c->name, g.size, g.unit, a->d->t,
             error ? "correct" : "if it should move, check", loop.text);
    if (error)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->location, "%s", text);
    cardan_warn(report, CARDAN_CODE_START_INCONSISTENT, g.c->location, "%s", text);
    return CARDAN_OK;
}
