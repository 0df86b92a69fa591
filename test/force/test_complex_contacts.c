// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts of two free bodies in complex numbers. Forces and their derivatives by contact points that follow the
// rates of the collision geometry are those of the closed forms, which are differentiated as formulas; the normal force
// is the gradient of the stored energy; contacts dissipate.
#include "complex_motion.h"
#include "contact/shape/hull.h"
#include "force/closed_form_contact.h"
#include "force/compliant_contact.h"

static const cd_compliant_law law = {.stiffness            = 3e3,
                                     .exponent             = 1.5,
                                     .damping              = 0.2,
                                     .static_friction      = 0.7,
                                     .kinetic_friction     = 0.5,
                                     .stribeck_speed       = 0.4,
                                     .friction_speed       = 0.1,
                                     .friction_rate        = 0.2,
                                     .rolling_friction     = 0.01,
                                     .spinning_friction    = 0.02,
                                     .tangential_stiffness = 2e3,
                                     .tangential_damping   = 5};

typedef struct two_bodies {
    cardan_description* d;
    cardan_model*       m;
    moved               s;
} two_bodies;

static bool open_bodies(two_bodies* b, dice* d)
{
    b->d = cardan_description_create("two");
    for (int i = 0; i < 2; ++i) {
        cardan_body body = cardan_body_default(i ? "B" : "A");
        random_inertia(d, &body);
        cardan_description_add_body(b->d, &body);
    }
    return cardan_model_compile(b->d, CARDAN_TREE_BREADTH_FIRST, &b->m, NULL) == CARDAN_OK && moved_create(b->m, &b->s);
}

static void close_bodies(two_bodies* b)
{
    moved_destroy(&b->s);
    cardan_model_destroy(b->m);
    cardan_description_destroy(b->d);
}

static cd_shape_pose pose_of(const moved* s, int body)
{
    const cd_link_frame* at = &s->m->body[body];
    const frame          T  = s->world.pose[at->link];
    const vec3           p  = v3_add(T.p, m3_mul(T.R, v3_const(at->p)));
    const mat3           R  = m3_mul_m3(T.R, m3_const(at->R));
    return (cd_shape_pose){{R.xx.re, R.xy.re, R.xz.re, R.yx.re, R.yy.re, R.yz.re, R.zx.re, R.zy.re, R.zz.re},
                           {p.x.re, p.y.re, p.z.re}};
}

// Contact points with overlap by the collision geometry.
static int found_contacts(const moved* s, const cd_shape_geometry* g, const cd_compliant_law* of,
                          cd_compliant_contact* contact)
{
    cd_contact_point    p[CD_CONTACT_POINTS_MAX];
    const cd_shape_pose A = pose_of(s, 0), B = pose_of(s, 1);
    const int           found = cd_collide(&g[0], &A, &g[1], &B, 0, NULL, p, CD_CONTACT_POINTS_MAX);
    int                 n     = 0;
    for (int i = 0; i < found; ++i) {
        if (p[i].gap >= 0) continue;
        cd_compliant_contact* c = &contact[n++];
        *c = (cd_compliant_contact){.law = of, .link = {s->m->body[0].link, s->m->body[1].link}, .gap = p[i].gap};
        for (int k = 0; k < 3; ++k) {
            c->point[k]  = (p[i].a[k] + p[i].b[k]) / 2;
            c->normal[k] = p[i].normal[k];
        }
        CHECK(cd_contact_derivative(&g[0], &A, &g[1], &B, &p[i], &c->rates));
    }
    return n;
}

static void clear(spatial* wrench)
{
    for (int i = 0; i < MOST_VELOCITIES; ++i) wrench[i] = sv_zero();
}

static void closed_form_wrenches(const moved* s, const cd_shape_geometry* g, spatial* wrench)
{
    const cd_closed_form_pair pair    = {{&g[0], &g[1]}, {&s->m->body[0], &s->m->body[1]}};
    const int                 link[2] = {s->m->body[0].link, s->m->body[1].link}, n = cd_closed_form_count(&pair);
    CHECK(n > 0);
    clear(wrench);
    for (int i = 0; i < n; ++i) {
        const cd_closed_form_point p      = cd_closed_form_point_at(&pair, &s->world, i);
        const spatial              V      = cd_relative_motion_at(&s->world, link, p.point);
        const cd_compliant_motion  motion = {p.gap, p.normal, V.l, V.a};
        const cd_compliant_load    load   = cd_compliant_load_of(&law, &motion, v3_zero());
        cd_add_contact_wrench(&s->world, link, p.point, load.force, load.moment, wrench);
    }
}

static double worst_difference(double worst, const spatial* a, const spatial* b, int nlink)
{
    for (int i = 0; i < nlink; ++i)
        for (int k = 0; k < 6; ++k) {
            const real x = k < 3 ? v3_component(a[i].a, k) : v3_component(a[i].l, k - 3),
                       y = k < 3 ? v3_component(b[i].a, k) : v3_component(b[i].l, k - 3);
            worst        = off_by(worst, x.re, y.re, fabs(y.re));
            worst        = off_by(worst, slope(x), slope(y), fabs(slope(y)));
        }
    return worst;
}

static cd_shape_geometry shape_of(cd_shape_kind kind, dice* d)
{
    cd_shape_geometry g = {.kind = kind};
    for (int i = 0; i < 3; ++i) g.size[i] = dice_range(d, 0.3, 0.6);
    if (kind == CD_SHAPE_TORUS) g.size[1] = 0.1;
    if (kind == CD_SHAPE_BOX) g.rounding = 0.05;
    return g;
}

