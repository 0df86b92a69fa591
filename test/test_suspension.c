// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies: closed forms of a trailing arm and of parallel wishbones, wheel rates against energies, mirror images, one result
// whatever tree or formulation, bushings in equilibrium, dead points, and the sentences where there is nothing to study.
#include "fixture.h"

typedef struct scene {
    cardan_description* description;
    cardan_study*       study;
    cardan_sweep*       sweep[CARDAN_SWEEP_KINDS];
    cardan_report       report;
} scene;

static cardan_status open_text(scene* s, const char* text)
{
    char name[1024];
    *s = (scene){0};
    snprintf(name, sizeof name, "%s/models/hmmwv/inline.yaml", CARDAN_SOURCE);
    cardan_status status = cardan_load_text(text, name, NULL, &s->description, &s->report);
    if (status == CARDAN_OK) status = cardan_study_create(s->description, CARDAN_TREE_SHALLOW, &s->study, &s->report);
    return status;
}

static cardan_status open_file(scene* s, const char* path, cardan_tree_policy policy)
{
    char file[1024];
    *s = (scene){0};
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    cardan_status status = cardan_load(file, NULL, &s->description, &s->report);
    if (status == CARDAN_OK) status = cardan_study_create(s->description, policy, &s->study, &s->report);
    return status;
}

static void show(const scene* s)
{
    for (int i = 0; i < s->report.count; ++i) printf("%s\n", s->report.message[i].text);
}

static const cardan_sweep* sweep(scene* s, cardan_sweep_kind kind)
{
    if (!s->sweep[kind] && cardan_study_sweep(s->study, kind, &s->sweep[kind], &s->report) != CARDAN_OK) {
        show(s);
        CHECK(false);
    }
    return s->sweep[kind];
}

static void close_scene(scene* s)
{
    for (int k = 0; k < CARDAN_SWEEP_KINDS; ++k) cardan_sweep_destroy(s->sweep[k]);
    cardan_study_destroy(s->study);
    cardan_description_destroy(s->description);
}

#define OPEN(s, call)                    \
    if ((call) != CARDAN_OK) {           \
        show(s);                         \
        CHECK(false);                    \
        close_scene(s);                  \
        return;                          \
    }

// ---- trailing arms with a bar against roll

static const char arms[] = "cardan: 1\n"
                           "gravity: [0, 0, 0]\n"
                           "templates:\n"
                           "  side:\n"
                           "    points: {pivot: [0, 0.5, 0.35], wheel: [-0.4, 0.7, 0.3]}\n"
                           "    bodies: {arm: {at: wheel, mass: 10, inertia: [1, 1, 1]}}\n"
                           "    markers: {hub: {on: arm, at: wheel}}\n"
                           "    joints: {pivot: {revolute: [ground, arm], at: pivot, axis: y, spring: {stiffness: 5000, rest: -0.2}}}\n"
                           "use: {L: {side: {}}, R: {side: {}, mirror: y}}\n"
                           "forces:\n"
                           "  bar: {torsion: [{on: L.arm, orientation: {x: z, z: y}}, {on: R.arm, orientation: {x: z, z: y}}], stiffness: 800}\n"
                           "suspension:\n"
                           "  travel: [-0.12, 0.1]\n"
                           "  wheels: {L: {hub: L.hub, radius: 0.3, spring: L.pivot}, R: {hub: R.hub, radius: 0.3, spring: R.pivot}}\n";

typedef struct arm {
    double q, x, ratio, load, rate;
} arm;

// q: sin(q - phi) = (z - d)/r; F = (k (q - rest) + bar (q - other))/(r cos).
static arm arm_at(double z, double q_other, double share)
{
    const double r = hypot(0.4, 0.05), phi = atan2(0.05, 0.4), k = 5000, bar = 800, rest = -0.2;
    const double angle = asin((z - 0.05) / r), q = angle + phi, lever = r * cos(angle), torque = k * (q - rest) + bar * (q - q_other);
    const double slope = (k + bar * share) / lever + torque * r * sin(angle) / (lever * lever);  // dF/dq
    return (arm){q, -lever, 1 / lever, torque / lever, slope / lever};
}

