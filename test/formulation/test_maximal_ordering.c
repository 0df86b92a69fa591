// SPDX-License-Identifier: BSD-3-Clause
// Elimination orders of maximal coordinates: order safety, and operation counts against docs/theory/lagrange.md.
#include "maximal_families.h"
#include "test.h"

typedef struct system {
    family*      f;
    cd_kkt_graph g;
    int *        size, *order;
    int (*edge)[2];
    cd_block_pattern p;
} system_t;

static system_t open_system(family* f)
{
    system_t  s     = {.f = f};
    const int n     = f->nbody + f->rows.nblock;
    int       nedge = 0;
    CHECK(cd_kkt_graph_from_rows(&s.g, f->nbody, &f->rows));
    s.size  = cd_allocate((size_t)n, sizeof *s.size);
    s.order = cd_allocate((size_t)n, sizeof *s.order);
    s.edge  = cd_allocate(2 * (size_t)f->rows.nblock, sizeof *s.edge);
    for (int b = 0; b < n; ++b) s.size[b] = b < f->nbody ? 6 : s.g.nrow[b - f->nbody];
    for (int c = 0; c < f->rows.nblock; ++c)
        for (int i = s.g.body_start[c]; i < s.g.body_start[c + 1]; ++i) {
            s.edge[nedge][0]   = f->nbody + c;
            s.edge[nedge++][1] = s.g.body[i];
        }
    s.p = (cd_block_pattern){n, s.size, nedge, (const int(*)[2])s.edge};
    return s;
}

static void close_system(system_t* s)
{
    cd_kkt_graph_release(&s->g);
    free(s->size), free(s->order), free(s->edge);
    family_destroy(s->f);
}

static const cd_ordering* find_ordering(const char* name)
{
    for (int i = 0; i < cd_ordering_count(); ++i)
        if (strcmp(cd_ordering_at(i)->name, name) == 0) return cd_ordering_at(i);
    return NULL;
}

static cd_kkt_scalar_cost count(family* f, const char* order)
{
    system_t           s = open_system(f);
    cd_kkt_scalar_cost c = {0};
    CHECK(find_ordering(order)->compute(&s.g, &s.p, s.order) == CD_ORDERING_OK);
    CHECK(cd_order_safety_check(&s.g, s.order) == CD_ORDER_SAFE);
    bool(*full)[3] = cd_allocate((size_t)f->nbody, sizeof *full); // full inertia matrices
    memset(full, 1, (size_t)f->nbody * sizeof *full);
    CHECK(cd_kkt_count_scalar_cost(f->nbody, &f->rows, (const bool(*)[3])full, NULL, s.order, &c));
    free(full);
    close_system(&s);
    return c;
}

static void expect(family* f, const char* order, long multiplications, long nonzeros)
{
    const cd_kkt_scalar_cost c = count(f, order);
    CHECK_NEAR((double)c.multiplications, (double)multiplications, 0);
    CHECK_NEAR((double)c.nonzeros, (double)nonzeros, 0);
}

static void test_ring_counts(void)
{
    const int  n[5] = {10, 20, 40, 80, 160};
    const long m[5] = {1655, 3445, 7025, 14185, 28505}, z[5] = {453, 933, 1893, 3813, 7653};
    for (int i = 0; i < 5; ++i) {
        expect(family_ring(n[i]), "bodies-first", m[i], z[i]);
        expect(family_ring(n[i]), "strict-degree", m[i], z[i]);
        expect(family_ring(n[i]), "nested-dissection", m[i], z[i]);
    }
}

static void test_star_counts(void)
{
    expect(family_star(20), "bodies-first", 37206, 2112);
    expect(family_star(20), "tree", 1878, 642);
    expect(family_star(40), "tree", 3818, 1302);
    expect(family_star(80), "tree", 7698, 2622);
    expect(family_star(80), "minimum-degree", 7766, 2631); // the hub is eliminated before its last two joints
}

// The count per cell does not depend on the length.
static void test_ladder_counts(void)
{
    const long a = count(family_ladder(10), "bodies-first").multiplications,
               b = count(family_ladder(20), "bodies-first").multiplications,
               c = count(family_ladder(40), "bodies-first").multiplications;
    CHECK(c - b == 2 * (b - a));
    CHECK(b - a < 10 * 1620);
}

// Two rails on hinges from ground, rungs on spherical joints: three bodies per cell; the graph depth grows with the
// cells.
static family* rope_ladder(int cells)
{
    uint64_t seed = 7;
    family*  f    = family_create(3 * cells, &seed);
    for (int i = 0; i < cells; ++i) {
        const int a = 3 * i, b = a + 1, rung = a + 2;
        family_join(f, a, i > 0 ? a - 3 : -1, 5, &seed);
        family_join(f, b, i > 0 ? b - 3 : -1, 5, &seed);
        family_join(f, a, rung, 3, &seed);
        family_join(f, rung, b, 3, &seed);
    }
    return f;
}

// Breadth-first order: every body once, and a body comes after all cells except the last two before its own cell.
static void test_breadth_first(void)
{
    system_t s = open_system(rope_ladder(200));
    CHECK_NEAR(cd_kkt_breadth_first(&s.g, s.order), 201, 0); // the last rung is reached from the last rails
    bool* visited = cd_allocate((size_t)s.g.nbody, sizeof *visited);
    for (int n = 0; n < s.g.nbody; ++n) {
        const int cell = s.order[n] / 3;
        CHECK(!visited[s.order[n]]);
        visited[s.order[n]] = true;
        for (int b = 0; cell > 1 && b < 3 * (cell - 1); ++b)
            if (!visited[b]) CHECK(false);
    }
    free(visited);
    close_system(&s);
    s = open_system(family_ring(40)); // floating: visited in both directions
    CHECK_NEAR(cd_kkt_breadth_first(&s.g, s.order), 21, 0);
    close_system(&s);
}

