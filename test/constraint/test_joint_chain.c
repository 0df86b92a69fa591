// SPDX-License-Identifier: BSD-3-Clause
// General joints as constraints: equations and coordinates at position, velocity and acceleration level against finite
// differences, at states that need not satisfy them; winding numbers; gimbal lock; the coordinates of a tree are
// recovered in maximal coordinates.
#include "constraint/joint_chain.h"
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "random_tree.h"
#include "sentences.h"
#include "test.h"

#include <cardan/assemble.h>

enum { NQ = 14, NV = 12, ROTORS = 1 };

// Two free bodies with a general joint of n elementary joints between them.
typedef struct pair {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    dice                dice;
    double              q[NQ], v[NV], a[NV];
} pair;

static bool open_pair(pair* p, int n, uint64_t seed)
{
    *p = (pair){.description = cardan_description_create("pair"), .dice = {seed}};
    for (int i = 0; i < 2; ++i) {
        cardan_body b = cardan_body_default(i ? "b" : "a");
        random_inertia(&p->dice, &b);
        cardan_description_add_body(p->description, &b);
        cardan_joint j = cardan_joint_default(i ? "free b" : "free a", "free", CARDAN_GROUND, i);
        j.frame_first  = random_pose(&p->dice);
        cardan_description_add_joint(p->description, &j);
    }
    cardan_joint j = cardan_joint_default("closing", "general", seed % 2, 1 - seed % 2);
    j.frame_first  = random_pose(&p->dice);
    j.frame_second = random_pose(&p->dice);
    j.nelementary  = n;
    int slides     = 0;
    for (int i = 0; i < n; ++i) {
        // at most three translations and three rotations, so that the axes are independent nearly everywhere
        j.elementary[i].is_translation = (dice_unit(&p->dice) < 0.4 && slides < 3) || i - slides == 3;
        slides += j.elementary[i].is_translation;
        for (int k = 0; k < 3; ++k) j.elementary[i].axis[k] = dice_range(&p->dice, -1, 1);
    }
    cardan_description_add_joint(p->description, &j);
    CHECK(cardan_model_compile(p->description, CARDAN_TREE_BREADTH_FIRST, &p->model, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(p->model, cardan_formulation_find("dense"), &p->data, NULL) == CARDAN_OK);
    if (!p->data) return false;
    random_state(&p->dice, p->model, p->q, p->v);
    for (int i = 0; i < NV; ++i) p->a[i] = dice_range(&p->dice, -2, 2);
    return true;
}

// Body b at random joint coordinates, with a violation of a tenth; the coordinates are returned in x.
static void move_near(pair* p, double* x)
{
    const cardan_description_view view  = cardan_description_get_view(p->description);
    const cardan_joint            j     = view.joint[2];
    const cd_compiled_joint*      joint = &p->model->joint[2];
    for (int i = 0; i < joint->nelementary; ++i) x[i] = dice_range(&p->dice, -1.2, 1.2);
    const cd_joint_chain t = cd_joint_chain_evaluate(joint, x, NULL);
    cardan_pose          A, T = {.p = {t.p.x, t.p.y, t.p.z}}, gap = cardan_pose_default();
    q4_of_matrix((const double[9]){t.R.xx, t.R.xy, t.R.xz, t.R.yx, t.R.yy, t.R.yz, t.R.zx, t.R.zy, t.R.zz}, T.q);
    double rotation[3];
    for (int i = 0; i < 3; ++i) {
        gap.p[i]    = dice_range(&p->dice, -0.1, 0.1);
        rotation[i] = dice_range(&p->dice, -0.1, 0.1);
    }
    q4_exp(rotation, gap.q);
    T = pose_mul(T, gap);
    memcpy(A.p, p->q, sizeof A.p);
    memcpy(A.q, p->q + 3, sizeof A.q);
    A                   = pose_mul(view.joint[0].frame_first, A);
    const bool        a = j.first_body == 0;
    const cardan_pose C = pose_mul(pose_mul(A, a ? j.frame_first : j.frame_second), a ? T : pose_inverse(T));
    const cardan_pose B = pose_mul(C, pose_inverse(a ? j.frame_second : j.frame_first));
    const cardan_pose q = pose_mul(pose_inverse(view.joint[1].frame_first), B);
    memcpy(p->q + 7, q.p, sizeof q.p);
    memcpy(p->q + 10, q.q, sizeof q.q);
}

static void close_pair(pair* p)
{
    cardan_data_destroy(p->data);
    cardan_model_destroy(p->model);
    cardan_description_destroy(p->description);
}

// The joint at time h from (q, v, a), to second order, with the basis of h = 0.
static void evaluate_at(pair* p, double h, const double* start, const double* basis, cd_general_joint_state* s,
                        cd_end_state end[2])
{
    double dq[NV], q[NQ], v[NV];
    for (int i = 0; i < NV; ++i) {
        dq[i] = h * p->v[i] + h * h / 2 * p->a[i];
        v[i]  = p->v[i] + h * p->a[i];
    }
    cardan_model_integrate_position(p->model, p->q, dq, q);
    cardan_data_set_state(p->data, 0, q, v, NULL);
    cd_update_world(p->data);
    const cd_compiled_joint* joint = &p->model->joint[2];
    end[0]                         = cd_end_state_of(&joint->frame_first, &p->data->world);
    end[1]                         = cd_end_state_of(&joint->frame_second, &p->data->world);
    cd_general_joint_evaluate(joint, end, start, basis, s);
}

static double dot6(const double* a, const double* b)
{
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
}

// Row i of the coordinates, then of the equations.
static cd_scalar_row row_at(const cd_general_joint_state* s, const cd_end_state end[2], int i)
{
    return i < s->n ? cd_general_joint_row(s, end, s->coordinate_row[i], s->q[i])
                    : cd_general_joint_row(s, end, s->equation_row[i - s->n], dot6(s->basis + 6 * i, s->e));
}

static void test_differences(int n, uint64_t seed, int* skipped)
{
    const double h = 1e-5;
    double       x0[6];
    pair         p;
    if (open_pair(&p, n, seed)) {
        const cd_compiled_joint* joint   = &p.model->joint[2];
        const int                link[2] = {joint->frame_first.link, joint->frame_second.link};
        cd_general_joint_state   now, before, after, same;
        cd_end_state             end[3][2];
        move_near(&p, x0);
        evaluate_at(&p, 0, x0, NULL, &now, end[1]);
        evaluate_at(&p, -h, now.q, now.basis, &before, end[0]);
        evaluate_at(&p, h, now.q, now.basis, &after, end[2]);
        evaluate_at(&p, 0, now.q, now.basis, &same, end[1]);
        cd_world_accelerations(p.model, &p.data->k, p.data->v, p.a, &p.data->world);
        CHECK(!now.is_singular);
        double largest_row = 1;
        for (int i = 0; i < n; ++i)
            largest_row = fmax(largest_row, sqrt(dot6(now.coordinate_row[i], now.coordinate_row[i])));
        if (largest_row > 20) ++*skipped; // near gimbal lock
        for (int i = 0; largest_row <= 20 && i < 6; ++i) {
            const cd_scalar_row x = row_at(&now, end[1], i), y = row_at(&same, end[1], i);
            double              rate = 0, second = x.h;
            for (int k = 0; k < 2; ++k) {
                rate += sv_dot(x.G[k], p.data->world.velocity[link[k]]);
                second += sv_dot(x.G[k], p.data->world.acceleration[link[k]]);
            }
            // the current basis gives the values of the frozen basis
            CHECK_NEAR(x.value, y.value, 1e-9 * largest_row);
            CHECK_NEAR(x.rate, y.rate, 1e-9 * largest_row * largest_row);
            CHECK_NEAR(x.rate, rate, 1e-11 * largest_row * largest_row);
            CHECK_NEAR((row_at(&after, end[2], i).value - row_at(&before, end[0], i).value) / (2 * h), rate,
                       2e-7 * largest_row * largest_row * largest_row);
            CHECK_NEAR((row_at(&after, end[2], i).rate - row_at(&before, end[0], i).rate) / (2 * h), second,
                       2e-6 * largest_row * largest_row * largest_row * largest_row);
        }
    }
    close_pair(&p);
}

// A joint of n elementary joints between ground and a body, in joint and in maximal coordinates.
typedef struct both {
    cardan_description* description;
    cardan_model *      tree, *maximal;
    cardan_data *       a, *b;
} both;

static bool compile_both(both* x)
{
    cardan_report report = {0};
    const bool good = cardan_model_compile(x->description, CARDAN_TREE_BREADTH_FIRST, &x->tree, &report) == CARDAN_OK &&
                      cardan_model_compile(x->description, CARDAN_TREE_MAXIMAL, &x->maximal, &report) == CARDAN_OK &&
                      cardan_data_create(x->tree, cardan_formulation_find("dense"), &x->a, &report) == CARDAN_OK &&
                      cardan_data_create(x->maximal, cardan_formulation_find("lagrange"), &x->b, &report) == CARDAN_OK;
    if (!good) printf("%s\n", report.count > 0 ? report.message[0].text : "no model");
    return good;
}

static void close_both(both* x)
{
    cardan_data_destroy(x->a);
    cardan_data_destroy(x->b);
    cardan_model_destroy(x->tree);
    cardan_model_destroy(x->maximal);
    cardan_description_destroy(x->description);
}

static cardan_joint euler(const char* name, const char* order, int first, int second)
{
    cardan_joint j = cardan_joint_default(name, "general", first, second);
    j.nelementary  = (int)strlen(order);
    for (int i = 0; i < j.nelementary; ++i) j.elementary[i].axis[order[i] - 'x'] = 1;
    return j;
}

// Three Euler angles over several revolutions: the coordinates in maximal coordinates follow.
static void test_winding_numbers(void)
{
    both        x = {.description = cardan_description_create("turns")};
    cardan_body b = cardan_body_default("b");
    b.mass = 1, b.inertia[0] = 1, b.inertia[1] = 2, b.inertia[2] = 2.5;
    cardan_description_add_body(x.description, &b);
    const cardan_joint j = euler("j", "zxz", CARDAN_GROUND, 0);
    cardan_description_add_joint(x.description, &j);
    if (compile_both(&x)) {
        double worst = 0;
        for (int i = 0; i <= 400; ++i) {
            const double t = 0.05 * i, q[3] = {1.1 * t, 0.9 + 0.4 * sin(t), -0.7 * t}, v[3] = {1.1, 0.4 * cos(t), -0.7};
            double       at[3], rate[3];
            cardan_data_set_state(x.a, t, q, v, NULL);
            cd_update_world(x.a);
            // the pose only is copied: maximal coordinates keep the winding numbers
            const frame T    = x.a->world.pose[x.tree->body[0].link];
            const mat3  R    = m3_mul_m3(T.R, m3_const(x.tree->body[0].R));
            const vec3  w    = m3_tmul(R, x.a->world.velocity[x.tree->body[0].link].a);
            double      p[7] = {0}, u[6] = {0, 0, 0, w.x, w.y, w.z};
            q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, p + 3);
            cardan_data_set_state(x.b, t, p, u, NULL);
            cd_update_rows(x.b);
            cardan_data_joint_state(x.b, 0, at, rate);
            for (int k = 0; k < 3; ++k) worst = fmax(worst, fmax(fabs(at[k] - q[k]), fabs(rate[k] - v[k])));
        }
        printf("Euler angles over three revolutions: error %.1e\n", worst);
        CHECK(worst < 1e-10);
    } else {
        CHECK(false);
    }
    close_both(&x);
}

