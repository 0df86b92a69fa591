// SPDX-License-Identifier: BSD-3-Clause
// Inverse dynamics of random trees and of free bodies against Lagrange's equations, derivatives by complex steps:
//
//   tau = d/dt p - dT + dV + w x p_w          p = M v,  T = v'p / 2,  V = -sum of m g.c
//
// d along each velocity at constant v; quaternions rotate by w in the axes of the second body, which adds w x p_w
// (Boltzmann and Hamel).
#include "complex_motion.h"

static const double digits = 1e-12;

// p (nv) = M v by inverse dynamics, minus its part without acceleration.
static void momentum(moved* s, real* p)
{
    real zero[MOST_VELOCITIES], none[MOST_VELOCITIES];
    for (int i = 0; i < s->m->nv; ++i) zero[i] = r_const(0);
    cd_inverse_dynamics(s->m, &s->k, zero, s->v, NULL, p);
    cd_inverse_dynamics(s->m, &s->k, zero, NULL, NULL, none);
    for (int i = 0; i < s->m->nv; ++i) p[i] = r_sub(p[i], none[i]);
}

static real kinetic(moved* s)
{
    real p[MOST_VELOCITIES], T = r_const(0);
    momentum(s, p);
    for (int i = 0; i < s->m->nv; ++i) T = r_add(T, r_scale(0.5, r_mul(s->v[i], p[i])));
    return T;
}

static real potential(const moved* s)
{
    const vec3 g = v3_const(s->m->view.gravity);
    real       V = r_const(0);
    for (int i = 0; i < s->m->nlink; ++i) {
        const cd_link* link = &s->m->link[i];
        const frame    T    = s->world.pose[i];
        V = r_sub(V, v3_dot(g, v3_add(v3_scale(r_const(link->m), T.p), m3_mul(T.R, v3_const(link->h)))));
    }
    return V;
}

static void check_lagrange(cardan_tree_policy policy, const char* name)
{
    double worst = 0, power = 0;
    int    compared = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        cardan_description* d = random_tree(seed);
        cardan_model*       m = NULL;
        moved               s;
        real                a[MOST_VELOCITIES], x[MOST_VELOCITIES];
        double              tau[MOST_VELOCITIES], expected[MOST_VELOCITIES], p[MOST_VELOCITIES], size = 0, done = 0;
        if (cardan_model_compile(d, policy, &m, NULL) != CARDAN_OK || !moved_create(m, &s)) {
            cardan_description_destroy(d);
            continue;
        }
        moved_state(&s, seed);
        moved_settle(&s);
        for (int i = 0; i < m->nv; ++i) a[i] = r_const(s.a0[i]);
        cd_inverse_dynamics(m, &s.k, s.v, a, NULL, x);
        for (int i = 0; i < m->nv; ++i) {
            tau[i] = x[i].re;
            size   = fmax(size, fabs(tau[i]));
            done += tau[i] * s.v0[i];
        }
        momentum(&s, x);
        for (int i = 0; i < m->nv; ++i) p[i] = x[i].re;
        moved_to(&s, s.v0, s.a0, 0);
        momentum(&s, x);
        for (int i = 0; i < m->nv; ++i) expected[i] = slope(x[i]);
        power = off_by(power, slope(r_add(kinetic(&s), potential(&s))), done, fabs(done) + size);
        for (int i = 0; i < m->nv; ++i) {
            double unit[MOST_VELOCITIES] = {0};
            unit[i]                      = 1;
            moved_to(&s, unit, NULL, 0);
            expected[i] += slope(potential(&s)) - slope(kinetic(&s));
        }
        for (int i = 0; i < m->nquaternion; ++i) {
            const double* w = s.v0 + m->quaternion_v[i];
            double *      e = expected + m->quaternion_v[i], *pw = p + m->quaternion_v[i];
            for (int k = 0; k < 3; ++k)
                pw[k] -= m->armature[m->quaternion_v[i] + k] * w[k]; // rotors along a quaternion do not rotate with it
            for (int k = 0; k < 3; ++k) e[k] += w[(k + 1) % 3] * pw[(k + 2) % 3] - w[(k + 2) % 3] * pw[(k + 1) % 3];
        }
        for (int i = 0; i < m->nv; ++i) worst = off_by(worst, tau[i], expected[i], size);
        ++compared;
        moved_destroy(&s);
        cardan_model_destroy(m);
        cardan_description_destroy(d);
    }
    printf("%-8s Lagrange %.1e, power %.1e; %d trees\n", name, worst, power, compared);
    CHECK(worst <= digits);
    CHECK(power <= digits);
    CHECK(compared > 40);
}

int main(void)
{
    RUN(check_lagrange(CARDAN_TREE_BREADTH_FIRST, "shallow"));
    RUN(check_lagrange(CARDAN_TREE_DEPTH_FIRST, "chain"));
    RUN(check_lagrange(CARDAN_TREE_MAXIMAL, "flat"));
    return test_end();
}
