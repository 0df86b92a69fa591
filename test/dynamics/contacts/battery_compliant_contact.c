// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts in the equations of motion of mechanisms, with regularized friction and with brushes: all formulations
// give the same accelerations, derivatives agree with differences, and the rate of the energy is the power.
#include "body_accelerations.h"
#include "contact_models.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/data.h"
#include "random_tree.h"
#include "test.h"

enum { SIZE = 64 };

typedef struct scene {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    int                 nq, nv, ns;
    double              q[SIZE], v[SIZE], s[SIZE];
} scene;

static cardan_description* describe(const contact_mechanism* mechanism, bool brush)
{
    cardan_description*     d        = mechanism->describe();
    cardan_contact_settings settings = cardan_contact_settings_default();
    settings.law                     = CARDAN_CONTACT_COMPLIANT;
    settings.compliance.stiffness    = 2e3;
    settings.compliance.damping      = 0.3;
    settings.friction_speed          = 0.2;
    settings.compliant_friction      = brush ? CARDAN_FRICTION_BRUSH : CARDAN_FRICTION_REGULARIZED;
    settings.tangential_stiffness    = 500;
    settings.tangential_damping      = 8;
    cardan_description_set_contact_settings(d, &settings);
    if (strcmp(mechanism->name, "five-bar") == 0) // a second floor, which the linkage has entered
        add_touching(d, CARDAN_GROUND, CARDAN_SHAPE_PLANE, 1, 1, 0, at(0, 0, 0.01), "stone");
    return d;
}

static bool open_scene(scene* s, const contact_mechanism* mechanism, const char* formulation, bool brush)
{
    cardan_report report = {0};
    const int     index  = cardan_formulation_find(formulation);
    *s                   = (scene){.d = describe(mechanism, brush)};
    const bool good = cardan_model_compile(s->d, cardan_formulation_tree_policy(index), &s->m, &report) == CARDAN_OK &&
                      cardan_data_create(s->m, index, &s->data, &report) == CARDAN_OK;
    if (!good) return false;
    const cardan_model_view view = cardan_model_get_view(s->m);
    s->nq = view.nq, s->nv = view.nv, s->ns = view.nstate;
    CHECK(s->nq <= SIZE && s->ns <= SIZE);
    memcpy(s->q, view.q_start, (size_t)s->nq * sizeof(double));
    memcpy(s->v, view.v_start, (size_t)s->nv * sizeof(double));
    return true;
}

static void close_scene(scene* s)
{
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->m);
    cardan_description_destroy(s->d);
}

// Push the shapes into each other: all free coordinates move down, and get random velocities; loops stay closed.
static void disturb(scene* s, uint64_t seed)
{
    dice   d = {seed};
    double dq[SIZE];
    for (int i = 0; i < s->nv; ++i) {
        dq[i]   = dice_range(&d, -0.03, 0.03);
        s->v[i] = dice_range(&d, -0.5, 0.5);
    }
    for (int i = 0; i < s->ns; ++i) s->s[i] = dice_range(&d, -0.01, 0.01);
    cardan_model_integrate_position(s->m, s->q, dq, s->q);
    for (int i = 0; i < s->m->nlink; ++i)
        if (s->m->link[i].parent < 0 && s->m->link[i].motion == CD_FREE) s->q[s->m->link[i].q + 2] -= 0.04;
    cardan_data_set_state(s->data, 0.1, s->q, s->v, s->s);
    cd_compliant_hold_bristles(s->data);
}

// Energy changes by the power of forces without potential.
static void check_power(scene* s)
{
    double a[SIZE], rate[SIZE], e[2];
    CHECK(cardan_data_accelerate(s->data, a, rate, NULL) == CARDAN_OK);
    const double power = cardan_data_energy(s->data).power;
    const double h     = 1e-6;
    for (int k = 0; k < 2; ++k) {
        const double sign = k ? h : -h;
        double       dq[SIZE], q[SIZE], v[SIZE], state[SIZE];
        for (int i = 0; i < s->nv; ++i) {
            dq[i] = sign * s->v[i] + h * h / 2 * a[i];
            v[i]  = s->v[i] + sign * a[i];
        }
        for (int i = 0; i < s->ns; ++i) state[i] = s->s[i] + sign * rate[i];
        cardan_model_integrate_position(s->m, s->q, dq, q);
        cardan_data_set_state(s->data, 0.1 + sign, q, v, state);
        const cardan_energies energies = cardan_data_energy(s->data);
        e[k]                           = energies.kinetic + energies.potential;
    }
    cardan_data_set_state(s->data, 0.1, s->q, s->v, s->s);
    CHECK(fabs((e[1] - e[0]) / (2 * h) - power) < 1e-5 * (1 + fabs(power)));
}