// zxz at x = 0 or nearly 0: an error in joint and in maximal coordinates, which names joint and time. The bodies have
// inertia; the message does not ask for it.
static void test_gimbal_lock(double offset)
{
    both        x = {.description = cardan_description_create("lock")};
    cardan_body b = cardan_body_default("b");
    b.mass = 1, b.inertia[0] = 1, b.inertia[1] = 2, b.inertia[2] = 2.5;
    cardan_description_add_body(x.description, &b);
    const cardan_joint j = euler("gimbal", "zxz", CARDAN_GROUND, 0);
    cardan_description_add_joint(x.description, &j);
    if (compile_both(&x)) {
        double        a[6];
        const double  q[3]   = {0, offset, 0};
        cardan_report report = {0};
        cardan_data_set_state(x.a, 0.25, q, x.a->v, NULL);
        CHECK(cardan_data_accelerate(x.a, a, NULL, &report) == CARDAN_SINGULAR);
        CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA, "joint 'gimbal'", "t = 0.25 s");
        report = (cardan_report){0};
        cardan_data_set_state(x.b, 0.25, x.b->q, x.b->v, NULL);
        CHECK(cardan_data_accelerate(x.b, a, NULL, &report) == CARDAN_SINGULAR);
        CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ZERO_INERTIA, "joint 'gimbal'", "t = 0.25 s");
    } else {
        CHECK(false);
    }
    close_both(&x);
}