static void trailing_arms(void)
{
    scene s;
    OPEN(&s, open_text(&s, arms));
    const cardan_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    CHECK(p->nrow == 41 && !p->low.locked && !p->high.locked);
    CHECK_NEAR(p->row[0].at, -0.12, 1e-15);
    CHECK_NEAR(p->row[p->design].at, 0, 1e-15);
    for (int i = 0; i < p->nrow; ++i) {
        const double              z  = p->row[i].at;
        const arm                 a0 = arm_at(0, 0, 0), a = arm_at(z, arm_at(z, 0, 0).q, 0);
        const cardan_wheel_state* w = &p->row[i].wheel[0];
        CHECK_NEAR(w->camber, 0, 1e-12);
        CHECK_NEAR(w->toe, 0, 1e-12);
        CHECK_NEAR(w->track, 0, 1e-12);
        CHECK_NEAR(w->wheelbase, a.x - a0.x, 1e-11);
        CHECK_NEAR(w->spring_length, a.q, 1e-10);
        CHECK_NEAR(w->spring_ratio, a.ratio, 1e-10);
        CHECK_NEAR(w->load, a.load, 1e-9);
        CHECK_NEAR(w->rate, a.rate, 1e-6);
        CHECK_NEAR(w->roll_centre, 0, 1e-12);  // on the road
        CHECK_NEAR(w->drive_angle, asin((z - 0.05) / hypot(0.4, 0.05)), 1e-9);  // across the arm
        CHECK(p->row[i].closure < 1e-10 && isnan(w->caster));
    }
    const cardan_sweep* o = sweep(&s, CARDAN_SWEEP_SINGLE);
    for (int i = 0; i < o->nrow; ++i) {
        const arm right = arm_at(0, arm_at(o->row[i].at, 0, 0).q, 0), left = arm_at(o->row[i].at, 0, 1);
        CHECK_NEAR(o->row[i].wheel[0].load, left.load, 1e-9);
        CHECK_NEAR(o->row[i].wheel[0].rate, left.rate, 1e-6);
        CHECK_NEAR(o->row[i].wheel[1].load, right.load, 1e-9);
    }
    CHECK(!cardan_study_has(s.study, CARDAN_SWEEP_STEERING));
    close_scene(&s);
}

// ---- parallel wishbones of equal length

static const char wishbones[] = "cardan: 1\n"
                                "gravity: [0, 0, 0]\n"
                                "parameters: {l: 0.4, a: 0.2}\n"
                                "points:\n"
                                "  A: [0, 0.3, 0.2]\n"
                                "  B: [0, =0.3 + l*cos(a), =0.2 - l*sin(a)]\n"
                                "  C: [0, 0.3, 0.5]\n"
                                "  D: [0, =0.3 + l*cos(a), =0.5 - l*sin(a)]\n"
                                "  E: [-0.1, 0.3, 0.3]\n"
                                "  F: [-0.1, =0.3 + l*cos(a), =0.3 - l*sin(a)]\n"
                                "  W: [0, =0.4 + l*cos(a), =0.3 - l*sin(a)]\n"
                                "  S: {between: [A, B]}\n"
                                "bodies:\n"
                                "  lower: {rod: [A, B], mass: 3}\n"
                                "  upper: {rod: [C, D], mass: 2}\n"
                                "  carrier: {at: W, mass: 20, inertia: [1, 1, 1]}\n"
                                "joints:\n"
                                "  lower: {revolute: [ground, lower], at: A, axis: x}\n"
                                "  upper: {revolute: [ground, upper], at: C, axis: x}\n"
                                "  B: {spherical: [lower, carrier], at: B}\n"
                                "  D: {spherical: [upper, carrier], at: D}\n"
                                "constraints:\n"
                                "  rod: {distance: [{on: ground, at: E}, {on: carrier, at: F}]}\n"
                                "forces:\n"
                                "  coil: {spring: [{on: ground, at: [0, 0.35, 0.55]}, {on: lower, at: S}], stiffness: 40000, preload: -2500}\n";

static const char wishbone_study[] = "suspension:\n"
                                     "  travel: [-0.1, 0.1]\n"
                                     "  points: 21\n"
                                     "  wheels: {W: {hub: {on: carrier, at: W}, radius: 0.3, spring: coil, kingpin: [{on: carrier, at: B}, {on: carrier, at: D}]}}\n";

