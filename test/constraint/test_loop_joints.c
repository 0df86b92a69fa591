// SPDX-License-Identifier: BSD-3-Clause
// Joints that close a loop, of every type that can: rates and rows of their equations against finite differences, at
// random states of two free bodies (which need not satisfy the equations: the identities hold at all states).
//
//   d value/dt = rate = J v        d rate/dt = J a - gamma
#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "random_tree.h"
#include "test.h"

enum { NQ = 14, NV = 12, ROWS = 6 };

typedef struct loop {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    dice                dice;
    int                 nrow;
    double              q[NQ], v[NV], a[NV];
} loop;

static bool open_loop(loop* l, const char* type, uint64_t seed)
{
    *l = (loop){.description = cardan_description_create("loop"), .dice = {seed}};
    for (int i = 0; i < 2; ++i) {
        cardan_body b = cardan_body_default(i ? "b" : "a");
        random_inertia(&l->dice, &b);
        cardan_description_add_body(l->description, &b);
        cardan_joint j = cardan_joint_default(i ? "free b" : "free a", "free", CARDAN_GROUND, i);
        j.frame_first  = random_pose(&l->dice);
        j.frame_second = random_pose(&l->dice);
        cardan_description_add_joint(l->description, &j);
    }
    cardan_joint j = cardan_joint_default("closing", type, seed % 2, 1 - seed % 2);
    j.frame_first  = random_pose(&l->dice);
    j.frame_second = random_pose(&l->dice);
    j.pitch        = 0.3;
    j.nelementary  = strcmp(type, "universal") == 0 ? 2 : 0;
    for (int i = 0; i < j.nelementary; ++i)
        for (int k = 0; k < 3; ++k) j.elementary[i].axis[k] = dice_range(&l->dice, -1, 1);
    cardan_description_add_joint(l->description, &j);
    CHECK(cardan_model_compile(l->description, CARDAN_TREE_BREADTH_FIRST, &l->model, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(l->model, cardan_formulation_find("dense"), &l->data, NULL) == CARDAN_OK);
    if (!l->data) return false;
    l->nrow = l->data->rows.nrow;
    random_state(&l->dice, l->model, l->q, l->v);
    for (int i = 0; i < NV; ++i) l->a[i] = dice_range(&l->dice, -2, 2);
    return true;
}

static void close_loop(loop* l)
{
    cardan_data_destroy(l->data);
    cardan_model_destroy(l->model);
    cardan_description_destroy(l->description);
}

// The angle of a screw is one about z only if the axes are parallel and stay so: body b follows a, rotated about z.
static void align(loop* l)
{
    const cardan_description_view view = cardan_description_get_view(l->description);
    const cardan_joint            ja = view.joint[0], jb = view.joint[1], j = view.joint[2];
    const bool                    a_first = j.first_body == 0;
    cardan_pose                   A, offset = cardan_pose_default();
    memcpy(A.p, l->q, sizeof A.p);
    memcpy(A.q, l->q + 3, sizeof A.q);
    A = pose_mul(pose_mul(ja.frame_first, A), pose_inverse(ja.frame_second));
    q4_exp((const double[3]){0, 0, 0.8}, offset.q);
    offset.p[0] = 0.3;
    offset.p[2] = 0.4;
    const cardan_pose C =
        pose_mul(pose_mul(A, a_first ? j.frame_first : j.frame_second), a_first ? offset : pose_inverse(offset));
    const cardan_pose B = pose_mul(C, pose_inverse(a_first ? j.frame_second : j.frame_first));
    const cardan_pose q = pose_mul(pose_mul(pose_inverse(jb.frame_first), B), jb.frame_second);
    memcpy(l->q + 7, q.p, sizeof q.p);
    memcpy(l->q + 10, q.q, sizeof q.q);
    // angular velocities, from the axes of the free joints' second frames to the world and back
    const cardan_pose Fa = pose_mul(A, ja.frame_second), Fb = pose_mul(B, jb.frame_second);
    double            w[3], back[4], z[3];
    q4_rotate(Fa.q, l->v + 3, w);
    q4_rotate(C.q, (const double[3]){0, 0, 1}, z);
    for (int i = 0; i < 3; ++i) w[i] += 1.7 * z[i];
    q4_conjugate(Fb.q, back);
    q4_rotate(back, w, l->v + 9);
}

// Values and rates of the rows at time h from (q, v, a), to second order.
static void rows_at(loop* l, double h, double value[ROWS], double rate[ROWS])
{
    double dq[NV], q[NQ], v[NV];
    for (int i = 0; i < NV; ++i) {
        dq[i] = h * l->v[i] + h * h / 2 * l->a[i];
        v[i]  = l->v[i] + h * l->a[i];
    }
    cardan_model_integrate_position(l->model, l->q, dq, q);
    cardan_data_set_state(l->data, 0, q, v, NULL);
    cd_update_rows(l->data);
    memcpy(value, l->data->constraints.value, (size_t)l->nrow * sizeof *value);
    memcpy(rate, l->data->constraints.rate, (size_t)l->nrow * sizeof *rate);
}

static void multiply_jacobian(const loop* l, const double* x, double y[ROWS])
{
    const cd_row_block* b = &l->data->rows.block[0];
    for (int i = 0; i < b->nrow; ++i) {
        y[i] = 0;
        for (int k = 0; k < b->nv; ++k) y[i] += b->J[i * b->nv + k] * x[b->v[k]];
    }
}

static void test_rows(const char* type, int nrow, uint64_t seed)
{
    const double h = 1e-5;
    loop         l;
    double       value[3][ROWS], rate[3][ROWS], Jv[ROWS], Ja[ROWS];
    if (open_loop(&l, type, seed)) {
        CHECK(l.nrow == nrow);
        if (strcmp(type, "screw") == 0) align(&l);
        rows_at(&l, -h, value[0], rate[0]);
        rows_at(&l, h, value[2], rate[2]);
        rows_at(&l, 0, value[1], rate[1]);
        multiply_jacobian(&l, l.v, Jv);
        multiply_jacobian(&l, l.a, Ja);
        for (int i = 0; i < l.nrow; ++i) {
            CHECK_NEAR((value[2][i] - value[0][i]) / (2 * h), rate[1][i], 1e-7);
            CHECK_NEAR(Jv[i], rate[1][i], 1e-12);
            CHECK_NEAR((rate[2][i] - rate[0][i]) / (2 * h), Ja[i] - l.data->solve.gamma[i], 1e-6);
        }
    }
    close_loop(&l);
}

int main(void)
{
    static const struct {
        const char* type;
        int         nrow;
    } types[] = {{"revolute", 5},  {"prismatic", 5}, {"cylindrical", 4}, {"screw", 5},
                 {"universal", 4}, {"planar", 3},    {"spherical", 3}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        for (uint64_t seed = 1; seed <= 10; ++seed) RUN(test_rows(types[i].type, types[i].nrow, seed));
    return test_end();
}
