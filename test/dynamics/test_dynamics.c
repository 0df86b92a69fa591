// SPDX-License-Identifier: BSD-3-Clause
// Kinematics against finite differences, and the equations of motion against first principles on random trees: Newton
// and Euler for every body at its mass centre, projected on every velocity by d'Alembert's principle.
#include "random_tree.h"
#include "test.h"

typedef struct world {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   m;
    double *            q, *v, *a, *q2, *v2, *x;
    cardan_motion *     now, *before, *after;
} world;

static bool open_world(world* w, uint64_t seed)
{
    cardan_report report = {0};
    dice          d      = {seed + 77};
    *w                   = (world){.description = random_tree(seed)};
    const bool compiled =
        cardan_model_compile(w->description, CARDAN_TREE_BREADTH_FIRST, &w->model, &report) == CARDAN_OK;
    CHECK(compiled);
    if (!compiled) return false;
    w->m            = cardan_model_get_view(w->model);
    const size_t nq = (size_t)w->m.nq + 1, nv = (size_t)w->m.nv + 1, nbody = (size_t)w->m.nbody;
    w->q      = calloc(nq, sizeof(double));
    w->q2     = calloc(nq, sizeof(double));
    w->v      = calloc(nv, sizeof(double));
    w->v2     = calloc(nv, sizeof(double));
    w->a      = calloc(nv, sizeof(double));
    w->x      = calloc(6 * nv, sizeof(double));
    w->now    = calloc(nbody, sizeof *w->now);
    w->before = calloc(nbody, sizeof *w->now);
    w->after  = calloc(nbody, sizeof *w->now);
    random_state(&d, w->model, w->q, w->v);
    CHECK(cardan_data_create(w->model, cardan_formulation_find("order-n"), &w->data, &report) == CARDAN_OK);
    return w->data != NULL;
}

static void close_world(world* w)
{
    cardan_data_destroy(w->data);
    cardan_model_destroy(w->model);
    cardan_description_destroy(w->description);
    void* const all[] = {w->q, w->q2, w->v, w->v2, w->a, w->x, w->now, w->before, w->after};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

// State at time h from (q, v, a), to second order in h.
static void move_to(world* w, double h)
{
    for (int i = 0; i < w->m.nv; ++i) {
        w->x[i]  = h * w->v[i] + h * h / 2 * w->a[i];
        w->v2[i] = w->v[i] + h * w->a[i];
    }
    cardan_model_integrate_position(w->model, w->q, w->x, w->q2);
    cardan_data_set_state(w->data, 0, w->q2, w->v2, NULL);
}

static void test_velocities_and_accelerations(uint64_t seed)
{
    world        w;
    const double h = 1e-5;
    if (!open_world(&w, seed)) return;
    cardan_data_set_state(w.data, 0, w.q, w.v, NULL);
    // any accelerations are valid; with moderate ones the differences are more accurate
    for (int i = 0; i < w.m.nv; ++i) w.a[i] = sin(3.0 * i + (double)seed);
    cardan_data_body_motions(w.data, w.a, w.now);
    move_to(&w, -h);
    cardan_data_body_motions(w.data, w.a, w.before);
    move_to(&w, h);
    cardan_data_body_motions(w.data, w.a, w.after);
    for (int b = 0; b < w.m.nbody; ++b) {
        double back[4], rotation[4], r[3];
        q4_conjugate(w.before[b].q, back);
        q4_mul(w.after[b].q, back, rotation);
        q4_log(rotation, r);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR((w.after[b].p[i] - w.before[b].p[i]) / (2 * h), w.now[b].v[i], 2e-7);
            CHECK_NEAR(r[i] / (2 * h), w.now[b].w[i], 2e-7);
            CHECK_NEAR((w.after[b].v[i] - w.before[b].v[i]) / (2 * h), w.now[b].a[i], 1e-6);
            CHECK_NEAR((w.after[b].w[i] - w.before[b].w[i]) / (2 * h), w.now[b].alpha[i], 1e-6);
        }
    }
    close_world(&w);
}