// Angle of the arms above the horizontal, spring's length and its derivatives by the angle.
static void parallel_wishbones(void)
{
    scene  s;
    char   text[4000];
    double l = 0.4, a = 0.2;
    snprintf(text, sizeof text, "%s%s", wishbones, wishbone_study);
    OPEN(&s, open_text(&s, text));
    const cardan_sweep* p  = sweep(&s, CARDAN_SWEEP_PARALLEL);
    const double        y0 = 0.05, z0 = 0.35, rest = hypot(y0 - l / 2 * cos(a), z0 + l / 2 * sin(a));
    CHECK(p->nrow == 21);
    for (int i = 0; i < p->nrow; ++i) {
        const cardan_wheel_state* w     = &p->row[i].wheel[0];
        const double              theta = asin(p->row[i].at / l - sin(a)), y = l / 2 * cos(theta), z = l / 2 * sin(theta);
        const double              length = hypot(y0 - y, z0 - z);
        const double              by_angle = ((y0 - y) * z - (z0 - z) * y) / length;  // d length / d theta
        const double              lever = l * cos(theta), ratio = -by_angle / lever;
        const double              force = 40000 * (rest - length) + 2500;  // it pushes
        CHECK_NEAR(w->camber, 0, 1e-11);
        CHECK_NEAR(w->toe, 0, 1e-11);
        CHECK_NEAR(w->caster, 0, 1e-11);
        CHECK_NEAR(w->inclination, 0, 1e-11);
        CHECK_NEAR(w->scrub, 0.1, 1e-11);
        CHECK_NEAR(w->trail, 0, 1e-11);
        CHECK_NEAR(w->track, l * (cos(theta) - cos(a)), 1e-11);
        CHECK_NEAR(w->spring_length, length, 1e-11);
        CHECK_NEAR(w->spring_ratio, ratio, 1e-10);
        CHECK_NEAR(w->load, force * ratio, 1e-9);
        // k MR^2, and the geometric term F dMR/dz by differences of the closed form
        double slope = 0;
        for (int side = -1; side <= 1; side += 2) {
            const double t1 = asin((p->row[i].at + side * 1e-5) / l - sin(a)), y1 = l / 2 * cos(t1), z1 = l / 2 * sin(t1);
            slope += side * -((y0 - y1) * z1 - (z0 - z1) * y1) / hypot(y0 - y1, z0 - z1) / (l * cos(t1)) / 2e-5;
        }
        CHECK_NEAR(w->rate, 40000 * ratio * ratio + force * slope, 1e-6);
        // the contact moves across the arms: its line is parallel to them
        CHECK_NEAR(w->roll_centre, -(0.4 + l * cos(theta)) * tan(theta), 1e-9);
        CHECK(p->row[i].closure < 1e-10);
    }
    close_scene(&s);
}

static void dead_point(void)
{
    scene s;
    char  text[4000];
    snprintf(text, sizeof text, "%ssuspension:\n  travel: [-0.6, 0.6]\n  points: 25\n  wheels: {W: {hub: {on: carrier, at: W}, radius: 0.3}}\n", wishbones);
    OPEN(&s, open_text(&s, text));
    const cardan_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    CHECK(p->low.locked && p->high.locked);
    CHECK_NEAR(p->high.at, 0.4 * (1 + sin(0.2)), 1e-5);
    CHECK_NEAR(p->low.at, -0.4 * (1 - sin(0.2)), 1e-5);
    CHECK_HAS(p->high.why, "dead point");
    CHECK(p->row[0].at >= p->low.at && p->row[p->nrow - 1].at <= p->high.at && p->nrow > 10);
    CHECK_NEAR(p->row[p->design].at, 0, 1e-15);
    close_scene(&s);
}

// ---- what bushings hold

