// SPDX-License-Identifier: BSD-3-Clause
// Every constraint type on random trees, with and without further joints that close loops: values, rates, rows and second derivatives
// against differences along random motions.
#include "constraint/curve.h"
#include "motion_check.h"

typedef struct scene {
    cardan_description* d;
    dice                dice;
    int                 marker[4];
} scene;

static cardan_expression law(scene* s, double scale)
{
    char              text[200];
    cardan_expression e;
    snprintf(text, sizeof text, "%.17g + %.17g*sin(%.17g*t) + %.17g*t^2", dice_range(&s->dice, -1, 1) * scale, dice_range(&s->dice, -1, 1) * scale,
             dice_range(&s->dice, 0.5, 3), dice_range(&s->dice, -1, 1) * scale);
    CHECK(cardan_parse(s->d, text, cardan_nowhere(), &e, NULL) == CARDAN_OK);
    return e;
}

static int joint_velocities(const cardan_joint* joint, bool* plain)
{
    cd_step   step[CARDAN_JOINT_MAX];
    int       nv = 0;
    const int n  = cd_joint_type_find(joint->type)->steps(joint, step);
    *plain       = n > 0;
    for (int i = 0; i < n; ++i) {
        nv += cd_motion_nv(step[i].motion);
        if (step[i].motion == CD_BALL) *plain = false;
    }
    return nv;
}

// A coordinate of some joint that has one; the first joint of every scene is a hinge.
static void pick(scene* s, int i, cardan_constraint* c)
{
    const cardan_view view = cardan_description_view(s->d);
    for (int attempt = 0;; ++attempt) {
        bool      plain;
        const int j  = attempt > 50 ? i : dice_int(&s->dice, view.njoint);
        const int nv = joint_velocities(&view.joint[j], &plain);
        if (!plain) continue;
        const bool general = strcmp(view.joint[j].type, "general") == 0;
        c->joint[i] = j;
        c->axis[i]  = dice_int(&s->dice, nv == 6 && !general ? 3 : nv);
        bool again  = false;
        for (int k = 0; k < i; ++k) again = again || (c->joint[k] == j && c->axis[k] == c->axis[i]);
        if (!again) return;
    }
}

static double points[3 * 8], weights[8], knots[16];

static cardan_curve random_curve(dice* d)
{
    cardan_curve c = {.npoint = 4 + dice_int(d, 5), .point = points, .degree = dice_unit(d) < 0.5 ? 0 : 2 + dice_int(d, 2), .closed = dice_unit(d) < 0.4};
    for (int i = 0; i < 3 * c.npoint; ++i) points[i] = dice_range(d, -2, 2);
    for (int i = 0; i < c.npoint; ++i) weights[i] = dice_range(d, 0.4, 2);
    if (dice_unit(d) < 0.6) c.weight = weights;
    if (dice_unit(d) < 0.4) {
        const int p = cd_curve_degree(&c);
        c.nknot     = c.closed ? c.npoint + 1 : c.npoint + p + 1;
        c.knot      = knots;
        knots[0]    = dice_range(d, -1, 1);
        for (int i = 1; i < c.nknot; ++i) knots[i] = knots[i - 1] + (!c.closed && (i <= p || i >= c.nknot - p) ? 0 : dice_range(d, 0.3, 1));
    }
    return c;
}

static void couple(scene* s, int n, cardan_constraint* c)
{
    c->njoint = n;
    for (int i = 0; i < n; ++i) pick(s, i, c);
    c->offset = dice_range(&s->dice, -1, 1);
}

