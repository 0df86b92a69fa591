// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies of complete axles: left and right wheels are mirror images, results do not depend on spanning tree
// and formulation, the steering axis from the motion is that of the ball joints, messages for wrong studies.
#include "sentences.h"
#include "suspension_models.h"

// ---- both sides, all trees, all formulations

static void check_same(const cardan_wheel_state* a, const cardan_wheel_state* b, int mirror, double tolerance)
{
    CHECK_NEAR(a->camber, b->camber, tolerance);
    CHECK_NEAR(a->toe, b->toe, tolerance);
    CHECK_NEAR(a->steer, mirror * b->steer, tolerance);
    CHECK_NEAR(a->track_change, b->track_change, tolerance);
    CHECK_NEAR(a->wheelbase_change, b->wheelbase_change, tolerance);
    CHECK_NEAR(a->vertical_force, b->vertical_force, tolerance);
    CHECK_NEAR(a->wheel_rate, b->wheel_rate, 100 * tolerance);
    CHECK_NEAR(a->roll_centre, b->roll_centre, 10 * tolerance);
    if (isnan(a->caster)) return;
    CHECK_NEAR(a->caster, b->caster, tolerance);
    CHECK_NEAR(a->kingpin_inclination, b->kingpin_inclination, tolerance);
    CHECK_NEAR(a->scrub_radius, b->scrub_radius, tolerance);
    CHECK_NEAR(a->trail, b->trail, tolerance);
    CHECK_NEAR(a->spring_ratio, b->spring_ratio, tolerance);
}

static void mirror_images(void)
{
    static const char* const models[] = {"models/hmmwv/front_axle.yaml", "models/hmmwv/rear_axle.yaml",
                                         "models/macpherson"};
    for (int m = 0; m < 3; ++m) {
        scene s;
        OPEN(&s, open_file(&s, models[m], CARDAN_TREE_BREADTH_FIRST));
        const cardan_suspension_sweep *p = sweep(&s, CARDAN_SWEEP_PARALLEL), *o = sweep(&s, CARDAN_SWEEP_OPPOSITE);
        CHECK(cardan_suspension_study_wheel_side(s.study, 0) == 1 &&
              cardan_suspension_study_wheel_side(s.study, 1) == -1);
        for (int i = 0; i < p->npoint; ++i) {
            check_same(&p->point[i].wheel[0], &p->point[i].wheel[1], -1, 1e-9);
            check_same(&o->point[i].wheel[0], &o->point[o->npoint - 1 - i].wheel[1], -1, 1e-9);
            CHECK_NEAR(p->point[i].roll_centre_y, 0, 1e-8);
            CHECK_NEAR(p->point[i].roll_centre_z, p->point[i].wheel[0].roll_centre, 1e-8);
        }
        if (!cardan_suspension_study_has_sweep(s.study, CARDAN_SWEEP_STEERING)) {
            close_scene(&s);
            continue;
        }
        const cardan_suspension_sweep* t = sweep(&s, CARDAN_SWEEP_STEERING);
        for (int i = 0; i < t->npoint; ++i)
            check_same(&t->point[i].wheel[0], &t->point[t->npoint - 1 - i].wheel[1], -1, 1e-9);
        CHECK(t->point[0].wheel[0].steer * t->point[t->npoint - 1].wheel[0].steer < 0);
        CHECK(isnan(t->point[t->design_point].ackermann) && isfinite(t->point[0].ackermann));
        CHECK_NEAR(t->point[0].ackermann, t->point[t->npoint - 1].ackermann, 1e-8);
        close_scene(&s);
    }
}

