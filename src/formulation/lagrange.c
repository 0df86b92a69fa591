// SPDX-License-Identifier: BSD-3-Clause
// Maximal coordinates: every body free, every joint a constraint, one block-sparse LDL' of
//
//   [ H  C' ] [ a      ]   [ f     ]      H = diag(m 1, J) per body, constant, at the mass centre, rotation in body axes
//   [ C  -E ] [ lambda ] = [ gamma ]      E: compliance of the rows, none but for rotors
//
// Body pivots are positive, constraint pivots negative or null; a null pivot is a row that repeats others and gets no force. After
// the solve all rows are checked, so that rows that contradict each other are found.
//
// A body without inertia in some direction leans on its constraints: for those the equivalent system with H + rho C'C and
// f + rho C'gamma is factored, which has the same accelerations and multipliers and positive pivots wherever the motion is determined.
// A rotor leans with rho = 1 / E, which is all it does, and its force follows from the accelerations.
//
// Paper 000 (Tasora), equations 33 to 40, with the right side computed in (v, w) variables. docs/theory/lagrange.md.
#include "formulation/block_ldl.h"
#include "formulation/flat_order.h"
#include "formulation/formulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double null_pivot = 1e-10, contradiction = 1e-7, rounding = 1e-12, most_pairs_per_block = 400;

typedef struct lagrange_work {
    cd_block_ldl F;
    signed char* sign;     // (nblock) of the pivots
    bool*        leaning;  // (constraints) added to H, because one of their bodies has a direction without inertia
    double       rho_move, rho_turn;
    real*        x;  // (nscalar)
} lagrange_work;

// ---- symbolic

static bool lacks_inertia(const cd_link* link)
{
    const double* I = link->I;
    if (!(link->m > 0)) return true;
    // smallest principal moment against the trace, by the sign of the determinant of I - e 1
    const double e = 1e-9 * (I[0] + I[1] + I[2]), x = I[0] - e, y = I[1] - e, z = I[2] - e;
    const double minor = x * y - I[3] * I[3];
    const double det   = x * (y * z - I[5] * I[5]) - I[3] * (I[3] * z - I[5] * I[4]) + I[4] * (I[3] * I[5] - y * I[4]);
    return !(x > 0 && minor > 0 && det > 0);
}

typedef struct edges {
    int (*list)[2];
    int count, capacity;
} edges;

static bool add_edge(edges* e, int a, int b)
{
    if (!cd_grow((void**)&e->list, &e->capacity, e->count, sizeof *e->list)) return false;
    e->list[e->count][0]   = a;
    e->list[e->count++][1] = b;
    return true;
}

static bool collect_edges(const cardan_model* m, const cd_rows* rows, const bool* leaning, edges* e)
{
    for (int c = 0; c < rows->nblock; ++c) {
        int       body[CD_BLOCK_BODIES];
        const int n = cd_flat_bodies(&rows->block[c], body);
        for (int k = 0; k < n; ++k) {
            if (!add_edge(e, body[k], m->nlink + c)) return false;
            for (int i = 0; leaning[c] && i < k; ++i)
                if (!add_edge(e, body[i], body[k])) return false;
        }
    }
    return true;
}

// The cheaper of the safe orders, by counting.
static bool choose_order(const cd_block_pattern* p, const cd_flat_graph* g, int* order)
{
    const double most  = most_pairs_per_block * p->nblock;
    int*         other = cd_allocate((size_t)p->nblock, sizeof(int));
    bool         good  = other != NULL && cd_order_tree(g, order);
    if (good) {
        cd_order_bodies_first(g, other);
        const double tree = cd_block_cost(p, order, 1e300), bodies = cd_block_cost(p, other, most);
        if (bodies >= 0 && (tree < 0 || bodies < tree)) memcpy(order, other, (size_t)p->nblock * sizeof(int));
    }
    free(other);
    return good;
}