// Two springs one behind the other along the travel, the body between them free to find its place: k1 k2/(k1 + k2).
static void in_series(void)
{
    scene s;
    OPEN(&s, open_text(&s, "cardan: 1\n"
                           "bodies:\n"
                           "  between: {at: [0, 0.7, 0.5], mass: 2, inertia: [1, 1, 1]}\n"
                           "  carrier: {at: [0, 0.7, 0.3], mass: 10, inertia: [1, 1, 1]}\n"
                           "joints:\n"
                           "  upper: {prismatic: [ground, between], at: [0, 0.7, 0.5], axis: z}\n"
                           "  lower: {prismatic: [between, carrier], at: [0, 0.7, 0.3], axis: z}\n"
                           "forces:\n"
                           "  mount: {bushing: [between, {on: ground, at: [0, 0.7, 0.5]}], stiffness: [0, 0, 90000]}\n"
                           "  coil: {spring: [between, carrier], stiffness: 30000, preload: -1000}\n"
                           "suspension:\n"
                           "  wheels: {W: {hub: carrier, radius: 0.3, spring: coil}}\n"));
    const cardan_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
    for (int i = 0; i < p->nrow; ++i) {
        // 90000 u + 2 g = force of the coil on the body between = 1000 + 30000 (z - u)
        const double u = (1000 - 2 * 9.81 + 30000 * p->row[i].at) / 120000, coil = 1000 + 30000 * (p->row[i].at - u);
        CHECK_NEAR(p->row[i].wheel[0].load, coil + 10 * 9.81, 1e-9);
        CHECK_NEAR(p->row[i].wheel[0].rate, 22500, 1e-7);
        CHECK_NEAR(p->row[i].wheel[0].spring_ratio, 0.75, 1e-8);
    }
    close_scene(&s);
}

// Force and rate are the first and second derivative of the energy along the way, by differences over rows.
static void check_energy(const cardan_sweep* p)
{
    double scale = 0;
    for (int i = 0; i < p->nrow; ++i)
        for (int k = 0; k < p->nwheel; ++k) scale = fmax(scale, fabs(p->row[i].wheel[k].load));
    for (int i = 2; i + 2 < p->nrow; ++i) {
        const double h = p->row[i + 1].at - p->row[i].at, slope = (8 * (p->row[i + 1].energy - p->row[i - 1].energy) - p->row[i + 2].energy + p->row[i - 2].energy) / (12 * h);
        double       load = 0;
        if (fabs(p->row[i + 2].at - p->row[i].at - 2 * h) > 1e-12 || fabs(p->row[i].at - p->row[i - 2].at - 2 * h) > 1e-12) continue;
        for (int k = 0; k < p->nwheel; ++k) {
            const double share = p->row[i].at != 0 ? p->row[i].wheel[k].travel / p->row[i].at : p->row[i + 1].wheel[k].travel / p->row[i + 1].at;
            const double force = (8 * (p->row[i + 1].wheel[k].load - p->row[i - 1].wheel[k].load) - p->row[i + 2].wheel[k].load + p->row[i - 2].wheel[k].load) / (12 * h);
            load += share * p->row[i].wheel[k].load;
            if (share != 0) CHECK_NEAR(p->row[i].wheel[k].rate, force / share, 3e-5);
        }
        CHECK(fabs(load - slope) < 1e-5 * scale);
    }
}

// A beam axle on two bushings: per wheel k in parallel travel, k times (distance of bushings / track)^2 in roll.
static void beam_axle(void)
{
    scene s;
    OPEN(&s, open_text(&s, "cardan: 1\n"
                           "gravity: [0, 0, 0]\n"
                           "bodies: {beam: {at: [0, 0, 0.3], mass: 80, inertia: [20, 1, 20]}}\n"
                           "markers: {L: {on: beam, at: [0, 0.8, 0.3]}, R: {on: beam, at: [0, -0.8, 0.3]}}\n"
                           "forces:\n"
                           "  left: {bushing: [{on: beam, at: [0, 0.5, 0.3]}, {on: ground, at: [0, 0.5, 0.3]}], stiffness: [2e6, 1e6, 30000, 100, 5000, 100]}\n"
                           "  right: {bushing: [{on: beam, at: [0, -0.5, 0.3]}, {on: ground, at: [0, -0.5, 0.3]}], stiffness: [2e6, 1e6, 30000, 100, 5000, 100]}\n"
                           "suspension:\n"
                           "  travel: [-0.06, 0.06]\n"
                           "  points: 25\n"
                           "  wheels: {L: {hub: L, radius: 0.3}, R: {hub: R, radius: 0.3}}\n"));
    const cardan_sweep *p = sweep(&s, CARDAN_SWEEP_PARALLEL), *o = sweep(&s, CARDAN_SWEEP_OPPOSITE);
    for (int i = 0; i < p->nrow; ++i) {
        CHECK_NEAR(p->row[i].wheel[0].rate, 30000, 1e-7);
        CHECK_NEAR(p->row[i].wheel[0].load, 30000 * p->row[i].at, 1e-8);
        CHECK_NEAR(p->row[i].wheel[1].camber, 0, 1e-10);
        // the wheels' plane turns with the beam: left one up, top outward for the right one
        CHECK_NEAR(o->row[i].wheel[0].camber, -asin(o->row[i].at / 0.8), 1e-9);
        CHECK_NEAR(o->row[i].wheel[1].camber, asin(o->row[i].at / 0.8), 1e-9);
        CHECK(o->row[i].closure < 1e-10);
    }
    // in roll the bushings' own stiffness about x is felt as well, on both sides
    CHECK_NEAR(o->row[o->design].wheel[0].rate, 30000 * 0.5 * 0.5 / 0.64 + 100 / 0.64, 1e-7);
    check_energy(o);
    check_energy(sweep(&s, CARDAN_SWEEP_SINGLE));
    close_scene(&s);
}

