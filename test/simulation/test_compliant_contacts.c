// SPDX-License-Identifier: BSD-3-Clause
// Runs with compliant contacts against closed forms: restitution of the Hunt-Crossley law, Hertz's impact, rest, creep of
// regularized friction, brushes that stick; the energy balance closes, and integrators agree.
#include "contact/restitution_damping.h"
#include "contact_models.h"

#include <cardan/contact_state.h>
#include "test.h"

#include <cardan/cardan.h>

static const double g = 9.81;

typedef struct motion {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    int                 nq, nv, ns;
    double              q[16], v[16], s[16], t;
    cardan_run_summary  summary;
} motion;

static bool keep_last(void* user, cardan_data* data, const cardan_sample* x)
{
    motion* o = user;
    (void)data;
    o->t = x->t;
    memcpy(o->q, x->q, (size_t)o->nq * sizeof(double));
    memcpy(o->v, x->v, (size_t)o->nv * sizeof(double));
    memcpy(o->s, x->state, (size_t)o->ns * sizeof(double));
    return true;
}

static bool open_motion(motion* o, cardan_description* d)
{
    cardan_report report = {0};
    *o                   = (motion){.d = d};
    const int  index     = cardan_formulation_find("lagrange");
    const bool good = cardan_model_compile(d, cardan_formulation_tree_policy(index), &o->m, &report) == CARDAN_OK &&
                      cardan_data_create(o->m, index, &o->data, &report) == CARDAN_OK;
    for (int i = 0; i < report.count && !good; ++i) printf("%s\n", report.message[i].text);
    CHECK(good);
    if (!good) return false;
    const cardan_model_view view = cardan_model_get_view(o->m);
    o->nq = view.nq, o->nv = view.nv, o->ns = view.nstate;
    CHECK(o->nq <= 16 && o->ns <= 16);
    memcpy(o->q, view.q_start, (size_t)o->nq * sizeof(double));
    memcpy(o->v, view.v_start, (size_t)o->nv * sizeof(double));
    return true;
}

static void close_motion(motion* o)
{
    cardan_data_destroy(o->data);
    cardan_model_destroy(o->m);
    cardan_description_destroy(o->d);
}

// Continue to time `end` from the last sample.
static void run_to(motion* o, const char* integrator, double end, double tolerance)
{
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    run.integrator             = cardan_integrator_find(integrator);
    run.start                  = o->t;
    run.end                    = end;
    run.output_interval        = end - o->t;
    run.tolerance              = tolerance;
    run.step                   = tolerance; // of fixed-step methods
    run.max_step               = end - o->t;
    double q[16], v[16], s[16];
    memcpy(q, o->q, sizeof q), memcpy(v, o->v, sizeof v), memcpy(s, o->s, sizeof s);
    run.q = q, run.v = v, run.state = s;
    run.sample_callback        = keep_last;
    run.user                   = o;
    const cardan_status status = cardan_simulate(o->data, &run, &o->summary, &report);
    for (int i = 0; i < report.count && status; ++i) printf("%s\n", report.message[i].text);
    CHECK(status == CARDAN_OK);
}

typedef struct law {
    double                    k, n, c, mu, v_d;
    cardan_compliant_friction friction;
    double                    k_t, c_t, young; // young > 0: Hertz
} law;

static cardan_description* describe_floor(const law* l, const double gravity[3])
{
    cardan_description*     d        = cardan_description_create("floor");
    cardan_contact_settings settings = cardan_contact_settings_default();
    cardan_material         rubber = cardan_material_default("rubber"), stone = cardan_material_default("stone");
    rubber.young_modulus = stone.young_modulus = l->young;
    rubber.poisson_ratio                       = 0.3;
    stone.poisson_ratio                        = 0.2;
    cardan_material_pair pair = cardan_material_pair_default(cardan_description_add_material(d, &rubber),
                                                             cardan_description_add_material(d, &stone));
    pair.static_friction = pair.kinetic_friction = l->mu;
    pair.restitution                             = l->c > 0 ? -1 : 1;
    cardan_description_add_material_pair(d, &pair);
    settings.law                  = CARDAN_CONTACT_COMPLIANT;
    settings.compliance.stiffness = l->k;
    settings.compliance.exponent  = l->n;
    settings.compliance.damping   = l->c;
    settings.friction_speed       = l->v_d;
    settings.compliant_friction   = l->friction;
    settings.tangential_stiffness = l->k_t;
    settings.tangential_damping   = l->c_t;
    cardan_description_set_contact_settings(d, &settings);
    cardan_description_set_gravity(d, gravity);
    add_floor(d);
    return d;
}