static void random_axes(dice* d, int n, cardan_joint* j)
{
    j->nelementary = n;
    for (int i = 0, slides = 0; i < n; ++i) {
        j->elementary[i].is_translation = (dice_unit(d) < 0.4 && slides < 3) || i - slides == 3;
        slides += j->elementary[i].is_translation;
        for (int k = 0; k < 3; ++k) j->elementary[i].axis[k] = dice_range(d, -1, 1);
    }
}

// A chain of bodies with hinges and spherical joints, its last body connected to ground by a general joint with springs
// and dampers that is closed at the start with the coordinates q, for any cut joint.
static cardan_description* ring(uint64_t seed, int n, double* q)
{
    enum { BODIES = 4 };
    dice                d    = {seed};
    cardan_description* ring = cardan_description_create("ring");
    cardan_pose         T    = cardan_pose_default();
    for (int i = 0; i < BODIES; ++i) {
        cardan_body b = cardan_body_default(i == 0 ? "b0" : i == 1 ? "b1" : i == 2 ? "b2" : "b3");
        random_inertia(&d, &b);
        cardan_description_add_body(ring, &b);
        cardan_joint j = cardan_joint_default(i == 0   ? "j0"
                                              : i == 1 ? "j1"
                                              : i == 2 ? "j2"
                                                       : "j3",
                                              i % 2 ? "revolute" : "spherical", i - 1, i);
        j.frame_first  = random_pose(&d);
        j.frame_second = random_pose(&d);
        T              = pose_mul(T, pose_mul(j.frame_first, pose_inverse(j.frame_second)));
        cardan_description_add_joint(ring, &j);
    }
    cardan_axis_properties axes[6];
    const bool             back = seed % 2;
    cardan_joint           j    = cardan_joint_default("general", "general", back ? BODIES - 1 : CARDAN_GROUND,
                                          back ? CARDAN_GROUND : BODIES - 1);
    random_axes(&d, n, &j);
    if (n >= 3 && n <= 5 &&
        seed % 3 == 0) { // two rotations about parallel axes: the torques of their motors have one direction
        for (int i = 0; i < 3; ++i) j.elementary[i].is_translation = i == 1;
        memcpy(j.elementary[2].axis, j.elementary[0].axis, sizeof j.elementary[0].axis);
        for (int i = 3; i < n; ++i) j.elementary[i].is_translation = i > 3;
    }
    cd_compiled_joint info = {.nelementary = cd_joint_type_find("general")->elementary_joints(&j, info.elementary)};
    j.frame_first          = random_pose(&d);
    for (int i = 0; i < n; ++i) {
        q[i] = j.start_q[i] = dice_range(&d, -1.2, 1.2);
        axes[i]             = cardan_axis_properties_default();
        axes[i].stiffness   = dice_range(&d, 1, 20);
        axes[i].damping     = dice_range(&d, 0.1, 2);
        axes[i].armature    = ROTORS ? dice_range(&d, 0.01, 0.5) : 0;
    }
    j.start_q_given            = true;
    j.naxis                    = n;
    j.axis                     = axes;
    const cd_joint_chain t     = cd_joint_chain_evaluate(&info, q, NULL);
    cardan_pose          S     = {.p = {t.p.x, t.p.y, t.p.z}};
    const cardan_pose    first = back ? T : cardan_pose_default(), second = back ? cardan_pose_default() : T;
    q4_of_matrix((const double[9]){t.R.xx, t.R.xy, t.R.xz, t.R.yx, t.R.yy, t.R.yz, t.R.zx, t.R.zy, t.R.zz}, S.q);
    j.frame_second = pose_mul(pose_inverse(second), pose_mul(pose_mul(first, j.frame_first), S));
    cardan_description_add_joint(ring, &j);
    return ring;
}

