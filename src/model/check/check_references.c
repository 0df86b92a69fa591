// SPDX-License-Identifier: BSD-3-Clause
// Checks that the indices of a description refer to existing bodies, joints, markers, tables and formulas, and that the
// numbers of constraints, couplings, forces and states are finite. Descriptions from files satisfy this; those made in
// C may not.
#include "model/check/check_description.h"

#include "expression/graph.h"
#include "math/finite.h"
#include "model/description.h"

#include <limits.h>
#include <math.h>

// An element of the description whose references are checked.
typedef struct item {
    const cardan_description* d;
    const char *              category, *name;
    cardan_location           location;
    cardan_report*            report;
    cardan_status             status;
} item;

static item item_of(const cardan_description* d, const char* category, const char* name, cardan_location location,
                    cardan_report* report)
{
    return (item){d, category, name ? name : "", location, report, CARDAN_OK};
}

static void check_index(item* t, const char* kind, int index, int least, int count)
{
    if (index >= least && index < count) return;
    t->status = cardan_fail(t->report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, t->location,
                            "%s '%s': there is no %s number %d", t->category, t->name, kind, index);
}

static void check_formula_index(item* t, cardan_expression e)
{
    check_index(t, "formula", e, CARDAN_NONE, cd_graph_size(t->d->graph));
}

static void require_finite(item* t, const char* number, int n, const double* x)
{
    if (cd_all_finite(n, x)) return;
    int i = 0;
    while (i < n - 1 && isfinite(x[i])) ++i;
    t->status = cardan_fail(t->report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, t->location,
                            "%s '%s': the %s is %g, which is not finite", t->category, t->name, number, x[i]);
}

static void require(item* t, bool good, const char* complaint)
{
    if (good) return;
    t->status = cardan_fail(t->report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, t->location, "%s '%s': %s",
                            t->category, t->name, complaint);
}

static cardan_status check_joint(const cardan_description* d, const cardan_joint* j, cardan_report* report)
{
    item t = item_of(d, "joint", j->name, j->location, report);
    require(&t, j->type != NULL, "it has no type");
    check_index(&t, "body", j->first_body, CARDAN_GROUND, d->nbody);
    check_index(&t, "body", j->second_body, CARDAN_GROUND, d->nbody);
    require(&t, j->nelementary >= 0 && j->nelementary <= CARDAN_JOINT_VELOCITIES_MAX, "it has too many steps");
    require(&t, j->naxis >= 0 && (j->naxis == 0 || j->axis), "it has axis properties, but their array is NULL");
    require(&t, j->ndriver >= 0 && (j->ndriver == 0 || j->driver), "it has drivers, but their array is NULL");
    for (int i = 0; t.status == CARDAN_OK && i < j->ndriver; ++i) check_formula_index(&t, j->driver[i]);
    return t.status;
}

static cardan_status check_marker(const cardan_description* d, const cardan_marker* m, cardan_report* report)
{
    item t = item_of(d, "marker", m->name, m->location, report);
    check_index(&t, "body", m->body, CARDAN_GROUND, d->nbody);
    return t.status;
}

static cardan_status check_coupling(const cardan_description* d, const cardan_coupling* c, cardan_report* report)
{
    const bool known = c->joint >= 0 && c->joint < d->njoint;
    item       t     = item_of(d, "coupling of joint", known ? d->joint[c->joint].name : "", c->location, report);
    check_index(&t, "joint", c->joint, 0, d->njoint);
    check_index(&t, "joint", c->other, 0, d->njoint);
    require_finite(&t, "factor", 1, &c->factor);
    require_finite(&t, "offset", 1, &c->offset);
    return t.status;
}

static cardan_status check_force(const cardan_description* d, const cardan_force* f, cardan_report* report)
{
    item t = item_of(d, "force", f->name, f->location, report);
    require(&t, f->type != NULL, "it has no type");
    const int marker[3] = {f->marker[0], f->marker[1], f->frame}, table[2] = {f->force_table, f->damper_table};
    for (int i = 0; i < 3; ++i) check_index(&t, "marker", marker[i], CARDAN_NONE, d->nmarker);
    for (int i = 0; i < 2; ++i) check_index(&t, "table", table[i], CARDAN_NONE, d->ntable);
    check_index(&t, "joint", f->joint, CARDAN_NONE, d->njoint);
    check_index(&t, "coordinate", f->axis, INT_MIN, INT_MAX);
    for (int i = 0; i < 3; ++i) check_formula_index(&t, f->component[i]);
    require_finite(&t, "stiffness", 6, f->stiffness);
    require_finite(&t, "damping", 6, f->damping);
    require_finite(&t, "length", 1, &f->free_length);
    require_finite(&t, "preload", 1, &f->preload);
    require(&t, f->lower <= f->upper, "the lower bound is not below the upper bound");
    return t.status;
}

static void check_curve(item* t, const cardan_curve* c)
{
    require(t, c->npoint >= 0 && (c->npoint == 0 || c->point), "the curve has points, but their array is NULL");
    require(t, c->nknot >= 0 && (c->nknot == 0 || c->knot), "the curve has knots, but their array is NULL");
    if (t->status != CARDAN_OK) return;
    require_finite(t, "curve point", 3 * c->npoint, c->point);
    if (c->weight) require_finite(t, "curve weight", c->npoint, c->weight);
    require_finite(t, "curve knot", c->nknot, c->knot);
}