static void any_tree(void)
{
    static const cardan_tree_policy           policy[] = {CARDAN_TREE_DEPTH_FIRST, CARDAN_TREE_MAXIMAL};
    static const cardan_suspension_sweep_kind kind[]   = {CARDAN_SWEEP_PARALLEL, CARDAN_SWEEP_STEERING};
    for (int m = 0; m < 2; ++m)
        for (int p = 0; p < 2; ++p) {
            scene       a, b;
            const char* model = m ? "models/macpherson" : "models/hmmwv/front_axle.yaml";
            OPEN(&a, open_file(&a, model, CARDAN_TREE_BREADTH_FIRST));
            OPEN(&b, open_file(&b, model, policy[p]));
            for (int k = 0; k < 2; ++k) {
                const cardan_suspension_sweep *x = sweep(&a, kind[k]), *y = sweep(&b, kind[k]);
                CHECK(x->npoint == y->npoint);
                for (int i = 0; i < x->npoint; ++i)
                    for (int w = 0; w < x->nwheel; ++w)
                        check_same(&x->point[i].wheel[w], &y->point[i].wheel[w], 1, 1e-8);
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
    for (int i = 0; i < cardan_data_driver_count(d); ++i)
        if (joint < 0 ? strcmp(cardan_data_driver_at(d, i).name, name) == 0
                      : cardan_data_driver_at(d, i).joint == joint)
            return i;
    CHECK(false);
    return 0;
}

// The same positions by projection with a formulation, and wheel loads as driver efforts without the tyre forces.
static void check_formulation(const scene* s, const cardan_suspension_sweep* p, const char* formulation)
{
    cardan_model* model = NULL;
    cardan_data*  data  = NULL;
    const int     f     = cardan_formulation_find(formulation);
    CHECK(cardan_model_compile(s->description, cardan_formulation_tree_policy(f), &model, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(model, f, &data, NULL) == CARDAN_OK);
    const cardan_model_view m   = cardan_model_get_view(model);
    const int               hub = cardan_description_find_marker(s->description, "FL.hub");
    double *                q = calloc((size_t)m.nq, sizeof *q), *v = calloc((size_t)m.nv, sizeof *v),
           *a = calloc((size_t)m.nv, sizeof *a), effort[8];
    for (int i = p->design_point; i < p->npoint; ++i) {
        const double  drivers[2][3] = {{p->point[i].wheel[0].travel, 0, 0}, {p->point[i].steering_travel, 0, 0}};
        const int     steering      = driver_named(data, "", cardan_description_find_joint(s->description, "rack"));
        cardan_motion motion;
        cardan_data_set_driver(data, driver_named(data, "travel of FL", -1), drivers[0]);
        cardan_data_set_driver(data, driver_named(data, "travel of FR", -1), drivers[0]);
        cardan_data_set_driver(data, steering, drivers[1]);
        if (i == p->design_point) memcpy(q, m.q_start, (size_t)m.nq * sizeof *q);
        memset(v, 0, (size_t)m.nv * sizeof *v);
        cardan_data_set_state(data, 0, q, v, m.state_start);
        CHECK(cardan_data_project(data, NULL, q, v, NULL, NULL) == CARDAN_OK);
        CHECK(cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
        cardan_data_driver_efforts(data, a, effort, NULL);
        cardan_data_marker_motion(data, hub, NULL, &motion);
        for (int k = 0; k < 3; ++k) CHECK_NEAR(motion.p[k], p->point[i].wheel[0].centre[k], 1e-9);
        const double tyre = 326332 * (0.47 - motion.p[2]);
        CHECK_NEAR(effort[driver_named(data, "travel of FL", -1)] + tyre, p->point[i].wheel[0].vertical_force, 1e-8);
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
        check_formulation(&s, sweep(&s, CARDAN_SWEEP_PARALLEL), names[i]);
        check_formulation(&s, sweep(&s, CARDAN_SWEEP_STEERING), names[i]);
    }
    close_scene(&s);
}

// The study replaces a driver of the rack in the model.
static void driven_rack(void)
{
    scene       a, b;
    char        text[3000];
    const char* section = strstr(front, "suspension:");
    OPEN(&a, open_text(&a, front));
    snprintf(text, sizeof text, "%.*sconstraints: {wheel: {driver: rack, law: =0.03*cos(t)}}\n%s",
             (int)(section - front), front, section);
    OPEN(&b, open_text(&b, text));
    const cardan_suspension_sweep *x = sweep(&a, CARDAN_SWEEP_STEERING), *y = sweep(&b, CARDAN_SWEEP_STEERING);
    CHECK(x->npoint == 9 && y->npoint == 9);
    for (int i = 0; i < y->npoint; ++i) check_same(&x->point[i].wheel[0], &y->point[i].wheel[0], 1, 1e-9);
    close_scene(&a);
    close_scene(&b);
}

// The axis of rotation of the carrier at constant spring length passes through both ball joints.
static void axis_of_motion(void)
{
    scene a, b;
    OPEN(&a, open_file(&a, "models/hmmwv/front_axle.yaml", CARDAN_TREE_BREADTH_FIRST));
    OPEN(&b, open_text(&b, front));
    const cardan_suspension_sweep *x = sweep(&a, CARDAN_SWEEP_PARALLEL), *y = sweep(&b, CARDAN_SWEEP_PARALLEL);
    CHECK(x->npoint == 41 && y->npoint == 9);
    for (int i = 0; i < y->npoint; ++i)
        for (int k = 0; k < 2; ++k) {
            const cardan_wheel_state *known = &x->point[5 * i].wheel[k], *found = &y->point[i].wheel[k];
            CHECK_NEAR(known->travel, found->travel, 1e-12);
            CHECK_NEAR(known->caster, found->caster, 1e-9);
            CHECK_NEAR(known->kingpin_inclination, found->kingpin_inclination, 1e-9);
            CHECK_NEAR(known->scrub_radius, found->scrub_radius, 1e-9);
            CHECK_NEAR(known->trail, found->trail, 1e-9);
        }
    CHECK_NEAR(x->point[20].wheel[0].caster * 57.29577951308232, 2.999,
               1e-3); // the ball joints: 0.688 in over 13.134 in
    CHECK_NEAR(tan(x->point[20].wheel[0].caster), 0.688 / 13.134, 1e-9);
    CHECK_NEAR(tan(x->point[20].wheel[0].kingpin_inclination), 2.795 / 13.134, 1e-9);
    close_scene(&a);
    close_scene(&b);
}

// ---- wrong studies

static void check_refused(const char* text, const char* section, const char* parts)
{
    scene s;
    CHECK(open_text(&s, text) != CARDAN_OK);
    CHECK_CASE(&s.report, section, parts);
    close_scene(&s);
}

static void refused_with(const char* section, const char* parts)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", wishbones, section);
    check_refused(text, section, parts);
}

static void refusals(void)
{
    refused_with("", "'suspension'");
    refused_with("suspension: {wheels: {W: {hub: missing, radius: 0.3}}}\n", "'missing'");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: -1}}}\n", "'suspension.W'|'radius'|-1");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3, spring: coils}}}\n", "coils");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, travel: [0.1, 0.2]}\n", " 0");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, steering: B, stroke: [-1, 1]}\n", "'B'|3");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, steering: lower}\n", "'stroke'");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, steering: lower, stroke: [-0.1, 0.1]}\n", "");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, chassis: carrier}\n", "");
    refused_with("suspension: {wheels: {}}\n", "wheels");
    refused_with("suspension: {wheels: {W: {hub: carrier, radius: 0.3}}, forward: z}\n", "");
    check_refused("cardan: 1\nbodies: {chassis: {mass: 1, inertia: [1, 1, 1]}, hub: {at: [0, 1, 0], mass: 1, inertia: "
                  "[1, 1, 1]}}\n"
                  "joints: {body: {free: [ground, chassis]}, weld: {fixed: [chassis, hub], at: [0, 1, 0]}}\n"
                  "suspension: {chassis: chassis, wheels: {W: {hub: hub, radius: 0.3}}}\n",
                  "welded", "");
    char        without_rod[4000];
    const char* rod = strstr(wishbones, "constraints:");
    snprintf(without_rod, sizeof without_rod, "%.*s%s%s", (int)(rod - wishbones), wishbones,
             strstr(wishbones, "forces:"), wishbone_study);
    char* unused = strstr(without_rod, "  E: [");
    CHECK(unused != NULL);
    char text[4000];
    snprintf(text, sizeof text, "%.*s%s", (int)(unused - without_rod), without_rod, strstr(without_rod, "  W: ["));
    check_refused(text, "no rod", "'carrier'");
}