// For every velocity: the sum over bodies of J'(m a - m g, dL/dt) equals the effort, without rotors.
static void test_first_principles(uint64_t seed)
{
    world w;
    if (!open_world(&w, seed)) return;
    const cardan_description_view view = cardan_description_get_view(w.description);
    cardan_data_set_state(w.data, 0, w.q, w.v, NULL);
    if (cardan_data_accelerate(w.data, w.a, NULL, NULL) == CARDAN_OK) {
        double *sum = calloc((size_t)w.m.nv, sizeof *sum), *effort = calloc((size_t)w.m.nv, sizeof *effort),
               largest = 1;
        cardan_data_joint_efforts(w.data, effort);
        cardan_data_body_motions(w.data, w.a, w.now);
        for (int b = 0; b < w.m.nbody; ++b) {
            const cardan_body*   body = &view.body[b];
            const cardan_motion* s    = &w.now[b];
            double               R[9], L[3], Ld[3], f[3], wl[3], al[3], back[4];
            const double*        I = body->inertia;
            q4_matrix(s->q, R);
            q4_conjugate(s->q, back);
            q4_rotate(back, s->w, wl);
            q4_rotate(back, s->alpha, al);
            const double Iw[3] = {I[0] * wl[0] + I[3] * wl[1] + I[4] * wl[2],
                                  I[3] * wl[0] + I[1] * wl[1] + I[5] * wl[2],
                                  I[4] * wl[0] + I[5] * wl[1] + I[2] * wl[2]};
            const double Ia[3] = {I[0] * al[0] + I[3] * al[1] + I[4] * al[2],
                                  I[3] * al[0] + I[1] * al[1] + I[5] * al[2],
                                  I[4] * al[0] + I[5] * al[1] + I[2] * al[2]};
            L[0]               = Ia[0] + wl[1] * Iw[2] - wl[2] * Iw[1];
            L[1]               = Ia[1] + wl[2] * Iw[0] - wl[0] * Iw[2];
            L[2]               = Ia[2] + wl[0] * Iw[1] - wl[1] * Iw[0];
            q4_rotate(s->q, L, Ld);
            for (int i = 0; i < 3; ++i) f[i] = body->mass * (s->a[i] - view.gravity[i]);
            // Jacobian of the body frame, transformed to the mass centre: v_c = v + w x c
            double c[3];
            q4_rotate(s->q, body->centre, c);
            const double n[3] = {Ld[0] + c[1] * f[2] - c[2] * f[1], Ld[1] + c[2] * f[0] - c[0] * f[2],
                                 Ld[2] + c[0] * f[1] - c[1] * f[0]};
            cardan_data_marker_jacobian(w.data, cardan_description_find_marker(w.description, body->name), w.x);
            for (int v = 0; v < w.m.nv; ++v)
                for (int i = 0; i < 3; ++i) {
                    const double part = w.x[i * w.m.nv + v] * n[i] + w.x[(i + 3) * w.m.nv + v] * f[i];
                    sum[v] += part;
                    largest = fmax(largest, fabs(part));
                }
        }
        for (int j = 0; j < view.njoint; ++j)
            for (int i = 0; i < view.joint[j].naxis && w.m.tree_range[j].v >= 0; ++i)
                sum[w.m.tree_range[j].v + i] += view.joint[j].axis[i].armature * w.a[w.m.tree_range[j].v + i];
        for (int v = 0; v < w.m.nv; ++v) CHECK_NEAR((sum[v] - effort[v]) / largest, 0, 1e-10);
        free(sum), free(effort);
    }
    close_world(&w);
}

// d(kinetic + potential)/dt = power of the other forces, along the motion.
static void test_energy_rate(uint64_t seed)
{
    world        w;
    const double h = 1e-5;
    if (!open_world(&w, seed)) return;
    cardan_data_set_state(w.data, 0, w.q, w.v, NULL);
    if (cardan_data_accelerate(w.data, w.a, NULL, NULL) == CARDAN_OK) {
        const cardan_energies now     = cardan_data_energy(w.data);
        double                largest = 1;
        for (int i = 0; i < w.m.nv; ++i) largest = fmax(largest, fabs(w.a[i]));
        move_to(&w, -h);
        const cardan_energies before = cardan_data_energy(w.data);
        move_to(&w, h);
        const cardan_energies after = cardan_data_energy(w.data);
        const double          rate  = (after.kinetic + after.potential - before.kinetic - before.potential) / (2 * h);
        const double          scale = 1 + fabs(now.kinetic) + fabs(now.potential);
        if (largest < 1e3) CHECK_NEAR((rate - now.power) / scale, 0, 1e-5);
    }
    close_world(&w);
}