// Random state in which both shapes overlap; the second body is moved towards the first until they do.
static int overlap(moved* s, const cd_shape_geometry* g, uint64_t seed, cd_compliant_contact* contact)
{
    moved_state(s, seed);
    for (int i = 0; i < 60; ++i) {
        moved_to(s, NULL, NULL, 0);
        const int n = found_contacts(s, g, &law, contact);
        if (n > 0) return n;
        const cd_link* first = &s->m->link[s->m->body[0].link];
        const vec3     z     = m3_column_z(s->world.pose[s->m->body[1].link].R);
        for (int k = 0; k < 3; ++k) // against the normal of a plane, or towards the other centre
            s->q0[first->q + k] -=
                g[1].kind == CD_SHAPE_PLANE
                    ? 0.1 * v3_component(z, k).re
                    : 0.1 * (s->q0[first->q + k] - v3_component(s->world.pose[s->m->body[1].link].p, k).re);
    }
    return 0;
}

static void check_pair(cd_shape_kind a, cd_shape_kind b, bool swap)
{
    double worst  = 0;
    int    scenes = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        dice                 d = {seed};
        two_bodies           bodies;
        cd_compliant_contact contact[CD_CONTACT_POINTS_MAX];
        spatial              by_rates[MOST_VELOCITIES + 1], by_formulas[MOST_VELOCITIES + 1];
        double               dv[MOST_VELOCITIES], da[MOST_VELOCITIES];
        cd_shape_geometry    g[2] = {shape_of(a, &d), shape_of(b, &d)};
        CHECK(open_bodies(&bodies, &d));
        moved* s = &bodies.s;
        if (overlap(s, g, seed, contact) > 0) {
            if (swap) { // the same with the plane as the first shape
                const cd_shape_geometry first = g[0];
                g[0] = g[1], g[1] = first;
                const cd_link_frame frame_first = bodies.m->body[0];
                bodies.m->body[0] = bodies.m->body[1], bodies.m->body[1] = frame_first;
            }
            for (int i = 0; i < s->m->nv; ++i) dv[i] = dice_range(&d, -1, 1), da[i] = dice_range(&d, -1, 1);
            moved_to(s, dv, da, 0);
            const int n = found_contacts(s, g, &law, contact);
            clear(by_rates);
            cd_add_compliant_contacts(n, contact, &s->world, NULL, by_rates + 1, NULL, NULL);
            closed_form_wrenches(s, g, by_formulas + 1);
            worst = worst_difference(worst, by_rates + 1, by_formulas + 1, s->m->nlink);
            ++scenes;
        }
        close_bodies(&bodies);
    }
    printf("shapes %d %d: %d scenes, %.1e\n", a, b, scenes, worst);
    CHECK(scenes > 15);
    CHECK(worst < 1e-9);
}

// The normal force is minus the derivative of the stored energy by the gap; all contacts dissipate what is not stored.
static void check_energy(void)
{
    dice             d     = {7};
    double           worst = 0, gain = -1;
    cd_compliant_law plain = law, brush = law;
    plain.damping = plain.static_friction = plain.rolling_friction = plain.spinning_friction = 0;
    brush.has_brush                                                                          = true;
    for (int i = 0; i < 400; ++i) {
        const double n[3] = {0, 0, 1};
        double       x[9];
        for (int k = 0; k < 9; ++k) x[k] = dice_range(&d, -1, 1);
        const cd_compliant_motion moving = {{dice_range(&d, -0.2, 0), eps}, v3_const(n), v3_const(x), v3_const(x + 3)};
        const vec3                deflection = v3_scale(r_const(0.02), v3_const(x + 6));
        const cd_compliant_load   elastic    = cd_compliant_load_of(&plain, &moving, v3_zero());
        worst = off_by(worst, -slope(elastic.stored_energy), elastic.normal_force.re, elastic.normal_force.re);
        const cd_compliant_law* laws[2] = {&law, &brush};
        for (int k = 0; k < 2; ++k) {
            const cd_compliant_load load  = cd_compliant_load_of(laws[k], &moving, deflection);
            const double            power = v3_dot(load.force, moving.velocity).re +
                                 v3_dot(load.moment, moving.angular_velocity).re + load.stored_power.re;
            gain = fmax(gain, power / (1 + fabs(load.stored_power.re)));
            CHECK(load.normal_force.re >= 0);
            if (k == 0) continue;
            const vec3   t     = v3_sub(load.force, v3_scale(load.normal_force, v3_const(n)));
            const double bound = 0.7 * load.normal_force.re;
            CHECK(sqrt(v3_dot(t, t).re) <= bound * (1 + 1e-12));
        }
    }
    printf("gradient %.1e, gained %.1e\n", worst, gain);
    CHECK(worst < 1e-12);
    CHECK(gain <= 1e-12);
}

int main(void)
{
    static const cd_shape_kind on_plane[] = {CD_SHAPE_SPHERE, CD_SHAPE_CAPSULE, CD_SHAPE_BOX, CD_SHAPE_ELLIPSOID,
                                             CD_SHAPE_TORUS};
    for (int i = 0; i < 5; ++i) RUN(check_pair(on_plane[i], CD_SHAPE_PLANE, i % 2));
    RUN(check_pair(CD_SHAPE_SPHERE, CD_SHAPE_SPHERE, false));
    RUN(check_energy());
    return test_end();
}