static cardan_status check_constraint(const cardan_description* d, const cardan_constraint* c, cardan_report* report)
{
    item t = item_of(d, "constraint", c->name, c->location, report);
    require(&t, c->type != NULL, "it has no type");
    require(&t, c->njoint >= 0 && c->njoint <= CARDAN_COUPLED_JOINTS_MAX, "it couples too many joints");
    for (int i = 0; i < 2; ++i) check_index(&t, "marker", c->marker[i], CARDAN_NONE, d->nmarker);
    for (int i = 0; i < c->njoint && i < CARDAN_COUPLED_JOINTS_MAX; ++i) {
        check_index(&t, "joint", c->joint[i], 0, d->njoint);
        check_index(&t, "coordinate", c->axis[i], INT_MIN, INT_MAX); // compared with the joint where both are known
    }
    for (int i = 0; i < 6; ++i) check_formula_index(&t, c->driver[i]);
    require_finite(&t, "factor", CARDAN_COUPLED_JOINTS_MAX, c->factor);
    require_finite(&t, "offset", 1, &c->offset);
    require_finite(&t, "length", 1, &c->length);
    require_finite(&t, "radius", 2, c->radius);
    require_finite(&t, "ratio", 1, &c->ratio);
    require_finite(&t, "efficiency", 2, c->efficiency);
    require_finite(&t, "speed", 1, &c->loss_speed);
    require_finite(&t, "reference position", 3, c->reference.p);
    require_finite(&t, "reference orientation", 4, c->reference.q);
    check_curve(&t, &c->curve);
    return t.status;
}

static bool are_points(const cardan_shape* s)
{
    bool good = s->ntriangle >= 0 && (s->ntriangle == 0 || s->triangle);
    for (int i = 0; good && i < 3 * s->ntriangle; ++i) good = s->triangle[i] >= 0 && s->triangle[i] < s->npoint;
    return good;
}

static cardan_status check_shape(const cardan_description* d, const cardan_shape* s, cardan_report* report)
{
    item t = item_of(d, "shape of body", s->body >= 0 && s->body < d->nbody ? d->body[s->body].name : "", s->location,
                     report);
    check_index(&t, "body", s->body, CARDAN_GROUND, d->nbody);
    require(&t, s->npoint >= 0 && (s->npoint == 0 || s->point), "it has points, but their array is NULL");
    require(&t, are_points(s), "its triangles are NULL or refer to points that do not exist");
    require_finite(&t, "position", 3, s->pose.p);
    require_finite(&t, "orientation", 4, s->pose.q);
    require_finite(&t, "size", 3, s->size);
    if (t.status == CARDAN_OK) require_finite(&t, "point", 3 * s->npoint, s->point);
    return t.status;
}

static cardan_status check_wheel(const cardan_description* d, const cardan_wheel* w, cardan_report* report)
{
    item t = item_of(d, "wheel", w->name, w->location, report);
    check_index(&t, "marker", w->hub, 0, d->nmarker);
    for (int i = 0; i < 2; ++i) check_index(&t, "marker", w->kingpin[i], CARDAN_NONE, d->nmarker);
    const int force[3] = {w->spring, w->damper, w->tyre}, joint[2] = {w->spring_joint, w->damper_joint};
    for (int i = 0; i < 3; ++i) check_index(&t, "force", force[i], CARDAN_NONE, d->nforce);
    for (int i = 0; i < 2; ++i) check_index(&t, "joint", joint[i], CARDAN_NONE, d->njoint);
    require_finite(&t, "axis", 3, w->axis);
    require_finite(&t, "radius", 1, &w->radius);
    return t.status;
}

static cardan_status check_suspension(const cardan_description* d, const cardan_suspension* s, cardan_report* report)
{
    item          t      = item_of(d, "suspension of", d->name, s->location, report);
    cardan_status status = CARDAN_OK;
    check_index(&t, "body", s->chassis, CARDAN_GROUND, d->nbody);
    check_index(&t, "joint", s->steering, CARDAN_NONE, d->njoint);
    require_finite(&t, "forward direction", 3, s->forward);
    require_finite(&t, "upward direction", 3, s->up);
    require_finite(&t, "travel", 2, s->travel);
    require_finite(&t, "stroke", 2, s->steering_travel);
    require_finite(&t, "wheelbase", 1, &s->wheelbase);
    for (int i = 0; i < s->nwheel; ++i)
        if (check_wheel(d, &s->wheel[i], report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    return t.status == CARDAN_OK ? status : t.status;
}

static cardan_status check_formulas(const cardan_description* d, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < d->nstate; ++i) {
        item t = item_of(d, "state", d->state[i].name, d->state[i].location, report);
        check_formula_index(&t, d->state[i].rate);
        require_finite(&t, "start value", 1, &d->state[i].start);
        if (t.status != CARDAN_OK) status = t.status;
    }
    for (int i = 0; i < d->noutput; ++i) {
        item t = item_of(d, "output", d->output[i].name, d->output[i].location, report);
        check_formula_index(&t, d->output[i].value);
        if (t.status != CARDAN_OK) status = t.status;
    }
    for (int i = 0; i < d->nparameter; ++i) {
        item t = item_of(d, "parameter", d->parameter[i].name, d->parameter[i].location, report);
        require_finite(&t, "value", 1, &d->parameter[i].value);
        if (t.status != CARDAN_OK) status = t.status;
    }
    item t = item_of(d, "stop condition of", d->name, cardan_location_none(), report);
    check_formula_index(&t, d->run.stop_condition);
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
    good &= cd_check_contact_references(d, report) == CARDAN_OK;
    if (d->suspension) good &= check_suspension(d, d->suspension, report) == CARDAN_OK;
    return good ? CARDAN_OK : CARDAN_BAD_INPUT;
}