// Wishbones in bushings approach wishbones in hinges as the bushings become stiff: the difference falls as 1/k.
static void stiff_bushings(void)
{
    scene  hinge;
    char   text[6000];
    double off[2];
    snprintf(text, sizeof text, "%s%s", wishbones, wishbone_study);
    OPEN(&hinge, open_text(&hinge, text));
    const cardan_sweep* h = sweep(&hinge, CARDAN_SWEEP_PARALLEL);
    for (int n = 0; n < 2; ++n) {
        scene       s;
        const char* k      = n ? "1e8" : "1e7";
        const char* at     = strstr(wishbones, "  lower: {revolute: ");
        const char* behind = strchr(at, '\n') + 1;
        snprintf(text, sizeof text, "%.*s%s  mount: {bushing: [{on: lower, at: A}, {on: ground, at: A}], stiffness: [%s, %s, %s, 0, %s, %s]}\n%s", (int)(at - wishbones), wishbones,
                 behind, k, k, k, n ? "1e6" : "1e5", n ? "1e6" : "1e5", wishbone_study);
        OPEN(&s, open_text(&s, text));
        const cardan_sweep* p = sweep(&s, CARDAN_SWEEP_PARALLEL);
        check_energy(p);
        off[n] = 0;
        for (int i = 0; i < p->nrow; ++i) {
            off[n] = fmax(off[n], fabs(p->row[i].wheel[0].track - h->row[i].wheel[0].track));
            CHECK_NEAR(p->row[i].wheel[0].rate, h->row[i].wheel[0].rate, n ? 2e-3 : 2e-2);
            CHECK(p->row[i].closure < 1e-10);
        }
        close_scene(&s);
    }
    CHECK(off[0] > 1e-7 && off[0] < 1e-2);
    CHECK_NEAR(off[1] / off[0], 0.1, 0.02);
    close_scene(&hinge);
}

static void energies(void)
{
    static const char* const models[] = {"models/hmmwv/front_axle.yaml", "models/hmmwv/rear_axle.yaml", "models/macpherson", "models/trailing_arm"};
    for (int m = 0; m < 4; ++m) {
        scene s;
        OPEN(&s, open_file(&s, models[m], CARDAN_TREE_SHALLOW));
        check_energy(sweep(&s, CARDAN_SWEEP_PARALLEL));
        check_energy(sweep(&s, CARDAN_SWEEP_OPPOSITE));
        check_energy(sweep(&s, CARDAN_SWEEP_SINGLE));
        close_scene(&s);
    }
}

// ---- both sides, all trees, all formulations

static void check_same(const cardan_wheel_state* a, const cardan_wheel_state* b, int mirror, double tolerance)
{
    CHECK_NEAR(a->camber, b->camber, tolerance);
    CHECK_NEAR(a->toe, b->toe, tolerance);
    CHECK_NEAR(a->steer, mirror * b->steer, tolerance);
    CHECK_NEAR(a->track, b->track, tolerance);
    CHECK_NEAR(a->wheelbase, b->wheelbase, tolerance);
    CHECK_NEAR(a->load, b->load, tolerance);
    CHECK_NEAR(a->rate, b->rate, 100 * tolerance);
    CHECK_NEAR(a->roll_centre, b->roll_centre, 10 * tolerance);
    if (isnan(a->caster)) return;
    CHECK_NEAR(a->caster, b->caster, tolerance);
    CHECK_NEAR(a->inclination, b->inclination, tolerance);
    CHECK_NEAR(a->scrub, b->scrub, tolerance);
    CHECK_NEAR(a->trail, b->trail, tolerance);
    CHECK_NEAR(a->spring_ratio, b->spring_ratio, tolerance);
}