static const double no_gravity[3] = {0, 0, 0}, down[3] = {0, 0, -9.81};

// A ball of radius 0.1 and mass 1 with its lowest point at the height z.
static cardan_description* describe_falling_ball(const law* l, const double gravity[3], double z, const double v[6])
{
    cardan_description* d    = describe_floor(l, gravity);
    const int           ball = add_contact_body(d, "ball", 1, 0.004, 0.004, 0.004, 0, 0, 0.1 + z);
    add_touching(d, ball, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0, 0, 0), "rubber");
    cardan_joint j  = cardan_joint_default("free", "free", CARDAN_GROUND, ball);
    j.frame_first   = at(0, 0, 0.1 + z);
    j.start_v_given = true;
    memcpy(j.start_v, v, 6 * sizeof *v);
    cardan_description_add_joint(d, &j);
    return d;
}

// Restitution of the law, computed with 30 digits; it depends on c v only.
static void check_restitution(void)
{
    static const double value[][2] = {
        {0.05, 0.9677385785309325}, {0.2, 0.8821899862473064}, {0.5, 0.7484349315974341}, {1.0, 0.5936242600400401}};
    for (int i = 0; i < 4; ++i)
        for (int variant = 0; variant < 2; ++variant) {
            const double speed = variant ? 3 : 1, v[6] = {0, 0, -speed};
            const law    l = {.k = variant ? 4e5 : 1e5, .n = variant ? 2.2 : 1.5, .c = value[i][0] / speed};
            motion       o;
            if (!open_motion(&o, describe_falling_ball(&l, no_gravity, 0.01, v))) return;
            run_to(&o, "dopri5", 0.4, 1e-12);
            CHECK_NEAR(o.v[2] / speed, value[i][1], 1e-9);
            CHECK(o.q[2] > 0);
            close_motion(&o);
        }
}

// Depth d, largest force and duration of an elastic impact with F = k d^1.5.
static void check_hertz_impact(void)
{
    const double E = 2e6, speed = 0.7, R = 0.1, v[6] = {0, 0, -speed}, height = 0.007;
    const law    l       = {.young = E};
    const double modulus = 1 / ((1 - 0.09) / E + (1 - 0.04) / E), k = 4.0 / 3 * modulus * sqrt(R);
    const double depth = pow(1.25 * speed * speed / k, 0.4), force = k * pow(depth, 1.5);
    const double duration = depth / speed * 2 * sqrt(2 * acos(0.0)) * tgamma(0.4) / (2.5 * tgamma(0.9));
    const double touch    = height / speed;
    motion       o;
    double       a[6];
    if (!open_motion(&o, describe_falling_ball(&l, no_gravity, height, v))) return;
    run_to(&o, "dopri5", touch + duration / 2, 1e-12);
    CHECK_NEAR((0.1 - o.q[2]) / depth, 1, 1e-8);
    CHECK(fabs(o.v[2]) < 1e-7 * speed);
    cardan_data_set_state(o.data, o.t, o.q, o.v, o.s);
    CHECK(cardan_data_accelerate(o.data, a, NULL, NULL) == CARDAN_OK);
    CHECK_NEAR(a[2] / force, 1, 1e-8);
    cardan_contact contact;
    CHECK(cardan_data_contacts(o.data, 1, &contact) == 1);
    CHECK_NEAR(fabs(contact.force[2]) / force, 1, 1e-8);
    CHECK_NEAR(contact.gap / depth, -1, 1e-8);
    CHECK_NEAR(contact.normal[2] * contact.force[2] / force, 1, 1e-8);
    CHECK_NEAR(cardan_data_energy(o.data).potential, speed * speed / 2, 1e-10);
    run_to(&o, "dopri5", touch + 3 * duration, 1e-12);
    CHECK_NEAR(o.v[2] / speed, 1, 1e-9);
    CHECK_NEAR((3 * duration - (o.q[2] - 0.1) / o.v[2]) / duration, 1, 1e-8);
    close_motion(&o);
}

