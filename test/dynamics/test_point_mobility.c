// SPDX-License-Identifier: BSD-3-Clause
// Mobility of a point against dense matrices, W = P N (N'M N)^-1 N'P' with N a basis of the motions J x = 0, for trees,
// loops and redundant constraints, with every formulation.
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "fixture.h"

enum { MAX = 128 };
static double J[256][MAX], N[MAX][MAX], M[MAX * MAX], A[MAX][2 * MAX];

// Basis of the null space of J by elimination with complete pivoting; its size.
static int null_space(int nrow, int nv)
{
    int column[MAX], rank = 0;
    for (int i = 0; i < nv; ++i) column[i] = i;
    for (; rank < nrow && rank < nv; ++rank) {
        int r = rank, c = rank;
        for (int i = rank; i < nrow; ++i)
            for (int k = rank; k < nv; ++k)
                if (fabs(J[i][column[k]]) > fabs(J[r][column[c]])) r = i, c = k;
        if (fabs(J[r][column[c]]) < 1e-9) break;
        const int swap = column[rank];
        column[rank] = column[c], column[c] = swap;
        for (int k = 0; k < nv; ++k) {
            const double x = J[rank][k];
            J[rank][k] = J[r][k], J[r][k] = x;
        }
        const double pivot = J[rank][column[rank]];
        for (int k = 0; k < nv; ++k) J[rank][k] /= pivot;
        for (int i = 0; i < nrow; ++i) {
            const double f = J[i][column[rank]];
            for (int k = 0; i != rank && k < nv; ++k) J[i][k] -= f * J[rank][k];
        }
    }
    memset(N, 0, sizeof N);
    for (int k = rank; k < nv; ++k) {
        N[column[k]][k - rank] = 1;
        for (int i = 0; i < rank; ++i) N[column[i]][k - rank] = -J[i][column[k]];
    }
    return nv - rank;
}

// Solve A X = B in place, B in columns n .. n + m - 1 of A.
static void solve(int n, int m)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k; i < n; ++i)
            if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
        for (int j = 0; j < n + m; ++j) {
            const double x = A[k][j];
            A[k][j] = A[p][j], A[p][j] = x;
        }
        for (int i = 0; i < n; ++i) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; i != k && j < n + m; ++j) A[i][j] -= f * A[k][j];
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) A[i][n + j] /= A[i][i];
}

// P (3 x nv) of a point of a body: velocities of the point for unit velocities.
static void point_jacobian(cardan_data* d, int body, const double r[3], double (*P)[MAX])
{
    const int     nv = d->m->nv, nbody = d->m->nbody;
    double        q[MAX], v[MAX]       = {0};
    cardan_motion motion[64];
    CHECK(nbody <= 64);
    memcpy(q, d->q, (size_t)d->m->nq * sizeof *q);
    for (int k = 0; k < nv; ++k) {
        v[k] = 1;
        CHECK(cardan_data_set_state(d, 0, q, v, NULL) == CARDAN_OK &&
              cardan_data_body_motions(d, NULL, motion) == CARDAN_OK);
        const cardan_motion* b = &motion[body];
        const double *       c = d->m->view.body[body].centre, *e = b->q;
        const double         s[3] = {r[0] - c[0], r[1] - c[1], r[2] - c[2]}, w = e[0];
        const double         t[3] = {2 * (e[2] * s[2] - e[3] * s[1]), 2 * (e[3] * s[0] - e[1] * s[2]),
                                     2 * (e[1] * s[1] - e[2] * s[0])};
        const double x[3] = {s[0] + w * t[0] + e[2] * t[2] - e[3] * t[1], s[1] + w * t[1] + e[3] * t[0] - e[1] * t[2],
                             s[2] + w * t[2] + e[1] * t[1] - e[2] * t[0]};
        P[0][k]           = b->v[0] + b->w[1] * x[2] - b->w[2] * x[1];
        P[1][k]           = b->v[1] + b->w[2] * x[0] - b->w[0] * x[2];
        P[2][k]           = b->v[2] + b->w[0] * x[1] - b->w[1] * x[0];
        v[k]              = 0;
    }
    CHECK(cardan_data_set_state(d, 0, q, v, NULL) == CARDAN_OK);
}

static void dense_mobility(cardan_data* d, int body, const double r[3], double W[9])
{
    static double P[3][MAX];
    const int     nv = d->m->nv, nrow = d->rows.nrow;
    double        x[MAX] = {0}, y[256];
    CHECK(nv <= MAX && nrow <= 256 && d->rotors.nrow == 0);
    point_jacobian(d, body, r, P);
    cd_update_rows(d);
    for (int k = 0; k < nv; ++k) {
        x[k] = 1;
        cd_jacobian_times(d, &d->rows, x, y);
        x[k] = 0;
        for (int i = 0; i < nrow; ++i) J[i][k] = y[i];
    }
    cardan_data_mass_matrix(d, M);
    const int n = null_space(nrow, nv);
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            for (int a = 0; a < nv; ++a)
                for (int b = 0; b < nv; ++b) A[i][j] += N[a][i] * M[a * nv + b] * N[b][j];
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < nv; ++a) A[i][n + k] += N[a][i] * P[k][a];
    }
    double T[3][MAX] = {{0}};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < n; ++i) T[k][i] = A[i][n + k];
    solve(n, 3);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            W[3 * i + k] = 0;
            for (int j = 0; j < n; ++j) W[3 * i + k] += T[i][j] * A[j][n + k];
        }
}

