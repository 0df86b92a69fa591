// SPDX-License-Identifier: BSD-3-Clause
// Whether what a description refers to by index exists: bodies, joints, markers, tables, formulas. And whether the
// numbers of constraints, couplings, forces and states are finite. Descriptions that are read from files satisfy this;
// those that are made in C may not.
#include "model/check.h"

#include "expression/graph.h"
#include "math/finite.h"
#include "model/description.h"

#include <limits.h>
#include <math.h>

// One item of the description whose references are checked.
typedef struct item {
    const cardan_description* d;
    const char *              what, *name;
    cardan_place              place;
    cardan_report*            report;
    cardan_status             status;
} item;

static item item_of(const cardan_description* d, const char* what, const char* name, cardan_place place,
                    cardan_report* report)
{
    return (item){d, what, name ? name : "", place, report, CARDAN_OK};
}

static void refer(item* t, const char* kind, int index, int least, int count)
{
    if (index >= least && index < count) return;
    t->status = cardan_fail(t->report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, t->place,
                            "%s '%s': there is no %s number %d", t->what, t->name, kind, index);
}

static void refer_to_formula(item* t, cardan_expression e)
{
    refer(t, "formula", e, CARDAN_NONE, cd_graph_size(t->d->graph));
}

static void need_finite(item* t, const char* number, int n, const double* x)
{
    if (cd_are_finite(n, x)) return;
    int i = 0;
    while (i < n - 1 && isfinite(x[i])) ++i;
    t->status = cardan_fail(t->report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, t->place,
                            "%s '%s': its %s is %g, which is not finite", t->what, t->name, number, x[i]);
}

static void need(item* t, bool good, const char* complaint)
{
    if (good) return;
    t->status = cardan_fail(t->report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, t->place, "%s '%s': %s", t->what,
                            t->name, complaint);
}

static cardan_status check_joint(const cardan_description* d, const cardan_joint* j, cardan_report* report)
{
    item t = item_of(d, "joint", j->name, j->place, report);
    need(&t, j->type != NULL, "it has no type");
    refer(&t, "body", j->first, CARDAN_GROUND, d->nbody);
    refer(&t, "body", j->second, CARDAN_GROUND, d->nbody);
    need(&t, j->nstep >= 0 && j->nstep <= CARDAN_JOINT_MAX, "it has too many steps");
    need(&t, j->naxis >= 0 && (j->naxis == 0 || j->axis), "it has laws along its velocities, but their array is NULL");
    need(&t, j->ndriver >= 0 && (j->ndriver == 0 || j->driver), "it has drivers, but their array is NULL");
    for (int i = 0; t.status == CARDAN_OK && i < j->ndriver; ++i) refer_to_formula(&t, j->driver[i]);
    return t.status;
}

static cardan_status check_marker(const cardan_description* d, const cardan_marker* m, cardan_report* report)
{
    item t = item_of(d, "marker", m->name, m->place, report);
    refer(&t, "body", m->body, CARDAN_GROUND, d->nbody);
    return t.status;
}

static cardan_status check_coupling(const cardan_description* d, const cardan_coupling* c, cardan_report* report)
{
    const bool known = c->joint >= 0 && c->joint < d->njoint;
    item       t     = item_of(d, "coupling of joint", known ? d->joint[c->joint].name : "", c->place, report);
    refer(&t, "joint", c->joint, 0, d->njoint);
    refer(&t, "joint", c->other, 0, d->njoint);
    need_finite(&t, "factor", 1, &c->factor);
    need_finite(&t, "offset", 1, &c->offset);
    return t.status;
}

