// SPDX-License-Identifier: BSD-3-Clause
// Next states of contacts by Coulomb's law for accelerations, against closed forms.
#include "contact_models.h"
#include "test.h"

#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"
#include "dynamics/state.h"

static const double g = 9.81;

typedef struct mechanism {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        d;
} mechanism;

// Data of a description, for order-n; the contact points are found and closed.
static mechanism open_mechanism(cardan_description* description)
{
    mechanism     p      = {.description = description};
    cardan_report report = {0};
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &p.model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(p.model, cardan_formulation_find("order-n"), &p.d, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    return p;
}

static void close_mechanism(mechanism* p)
{
    cardan_data_destroy(p->d);
    cardan_model_destroy(p->model);
    cardan_description_destroy(p->description);
}

static void push(cardan_data* d, const double wrench[6])
{
    double own[1][6];
    memcpy(own[0], wrench, sizeof own[0]);
    cardan_data_set_external_forces(d, NULL, (const double(*)[6])own);
}

static void close_all(cardan_data* d)
{
    cd_contacts_search(d, 1e-6);
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_state stick = {.mode = CD_CONTACT_STICK};
        cd_contacts_set_state(d, i, &stick);
    }
}

// Solve for the states, and check that the accelerations by these states are the same.
static void solve(cardan_data* d, double* a)
{
    double            again[32];
    cd_contact_status problem;
    cardan_report     report = {0};
    CHECK(cd_contact_complementarity(d, 1e-9, a, &problem) == CARDAN_OK);
    CHECK(problem == CD_CONTACT_SOLVED);
    CHECK(cardan_data_accelerate(d, again, NULL, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    for (int i = 0; i < d->m->nv; ++i) CHECK_NEAR(a[i], again[i], 1e-9);
}

static int count_mode(cardan_data* d, cd_contact_mode mode)
{
    int n = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i) n += cd_contacts_mode(d, i) == mode;
    return n;
}

// A box on an incline with these coefficients of friction.
static mechanism box_on_incline(double angle, double mu_static, double mu_kinetic)
{
    cardan_description* d = cardan_description_create("box");
    cardan_body         b = cardan_body_default("box");
    add_materials(d, mu_static, mu_kinetic, 0);
    b.mass       = 3;
    b.inertia[0] = 0.03, b.inertia[1] = 0.05, b.inertia[2] = 0.06;
    b.pose        = turned(0.2 * sin(angle), 0, 0.2 * cos(angle), 1, angle);
    const int box = cardan_description_add_body(d, &b);
    add_touching(d, box, CARDAN_SHAPE_BOX, 0.6, 0.5, 0.4, at(0, 0, 0), "rubber");
    add_touching(d, CARDAN_GROUND, CARDAN_SHAPE_PLANE, 1, 1, 0, turned(0, 0, 0, 1, angle), "stone");
    return open_mechanism(d);
}

static void body_acceleration(cardan_data* d, const double* a, int body, double x[3])
{
    cardan_motion motion[8];
    cardan_data_body_motions(d, a, motion);
    memcpy(x, motion[body].a, sizeof motion[body].a);
}

static void test_incline(void)
{
    const double angle[] = {0.1, 0.5, 0.5404, 0.541, 0.7}; // atan(0.6) = 0.540420
    for (size_t i = 0; i < sizeof angle / sizeof *angle; ++i) {
        mechanism p = box_on_incline(angle[i], 0.6, 0.4);
        double    a[8], x[3];
        close_all(p.d);
        CHECK(cd_contacts_count(p.d) == 4);
        solve(p.d, a);
        body_acceleration(p.d, a, 0, x);
        const bool   slides = angle[i] > atan(0.6);
        const double down   = slides ? g * (sin(angle[i]) - 0.4 * cos(angle[i])) : 0;
        CHECK(count_mode(p.d, slides ? CD_CONTACT_SLIP : CD_CONTACT_STICK) == 4);
        CHECK_NEAR(x[0], down * cos(angle[i]), 1e-10);
        CHECK_NEAR(x[2], -down * sin(angle[i]), 1e-10);
        double force = 0; // the sum of the normal forces is determined, the single ones are not
        for (int k = 0; k < 4; ++k) {
            const cd_contact_motion m = cd_contacts_motion(p.d, k);
            force += m.force[0];
            CHECK(!m.is_unique);
        }
        CHECK_NEAR(force, 3 * g * cos(angle[i]), 1e-10);
        close_mechanism(&p);
    }
}

// A box that a horizontal force tips: the rear edge opens.
static void test_tipping(void)
{
    mechanism p = box_on_incline(0, 5, 5);
    double    a[8], wrench[6] = {0, 0, 0, 3 * g * 2, 0, 0};
    close_all(p.d);
    push(p.d, wrench);
    solve(p.d, a);
    CHECK(count_mode(p.d, CD_CONTACT_OPEN) == 2);
    CHECK(count_mode(p.d, CD_CONTACT_STICK) == 2);
    for (int i = 0; i < 4; ++i) {
        const cd_contact* c = cd_contacts_point(p.d, i);
        CHECK((c->state.mode == CD_CONTACT_OPEN) == (c->point[0] < 0));
    }
    close_mechanism(&p);
}

static mechanism ball_on_floor(double rolling, double spinning)
{
    cardan_description*  d      = cardan_description_create("ball");
    cardan_material      rubber = cardan_material_default("rubber"), stone = cardan_material_default("stone");
    const int            first  = cardan_description_add_material(d, &rubber);
    const int            second = cardan_description_add_material(d, &stone);
    cardan_material_pair pair   = cardan_material_pair_default(first, second);
    pair.static_friction = pair.kinetic_friction = 0.5;
    pair.rolling_friction                        = rolling;
    pair.spinning_friction                       = spinning;
    cardan_description_add_material_pair(d, &pair);
    const int ball = add_contact_body(d, "ball", 2, 0.07, 0.07, 0.07, 0, 0, 0.3);
    add_touching(d, ball, CARDAN_SHAPE_SPHERE, 0.3, 0, 0, at(0, 0, 0), "rubber");
    add_floor(d);
    return open_mechanism(d);
}

// Velocities of the free ball in the coordinates of the model, from w and v of its centre.
static void set_twist(cardan_data* d, const double v[3], const double w[3])
{
    double x[6] = {v[0], v[1], v[2], w[0], w[1], w[2]};
    cardan_data_set_state(d, 0, d->m->q_start, x, NULL);
}

static void test_rolling_and_spinning(void)
{
    mechanism    p    = ball_on_floor(0.01, 0.02);
    const double v[3] = {1.5, 0, 0}, w[3] = {0, 5, 3}; // rolls along x, spins about z
    double       a[8], x[3];
    set_twist(p.d, v, w);
    close_all(p.d);
    solve(p.d, a);
    const cd_contact* c = cd_contacts_point(p.d, 0);
    CHECK(c->state.mode == CD_CONTACT_STICK && c->state.spins && c->state.rolls);
    body_acceleration(p.d, a, 0, x);
    CHECK_NEAR(x[0], -0.01 * 2 * g / 0.3 / (2 + 0.07 / 0.09), 1e-10);
    CHECK_NEAR(a[5], -0.02 * 2 * g / 0.07, 1e-10); // spin
    close_mechanism(&p);

    p = ball_on_floor(0.01, 0.02); // at rest: a small force does not roll it, a larger one does
    for (int k = 0; k < 2; ++k) {
        const double force     = k == 0 ? 0.5 : 1;
        double       wrench[6] = {0, 0, 0, force, 0, 0};
        close_all(p.d);
        push(p.d, wrench);
        solve(p.d, a);
        body_acceleration(p.d, a, 0, x);
        CHECK(cd_contacts_point(p.d, 0)->state.rolls == (k == 1));
        CHECK_NEAR(x[0], k == 0 ? 0 : (force - 0.01 * 2 * g / 0.3) / (2 + 0.07 / 0.09), 1e-10);
    }
    close_mechanism(&p);
}

static void test_lift_and_slide(void)
{
    mechanism p = ball_on_floor(0, 0);
    double    a[8], x[3], up[6] = {0, 0, 0, 0, 0, 2 * g + 1};
    close_all(p.d);
    push(p.d, up);
    solve(p.d, a);
    body_acceleration(p.d, a, 0, x);
    CHECK(count_mode(p.d, CD_CONTACT_OPEN) == 1);
    CHECK_NEAR(x[2], 0.5, 1e-12);

    const double v[3] = {0.6, 0.8, 0}, w[3] = {0, 0, 0}; // slides without rolling
    cardan_data_set_external_forces(p.d, NULL, NULL);
    set_twist(p.d, v, w);
    close_all(p.d);
    solve(p.d, a);
    body_acceleration(p.d, a, 0, x);
    CHECK(count_mode(p.d, CD_CONTACT_SLIP) == 1);
    CHECK_NEAR(x[0], -0.5 * g * 0.6, 1e-10);
    CHECK_NEAR(x[1], -0.5 * g * 0.8, 1e-10);
    CHECK_NEAR(cd_contacts_power(p.d), -0.5 * 2 * g, 1e-10);
    close_mechanism(&p);
}

// A carriage on a vertical guide with a lower rigid stop and dry friction.
static void test_stop_and_joint_friction(void)
{
    cardan_description*    d        = cardan_description_create("carriage");
    const int              body     = add_contact_body(d, "carriage", 2, 1, 1, 1, 0, 0, 0);
    const double           point[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
    cardan_joint           slide = cardan_joint_at(d, "slide", "prismatic", CARDAN_GROUND, body, point, axis);
    cardan_axis_properties p     = cardan_axis_properties_default();
    p.rigid_stop                 = true;
    p.lower                      = 0;
    p.sticking_friction          = true;
    p.friction_forward = p.friction_backward = 3;
    p.static_friction_forward = p.static_friction_backward = 4;
    slide.naxis                                            = 1;
    slide.axis                                             = &p;
    cardan_description_add_joint(d, &slide);
    mechanism    m       = open_mechanism(d);
    const double force[] = {-1, 2 * g - 3.9, 2 * g + 3.9, 2 * g + 4.1, 2 * g + 10};
    for (int k = 0; k < 5; ++k) {
        double a[1], wrench[6] = {0, 0, 0, 0, 0, force[k]};
        cardan_data_set_state(m.d, 0, m.model->q_start, m.model->v_start, NULL);
        close_all(m.d);
        CHECK(cd_contacts_count(m.d) == 2);
        push(m.d, wrench);
        solve(m.d, a);
        CHECK_NEAR(a[0], k < 3 ? 0 : (force[k] - 2 * g - 3) / 2, 1e-12);
        CHECK(cd_contacts_mode(m.d, 1) == (k < 3 ? CD_CONTACT_STICK : CD_CONTACT_SLIP));
        if (k >= 3) CHECK(cd_contacts_mode(m.d, 0) == CD_CONTACT_OPEN);
        if (k == 0) {
            CHECK_NEAR(cd_contacts_axis(m.d, 0)->force + cd_contacts_axis(m.d, 1)->force, 2 * g + 1, 1e-10);
        }
    }
    // in motion: kinetic friction
    const double v[1] = {-0.5}, q[1] = {0.3};
    double       a[1];
    cardan_data_set_external_forces(m.d, NULL, NULL);
    cardan_data_set_state(m.d, 0, q, v, NULL);
    close_all(m.d);
    const cd_contact_state open = {.mode = CD_CONTACT_OPEN};
    cd_contacts_set_state(m.d, 0, &open);
    solve(m.d, a);
    CHECK_NEAR(a[0], -g + 1.5, 1e-12);
    CHECK_NEAR(cd_contacts_velocity(m.d, 0).gap, 0.3, 1e-14);
    CHECK_NEAR(cd_contacts_velocity(m.d, 0).velocity[0], -0.5, 1e-14);
    close_mechanism(&m);
}

// A carriage on a horizontal guide with friction by load: the reaction of the guide is the weight and a vertical push.
static void test_friction_by_load(void)
{
    cardan_description*    d        = cardan_description_create("carriage");
    const int              body     = add_contact_body(d, "carriage", 2, 1, 1, 1, 0, 0, 0);
    const double           point[3] = {0, 0, 0}, axis[3] = {1, 0, 0};
    cardan_joint           slide = cardan_joint_at(d, "slide", "prismatic", CARDAN_GROUND, body, point, axis);
    cardan_axis_properties p     = cardan_axis_properties_default();
    p.sticking_friction          = true;
    p.load_friction_static       = 0.5;
    p.load_friction_kinetic      = 0.3;
    p.friction_forward = p.friction_backward = p.static_friction_forward = p.static_friction_backward = 1;
    slide.naxis                                                                                       = 1;
    slide.axis                                                                                        = &p;
    cardan_description_add_joint(d, &slide);
    mechanism m = open_mechanism(d);
    for (int k = 0; k < 4; ++k) {
        const double lift = k % 2 * 5, load = 2 * g - lift, limit = 1 + 0.5 * load;
        const double force = k < 2 ? limit - 0.01 : limit + 0.01;
        double       a[1], wrench[6] = {0, 0, 0, force, 0, lift};
        cardan_data_set_state(m.d, 0, m.model->q_start, m.model->v_start, NULL);
        close_all(m.d);
        push(m.d, wrench);
        solve(m.d, a);
        CHECK_NEAR(a[0], k < 2 ? 0 : (force - 1 - 0.3 * load) / 2, 1e-12);
        CHECK_NEAR(cd_contacts_axis(m.d, 0)->load, load, 1e-12);
    }
    close_mechanism(&m);
}

// A hinge with friction by load: the reaction of a pendulum that swings depends on its acceleration, and so on the friction.
static void test_friction_of_loaded_hinge(void)
{
    cardan_description*    d        = cardan_description_create("pendulum");
    const int              body     = add_contact_body(d, "bob", 2, 0.1, 0.1, 0.1, 0.5, 0, 0);
    const double           point[3] = {0, 0, 0}, axis[3] = {0, 1, 0};
    cardan_joint           hinge = cardan_joint_at(d, "hinge", "revolute", CARDAN_GROUND, body, point, axis);
    cardan_axis_properties p     = cardan_axis_properties_default();
    p.sticking_friction          = true;
    p.load_friction_static = p.load_friction_kinetic = 0.4;
    p.load_radius                                    = 0.05;
    hinge.naxis                                      = 1;
    hinge.axis                                       = &p;
    cardan_description_add_joint(d, &hinge);
    mechanism m = open_mechanism(d);
    double    a[1], v[1] = {1.5};
    cardan_data_set_state(m.d, 0, m.model->q_start, v, NULL);
    close_all(m.d);
    solve(m.d, a);
    // reaction: m (a_c - g) with a_c = (-L w^2, 0, -L a); friction 0.4 * 0.05 * R against the rotation
    const double L = 0.5, x = -2 * L * v[0] * v[0], z = 2 * (g - L * a[0]), R = hypot(x, z);
    CHECK_NEAR((0.1 + 2 * L * L) * a[0], 2 * g * L - 0.4 * 0.05 * R, 1e-11);
    CHECK_NEAR(cd_contacts_axis(m.d, 0)->load, R, 1e-11);
    close_mechanism(&m);
}

int main(void)
{
    RUN(test_incline());
    RUN(test_tipping());
    RUN(test_rolling_and_spinning());
    RUN(test_lift_and_slide());
    RUN(test_stop_and_joint_friction());
    RUN(test_friction_by_load());
    RUN(test_friction_of_loaded_hinge());
    return test_end();
}