static void check_rest(void)
{
    const double depth = pow(g / 1e4, 1 / 1.5), v[6] = {0};
    const law    l = {.k = 1e4, .n = 1.5, .c = 0.5, .mu = 0.4};
    motion       o;
    if (!open_motion(&o, describe_falling_ball(&l, down, -depth, v))) return;
    run_to(&o, "dopri5", 1, 1e-10);
    for (int i = 0; i < 6; ++i) CHECK(fabs(o.v[i]) < 1e-9);
    close_motion(&o);
    if (!open_motion(&o, describe_falling_ball(&l, down, 0.05, v))) return;
    run_to(&o, "cvode-bdf", 20, 1e-9);
    CHECK_NEAR(0.1 - o.q[2], depth, 1e-6);
    CHECK(o.summary.energy_error < 1e-5);
    close_motion(&o);
}

// A flat box on a plane that is inclined by an angle: gravity is turned.
static cardan_description* describe_incline(const law* l, double angle, double mass)
{
    const double        gravity[3] = {g * sin(angle), 0, -g * cos(angle)};
    cardan_description* d          = describe_floor(l, gravity);
    const double        depth = pow(mass * g * cos(angle) / 4 / l->k, 1 / l->n), z = 0.05 - depth;
    const int           box = add_contact_body(d, "box", mass, 0.02, 0.02, 0.03, 0, 0, z);
    add_touching(d, box, CARDAN_SHAPE_BOX, 0.4, 0.3, 0.1, at(0, 0, 0), "rubber");
    cardan_joint j = cardan_joint_default("free", "free", CARDAN_GROUND, box);
    j.frame_first  = at(0, 0, z);
    cardan_description_add_joint(d, &j);
    return d;
}

// Below the friction limit regularized friction creeps with the speed u at which mu u/sqrt(u^2 + v_d^2) = tan(angle).
static void check_creep(void)
{
    const law    l     = {.k = 1e5, .n = 1.5, .c = 0.8, .mu = 0.5, .v_d = 1e-3};
    const double angle = 0.25, s = tan(angle) / 0.5;
    motion       o;
    if (!open_motion(&o, describe_incline(&l, angle, 2))) return;
    run_to(&o, "cvode-bdf", 10, 1e-10);
    CHECK_NEAR(o.v[0] / (1e-3 * s / sqrt(1 - s * s)), 1, 1e-5);
    CHECK(o.summary.energy_error < 1e-6);
    close_motion(&o);
}

// With brushes the block sticks: four springs carry the slope force, and nothing moves.
static void check_brush(void)
{
    const double angle = 0.4, k_t = 2e4, mass = 2;
    const law l = {.k = 1e5, .n = 1.5, .c = 0.8, .mu = 0.5, .friction = CARDAN_FRICTION_BRUSH, .k_t = k_t, .c_t = 60};
    motion    o;
    if (!open_motion(&o, describe_incline(&l, angle, mass))) return;
    CHECK(o.ns == 12);
    run_to(&o, "cvode-bdf", 4, 1e-11);
    double force = 0, x = o.q[0];
    for (int i = 0; i < 4; ++i) force -= k_t * o.s[3 * i]; // A is the plane, B the block
    CHECK_NEAR(force, mass * g * sin(angle), 1e-6);
    CHECK(o.summary.energy_error < 1e-5);
    run_to(&o, "cvode-bdf", 104, 1e-11);
    CHECK(fabs(o.q[0] - x) < 1e-9);
    for (int i = 0; i < 6; ++i) CHECK(fabs(o.v[i]) < 1e-9);
    close_motion(&o);
}