static void choose_rho(const cardan_model* m, lagrange_work* w)
{
    double mass = 0, moment = 0;
    for (int i = 0; i < m->nlink; ++i) {
        mass += m->link[i].m / m->nlink;
        moment += (m->link[i].I[0] + m->link[i].I[1] + m->link[i].I[2]) / m->nlink;
    }
    w->rho_move = mass > 0 ? mass : 1;
    w->rho_turn = moment > 0 ? moment : w->rho_move;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    lagrange_work* w = work;
    const int      n = m->nlink + rows->nblock;
    int*  size  = cd_allocate((size_t)n, sizeof *size);
    int*  order = cd_allocate((size_t)n, sizeof *order);
    edges e     = {0};
    w->sign     = cd_allocate((size_t)n, sizeof *w->sign);
    w->leaning  = cd_allocate((size_t)rows->nblock, sizeof *w->leaning);
    bool good   = size && order && w->sign && w->leaning;
    for (int i = 0; good && i < n; ++i) {
        size[i]    = i < m->nlink ? 6 : rows->block[i - m->nlink].nrow;
        w->sign[i] = i < m->nlink ? 1 : -1;
    }
    for (int c = 0; good && c < rows->nblock; ++c) {
        int body[CD_BLOCK_BODIES];
        for (int k = cd_flat_bodies(&rows->block[c], body) - 1; k >= 0; --k) w->leaning[c] |= lacks_inertia(&m->link[body[k]]);
    }
    good = good && collect_edges(m, rows, w->leaning, &e);
    const cd_block_pattern pattern = {n, size, e.count, (const int(*)[2])e.list};
    const cd_flat_graph    graph   = {m->nlink, rows};
    good = good && choose_order(&pattern, &graph, order) && cd_block_analyse(&w->F, &pattern, order);
    free(size), free(order), free(e.list);
    choose_rho(m, w);
    return good ? CARDAN_OK : cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory to order the equations of '%s'", m->view.name);
}

static void release(void* work)
{
    lagrange_work* w = work;
    cd_block_release(&w->F);
    free(w->sign);
    free(w->leaning);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)m, (void)rows;
    lagrange_work* w = work;
    cd_block_layout(&w->F, arena);
    CD_TAKE(arena, w->x, w->F.nscalar);
}

// ---- numeric

static void add_body(cd_block_ldl* F, const cd_link* link, int i)
{
    bool         transposed;
    real*        H       = cd_block_at(F, i, i, &transposed);
    const double I[3][3] = {{link->I[0], link->I[3], link->I[4]}, {link->I[3], link->I[1], link->I[5]}, {link->I[4], link->I[5], link->I[2]}};
    for (int a = 0; a < 3; ++a) {
        H[7 * a] = r_add(H[7 * a], r_lift(link->m));
        for (int b = 0; b < 3; ++b) H[6 * (a + 3) + b + 3] = r_add(H[6 * (a + 3) + b + 3], r_lift(I[a][b]));
    }
}

// C into the block of constraint c and body, or its transpose.
static void add_rows(cd_block_ldl* F, const cd_row_block* b, int block)
{
    for (int j = 0; j < b->nv;) {
        const int body = b->v[j] / 6;
        bool      transposed;
        real*     A = cd_block_at(F, block, body, &transposed);
        for (; j < b->nv && b->v[j] / 6 == body; ++j)
            for (int i = 0; i < b->nrow; ++i) {
                const int k = b->v[j] % 6;
                A[transposed ? k * b->nrow + i : i * 6 + k] = b->J[i * b->nv + j];
            }
    }
}

static bool is_rotor(const cd_rows* rows, const cd_row_block* b) { return b->nrow > 0 && cd_compliance(rows, b->row) > 0; }

// rho of each row of a block: rows that see a position weigh as masses, the others as moments of inertia.
static void row_rho(const lagrange_work* w, const cd_rows* rows, const cd_row_block* b, real* rho)
{
    for (int i = 0; i < b->nrow; ++i) {
        if (is_rotor(rows, b)) {
            rho[i] = r_lift(1 / rows->compliance[b->row + i]);
            continue;
        }
        bool moves = false;
        for (int j = 0; j < b->nv; ++j) moves |= b->v[j] % 6 < 3 && r_value(b->J[i * b->nv + j]) != 0;
        rho[i] = r_lift(moves ? w->rho_move : w->rho_turn);
    }
}