static void mirror_images(void)
{
    static const char* const models[] = {"models/hmmwv/front_axle.yaml", "models/hmmwv/rear_axle.yaml", "models/macpherson"};
    for (int m = 0; m < 3; ++m) {
        scene s;
        OPEN(&s, open_file(&s, models[m], CARDAN_TREE_SHALLOW));
        const cardan_sweep *p = sweep(&s, CARDAN_SWEEP_PARALLEL), *o = sweep(&s, CARDAN_SWEEP_OPPOSITE);
        CHECK(cardan_study_side(s.study, 0) == 1 && cardan_study_side(s.study, 1) == -1);
        for (int i = 0; i < p->nrow; ++i) {
            check_same(&p->row[i].wheel[0], &p->row[i].wheel[1], -1, 1e-9);
            check_same(&o->row[i].wheel[0], &o->row[o->nrow - 1 - i].wheel[1], -1, 1e-9);
            CHECK_NEAR(p->row[i].roll_y, 0, 1e-8);
            CHECK_NEAR(p->row[i].roll_z, p->row[i].wheel[0].roll_centre, 1e-8);
        }
        if (!cardan_study_has(s.study, CARDAN_SWEEP_STEERING)) {
            close_scene(&s);
            continue;
        }
        const cardan_sweep* t = sweep(&s, CARDAN_SWEEP_STEERING);
        for (int i = 0; i < t->nrow; ++i) check_same(&t->row[i].wheel[0], &t->row[t->nrow - 1 - i].wheel[1], -1, 1e-9);
        CHECK(t->row[0].wheel[0].steer * t->row[t->nrow - 1].wheel[0].steer < 0);
        CHECK(isnan(t->row[t->design].ackermann) && isfinite(t->row[0].ackermann));
        CHECK_NEAR(t->row[0].ackermann, t->row[t->nrow - 1].ackermann, 1e-8);
        close_scene(&s);
    }
}

static void any_tree(void)
{
    static const cardan_tree_policy policy[] = {CARDAN_TREE_CHAIN, CARDAN_TREE_FLAT};
    static const cardan_sweep_kind  kind[]   = {CARDAN_SWEEP_PARALLEL, CARDAN_SWEEP_STEERING};
    for (int m = 0; m < 2; ++m)
        for (int p = 0; p < 2; ++p) {
            scene a, b;
            const char* model = m ? "models/macpherson" : "models/hmmwv/front_axle.yaml";
            OPEN(&a, open_file(&a, model, CARDAN_TREE_SHALLOW));
            OPEN(&b, open_file(&b, model, policy[p]));
            for (int k = 0; k < 2; ++k) {
                const cardan_sweep *x = sweep(&a, kind[k]), *y = sweep(&b, kind[k]);
                CHECK(x->nrow == y->nrow);
                for (int i = 0; i < x->nrow; ++i)
                    for (int w = 0; w < x->nwheel; ++w) check_same(&x->row[i].wheel[w], &y->row[i].wheel[w], 1, 1e-8);
            }
            close_scene(&a);
            close_scene(&b);
        }
}

static const char front[] = "cardan: 1\n"
                            "include: vehicle.yaml\n"
                            "use:\n"
                            "  FL: {corner: {hard: front, inner: rack}, at: [=axle, 0, =height]}\n"
                            "  FR: {corner: {hard: front, inner: rack}, at: [=axle, 0, =height], mirror: y}\n"
                            "suspension:\n"
                            "  chassis: chassis\n"
                            "  steering: rack\n"
                            "  stroke: [-0.05, 0.05]\n"
                            "  points: 9\n"
                            "  wheels:\n"
                            "    FL: {hub: FL.hub, radius: 0.47, spring: FL.coil, tyre: FL.tyre}\n"
                            "    FR: {hub: FR.hub, radius: 0.47, spring: FR.coil, tyre: FR.tyre}\n";

static int driver_named(const cardan_data* d, const char* name, int joint)
{
    for (int i = 0; i < cardan_driver_count(d); ++i)
        if (joint < 0 ? strcmp(cardan_driver_at(d, i).name, name) == 0 : cardan_driver_at(d, i).joint == joint) return i;
    CHECK(false);
    return 0;
}