// A floating tree without gravity: momentum is constant along the motion.
static void test_momentum_of_a_floating_tree(void)
{
    cardan_description* d       = cardan_description_create("floating");
    const double        none[3] = {0, 0, 0}, h = 1e-5;
    dice                dice_ = {5};
    cardan_description_set_gravity(d, none);
    for (int i = 0; i < 6; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        cardan_body b = cardan_body_default(name);
        random_inertia(&dice_, &b);
        cardan_description_add_body(d, &b);
        if (i == 0) continue;
        snprintf(name, sizeof name, "j%d", i);
        static const char* const types[] = {"", "revolute", "spherical", "prismatic", "universal", "cylindrical"};
        cardan_joint             j       = cardan_joint_default(name, types[i], i % 2 ? i - 1 : i, i % 2 ? i : i - 1);
        j.frame_first                    = random_pose(&dice_);
        cardan_description_add_joint(d, &j);
    }
    cardan_model* m    = NULL;
    cardan_data*  data = NULL;
    double        q[32], v[32], a[32], q2[32], v2[32], x[32], p0[3], l0[3], p1[3], l1[3];
    CHECK(cardan_model_compile(d, CARDAN_TREE_DEPTH_FIRST, &m, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("cholesky"), &data, NULL) == CARDAN_OK);
    const cardan_model_view view = cardan_model_get_view(m);
    random_state(&dice_, m, q, v);
    cardan_data_set_state(data, 0, q, v, NULL);
    CHECK(cardan_data_accelerate(data, a, NULL, NULL) == CARDAN_OK);
    for (int s = 0; s < 2; ++s) {
        const double e = s ? h : -h;
        for (int i = 0; i < view.nv; ++i) {
            x[i]  = e * v[i] + e * e / 2 * a[i];
            v2[i] = v[i] + e * a[i];
        }
        cardan_model_integrate_position(m, q, x, q2);
        cardan_data_set_state(data, 0, q2, v2, NULL);
        cardan_data_momentum(data, s ? p1 : p0, s ? l1 : l0);
    }
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR((p1[i] - p0[i]) / (2 * h), 0, 1e-4);
        CHECK_NEAR((l1[i] - l0[i]) / (2 * h), 0, 1e-4);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// A joint frame whose axis is any of the six directions: q rotates the second body about it by the right-hand rule.
static void test_right_hand_rotation(void)
{
    static const double axes[][3] = {{1, 0, 0},  {-1, 0, 0},   {0, 1, 0},      {0, -1, 0},          {0, 0, 1},
                                     {0, 0, -1}, {.6, 0, -.8}, {.1, .2, -.97}, {3e-200, 4e-200, 0}, {0, 3e200, 4e200}};
    for (size_t k = 0; k < sizeof axes / sizeof *axes; ++k) {
        cardan_description* d = cardan_description_create("axis");
        cardan_body         b = cardan_body_default("b");
        b.mass                = 1;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
        for (int reversed = 0; reversed < 2; ++reversed) {
            b.name            = reversed ? "b1" : "b0";
            const int    body = cardan_description_add_body(d, &b);
            cardan_joint j    = cardan_joint_default(reversed ? "back" : "forth", "general",
                                                  reversed ? body : CARDAN_GROUND, reversed ? CARDAN_GROUND : body);
            j.nelementary     = 1;
            memcpy(j.elementary[0].axis, axes[k], sizeof axes[k]);
            j.start_q_given = true;
            j.start_q[0]    = 0.3;
            cardan_description_add_joint(d, &j);
        }
        cardan_model* m    = NULL;
        cardan_data*  data = NULL;
        cardan_motion s[2];
        CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, NULL) == CARDAN_OK);
        CHECK(cardan_data_create(m, 0, &data, NULL) == CARDAN_OK);
        cardan_data_body_motions(data, NULL, s);
        const double n = hypot(hypot(axes[k][0], axes[k][1]), axes[k][2]);
        CHECK_NEAR(s[0].q[0], cos(0.15), 1e-14);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(s[0].q[i + 1], sin(0.15) * axes[k][i] / n, 1e-14);
            CHECK_NEAR(s[1].q[i + 1], -sin(0.15) * axes[k][i] / n, 1e-14);
        }
        cardan_data_destroy(data);
        cardan_model_destroy(m);
        cardan_description_destroy(d);
    }
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        RUN(test_velocities_and_accelerations(seed));
        RUN(test_first_principles(seed));
        RUN(test_energy_rate(seed));
    }
    RUN(test_momentum_of_a_floating_tree());
    RUN(test_right_hand_rotation());
    return test_end();
}