// rho C'C into the blocks of the bodies of a constraint. Its velocities stand body by body.
static void lean(lagrange_work* w, const cd_rows* rows, const cd_row_block* b)
{
    real rho[CD_BLOCK_MOST];
    row_rho(w, rows, b, rho);
    for (int j0 = 0, j1; j0 < b->nv; j0 = j1) {
        for (j1 = j0; j1 < b->nv && b->v[j1] / 6 == b->v[j0] / 6;) ++j1;
        for (int l0 = 0, l1; l0 < b->nv; l0 = l1) {
            for (l1 = l0; l1 < b->nv && b->v[l1] / 6 == b->v[l0] / 6;) ++l1;
            bool  transposed;
            real* A = cd_block_at(&w->F, b->v[j0] / 6, b->v[l0] / 6, &transposed);
            if (transposed) continue;  // one triangle
            for (int i = 0; i < b->nrow; ++i)
                for (int j = j0; j < j1; ++j) {
                    const real f = r_mul(rho[i], b->J[i * b->nv + j]);
                    for (int l = l0; l < l1; ++l) {
                        real* entry = &A[(b->v[j] % 6) * 6 + b->v[l] % 6];
                        *entry      = r_add(*entry, r_mul(f, b->J[i * b->nv + l]));
                    }
                }
        }
    }
}

static void add_compliance(cd_block_ldl* F, const cd_rows* rows, const cd_row_block* b, int block)
{
    bool  transposed;
    real* A = cd_block_at(F, block, block, &transposed);
    for (int i = 0; i < b->nrow; ++i) A[i * (b->nrow + 1)] = r_lift(-rows->compliance[b->row + i]);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)k;
    lagrange_work* w = work;
    cd_block_clear(&w->F);
    for (int i = 0; i < m->nlink; ++i) add_body(&w->F, &m->link[i], i);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (!w->leaning[c] || !is_rotor(rows, b)) add_rows(&w->F, b, m->nlink + c);
        if (is_rotor(rows, b)) add_compliance(&w->F, rows, b, m->nlink + c);
        if (w->leaning[c]) lean(w, rows, b);
    }
    return CARDAN_OK;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    (void)k;
    lagrange_work* w   = work;
    const int      bad = cd_block_factor(&w->F, w->sign, cd_null_tolerance(rows, null_pivot));
    if (bad < 0) return CARDAN_OK;
    if (bad < m->nv) where->v = bad;
    else where->row = bad - m->nv;
    return CARDAN_SINGULAR;
}

// Acceleration that a body would have along velocity v without any joint; 0 where it has no inertia.
static double free_acceleration(const cardan_model* m, const real* r, int v)
{
    const cd_link* link    = &m->link[v / 6];
    const double   inertia = v % 6 < 3 ? link->m : link->I[v % 6 - 3];
    return inertia > 0 ? fabs(r_value(r[v])) / inertia : 0;
}

// C a - gamma against the size of its terms, and the rounding of what the forces alone would do: rows that no force can satisfy contradict others.
static cardan_status check_rows(const cardan_model* m, const cd_rows* rows, const real* r, const real* a, const real* gamma, cd_where* where)
{
    double largest = 0, free = 0, worst = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            if (cd_compliance(rows, b->row + i) > 0) continue;  // its force follows
            double sum = -r_value(gamma[b->row + i]);
            largest    = fmax(largest, fabs(sum));
            for (int j = 0; j < b->nv; ++j) {
                const double J = r_value(b->J[i * b->nv + j]), term = J * r_value(a[b->v[j]]);
                sum += term;
                largest = fmax(largest, fabs(term));
                free    = fmax(free, fabs(J) * free_acceleration(m, r, b->v[j]));
            }
            if (!(fabs(sum) <= worst)) {
                worst      = fabs(sum);
                where->row = b->row + i;
            }
        }
    }
    return worst <= fmax(contradiction * largest, rounding * free) ? CARDAN_OK : CARDAN_INCONSISTENT;
}