static double largest(const double W[9])
{
    double most = 0;
    for (int i = 0; i < 9; ++i) most = fmax(most, fabs(W[i]));
    return most;
}

static void test_model(const char* path)
{
    int solved = 0;
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        fixture      s;
        const double point[3] = {0.1, 0.2, -0.3};
        double       W[9], expected[9];
        if (!fixture_open(&s, path, cardan_formulation_name(f), 0, NULL)) {
            fixture_close(&s);
            continue;
        }
        const int body = s.m.nbody - 1;
        CHECK(cardan_data_assemble(s.data, NULL, NULL, NULL, NULL, &s.report) == CARDAN_OK);
        dense_mobility(s.data, body, point, expected);
        CHECK(cardan_point_mobility(s.data, body, point, W, &s.report) == CARDAN_OK);
        const double size = largest(expected), tolerance = cardan_formulation_is_exact(f) ? 1e-10 : 1e-3;
        CHECK(size > 0);
        for (int i = 0; i < 9; ++i)
            if (!(fabs(W[i] - expected[i]) <= tolerance * size)) {
                printf("%s, %s: W[%d] is %.12g, not %.12g\n", path, cardan_formulation_name(f), i, W[i], expected[i]);
                test_broken = true;
            }
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) CHECK(W[3 * i + k] == W[3 * k + i]);
        ++solved;
        fixture_close(&s);
    }
    CHECK(solved >= 5);
}

// A free point mass: W = 1/m; a fixed body: 0.
static void test_known(void)
{
    cardan_description* description = cardan_description_create("mass");
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    cardan_report       report      = {0};
    cardan_body         body        = cardan_body_default("ball");
    double              W[9];
    body.mass       = 4;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.5;
    cardan_description_add_body(description, &body);
    body.name               = "base";
    const int          base = cardan_description_add_body(description, &body);
    const cardan_joint weld = cardan_joint_default("weld", "fixed", CARDAN_GROUND, base);
    cardan_description_add_joint(description, &weld);
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, cardan_formulation_find("order-n"), &data, &report) == CARDAN_OK);
    CHECK(cardan_point_mobility(data, 0, (const double[]){0, 0, 0}, W, &report) == CARDAN_OK);
    for (int i = 0; i < 9; ++i) CHECK_NEAR(W[i], i % 4 == 0 ? 0.25 : 0, 1e-15);
    // off the centre by r along x: 1/m along x, 1/m + r^2/I across
    CHECK(cardan_point_mobility(data, 0, (const double[]){0.5, 0, 0}, W, &report) == CARDAN_OK);
    CHECK_NEAR(W[0], 0.25, 1e-15);
    CHECK_NEAR(W[4], 0.75, 1e-15);
    CHECK_NEAR(W[8], 0.75, 1e-15);
    CHECK(cardan_point_mobility(data, base, (const double[]){1, 0, 0}, W, &report) == CARDAN_OK);
    for (int i = 0; i < 9; ++i) CHECK(W[i] == 0);

    CHECK(cardan_point_mobility(NULL, 0, (const double[]){0, 0, 0}, W, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_point_mobility(data, 0, NULL, W, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_point_mobility(data, 0, (const double[]){0, 0, 0}, NULL, NULL) == CARDAN_BAD_USAGE);
    CHECK(cardan_point_mobility(data, -1, (const double[]){0, 0, 0}, W, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_point_mobility(data, 2, (const double[]){0, 0, 0}, W, &report) == CARDAN_BAD_USAGE);
    CHECK(cardan_point_mobility(data, 0, (const double[]){0, NAN, 0}, W, &report) == CARDAN_BAD_USAGE);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// Drivers prescribe the motion of the platform completely.
static void test_immobile(void)
{
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        fixture s;
        double  W[9];
        if (!cardan_formulation_is_exact(f) ||
            !fixture_open(&s, "models/stewart", cardan_formulation_name(f), 0, NULL)) {
            if (cardan_formulation_is_exact(f)) fixture_close(&s);
            continue;
        }
        CHECK(cardan_data_assemble(s.data, NULL, NULL, NULL, NULL, &s.report) == CARDAN_OK);
        CHECK(cardan_point_mobility(s.data, 0, (const double[]){0.1, 0.2, 0.3}, W, &s.report) == CARDAN_OK);
        CHECK(largest(W) * cardan_description_get_view(s.description).body[0].mass < 1e-9);
        fixture_close(&s);
    }
}

int main(void)
{
    RUN(test_known());
    RUN(test_model("models/double_pendulum"));
    RUN(test_model("models/three_link"));
    RUN(test_model("models/satellite"));
    RUN(test_model("models/four_bar"));
    RUN(test_model("models/five_bar_redundant"));
    RUN(test_model("models/three_rrr_passive"));
    RUN(test_model("models/bricard"));
    RUN(test_model("models/delta"));
    RUN(test_immobile());
    return test_end();
}