static cardan_status check_force(const cardan_description* d, const cardan_force* f, cardan_report* report)
{
    item t = item_of(d, "force", f->name, f->place, report);
    need(&t, f->type != NULL, "it has no type");
    const int marker[3] = {f->marker[0], f->marker[1], f->frame}, table[2] = {f->force_table, f->damper_table};
    for (int i = 0; i < 3; ++i) refer(&t, "marker", marker[i], CARDAN_NONE, d->nmarker);
    for (int i = 0; i < 2; ++i) refer(&t, "table", table[i], CARDAN_NONE, d->ntable);
    refer(&t, "joint", f->joint, CARDAN_NONE, d->njoint);
    refer(&t, "coordinate", f->axis, INT_MIN, INT_MAX);
    for (int i = 0; i < 3; ++i) refer_to_formula(&t, f->component[i]);
    need_finite(&t, "stiffness", 6, f->stiffness);
    need_finite(&t, "damping", 6, f->damping);
    need_finite(&t, "length", 1, &f->length);
    need_finite(&t, "preload", 1, &f->preload);
    need(&t, f->lower <= f->upper, "its lower bound is not below the upper one");
    return t.status;
}

static void check_curve(item* t, const cardan_curve* c)
{
    need(t, c->npoint >= 0 && (c->npoint == 0 || c->point), "its curve has points, but their array is NULL");
    need(t, c->nknot >= 0 && (c->nknot == 0 || c->knot), "its curve has knots, but their array is NULL");
    if (t->status != CARDAN_OK) return;
    need_finite(t, "curve point", 3 * c->npoint, c->point);
    if (c->weight) need_finite(t, "curve weight", c->npoint, c->weight);
    need_finite(t, "curve knot", c->nknot, c->knot);
}

static cardan_status check_constraint(const cardan_description* d, const cardan_constraint* c, cardan_report* report)
{
    item t = item_of(d, "constraint", c->name, c->place, report);
    need(&t, c->type != NULL, "it has no type");
    need(&t, c->njoint >= 0 && c->njoint <= CARDAN_COUPLED_MAX, "it couples too many joints");
    for (int i = 0; i < 2; ++i) refer(&t, "marker", c->marker[i], CARDAN_NONE, d->nmarker);
    for (int i = 0; i < c->njoint && i < CARDAN_COUPLED_MAX; ++i) {
        refer(&t, "joint", c->joint[i], 0, d->njoint);
        refer(&t, "coordinate", c->axis[i], INT_MIN, INT_MAX); // compared with the joint where both are known
    }
    for (int i = 0; i < 6; ++i) refer_to_formula(&t, c->law[i]);
    need_finite(&t, "factor", CARDAN_COUPLED_MAX, c->factor);
    need_finite(&t, "offset", 1, &c->offset);
    need_finite(&t, "length", 1, &c->length);
    need_finite(&t, "radius", 2, c->radius);
    need_finite(&t, "ratio", 1, &c->ratio);
    need_finite(&t, "efficiency", 2, c->efficiency);
    need_finite(&t, "speed", 1, &c->speed);
    need_finite(&t, "position at rest", 3, c->rest.p);
    need_finite(&t, "orientation at rest", 4, c->rest.q);
    check_curve(&t, &c->curve);
    return t.status;
}

static cardan_status check_shape(const cardan_description* d, const cardan_shape* s, cardan_report* report)
{
    item t = item_of(d, "shape of body", s->body >= 0 && s->body < d->nbody ? d->body[s->body].name : "",
                     cardan_nowhere(), report);
    refer(&t, "body", s->body, CARDAN_GROUND, d->nbody);
    need(&t, s->npoint >= 0 && (s->npoint == 0 || s->point), "it has points, but their array is NULL");
    need_finite(&t, "position", 3, s->pose.p);
    need_finite(&t, "orientation", 4, s->pose.q);
    need_finite(&t, "size", 3, s->size);
    if (t.status == CARDAN_OK) need_finite(&t, "point", 3 * s->npoint, s->point);
    return t.status;
}