// x (nv, then nrow): right sides to accelerations and multipliers with the current factor.
static void solve_in_place(const cardan_model* m, const cd_rows* rows, const lagrange_work* w, real* x)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        real                rho[CD_BLOCK_MOST];
        if (!w->leaning[c]) continue;
        row_rho(w, rows, b, rho);
        for (int i = 0; i < b->nrow; ++i) {
            const real f = r_mul(rho[i], x[m->nv + b->row + i]);
            for (int j = 0; j < b->nv; ++j) x[b->v[j]] = r_add(x[b->v[j]], r_mul(f, b->J[i * b->nv + j]));
        }
    }
    cd_block_solve(&w->F, x);
    for (int c = 0; rows->compliance && c < rows->nblock; ++c) {  // rotors that lean: lambda = (C a - gamma) / E, x holds -gamma / E
        const cd_row_block* b = &rows->block[c];
        if (!w->leaning[c] || !is_rotor(rows, b)) continue;
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                real* lambda = &x[m->nv + b->row + i];
                *lambda      = r_add(*lambda, r_mul(r_lift(1 / rows->compliance[b->row + i]), r_mul(b->J[i * b->nv + j], x[b->v[j]])));
            }
    }
}

// What the equations leave: x = (r - H a - C'lambda, gamma - C a + E lambda).
static void leave(const cardan_model* m, const cd_rows* rows, const real* r, const real* gamma, const real* a, const real* lambda, real* x)
{
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const real*    u    = a + 6 * i;
        const vec3     n    = s3_mul(s3_lift(link->I), v3(u[3], u[4], u[5]));
        const real     H[6] = {r_mul(r_lift(link->m), u[0]), r_mul(r_lift(link->m), u[1]), r_mul(r_lift(link->m), u[2]), n.x, n.y, n.z};
        for (int k = 0; k < 6; ++k) x[6 * i + k] = r_sub(r[6 * i + k], H[k]);
    }
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            real sum = gamma[b->row + i];
            if (rows->compliance) sum = r_add(sum, r_mul(r_lift(rows->compliance[b->row + i]), lambda[b->row + i]));
            for (int j = 0; j < b->nv; ++j) {
                const real J  = b->J[i * b->nv + j];
                sum           = r_sub(sum, r_mul(J, a[b->v[j]]));
                x[b->v[j]]    = r_sub(x[b->v[j]], r_mul(J, lambda[b->row + i]));
            }
            x[m->nv + b->row + i] = sum;
        }
    }
}

// One step of iterative refinement: without pivot search digits are lost where rows nearly depend on each other.
static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r, const real* gamma,
                           real* a, real* lambda, cd_where* where)
{
    (void)k;
    lagrange_work* w = work;
    for (int v = 0; v < m->nv; ++v) w->x[v] = r[v];
    for (int i = 0; i < rows->nrow; ++i) w->x[m->nv + i] = gamma[i];
    solve_in_place(m, rows, w, w->x);
    for (int v = 0; v < m->nv; ++v) a[v] = w->x[v];
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = w->x[m->nv + i];

    leave(m, rows, r, gamma, a, lambda, w->x);
    solve_in_place(m, rows, w, w->x);
    for (int v = 0; v < m->nv; ++v) a[v] = r_add(a[v], w->x[v]);
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_add(lambda[i], w->x[m->nv + i]);
    return check_rows(m, rows, r, a, gamma, where);
}

const cd_formulation cd_lagrange = {
    .name      = "lagrange",
    .summary   = "maximal coordinates, every joint a constraint, block-sparse LDL'",
    .reference = "Tasora, an optimized Lagrangian-multiplier approach for interactive multibody simulation",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT,
    .tree      = CARDAN_TREE_FLAT,
    .work_size = sizeof(lagrange_work),
    .analyse   = analyse,
    .release   = release,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
};