// Bodies, joint coordinates and reactions of a ring with one tree policy: accelerations at the start, with consistent
// velocities.
typedef struct found {
    cardan_status   status;
    double          q[6], v[6], a[6], gap;
    cardan_motion   body[4];
    cardan_reaction reaction[8];
    cardan_energies energy;
} found;

static found solve(const cardan_description* d, cardan_tree_policy policy, const char* formulation, cardan_data* from,
                   cardan_data** keep)
{
    found         x = {0};
    double        a[64];
    cardan_model* m    = NULL;
    cardan_data*  data = NULL;
    x.status           = cardan_model_compile(d, policy, &m, NULL);
    if (x.status == CARDAN_OK) x.status = cardan_data_create(m, cardan_formulation_find(formulation), &data, NULL);
    if (x.status == CARDAN_OK) {
        if (from) {
            x.status = cardan_data_copy_state(from, data);
        } else {
            dice k = {77};
            for (int i = 0; i < m->nv; ++i) data->v[i] = dice_range(&k, -2, 2);
            cardan_data_set_state(data, 0, data->q, data->v, NULL);
            x.status = cardan_data_project(data, NULL, NULL, NULL, NULL, NULL);
        }
    }
    if (x.status == CARDAN_OK) x.status = cardan_data_accelerate(data, a, NULL, NULL);
    if (x.status == CARDAN_OK) {
        cardan_data_body_motions(data, a, x.body);
        cardan_data_joint_state(data, 4, x.q, x.v);
        cardan_data_joint_acceleration(data, 4, a, x.a);
        cardan_data_reactions(data, a, x.reaction);
        x.energy = cardan_data_energy(data);
        x.gap    = cardan_data_residual_norm(data, a);
    }
    if (keep && x.status == CARDAN_OK) {
        *keep = data;
        return x;
    }
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return x;
}

