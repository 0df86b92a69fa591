// SPDX-License-Identifier: BSD-3-Clause
// Sparse matrices: triplets in any order, LU with permuted pivots, singular matrices; and the sparse derivatives of
// maximal coordinates against the dense ones of test_equation_derivatives.c.
#include "dynamics/data.h"
#include "fixture.h"
#include "simulation/integrators/jacobian/triplet_matrix.h"
#include "simulation/integrators/jacobian/equation_jacobian.h"
#include "simulation/integrators/jacobian/sparse_equation_jacobian.h"
#include "random_tree.h"

#include <cardan/version.h>

enum { N = 60 };

static double entry(int i, int j)
{
    return i == j ? 1e-9 * (1 + i) : (i == (j + 7) % N ? 3 + sin(i) : 0) + (j == (i + 11) % N ? cos(j) : 0);
}

// Each entry in two parts, columns in reverse order.
static void add_entries(cd_triplet_matrix* e, double scale, int without)
{
    cd_triplet_matrix_begin(e);
    for (int part = 0; part < 2; ++part)
        for (int j = N - 1; j >= 0; --j)
            for (int i = 0; i < N; ++i)
                if (entry(i, j) != 0)
                    cd_triplet_matrix_add(e, i, j, j == without ? 0 : scale * entry(i, j) * (part ? 0.25 : 0.75));
}

static void test_entries(void)
{
    NEEDS_PART("KLU");
    cd_triplet_matrix e = {0};
    cd_triplet_matrix_init(&e, N);
    add_entries(&e, 1, -1);
    CHECK(cd_triplet_matrix_end(&e));
    for (int pass = 0; pass < 2; ++pass) {
        double b[N] = {0}, largest = 0;
        add_entries(&e, pass ? -1e3 : 1, -1);
        CHECK(cd_triplet_matrix_end(&e) && cd_sparse_lu_factor(e.lu, e.value));
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) b[i] += (pass ? -1e3 : 1) * entry(i, j) * cos(j);
        cd_sparse_lu_solve(e.lu, b);
        for (int j = 0; j < N; ++j) largest = fmax(largest, fabs(b[j] - cos(j)));
        CHECK(largest < 1e-10);
    }
    CHECK(cd_sparse_lu_rcond(e.lu) > 1e-6);
    add_entries(&e, 1, 5);
    CHECK(!cd_sparse_lu_factor(e.lu, e.value));
    add_entries(&e, NAN, -1);
    CHECK(!cd_sparse_lu_factor(e.lu, e.value));
    add_entries(&e, 1, -1);
    CHECK(cd_sparse_lu_factor(e.lu, e.value));
    cd_triplet_matrix_init(&e, 3); // an empty column: singular for all values
    cd_triplet_matrix_begin(&e);
    cd_triplet_matrix_add(&e, 0, 0, 1);
    cd_triplet_matrix_add(&e, 1, 1, 1);
    cd_triplet_matrix_add(&e, 2, 1, 1);
    CHECK(!cd_triplet_matrix_end(&e));
    cd_triplet_matrix_free(&e);
}

typedef struct subject {
    cd_ode_system        system;
    cd_arena             arena;
    cd_equation_jacobian dense;
    double *             z, *a, *lambda;
} subject;

static void layout(subject* s)
{
    cd_ode_system_layout(&s->system, &s->arena);
    cd_equation_jacobian_layout(&s->system, &s->arena, &s->dense);
    CD_ARENA_ARRAY(&s->arena, s->z, s->system.nz);
    CD_ARENA_ARRAY(&s->arena, s->a, s->system.nv);
    CD_ARENA_ARRAY(&s->arena, s->lambda, s->system.data->rows.nrow);
}

// Sparse against dense; entries that are not stored are zero.
static double compare(const subject* s, const cd_sparse_equation_jacobian* p)
{
    const cardan_model*         m          = s->system.model;
    const cd_equation_jacobian* d          = &s->dense;
    const size_t                n          = (size_t)d->n;
    double                      difference = 0, size = 0;
    for (int link = 0; link < m->nlink; ++link)
        for (int k = p->colouring.start[link]; k < p->colouring.start[link + 1]; ++k)
            for (int i = 0; i < 6; ++i) {
                const size_t  v = (size_t)(m->link[link].v + i), row = (size_t)p->colouring.row[k];
                const double* x = cd_sparse_equation_jacobian_block(p, k);
                size            = fmax(size, fabs(d->by_q[v * n + row]));
                difference      = fmax(difference, fabs(x[CD_OFFSET_BY_Q + i] - d->by_q[v * n + row]));
                difference      = fmax(difference, fabs(x[CD_OFFSET_BY_V + i] - d->by_v[v * n + row]));
                if (row < (size_t)s->system.nv)
                    difference = fmax(difference, fabs(x[CD_OFFSET_BY_A + i] - d->M[v * (size_t)s->system.nv + row]));
                d->by_q[v * n + row] = d->by_v[v * n + row] = 0;
                if (row < (size_t)s->system.nv) d->M[v * (size_t)s->system.nv + row] = 0;
            }
    for (size_t i = 0; i < n * (size_t)s->system.nv; ++i)
        difference = fmax(difference, fmax(fabs(d->by_q[i]), fabs(d->by_v[i])));
    for (int i = 0; i < s->system.nv * s->system.nv; ++i) difference = fmax(difference, fabs(d->M[i]));
    return difference / fmax(size, 1);
}

static void test_model(const char* path)
{
    fixture                     f;
    subject                     s = {0};
    cd_sparse_equation_jacobian p = {0};
    dice                        d = {3};
    if (!fixture_open(&f, path, "lagrange", 0, NULL)) {
        CHECK(false);
        fixture_close(&f);
        return;
    }
    cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report);
    s.system = (cd_ode_system){
        .data = f.data, .model = f.model, .nq = f.m.nq, .nv = f.m.nv, .ns = f.m.nstate, .nz = f.m.nv + f.m.nstate + 1};
    layout(&s);
    CHECK(cd_arena_reserve(&s.arena));
    layout(&s);
    double* q = cd_allocate((size_t)f.m.nq, sizeof *q);
    memcpy(q, f.data->q, (size_t)f.m.nq * sizeof *q);
    for (int i = 0; i < f.m.nv; ++i) s.z[i] = f.data->v[i] + dice_range(&d, -0.5, 0.5), s.a[i] = dice_range(&d, -3, 3);
    for (int i = 0; i < f.data->rows.nrow; ++i) s.lambda[i] = dice_range(&d, -4, 4);
    CHECK(cd_equation_jacobian_evaluate(&s.system, 0, q, s.z, s.a, s.lambda, &s.dense) == CARDAN_OK);
    CHECK(cd_sparse_equation_jacobian_create(&s.system, &p));
    CHECK(cd_sparse_equation_jacobian_evaluate(&s.system, 0, q, s.z, s.a, s.lambda, &p) == CARDAN_OK);
    const double difference = p.ready ? compare(&s, &p) : INFINITY;
    if (!(difference < 1e-13)) printf("%s: %.2g\n", path, difference);
    CHECK(difference < 1e-13);
    free(q);
    cd_sparse_equation_jacobian_free(&p);
    cd_arena_release(&s.arena);
    fixture_close(&f);
}

int main(void)
{
    static const char* const models[] = {"models/hmmwv",     "models/bushing_corner", "models/stewart",
                                         "models/gear_pair", "models/shoulder",       "models/robots/ur5"};
    RUN(test_entries());
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) RUN(test_model(models[i]));
    return test_end();
}
