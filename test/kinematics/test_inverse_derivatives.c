// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse dynamics against differences of order four, on random trees of all joint types, with joints in
// both directions and wrenches that rotate with their links; derivatives by accelerations against the mass matrix.
#include "kinematics/composite_inertia.h"
#include "kinematics/inverse_derivatives.h"
#include "random_tree.h"
#include "test.h"

typedef struct subject {
    const cardan_model*    m;
    cd_kinematics          k;
    cd_inverse_derivatives d;
    double *               q, *v, *a, *x, *tau[4], *M;
    spatial*               wrench;
    rigid*                 composite;
    cd_arena               arena;
} subject;

static void layout(subject* s)
{
    const cardan_model* m = s->m;
    cd_kinematics_layout(m, &s->arena, &s->k);
    cd_inverse_derivatives_layout(m, &s->arena, &s->d);
    CD_ARENA_ARRAY(&s->arena, s->q, m->nq);
    CD_ARENA_ARRAY(&s->arena, s->v, m->nv);
    CD_ARENA_ARRAY(&s->arena, s->a, m->nv);
    CD_ARENA_ARRAY(&s->arena, s->x, m->nq + m->nv);
    for (int i = 0; i < 4; ++i) CD_ARENA_ARRAY(&s->arena, s->tau[i], m->nv);
    CD_ARENA_ARRAY(&s->arena, s->wrench, m->nlink);
    CD_ARENA_ARRAY(&s->arena, s->composite, m->nlink);
    CD_ARENA_ARRAY(&s->arena, s->M, m->nv * m->nv);
}

static void inverse(subject* s, const double* q, const double* v, double* tau)
{
    cd_forward_kinematics(s->m, &s->k, q);
    cd_inverse_dynamics(s->m, &s->k, v, s->a, s->wrench, tau);
}

// d tau / d q(j) or d v(j) by differences of order four, into tau[0].
static void difference(subject* s, int j, bool velocity)
{
    const double h = 1e-3;
    for (int i = 0; i < 4; ++i) {
        const double step = (double[]){-2, -1, 1, 2}[i] * h;
        double*      dq   = s->x + s->m->nq;
        if (velocity) {
            memcpy(dq, s->v, (size_t)s->m->nv * sizeof *dq);
            dq[j] += step;
            inverse(s, s->q, dq, s->tau[i]);
        } else {
            memset(dq, 0, (size_t)s->m->nv * sizeof *dq);
            dq[j] = step;
            cardan_model_integrate_position(s->m, s->q, dq, s->x);
            inverse(s, s->x, s->v, s->tau[i]);
        }
    }
    for (int i = 0; i < s->m->nv; ++i)
        s->tau[0][i] = (s->tau[0][i] - 8 * s->tau[1][i] + 8 * s->tau[2][i] - s->tau[3][i]) / (12 * h);
}

static double entry(const subject* s, const double* down, const double* up, int i, int j)
{
    for (int u = i, e = s->d.start[i]; u >= 0; u = s->m->v_parent[u], ++e)
        if (u == j) return down[e];
    for (int u = j, e = s->d.start[j]; u >= 0; u = s->m->v_parent[u], ++e)
        if (u == i) return up[e];
    return 0;
}

static double worst_of(subject* s, bool velocity)
{
    const int     n    = s->m->nv;
    const double *down = velocity ? s->d.v : s->d.q, *up = velocity ? s->d.v_transposed : s->d.q_transposed;
    double        worst = 0, scale = 1;
    for (int j = 0; j < n; ++j) {
        difference(s, j, velocity);
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(s->tau[0][i] - entry(s, down, up, i, j)));
            scale = fmax(scale, fabs(s->tau[0][i]));
        }
    }
    return worst / scale;
}

static double mass_error(subject* s)
{
    const int n     = s->m->nv;
    double    worst = 0, scale = 1;
    cd_forward_kinematics(s->m, &s->k, s->q);
    cd_mass_matrix_crba(s->m, &s->k, s->composite, s->M);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            worst = fmax(worst, fabs(s->M[i * n + j] - entry(s, s->d.a, s->d.a, i, j)));
            scale = fmax(scale, fabs(s->M[i * n + j]));
        }
    return worst / scale;
}

static bool check_tree(uint64_t seed, cardan_tree_policy policy)
{
    cardan_description* tree   = random_tree(seed);
    cardan_report       report = {0};
    cardan_model*       model  = NULL;
    subject             s      = {0};
    dice                d      = {seed + 1};
    bool                good   = cardan_model_compile(tree, policy, &model, &report) == CARDAN_OK;
    s.m                        = model;
    if (good) {
        layout(&s);
        good = cd_arena_reserve(&s.arena);
    }
    if (good) {
        layout(&s);
        random_state(&d, model, s.q, s.v);
        for (int i = 0; i < model->nv; ++i) s.a[i] = dice_range(&d, -5, 5);
        for (int i = 0; i < model->nlink; ++i)
            for (int c = 0; c < 6; ++c) (&s.wrench[i].a.x)[c] = dice_range(&d, -20, 20);
        cd_forward_kinematics(model, &s.k, s.q);
        cd_root_frame_poses(model, &s.k);
        cd_inverse_derivatives_evaluate(model, &s.k, s.v, s.a, s.wrench, &s.d);
        const double by_q = worst_of(&s, false), by_v = worst_of(&s, true), by_a = mass_error(&s);
        good = by_q < 1e-8 && by_v < 1e-8 && by_a < 1e-12;
        if (!good) printf("seed %llu: by q %.2g, by v %.2g, by a %.2g\n", (unsigned long long)seed, by_q, by_v, by_a);
    }
    cd_arena_release(&s.arena);
    cardan_model_destroy(model);
    cardan_description_destroy(tree);
    return good;
}

static void test_random_trees(cardan_tree_policy policy)
{
    int bad = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) bad += !check_tree(seed, policy);
    CHECK(bad == 0);
}

int main(void)
{
    RUN(test_random_trees(CARDAN_TREE_BREADTH_FIRST));
    RUN(test_random_trees(CARDAN_TREE_DEPTH_FIRST));
    RUN(test_random_trees(CARDAN_TREE_MAXIMAL));
    return test_end();
}