// Outward order: linear in the cells and below 0.6 of nested dissection; selected for large mechanisms without
// redundant rows and without penalty term.
static void test_outward(void)
{
    const long a = count(rope_ladder(100), "outward").multiplications,
               b = count(rope_ladder(200), "outward").multiplications,
               c = count(rope_ladder(400), "outward").multiplications;
    CHECK(c - b == 2 * (b - a));
    CHECK((double)c < 0.6 * (double)count(rope_ladder(400), "nested-dissection").multiplications);
    system_t      s = open_system(rope_ladder(400));
    cd_block_cost cost;
    const char*   chosen[3];
    for (int k = 0; k < 3; ++k) {
        s.g.has_redundant_rows = k == 1;
        s.g.has_penalty        = k == 2;
        const int i            = cd_ordering_choose(&s.g, &s.p, s.order, &cost);
        chosen[k]              = i >= 0 ? cd_ordering_at(i)->name : "";
        CHECK(cd_order_safety_check(&s.g, s.order) == CD_ORDER_SAFE);
    }
    CHECK(strcmp(chosen[0], "outward") == 0 && strcmp(chosen[1], "outward") != 0 && strcmp(chosen[2], "outward") != 0);
    close_system(&s);
}

// The cost of the selected order is linear in the size.
static void test_chosen_cost(void)
{
    double before[3] = {0};
    for (int n = 100; n <= 400; n *= 2) {
        family* f[3] = {family_ring(n), family_star(n), family_ladder(n)};
        for (int k = 0; k < 3; ++k) {
            system_t      s = open_system(f[k]);
            cd_block_cost cost;
            CHECK(cd_ordering_choose(&s.g, &s.p, s.order, &cost) >= 0);
            CHECK(cd_order_safety_check(&s.g, s.order) == CD_ORDER_SAFE);
            if (before[k] > 0) CHECK_NEAR(cost.multiplications / before[k], 2, 0.02);
            before[k] = cost.multiplications;
            close_system(&s);
        }
    }
}

static void test_all_orders_safe(void)
{
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        system_t s = open_system(family_net(60, seed));
        for (int i = 0; i < cd_ordering_count(); ++i) {
            const cd_ordering_status made = cd_ordering_at(i)->compute(&s.g, &s.p, s.order);
            CHECK(made != CD_ORDERING_NO_MEMORY);
            if (made == CD_ORDERING_OK) CHECK(cd_order_safety_check(&s.g, s.order) == CD_ORDER_SAFE);
        }
        close_system(&s);
    }
}

// Greedy minimum degree in which a joint may be eliminated as soon as one of its bodies is, as in a general sparse
// code.
static void unsafe_minimum_degree(const system_t* s, int* order)
{
    const int n          = s->p.nblock;
    bool*     adjacent   = cd_allocate((size_t)(n * n), sizeof *adjacent);
    bool*     eliminated = cd_allocate((size_t)n, sizeof *eliminated);
    for (int e = 0; e < s->p.nedge; ++e)
        adjacent[s->p.edge[e][0] * n + s->p.edge[e][1]] = adjacent[s->p.edge[e][1] * n + s->p.edge[e][0]] = true;
    for (int k = 0; k < n; ++k) {
        int best = -1, least_degree = 1 << 30;
        for (int b = 0; b < n; ++b) {
            bool eligible = b < s->g.nbody;
            for (int i = b < s->g.nbody ? 0 : s->g.body_start[b - s->g.nbody];
                 b >= s->g.nbody && i < s->g.body_start[b - s->g.nbody + 1]; ++i)
                eligible |= eliminated[s->g.body[i]];
            int degree = 0;
            for (int i = 0; i < n; ++i) degree += !eliminated[i] && i != b && adjacent[b * n + i] ? s->size[i] : 0;
            if (eliminated[b] || !eligible || degree >= least_degree) continue;
            best         = b;
            least_degree = degree;
        }
        order[k]         = best;
        eliminated[best] = true;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) adjacent[i * n + j] |= adjacent[best * n + i] && adjacent[best * n + j];
    }
    free(adjacent), free(eliminated);
}

static void test_unsafe_refused(void)
{
    system_t s = open_system(family_ladder(10));
    unsafe_minimum_degree(&s, s.order);
    const int early = cd_order_safety_check(&s.g, s.order);
    CHECK(early >= s.g.nbody); // a joint
    // a joint before all its bodies
    for (int i = 0; i < s.p.nblock; ++i) s.order[i] = i;
    s.order[0]         = s.g.nbody;
    s.order[s.g.nbody] = 0;
    CHECK(cd_order_safety_check(&s.g, s.order) == s.g.nbody);
    // a block twice
    for (int i = 0; i < s.p.nblock; ++i) s.order[i] = i;
    s.order[3] = 2;
    CHECK(cd_order_safety_check(&s.g, s.order) == 2);
    close_system(&s);
}

int main(void)
{
    RUN(test_ring_counts());
    RUN(test_star_counts());
    RUN(test_ladder_counts());
    RUN(test_breadth_first());
    RUN(test_outward());
    RUN(test_chosen_cost());
    RUN(test_all_orders_safe());
    RUN(test_unsafe_refused());
    return test_end();
}