static cardan_status check_wheel(const cardan_description* d, const cardan_wheel* w, cardan_report* report)
{
    item t = item_of(d, "wheel", w->name, w->place, report);
    refer(&t, "marker", w->hub, 0, d->nmarker);
    for (int i = 0; i < 2; ++i) refer(&t, "marker", w->kingpin[i], CARDAN_NONE, d->nmarker);
    const int force[3] = {w->spring, w->damper, w->tyre}, joint[2] = {w->spring_joint, w->damper_joint};
    for (int i = 0; i < 3; ++i) refer(&t, "force", force[i], CARDAN_NONE, d->nforce);
    for (int i = 0; i < 2; ++i) refer(&t, "joint", joint[i], CARDAN_NONE, d->njoint);
    need_finite(&t, "axis", 3, w->axis);
    need_finite(&t, "radius", 1, &w->radius);
    return t.status;
}

static cardan_status check_suspension(const cardan_description* d, const cardan_suspension* s, cardan_report* report)
{
    item          t      = item_of(d, "suspension of", d->name, s->place, report);
    cardan_status status = CARDAN_OK;
    refer(&t, "body", s->chassis, CARDAN_GROUND, d->nbody);
    refer(&t, "joint", s->steering, CARDAN_NONE, d->njoint);
    need_finite(&t, "forward direction", 3, s->forward);
    need_finite(&t, "upward direction", 3, s->up);
    need_finite(&t, "travel", 2, s->travel);
    need_finite(&t, "stroke", 2, s->stroke);
    need_finite(&t, "wheelbase", 1, &s->wheelbase);
    for (int i = 0; i < s->nwheel; ++i)
        if (check_wheel(d, &s->wheel[i], report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    return t.status == CARDAN_OK ? status : t.status;
}

static cardan_status check_formulas(const cardan_description* d, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < d->nstate; ++i) {
        item t = item_of(d, "state", d->state[i].name, d->state[i].place, report);
        refer_to_formula(&t, d->state[i].rate);
        need_finite(&t, "start value", 1, &d->state[i].start);
        if (t.status != CARDAN_OK) status = t.status;
    }
    for (int i = 0; i < d->noutput; ++i) {
        item t = item_of(d, "output", d->output[i].name, d->output[i].place, report);
        refer_to_formula(&t, d->output[i].value);
        if (t.status != CARDAN_OK) status = t.status;
    }
    for (int i = 0; i < d->nparameter; ++i) {
        item t = item_of(d, "parameter", d->parameter[i].name, d->parameter[i].place, report);
        need_finite(&t, "value", 1, &d->parameter[i].value);
        if (t.status != CARDAN_OK) status = t.status;
    }
    item t = item_of(d, "stop condition of", d->name, cardan_nowhere(), report);
    refer_to_formula(&t, d->run.stop);
    return t.status == CARDAN_OK ? status : t.status;
}

cardan_status cd_check_references(const cardan_description* d, cardan_report* report)
{
    bool good = true;
    for (int i = 0; i < d->njoint; ++i) good &= check_joint(d, &d->joint[i], report) == CARDAN_OK;
    for (int i = 0; i < d->nmarker; ++i) good &= check_marker(d, &d->marker[i], report) == CARDAN_OK;
    for (int i = 0; i < d->ncoupling; ++i) good &= check_coupling(d, &d->coupling[i], report) == CARDAN_OK;
    for (int i = 0; i < d->nforce; ++i) good &= check_force(d, &d->force[i], report) == CARDAN_OK;
    for (int i = 0; i < d->nconstraint; ++i) good &= check_constraint(d, &d->constraint[i], report) == CARDAN_OK;
    for (int i = 0; i < d->nshape; ++i) good &= check_shape(d, &d->shape[i], report) == CARDAN_OK;
    good &= check_formulas(d, report) == CARDAN_OK;
    if (d->suspension) good &= check_suspension(d, d->suspension, report) == CARDAN_OK;
    return good ? CARDAN_OK : CARDAN_BAD_INPUT;
}
