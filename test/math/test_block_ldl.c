// SPDX-License-Identifier: BSD-3-Clause
// Block LDL' of the KKT matrix of maximal coordinates: the same solution in every safe order, for any scaling of rows
// and (bit-identical) any number of threads; redundant rows are found and do not change the solution.
#include "maximal_families.h"
#include "math/dense_cholesky.h"
#include "test.h"

typedef struct solution {
    double x[40000];
    bool   null[40000];
    int    bad, nulls;
    double ratio;
} solution;

static void edges_of(const family* f, int (*edge)[2], int* nedge)
{
    *nedge = 0;
    for (int c = 0; c < f->rows.nblock; ++c)
        for (int j = 0; j < f->rows.block[c].nv; j += 6) {
            edge[*nedge][0]     = f->nbody + c;
            edge[(*nedge)++][1] = f->rows.block[c].v[j] / 6;
        }
}

static void fill(const family* f, cd_block_ldl* F)
{
    uint64_t seed = 3;
    for (int b = 0; b < f->nbody; ++b) {
        const cd_block_address p = cd_block_find(F, b, b);
        const double           m = 1.5 + family_random(&seed);
        for (int k = 0; k < 6; ++k) {
            F->value[p.offset + k * (p.row_stride + p.column_stride)] = k < 3 ? m : 1 + 0.2 * k;
            if (k > 3)
                F->value[p.offset + k * p.row_stride + 3 * p.column_stride] =
                    F->value[p.offset + 3 * p.row_stride + k * p.column_stride] = 0.1;
        }
    }
    for (int c = 0; c < f->rows.nblock; ++c) {
        const cd_row_block* r = &f->rows.block[c];
        for (int j = 0; j < r->nv; ++j) {
            const cd_block_address p = cd_block_find(F, f->nbody + c, r->v[j] / 6);
            for (int i = 0; i < r->nrow; ++i)
                F->value[p.offset + i * p.row_stride + (r->v[j] % 6) * p.column_stride] = r->J[i * r->nv + j];
        }
    }
}

// Right side: forces sin(i), accelerations of the rows J g for g = cos(i), so that redundant rows are consistent.
static void right_side(const family* f, double* x)
{
    for (int v = 0; v < 6 * f->nbody; ++v) x[v] = sin(v);
    for (int c = 0; c < f->rows.nblock; ++c)
        for (int i = 0; i < f->rows.block[c].nrow; ++i) {
            const cd_row_block* r   = &f->rows.block[c];
            double              sum = 0;
            for (int j = 0; j < r->nv; ++j) sum += r->J[i * r->nv + j] * cos(r->v[j]);
            x[6 * f->nbody + r->row + i] = sum;
        }
}

static solution* solve(const family* f, const int* order, cd_threads* threads)
{
    const int    n    = f->nbody + f->rows.nblock;
    solution*    s    = cd_allocate(1, sizeof *s);
    int*         size = cd_allocate((size_t)n, sizeof *size);
    signed char* sign = cd_allocate((size_t)n, sizeof *sign);
    int(*edge)[2]     = cd_allocate((size_t)f->rows.nblock * 2, sizeof *edge);
    int          nedge;
    cd_arena     arena = {0};
    cd_block_ldl F;
    edges_of(f, edge, &nedge);
    for (int b = 0; b < n; ++b) {
        size[b] = b < f->nbody ? 6 : f->rows.block[b - f->nbody].nrow;
        sign[b] = b < f->nbody ? 1 : -1;
    }
    const cd_block_pattern pattern = {n, size, nedge, (const int(*)[2])edge};
    CHECK(cd_block_analyse(&F, &pattern, order));
    cd_block_layout(&F, &arena);
    cd_arena_reserve(&arena);
    cd_block_layout(&F, &arena);
    for (int again = 0; again < 2; ++again) { // a second factorization in the same memory
        cd_block_clear(&F);
        fill(f, &F);
        s->bad = cd_block_factor(&F, sign, (cd_pivot_test){.rel_to_row = 1e-10}, threads);
    }
    right_side(f, s->x);
    cd_block_solve(&F, s->x, threads);
    memcpy(s->null, F.is_null, (size_t)F.nscalar * sizeof *s->null);
    for (int i = 0; i < F.nscalar; ++i) s->nulls += F.is_null[i];
    s->ratio = cd_block_pivot_ratio(&F);
    cd_block_release(&F);
    cd_arena_release(&arena);
    free(size), free(sign), free(edge);
    return s;
}