// A random constraint of a type.
static cardan_constraint constraint_of(scene* s, const char* type)
{
    dice*             d = &s->dice;
    cardan_constraint c = cardan_constraint_default("held", type);
    c.marker[0]         = s->marker[dice_int(d, 2)];
    c.marker[1]         = s->marker[2 + dice_int(d, 2)];
    c.rest              = random_pose(d);
    c.locked            = (unsigned)dice_int(d, 64);
    if (strcmp(type, "lock") == 0)
        for (int i = 0; i < 6; ++i)
            if (dice_unit(d) < 0.5) c.law[i] = law(s, 1);
    if (strcmp(type, "lock") == 0 && c.law[0] == CARDAN_NONE) c.locked |= 1;
    c.length    = dice_range(d, 0.1, 2);
    c.radius[0] = dice_range(d, 0.1, 1);
    c.radius[1] = dice_range(d, 0.1, 1) * (dice_unit(d) < 0.5 ? -1 : 1);
    c.ratio     = dice_range(d, 1, 5);
    c.sphere    = dice_unit(d) < 0.5;
    c.curve     = random_curve(d);
    for (int i = 0; i < 3; ++i) c.factor[i] = dice_range(d, 0.5, 3) * (dice_unit(d) < 0.5 ? -1 : 1);
    if (strcmp(type, "distance") == 0 && dice_unit(d) < 0.5) c.law[0] = law(s, 1);
    if (strcmp(type, "follow") == 0) c.law[0] = law(s, 0.7);
    if (strcmp(type, "gear") == 0 || strcmp(type, "belt") == 0 || strcmp(type, "worm") == 0) couple(s, 2, &c);
    if (strcmp(type, "coupler") == 0) couple(s, 2 + dice_int(d, 2), &c);
    if (strcmp(type, "driver") == 0) {
        couple(s, 1, &c);
        c.law[0] = law(s, 1);
    }
    if (strcmp(type, "rack_pinion") == 0) {
        c.njoint   = 2;
        c.joint[0] = 0;
        c.joint[1] = 1;
    }
    return c;
}

// A random tree with a hinge and a slide in it, perhaps more joints than a tree has, and markers.
static scene random_scene(uint64_t seed, bool loops)
{
    scene s = {.d = cardan_description_create("scene"), .dice = {seed}};
    dice* d = &s.dice;
    const int n = 3 + dice_int(d, 8);
    char      name[32];
    for (int i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "body%d", i);
        cardan_body b = cardan_body_default(name);
        b.pose        = random_pose(d);
        random_inertia(d, &b);
        cardan_add_body(s.d, &b);
    }
    static const char* const fixed[2] = {"revolute", "prismatic"};
    for (int i = 0; i < n + (loops ? 3 : 0); ++i) {
        snprintf(name, sizeof name, "joint%d", i);
        const int    second = i < n ? i : dice_int(d, n);
        const int    first  = i < 2 ? i - 1 : i < n ? dice_int(d, i + 1) - 1 : (second + 1 + dice_int(d, n - 1)) % n;
        cardan_joint j      = random_joint(d, name, first, second);
        if (i < 2) j.type = fixed[i], j.nstep = 0;
        if (loops && j.type[0] == 'g') j.type = "planar", j.nstep = 0;  // a general joint cannot close a loop
        j.naxis = 0;
        if (i >= n && (j.type[0] == 'g' || strcmp(j.type, "fixed") == 0 || strcmp(j.type, "free") == 0)) j.type = "universal", j.nstep = 0;
        cardan_add_joint(s.d, &j);
    }
    for (int i = 0; i < 4; ++i) {
        snprintf(name, sizeof name, "marker%d", i);
        const cardan_marker m = {.name = name, .body = i < 2 ? n - 1 - i : i == 2 ? CARDAN_GROUND : 0, .pose = random_pose(d)};
        s.marker[i]           = cardan_add_marker(s.d, &m);
    }
    return s;
}

static bool open_probe(const cardan_description* d, cardan_tree_policy policy, uint64_t seed, probe* p, cardan_model** model)
{
    cardan_report report = {0};
    *p                   = (probe){.t = 0.37};
    *model               = NULL;
    bool good            = cardan_model_compile(d, policy, model, &report) == CARDAN_OK;
    good                 = good && cardan_data_create(*model, cardan_formulation_find("dense"), &p->d, &report) == CARDAN_OK;
    if (!good) {
        const bool welded = report.count > 0 && strstr(report.message[0].text, "same body");
        if (!welded) printf("seed %llu: %s\n", (unsigned long long)seed, report.count ? report.message[0].text : "?");
        CHECK(welded);
        return false;
    }
    p->m   = *model;
    dice k = {seed + 77};
    random_state(&k, *model, p->q, p->v);
    for (int i = 0; i < p->m->nv; ++i) p->a[i] = dice_range(&k, -3, 3);
    return true;
}

// Moves the curve so that the point is on it, and gives what p then needs.
static void bring_curve(const probe* p, cardan_constraint* c, double u)
{
    cd_know_world(p->d);
    const cd_end point = cd_end_of(&p->m->marker[c->marker[0]], &p->d->world), carrier = cd_end_of(&p->m->marker[c->marker[1]], &p->d->world);
    const vec3   x = m3_tmul(carrier.T.R, v3_sub(point.T.p, carrier.T.p)), C = cd_curve_at(&c->curve, u).p;
    for (int i = 0; i < c->curve.npoint; ++i) {
        points[3 * i] += x.x - C.x;
        points[3 * i + 1] += x.y - C.y;
        points[3 * i + 2] += x.z - C.z;
    }
}