static void save_and_load(void)
{
    scene s = {0};
    char  file[1024];
    snprintf(file, sizeof file, "%s/models/hmmwv/front_axle.yaml", CARDAN_SOURCE);
    cardan_description *first = NULL, *second = NULL;
    CHECK(cardan_description_load(file, NULL, &first, &s.report) == CARDAN_OK);
    char* text = cardan_description_save_text(first);
    CHECK(text && cardan_description_load_text(text, "again.yaml", NULL, &second, NULL) == CARDAN_OK);
    char* again = second ? cardan_description_save_text(second) : NULL;
    CHECK(again && text && strcmp(strstr(again, "\nbodies:"), strstr(text, "\nbodies:")) == 0);
    const cardan_suspension* u = second ? cardan_description_get_view(second).suspension : NULL;
    CHECK(u && u->nwheel == 2 && u->wheel[1].radius == 0.47 && u->steering_travel[1] == 0.08);
    free(text);
    free(again);
    cardan_description_destroy(first);
    cardan_description_destroy(second);
}

int main(void)
{
    RUN(mirror_images());
    RUN(any_tree());
    RUN(any_formulation());
    RUN(driven_rack());
    RUN(axis_of_motion());
    RUN(refusals());
    RUN(save_and_load());
    RUN(test_sentences("test_suspension_axles"));
    return test_end();
}