// Accelerations and rates of states at the state moved along column `column` of (q, v, state).
static void accelerate_at(scene* s, int column, double h, double* a)
{
    double dq[SIZE] = {0}, q[SIZE], v[SIZE], state[SIZE];
    memcpy(v, s->v, sizeof v);
    memcpy(state, s->s, sizeof state);
    if (column < s->nv) dq[column] = h;
    if (column >= s->nv && column < 2 * s->nv) v[column - s->nv] += h;
    if (column >= 2 * s->nv) state[column - 2 * s->nv] += h;
    cardan_model_integrate_position(s->m, s->q, dq, q);
    cardan_data_set_state(s->data, 0.1, q, v, state);
    CHECK(cardan_data_accelerate(s->data, a, a + s->nv, NULL) == CARDAN_OK);
}

static double check_derivatives(scene* s)
{
    static double a_q[SIZE * SIZE], a_v[SIZE * SIZE], a_s[SIZE * SIZE], r_q[SIZE * SIZE], r_v[SIZE * SIZE],
        r_s[SIZE * SIZE];
    const cardan_forward_dynamics_jacobians J = {
        .a_q = a_q, .a_v = a_v, .a_state = a_s, .rate_q = r_q, .rate_v = r_v, .rate_state = r_s};
    cardan_derivatives* w     = NULL;
    double              worst = 0, size = 1, f[4][2 * SIZE];
    CHECK(cardan_derivatives_create(s->data, &w, NULL) == CARDAN_OK);
    CHECK(cardan_derivatives_of_forward_dynamics(w, NULL, &J, NULL) == CARDAN_OK);
    for (int column = 0; column < 2 * s->nv + s->ns; ++column) {
        const double h = 4e-6;
        for (int k = 0; k < 4; ++k) accelerate_at(s, column, (k < 2 ? 1 : 2) * (k % 2 ? -h : h), f[k]);
        for (int i = 0; i < s->nv + s->ns; ++i) {
            const int     block = column < s->nv ? 0 : column < 2 * s->nv ? 1 : 2;
            const double* by[6] = {a_q, a_v, a_s, r_q, r_v, r_s};
            const int     row = i < s->nv ? i : i - s->nv, n = block == 2 ? s->ns : s->nv,
                      at          = column - (block < 2 ? block * s->nv : 2 * s->nv);
            const double exact    = by[block + (i < s->nv ? 0 : 3)][row * n + at];
            const double quotient = (8 * (f[0][i] - f[1][i]) - (f[2][i] - f[3][i])) / (12 * h);
            size                  = fmax(size, fabs(exact));
            worst                 = fmax(worst, fabs(exact - quotient));
        }
    }
    cardan_derivatives_destroy(w);
    cardan_data_set_state(s->data, 0.1, s->q, s->v, s->s);
    return worst / size;
}

// Accelerations of the bodies by all formulations at the state of the scene.
static double compare_formulations(const scene* s, int* compared)
{
    const cardan_model_view view      = cardan_model_get_view(s->m);
    const int               first     = cardan_formulation_find("augmented");
    const body_solution     reference = solve_bodies(s->d, first, cardan_formulation_tree_policy(first), s->data, NULL);
    double                  worst     = 0;
    CHECK(reference.status == CARDAN_OK);
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        if (cd_formulation_at(f)->properties & CD_APPROXIMATE) continue;
        const body_solution x = solve_bodies(s->d, f, cardan_formulation_tree_policy(f), s->data, NULL);
        if (x.status == CARDAN_UNSUPPORTED) continue; // loops
        CHECK(x.status == CARDAN_OK);
        worst = fmax(worst, relative_difference(&x, &reference, view.nbody));
        ++*compared;
    }
    return worst;
}

static void check_mechanism(const contact_mechanism* mechanism, bool brush)
{
    double worst = 0, worst_derivative = 0;
    int    compared = 0, touching = 0;
    bool   has_loops = false; // its coordinates are not independent: the loop stays as it is described
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scene  s;
        double a[SIZE];
        CHECK(open_scene(&s, mechanism, "augmented", brush));
        CHECK(!brush || s.ns > 0);
        has_loops = s.m->ncut > 0;
        if (!has_loops) disturb(&s, seed);
        CHECK(cardan_data_accelerate(s.data, a, NULL, NULL) == CARDAN_OK);
        touching += s.data->forces.compliant->n;
        if (!has_loops) {
            check_power(&s);
            worst_derivative = fmax(worst_derivative, check_derivatives(&s));
        }
        worst = fmax(worst, compare_formulations(&s, &compared));
        close_scene(&s);
    }
    printf("%-10s %s: %d points, %d solutions, %.1e; derivatives %.1e\n", mechanism->name,
           brush ? "brush" : "regularized", touching, compared, worst, worst_derivative);
    CHECK(touching > 1 || has_loops);
    CHECK(compared > 20);
    CHECK(worst < 1e-10);
    CHECK(worst_derivative < 1e-6);
}

int main(void)
{
    for (int i = 0; i < CONTACT_MECHANISMS; ++i) {
        if (strcmp(contact_mechanisms[i].name, "driven plate") == 0) continue; // has rigid stops
        RUN(check_mechanism(&contact_mechanisms[i], false));
        RUN(check_mechanism(&contact_mechanisms[i], true));
    }
    return test_end();
}