static double relative_difference(const family* f, const solution* a, const solution* b)
{
    double difference = 0, size = 0;
    for (int v = 0; v < 6 * f->nbody; ++v)
        difference = fmax(difference, fabs(a->x[v] - b->x[v])), size = fmax(size, fabs(a->x[v]));
    return difference / size;
}

static void bodies_first(const family* f, int* order)
{
    for (int i = 0; i < f->nbody + f->rows.nblock; ++i) order[i] = i;
}

// Eliminate in each step a random block that the order safety allows.
static void random_safe_order(const cd_kkt_graph* g, uint64_t* seed, int* order)
{
    const int        n          = g->nbody + g->nconstraint;
    cd_order_safety* s          = cd_order_safety_create(g);
    bool*            eliminated = cd_allocate((size_t)n, sizeof *eliminated);
    for (int k = 0; k < n;) {
        const int b = (int)((family_random(seed) + 0.5) * n);
        if (eliminated[b] || (b >= g->nbody && !cd_order_safety_allows(s, b - g->nbody))) continue;
        cd_order_safety_eliminate(s, b);
        eliminated[b] = true;
        order[k++]    = b;
    }
    cd_order_safety_destroy(s);
    free(eliminated);
}

static void test_orders_agree(const family* f, uint64_t seed, double tolerance)
{
    cd_kkt_graph g;
    int          order[4096];
    CHECK(cd_kkt_graph_from_rows(&g, f->nbody, &f->rows));
    bodies_first(f, order);
    solution* first = solve(f, order, NULL);
    CHECK(first->bad == -1);
    for (int i = 0; i < 8; ++i) {
        random_safe_order(&g, &seed, order);
        CHECK(cd_order_safety_check(&g, order) == CD_ORDER_SAFE);
        solution* other = solve(f, order, NULL);
        CHECK(other->bad == -1);
        CHECK(other->nulls == first->nulls);
        CHECK_NEAR(relative_difference(f, first, other), 0, tolerance);
        free(other);
    }
    free(first);
    cd_kkt_graph_release(&g);
}

// The solution satisfies the constraint rows: an independent check of factorization and solve.
static void test_rows_satisfied(const family* f)
{
    int order[4096];
    bodies_first(f, order);
    solution* s = solve(f, order, NULL);
    for (int c = 0; c < f->rows.nblock; ++c)
        for (int i = 0; i < f->rows.block[c].nrow; ++i) {
            const cd_row_block* r   = &f->rows.block[c];
            double              sum = 0, expected = 0;
            for (int j = 0; j < r->nv; ++j)
                sum += r->J[i * r->nv + j] * s->x[r->v[j]], expected += r->J[i * r->nv + j] * cos(r->v[j]);
            CHECK_NEAR(sum, expected, 1e-8);
        }
    free(s);
}

static void test_scaled_rows(void)
{
    family* f = family_net(30, 5);
    int     order[4096];
    bodies_first(f, order);
    solution* plain = solve(f, order, NULL);
    for (int c = 0; c < f->rows.nblock; c += 3)
        for (int k = 0; k < f->rows.block[c].nrow * f->rows.block[c].nv; ++k) f->rows.block[c].J[k] *= 1e-6;
    solution* scaled = solve(f, order, NULL);
    CHECK(plain->nulls == 0 && scaled->nulls == 0);
    CHECK_NEAR(relative_difference(f, plain, scaled), 0, 1e-10);
    free(plain), free(scaled);
    family_destroy(f);
}