// Velocities along the curve: v - J'(J J')^-1 rate for the two rows of the constraint at `row`. False where the point cannot move so.
static bool stay_on_curve(probe* p, int row)
{
    probe_at(p, 0);
    const cd_row_block* b = NULL;
    for (int i = 0; i < p->d->closure.nconstraint; ++i)
        if (p->d->closure.block[i].row == row) b = &p->d->closure.block[i];
    double A[3] = {0}, *J0 = b->J, *J1 = b->J + b->nv;
    for (int k = 0; k < b->nv; ++k) {
        A[0] += J0[k] * J0[k];
        A[1] += J0[k] * J1[k];
        A[2] += J1[k] * J1[k];
    }
    const double r0 = p->d->closure.rate[row], r1 = p->d->closure.rate[row + 1], det = A[0] * A[2] - A[1] * A[1];
    if (det < 1e-2 * A[0] * A[2]) return false;
    for (int k = 0; k < b->nv; ++k) p->v[b->v[k]] -= (J0[k] * (A[2] * r0 - A[1] * r1) + J1[k] * (A[0] * r1 - A[1] * r0)) / det;
    return true;
}

static bool disagrees(const probe* p) { return !(p->worst_rate <= 1e-8 && p->worst_second <= 1e-8 && p->worst_twice <= 1e-5 && p->worst_J <= 1e-8); }

static void check_type(const char* type, bool loops)
{
    enum { COUNT = 60 };
    double rate = 0, second = 0, twice = 0, J = 0;
    int    jumps = 0, rows = 0, skipped = 0;
    const bool curve = strcmp(type, "point_on_curve") == 0;
    for (uint64_t seed = 1; seed <= COUNT; ++seed) {
        scene             s      = random_scene(seed, loops);
        cardan_constraint c      = constraint_of(&s, type);
        const cardan_tree_policy policy = seed % 2 ? CARDAN_TREE_SHALLOW : CARDAN_TREE_CHAIN;
        probe         p;
        cardan_model* model;
        if (curve && open_probe(s.d, policy, seed, &p, &model)) {
            probe_at(&p, 0);
            bring_curve(&p, &c, c.curve.knot ? knots[c.curve.nknot / 2] + 0.1 : 0.43);
            cardan_data_destroy(p.d);
            cardan_model_destroy(model);
        }
        CHECK(cardan_add_constraint(s.d, &c) == 0);
        const bool good = open_probe(s.d, policy, seed, &p, &model);
        if (good && (!curve || stay_on_curve(&p, p.d->closure.nrow - 2))) {
            probe_rows(&p, 1e-3);
            if (disagrees(&p)) {  // a knot or a singular angle in reach of the differences: come closer
                p.worst_rate = p.worst_second = p.worst_twice = p.worst_J = 0;
                probe_rows(&p, 1e-4);
            }
            if (curve) CHECK_NEAR(hypot(p.value[p.d->closure.nrow - 2], p.value[p.d->closure.nrow - 1]), 0, 1e-12);
            if (disagrees(&p))
                printf("%s, seed %llu: rate %.2g, second %.2g, twice %.2g, J %.2g\n", type, (unsigned long long)seed, p.worst_rate, p.worst_second, p.worst_twice, p.worst_J);
            rate   = fmax(rate, p.worst_rate);
            second = fmax(second, p.worst_second);
            twice  = fmax(twice, p.worst_twice);
            J      = fmax(J, p.worst_J);
            jumps += p.jumps;
            rows += p.d->closure.nrow;
        } else {
            ++skipped;
        }
        cardan_data_destroy(p.d);
        cardan_model_destroy(model);
        cardan_description_destroy(s.d);
    }
    printf("%-15s %s: rate %.1e, second derivative %.1e, twice differenced %.1e, J %.1e; %d rows, %d jumped, %d scenes welded\n", type, loops ? "loops" : "tree ", rate, second,
           twice, J, rows, jumps, skipped);
    CHECK(rate <= 1e-8);
    CHECK(second <= 1e-8);
    CHECK(twice <= 1e-5);
    CHECK(J <= 1e-8);
    CHECK(rows > 50 && jumps * 50 < rows && skipped * 4 < COUNT);
}

int main(void)
{
    for (int i = 0; i < cd_constraint_type_count(); ++i)
        for (int loops = 0; loops < 2; ++loops) RUN(check_type(cd_constraint_type_at(i)->name, loops));
    return test_end();
}