// The same positions by the formulation's own projection, and the loads as efforts of its drivers (the tyres' forces taken off).
static void follow(const scene* s, const cardan_sweep* p, const char* formulation)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    const int     f     = cardan_formulation_find(formulation);
    CHECK(cardan_model_compile(s->description, cardan_formulation_tree(f), &model, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(model, f, &data, NULL) == CARDAN_OK);
    const cardan_model_view m  = cardan_model_look(model);
    const int               hub = cardan_find_marker(s->description, "FL.hub");
    double *                q = calloc((size_t)m.nq, sizeof *q), *v = calloc((size_t)m.nv, sizeof *v), *a = calloc((size_t)m.nv, sizeof *a), effort[8];
    for (int i = p->design; i < p->nrow; ++i) {
        const double laws[2][3] = {{p->row[i].wheel[0].travel, 0, 0}, {p->row[i].stroke, 0, 0}};
        const int    steering = driver_named(data, "", cardan_find_joint(s->description, "rack"));
        cardan_motion motion;
        cardan_data_drive(data, driver_named(data, "travel of FL", -1), laws[0]);
        cardan_data_drive(data, driver_named(data, "travel of FR", -1), laws[0]);
        cardan_data_drive(data, steering, laws[1]);
        if (i == p->design) memcpy(q, m.q_start, (size_t)m.nq * sizeof *q);
        memset(v, 0, (size_t)m.nv * sizeof *v);
        cardan_data_set(data, 0, q, v, m.state_start);
        CHECK(cardan_project(data, NULL, q, v, NULL, NULL) == CARDAN_OK);
        CHECK(cardan_accelerate(data, a, NULL, NULL) == CARDAN_OK);
        cardan_driver_efforts(data, effort);
        cardan_marker_motion(data, hub, NULL, &motion);
        for (int k = 0; k < 3; ++k) CHECK_NEAR(motion.p[k], p->row[i].wheel[0].centre[k], 1e-9);
        const double tyre = 326332 * (0.47 - motion.p[2]);
        CHECK_NEAR(effort[driver_named(data, "travel of FL", -1)] + tyre, p->row[i].wheel[0].load, 1e-8);
    }
    free(q);
    free(v);
    free(a);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
}

static void any_formulation(void)
{
    static const char* const names[] = {"dense", "lagrange", "augmented", "reduction", "order-n"};
    scene                    s;
    OPEN(&s, open_text(&s, front));
    for (int i = 0; i < 5; ++i) {
        follow(&s, sweep(&s, CARDAN_SWEEP_PARALLEL), names[i]);
        follow(&s, sweep(&s, CARDAN_SWEEP_STEERING), names[i]);
    }
    close_scene(&s);
}

// A rack that the model itself drives is driven by the study instead.
static void driven_rack(void)
{
    scene       a, b;
    char        text[3000];
    const char* section = strstr(front, "suspension:");
    OPEN(&a, open_text(&a, front));
    snprintf(text, sizeof text, "%.*sconstraints: {wheel: {driver: rack, law: =0.03*cos(t)}}\n%s", (int)(section - front), front, section);
    OPEN(&b, open_text(&b, text));
    const cardan_sweep *x = sweep(&a, CARDAN_SWEEP_STEERING), *y = sweep(&b, CARDAN_SWEEP_STEERING);
    CHECK(x->nrow == 9 && y->nrow == 9);
    for (int i = 0; i < y->nrow; ++i) check_same(&x->row[i].wheel[0], &y->row[i].wheel[0], 1, 1e-9);
    close_scene(&a);
    close_scene(&b);
}

// The axis about which the carrier turns while the spring keeps its length goes through both ball joints.
static void axis_of_motion(void)
{
    scene a, b;
    OPEN(&a, open_file(&a, "models/hmmwv/front_axle.yaml", CARDAN_TREE_SHALLOW));
    OPEN(&b, open_text(&b, front));
    const cardan_sweep *x = sweep(&a, CARDAN_SWEEP_PARALLEL), *y = sweep(&b, CARDAN_SWEEP_PARALLEL);
    CHECK(x->nrow == 41 && y->nrow == 9);
    for (int i = 0; i < y->nrow; ++i)
        for (int k = 0; k < 2; ++k) {
            const cardan_wheel_state *known = &x->row[5 * i].wheel[k], *found = &y->row[i].wheel[k];
            CHECK_NEAR(known->travel, found->travel, 1e-12);
            CHECK_NEAR(known->caster, found->caster, 1e-9);
            CHECK_NEAR(known->inclination, found->inclination, 1e-9);
            CHECK_NEAR(known->scrub, found->scrub, 1e-9);
            CHECK_NEAR(known->trail, found->trail, 1e-9);
        }
    CHECK_NEAR(x->row[20].wheel[0].caster * 57.29577951308232, 2.999, 1e-3);  // the ball joints: 0.688 in over 13.134 in
    CHECK_NEAR(tan(x->row[20].wheel[0].caster), 0.688 / 13.134, 1e-9);
    CHECK_NEAR(tan(x->row[20].wheel[0].inclination), 2.795 / 13.134, 1e-9);
    close_scene(&a);
    close_scene(&b);
}