static double largest_difference(const double* x, const double* y, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(x[i]));
    return most / size;
}

static double largest(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static double distance(const found* x, const found* y, int n)
{
    double most = fmax(largest_difference(x->q, y->q, n),
                       fmax(largest_difference(x->v, y->v, n), largest_difference(x->a, y->a, n)));
    for (int b = 0; b < 4; ++b)
        most = fmax(most, fmax(largest_difference(x->body[b].a, y->body[b].a, 3),
                               largest_difference(x->body[b].alpha, y->body[b].alpha, 3)));
    for (int j = 0; j < 5; ++j)
        most = fmax(most, fmax(largest_difference(x->reaction[j].force, y->reaction[j].force, 3),
                               largest_difference(x->reaction[j].torque, y->reaction[j].torque, 3)) /
                              10);
    most = fmax(most, fabs(x->energy.kinetic - y->energy.kinetic) / (1 + fabs(x->energy.kinetic)));
    return fmax(most, fabs(x->energy.power - y->energy.power) / (10 + 10 * fabs(x->energy.power)));
}

static void test_rings(void)
{
    static const struct {
        cardan_tree_policy policy;
        const char*        formulation;
    } displacements[] = {{CARDAN_TREE_MAXIMAL, "lagrange"},        {CARDAN_TREE_MAXIMAL, "dense"},
                         {CARDAN_TREE_DEPTH_FIRST, "dense"},       {CARDAN_TREE_DEPTH_FIRST, "order-n"},
                         {CARDAN_TREE_BREADTH_FIRST, "augmented"}, {CARDAN_TREE_DEPTH_FIRST, "augmented"},
                         {CARDAN_TREE_BREADTH_FIRST, "reduction"}, {CARDAN_TREE_DEPTH_FIRST, "reduction"}};
    double worst      = 0;
    int    compared   = 0;
    for (int n = 1; n <= 6; ++n)
        for (uint64_t seed = 1; seed <= 12; ++seed) {
            double              q[6];
            cardan_description* d    = ring(100 * (uint64_t)n + seed, n, q);
            cardan_data*        data = NULL;
            const found         x    = solve(d, CARDAN_TREE_BREADTH_FIRST, "dense", NULL, &data);
            CHECK(x.status == CARDAN_OK);
            CHECK(largest_difference(q, x.q, n) < 1e-10);
            for (size_t i = 0; data && i < sizeof displacements / sizeof *displacements; ++i) {
                const found  y = solve(d, displacements[i].policy, displacements[i].formulation, data, NULL);
                const double difference =
                    distance(&x, &y, n) / (1 + largest(x.v, n)); // near gimbal lock joint velocities are large
                CHECK(y.status == CARDAN_OK && difference < 1e-9 && x.gap < 1e-9 && y.gap < 1e-9);
                if (!(difference < 1e-9))
                    printf("n %d seed %d way %d: %s %g\n", n, (int)seed, (int)i, cardan_status_name(y.status),
                           difference);
                worst = fmax(worst, difference);
                ++compared;
            }
            const cardan_model* m = data ? data->m : NULL;
            cardan_data_destroy(data);
            cardan_model_destroy((cardan_model*)m);
            cardan_description_destroy(d);
        }
    printf("rings closed by general joints: %d compared, largest difference %.1e\n", compared, worst);
    CHECK(compared == 8 * 72);
}

int main(void)
{
    int skipped = 0;
    for (int n = 1; n <= 6; ++n)
        for (uint64_t seed = 1; seed <= 20; ++seed) RUN(test_differences(n, seed, &skipped));
    printf("general joints: %d of 120 states near gimbal lock\n", skipped);
    CHECK(skipped < 30);
    RUN(test_rings());
    RUN(test_winding_numbers());
    RUN(test_gimbal_lock(0));
    RUN(test_gimbal_lock(1e-8));
    RUN(test_sentences("test_joint_chain"));
    return test_end();
}