// Above the limit it slides with the acceleration g (sin - mu cos).
static void check_sliding(void)
{
    const double angle = 0.7;
    for (int brush = 0; brush < 2; ++brush) {
        const law l = {.k        = 1e5,
                       .n        = 1.5,
                       .c        = 0.8,
                       .mu       = 0.5,
                       .v_d      = 1e-3,
                       .friction = brush ? CARDAN_FRICTION_BRUSH : CARDAN_FRICTION_REGULARIZED,
                       .k_t      = 2e4,
                       .c_t      = 60};
        motion    o;
        if (!open_motion(&o, describe_incline(&l, angle, 2))) return;
        run_to(&o, "cvode-bdf", 1, 1e-10);
        const double v = o.v[0];
        run_to(&o, "cvode-bdf", 2, 1e-10);
        CHECK_NEAR(o.v[0] - v, g * (sin(angle) - 0.5 * cos(angle)), 1e-5);
        close_motion(&o);
    }
}

// A box that falls on an incline, tumbles and comes to rest: its corners touch and leave, brushes take and lose deflections.
static void check_tumbling(void)
{
    for (int brush = 0; brush < 2; ++brush) {
        const law           l          = {.k        = 1e5,
                                          .n        = 1.5,
                                          .c        = 0.5,
                                          .mu       = 0.5,
                                          .friction = brush ? CARDAN_FRICTION_BRUSH : CARDAN_FRICTION_REGULARIZED};
        const double        gravity[3] = {3, 1, -9};
        cardan_description* d          = describe_floor(&l, gravity);
        const int           box        = add_contact_body(d, "box", 2, 0.02, 0.03, 0.04, 0, 0, 0.4);
        add_touching(d, box, CARDAN_SHAPE_BOX, 0.4, 0.3, 0.2, at(0, 0, 0), "rubber");
        motion o;
        if (!open_motion(&o, d)) return;
        o.v[3] = 1, o.v[4] = 2, o.v[5] = -1;
        run_to(&o, "cvode-bdf", 1.5, 1e-9);
        CHECK(o.q[2] > 0.09 && o.q[2] < 0.21);
        CHECK(o.summary.energy_error < 1e-6);
        CHECK(o.summary.energy_end < o.summary.energy_start);
        close_motion(&o);
    }
}

// A ball with spin that bounces, slides and rolls, by explicit and implicit methods.
static void check_integrators(void)
{
    static const struct {
        const char* name;
        double      tolerance, error;
    } method[] = {
        {"dopri5", 1e-11, 0}, {"cvode-bdf", 1e-11, 1e-6}, {"ida", 1e-11, 1e-6}, {"generalized-alpha", 2e-5, 1e-4}};
    const double v[6] = {0.8, 0, 0, 2, -6, 3};
    const law    l    = {.k = 2e4, .n = 1.5, .c = 0.4, .mu = 0.3, .v_d = 0.02};
    double       q[7] = {0}, speed[6] = {0};
    for (int i = 0; i < 4; ++i) {
        motion o;
        if (!open_motion(&o, describe_falling_ball(&l, down, 0.1, v))) return;
        run_to(&o, method[i].name, 1.2, method[i].tolerance);
        CHECK(o.summary.energy_error < (i == 3 ? 1e-3 : 1e-7));
        for (int k = 0; k < 7; ++k) {
            if (i == 0) q[k] = o.q[k];
            CHECK(fabs(o.q[k] - q[k]) <= method[i].error);
        }
        for (int k = 0; k < 6; ++k) {
            if (i == 0) speed[k] = o.v[k];
            CHECK(fabs(o.v[k] - speed[k]) <= 100 * method[i].error);
        }
        close_motion(&o);
    }
}

int main(void)
{
    RUN(check_restitution());
    RUN(check_hertz_impact());
    RUN(check_rest());
    RUN(check_creep());
    RUN(check_brush());
    RUN(check_sliding());
    RUN(check_tumbling());
    RUN(check_integrators());
    return test_end();
}