// ---- what is wrong

static void check_refused(const char* text, const char* part)
{
    scene s;
    CHECK(open_text(&s, text) != CARDAN_OK);
    CHECK(s.report.count > 0);
    if (s.report.count > 0) CHECK_HAS(s.report.message[0].text, part);
    close_scene(&s);
}

static void refused_with(const char* section, const char* part)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", wishbones, section);
    check_refused(text, part);
}

static void refusals(void)
{
    refused_with("", "no section 'suspension'");
    refused_with("suspension: {wheels: {W: {hub: nobody, radius: 0.3}}}\n", "nobody");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: -1}}}\n", "must be positive");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3, spring: coils}}}\n", "coils");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, travel: [0.1, 0.2]}\n", "from below 0");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, steering: B, stroke: [-1, 1]}\n", "3 coordinates");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, steering: lower}\n", "'stroke' is missing");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, steering: lower, stroke: [-0.1, 0.1]}\n", "not moved by anything");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, chassis: carrier}\n", "is not moved by anything");
    refused_with("suspension: {wheels: {}}\n", "wheels");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, forward: z}\n", "right angles");
    check_refused("cardan: 1\nbodies: {chassis: {mass: 1, inertia: [1, 1, 1]}, hub: {at: [0, 1, 0], mass: 1, inertia: [1, 1, 1]}}\n"
                  "joints: {body: {free: [ground, chassis]}, weld: {fixed: [chassis, hub], at: [0, 1, 0]}}\n"
                  "suspension: {chassis: chassis, wheels: {W: {hub: hub, radius: 0.3}}}\n",
                  "is not moved by anything");
    char        loose[4000];
    const char* rod = strstr(wishbones, "constraints:");
    snprintf(loose, sizeof loose, "%.*s%s%s", (int)(rod - wishbones), wishbones, strstr(wishbones, "forces:"), wishbone_study);
    char* unused = strstr(loose, "  E: [");
    CHECK(unused != NULL);
    char kept[4000];
    snprintf(kept, sizeof kept, "%.*s%s", (int)(unused - loose), loose, strstr(loose, "  W: ["));
    check_refused(kept, "nothing holds the carrier 'carrier'");
}

static void written_and_read(void)
{
    scene s = {0};
    char  file[1024];
    snprintf(file, sizeof file, "%s/models/hmmwv/front_axle.yaml", CARDAN_SOURCE);
    cardan_description *first = NULL, *second = NULL;
    CHECK(cardan_load(file, NULL, &first, &s.report) == CARDAN_OK);
    char* text = cardan_save_text(first);
    CHECK(text && cardan_load_text(text, "again.yaml", NULL, &second, NULL) == CARDAN_OK);
    char* again = second ? cardan_save_text(second) : NULL;
    CHECK(again && text && strcmp(strstr(again, "\nbodies:"), strstr(text, "\nbodies:")) == 0);
    const cardan_suspension* u = second ? cardan_description_view(second).suspension : NULL;
    CHECK(u && u->nwheel == 2 && u->wheel[1].radius == 0.47 && u->stroke[1] == 0.08);
    free(text);
    free(again);
    cardan_description_destroy(first);
    cardan_description_destroy(second);
}

int main(void)
{
    RUN(trailing_arms());
    RUN(parallel_wishbones());
    RUN(dead_point());
    RUN(in_series());
    RUN(beam_axle());
    RUN(stiff_bushings());
    RUN(energies());
    RUN(mirror_images());
    RUN(any_tree());
    RUN(any_formulation());
    RUN(driven_rack());
    RUN(axis_of_motion());
    RUN(refusals());
    RUN(written_and_read());
    return test_end();
}