// Duplicate joint: as many null pivots as it has rows, all of them in the duplicate, and the same accelerations.
static void test_redundant_rows(void)
{
    family* f = family_ring(12);
    int     order[4096];
    bodies_first(f, order);
    solution*    plain = solve(f, order, NULL);
    cd_row_block r     = f->block[4];
    r.v                = cd_allocate((size_t)r.nv, sizeof *r.v);
    r.J                = cd_allocate((size_t)(r.nv * r.nrow), sizeof *r.J);
    memcpy(r.v, f->block[4].v, (size_t)r.nv * sizeof *r.v);
    for (int k = 0; k < r.nv * r.nrow; ++k) r.J[k] = 1e-3 * f->block[4].J[k];
    r.row = f->rows.nrow;
    f->rows.nrow += r.nrow;
    f->block[f->rows.nblock++] = r;
    bodies_first(f, order);
    solution* twice = solve(f, order, NULL);
    CHECK(plain->nulls == 0);
    CHECK(twice->nulls == 3);
    for (int i = 0; i < 3; ++i) CHECK(twice->null[6 * 12 + r.row + i]);
    for (int i = 0; i < 3; ++i) CHECK(twice->x[6 * 12 + r.row + i] == 0);
    CHECK_NEAR(relative_difference(f, plain, twice), 0, 1e-11);
    free(plain), free(twice);
    family_destroy(f);
}

// Bit-identical solutions with 1 to 7 threads, on a ring in nested dissection, which has many subtrees.
static void test_threads(void)
{
    family*      f = family_ring(3000);
    cd_kkt_graph g;
    int *        order = cd_allocate(8192, sizeof *order), nedge;
    int*         size  = cd_allocate(8192, sizeof *size);
    int(*edge)[2]      = cd_allocate(8192, sizeof *edge);
    edges_of(f, edge, &nedge);
    for (int b = 0; b < 6000; ++b) size[b] = b < 3000 ? 6 : 3;
    const cd_block_pattern pattern = {6000, size, nedge, (const int(*)[2])edge};
    cd_block_cost          cost;
    CHECK(cd_kkt_graph_from_rows(&g, f->nbody, &f->rows));
    const int chosen = cd_ordering_choose(&g, &pattern, order, &cost);
    CHECK(chosen >= 0 && cost.multiplications > cd_block_min_work_for_threads);
    CHECK(cost.critical_path < 0.1 * cost.multiplications);
    solution* one     = solve(f, order, NULL);
    const int count[] = {2, 3, 4, 7};
    CHECK(one->bad == -1);
    for (int i = 0; i < 4; ++i) {
        cd_threads* threads = cd_threads_create(count[i]);
        CHECK(cd_threads_count(threads) == count[i]);
        solution* other = solve(f, order, threads);
        CHECK(memcmp(one->x, other->x, sizeof one->x) == 0);
        free(other);
        cd_threads_destroy(threads);
    }
    free(one), free(order), free(size), free(edge);
    cd_kkt_graph_release(&g);
    family_destroy(f);
}

// A body without inertia about one axis and without constraints: the index of the pivot is returned.
static void test_bad_pivot(void)
{
    const int              size[]  = {6};
    signed char            sign[]  = {1};
    int                    order[] = {0};
    cd_arena               arena   = {0};
    cd_block_ldl           F;
    const cd_block_pattern pattern = {1, size, 0, NULL};
    CHECK(cd_block_analyse(&F, &pattern, order));
    cd_block_layout(&F, &arena);
    cd_arena_reserve(&arena);
    cd_block_layout(&F, &arena);
    cd_block_clear(&F);
    const cd_block_address p = cd_block_find(&F, 0, 0);
    for (int k = 0; k < 6; ++k) F.value[p.offset + k * (p.row_stride + p.column_stride)] = k == 4 ? 0 : 1;
    CHECK(cd_block_factor(&F, sign, (cd_pivot_test){.rel_to_row = 1e-10}, NULL) == 4);
    cd_block_release(&F);
    cd_arena_release(&arena);
}

int main(void)
{
    family* ring = family_ring(20);
    family* star = family_star(20);
    RUN(test_orders_agree(ring, 1, 1e-11));
    RUN(test_orders_agree(star, 2, 1e-11));
    RUN(test_rows_satisfied(ring));
    RUN(test_rows_satisfied(star));
    family_destroy(ring), family_destroy(star);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        family* net = family_net(25, seed);
        RUN(test_orders_agree(net, seed, 1e-10));
        RUN(test_rows_satisfied(net));
        family_destroy(net);
    }
    RUN(test_scaled_rows());
    RUN(test_redundant_rows());
    RUN(test_threads());
    RUN(test_bad_pivot());
    return test_end();
}
