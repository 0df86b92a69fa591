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
#include "formulation/block_strength.h"
#include "formulation/flat_system.h"
#include "formulation/formulation.h"
#include "formulation/row_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double null_pivot = 1e-10, exact = 1e-13;

typedef struct lagrange_work {
    cd_flat_system S;
    cd_threads*    threads;  // NULL: one
    bool*          leaning;  // (constraints) added to H, because one of their bodies has a direction without inertia
    double         rho_move, rho_turn;
    double         crowd;  // most rows on one body: its equations sum as many terms
    real *         x, *y;  // (nscalar)
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

// Most rows on one body; at least 6. -1 without memory.
static double crowd_of(const cardan_model* m, const cd_rows* rows)
{
    int* count = cd_allocate((size_t)m->nlink, sizeof *count);
    int  most  = count ? 6 : -1;
    for (int c = 0; count && c < rows->nblock; ++c) {
        int body[CD_BLOCK_BODIES];
        for (int k = cd_flat_bodies(&rows->block[c], body) - 1; k >= 0; --k) {
            count[body[k]] += rows->block[c].nrow;
            if (count[body[k]] > most) most = count[body[k]];
        }
    }
    free(count);
    return most;
}

static cardan_status analyse(const cardan_model* m, const cd_rows* rows, void* work, cardan_report* report)
{
    lagrange_work* w = work;
    bool* leaning = cd_allocate((size_t)rows->nblock, sizeof *leaning);
    for (int c = 0; leaning && c < rows->nblock; ++c) {
        int body[CD_BLOCK_BODIES];
        for (int k = cd_flat_bodies(&rows->block[c], body) - 1; k >= 0; --k) leaning[c] |= lacks_inertia(&m->link[body[k]]);
    }
    w->crowd = crowd_of(m, rows);
    const bool good = leaning && w->crowd > 0 && cd_flat_analyse(&w->S, m->nlink, rows, leaning);
    w->leaning      = leaning;
    choose_rho(m, w);
    return good ? CARDAN_OK : cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory to order the equations of '%s'", m->view.name);
}

static void release(void* work)
{
    lagrange_work* w = work;
    cd_flat_release(&w->S);
    free(w->leaning);
}

static void layout(const cardan_model* m, const cd_rows* rows, cd_arena* arena, void* work)
{
    (void)rows;
    lagrange_work* w = work;
    cd_flat_layout(&w->S, m->nlink, arena);
    CD_TAKE(arena, w->y, w->S.F.nscalar);
    CD_TAKE(arena, w->x, w->S.F.nscalar);
}

// ---- numeric

static void add_body(cd_flat_system* S, const cd_link* link, int i)
{
    const cd_block_place p       = S->body[i];
    real*                H       = S->F.value + p.at;
    const double         I[3][3] = {{link->I[0], link->I[3], link->I[4]}, {link->I[3], link->I[1], link->I[5]}, {link->I[4], link->I[5], link->I[2]}};
    for (int a = 0; a < 3; ++a) {
        H[a * p.down + a * p.right] = r_lift(link->m);
        for (int b = 0; b < 3; ++b) H[(a + 3) * p.down + (b + 3) * p.right] = r_lift(I[a][b]);
    }
}

// Rows on all six velocities of a body, row by row: six entries are a loop of known length.
static inline void add_whole(const cd_row_block* b, const real* J, cd_block_place p, real* A)
{
    for (int i = 0; i < b->nrow; ++i, J += b->nv, A += p.down)
        for (int k = 0; k < 6; ++k) A[k * p.right] = J[k];
}

// C into the blocks of constraint c.
static void add_rows(cd_flat_system* S, const cd_row_block* b, int c)
{
    for (int n = S->first[c]; n < S->first[c + 1]; ++n) {
        const cd_flat_run* run = &S->run[n];
        real*              A   = S->F.value + run->place.at;
        if (run->to - run->from == 6) {
            add_whole(b, b->J + run->from, run->place, A);
            continue;
        }
        for (int j = run->from; j < run->to; ++j)
            for (int i = 0, k = b->v[j] % 6; i < b->nrow; ++i) A[i * run->place.down + k * run->place.right] = b->J[i * b->nv + j];
    }
}

static bool is_rotor(const cd_rows* rows, const cd_row_block* b) { return b->nrow > 0 && cd_compliance(rows, b->row) > 0; }

// rho of each row of a block: rows that see a position weigh as masses, the others as moments of inertia.
static void row_rho(const lagrange_work* w, const cd_rows* rows, const cd_row_block* b, real* rho)
{
    for (int i = 0; i < b->nrow; ++i) {
        if (is_rotor(rows, b)) {
            rho[i] = r_div(r_lift(1), r_lift(rows->compliance[b->row + i]));
            continue;
        }
        bool moves = false;
        for (int j = 0; j < b->nv; ++j) moves |= b->v[j] % 6 < 3 && r_value(b->J[i * b->nv + j]) != 0;
        rho[i] = r_lift(moves ? w->rho_move : w->rho_turn);
    }
}

// rho C'C into the blocks of the bodies of a constraint, one triangle.
static void lean(lagrange_work* w, const cd_rows* rows, const cd_row_block* b, int c)
{
    const cd_flat_system* S    = &w->S;
    const cd_block_place* pair = S->pair + S->first_pair[c];
    real                  rho[CD_BLOCK_MOST];
    row_rho(w, rows, b, rho);
    for (const cd_flat_run* one = S->run + S->first[c]; one < S->run + S->first[c + 1]; ++one)
        for (const cd_flat_run* two = S->run + S->first[c]; two < S->run + S->first[c + 1]; ++two, ++pair) {
            if (pair->at < 0) continue;  // the other triangle
            real* A = S->F.value + pair->at;
            for (int i = 0; i < b->nrow; ++i)
                for (int j = one->from; j < one->to; ++j) {
                    const real f = r_mul(rho[i], b->J[i * b->nv + j]);
                    for (int l = two->from; l < two->to; ++l) {
                        real* entry = &A[(b->v[j] % 6) * pair->down + (b->v[l] % 6) * pair->right];
                        *entry      = r_add(*entry, r_mul(f, b->J[i * b->nv + l]));
                    }
                }
        }
}

static void add_compliance(cd_flat_system* S, const cd_rows* rows, const cd_row_block* b, int block)
{
    const cd_block_place p = cd_block_find(&S->F, block, block);
    for (int i = 0; i < b->nrow; ++i) S->F.value[p.at + i * (p.down + p.right)] = r_lift(-rows->compliance[b->row + i]);
}

static cardan_status assemble(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work)
{
    (void)k;
    lagrange_work* w = work;
    cd_block_clear(&w->S.F);
    for (int i = 0; i < m->nlink; ++i)
        if (!cd_block_holds(&w->S.F, i)) add_body(&w->S, &m->link[i], i);
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        if (!w->leaning[c] || !is_rotor(rows, b)) add_rows(&w->S, b, c);
        if (is_rotor(rows, b)) add_compliance(&w->S, rows, b, m->nlink + c);
        if (w->leaning[c]) lean(w, rows, b, c);
    }
    return CARDAN_OK;
}

static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    (void)k;
    lagrange_work* w   = work;
    const int      bad = cd_block_factor(&w->S.F, w->S.sign, cd_null_pivots(rows, null_pivot), w->threads);
    if (bad < 0) return CARDAN_OK;
    if (bad < m->nv) where->v = bad;
    else where->row = bad - m->nv;
    return CARDAN_SINGULAR;
}

static cd_strength strength(const cardan_model* m, const cd_rows* rows, const void* work)
{
    const lagrange_work* w = work;
    return cd_block_strength(&w->S.F, m->nlink, rows);
}

// x (nv, then nrow): right sides of the equivalent system, where rows lean.
static void lean_right_side(const cardan_model* m, const cd_rows* rows, const lagrange_work* w, real* x)
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
}

// x (nv, then nrow): right sides to accelerations and multipliers with the current factor. And y, or NULL, whose multipliers nobody asks for.
static void solve_in_place(const cardan_model* m, const cd_rows* rows, const lagrange_work* w, real* x, real* y)
{
    lean_right_side(m, rows, w, x);
    if (y) lean_right_side(m, rows, w, y);
    cd_block_solve_two(&w->S.F, x, y, w->threads);
    for (int c = 0; rows->compliance && c < rows->nblock; ++c) {  // rotors that lean: lambda = (C a - gamma) / E, x holds -gamma / E
        const cd_row_block* b = &rows->block[c];
        if (!w->leaning[c] || !is_rotor(rows, b)) continue;
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j) {
                real* lambda = &x[m->nv + b->row + i];
                *lambda      = r_add(*lambda, r_mul(r_div(r_lift(1), r_lift(rows->compliance[b->row + i])), r_mul(b->J[i * b->nv + j], x[b->v[j]])));
            }
    }
}

// What equations leave at most, and the size of their terms: six of a body, then rows.
typedef struct leftover {
    double left[7], size[7];
} leftover;

// fmax is a call, for the sake of what is no number; that goes into what is left.
static inline double larger(double a, double b) { return b > a ? b : a; }
static inline double left_of(double a, double b) { return b <= a ? a : b; }

// Rows of a block on one body: sum (nrow) -= C a, x (6) -= C'lambda, which stays at hand from row to row; the largest term of C a.
static inline double leave_body(const cd_row_block* b, const real* J, const real* a, const real* lambda, real* sum, real* x)
{
    double size    = 0;
    real   rest[6] = {x[0], x[1], x[2], x[3], x[4], x[5]};
    for (int i = 0; i < b->nrow; ++i, J += b->nv) {
        real term[6];
        for (int k = 0; k < 6; ++k) term[k] = r_mul(J[k], a[k]);
        const real part = r_add(r_add(r_add(term[0], term[1]), r_add(term[2], term[3])), r_add(term[4], term[5]));
        for (int k = 0; k < 6; ++k) rest[k] = r_sub(rest[k], r_mul(J[k], lambda[i]));
        sum[i] = r_sub(sum[i], part);
        size   = larger(size, fabs(r_value(part)));
    }
    for (int k = 0; k < 6; ++k) x[k] = rest[k];
    return size;
}

static void leave_rows(const cardan_model* m, const cd_rows* rows, const real* gamma, const real* a, const real* lambda, real* x, leftover* e)
{
    double left = 0, size = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b   = &rows->block[c];
        real*               sum = x + m->nv + b->row;
        for (int i = 0; i < b->nrow; ++i) {
            const int row = b->row + i;
            size          = larger(size, fabs(r_value(gamma[row])));
            sum[i]        = rows->compliance ? r_add(gamma[row], r_mul(r_lift(rows->compliance[row]), lambda[row])) : gamma[row];
        }
        for (int j = 0; j < b->nv; j += 6) size = larger(size, leave_body(b, b->J + j, a + b->v[j], lambda + b->row, sum, x + b->v[j]));
        for (int i = 0; i < b->nrow; ++i) left = left_of(left, fabs(r_value(sum[i])));
    }
    e->left[6] = left;
    e->size[6] = size;
}

// x = (r - H a - C'lambda, gamma - C a + E lambda), and its size. Velocities of a constraint stand body by body.
static leftover leave(const cardan_model* m, const cd_rows* rows, const real* r, const real* gamma, const real* a, const real* lambda, real* x)
{
    leftover e = {0};
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const real *   u = a + 6 * i, *f = r + 6 * i;
        const vec3     n    = s3_mul(s3_lift(link->I), v3(u[3], u[4], u[5]));
        const real     H[6] = {r_mul(r_lift(link->m), u[0]), r_mul(r_lift(link->m), u[1]), r_mul(r_lift(link->m), u[2]), n.x, n.y, n.z};
        for (int k = 0; k < 6; ++k) e.size[k] = larger(e.size[k], larger(fabs(r_value(f[k])), fabs(r_value(H[k]))));
        for (int k = 0; k < 6; ++k) x[6 * i + k] = r_sub(f[k], H[k]);
    }
    leave_rows(m, rows, gamma, a, lambda, x, &e);
    for (int i = 0; i < m->nlink; ++i)
        for (int k = 0; k < 6; ++k) e.left[k] = left_of(e.left[k], fabs(r_value(x[6 * i + k])));
    for (int k = 0; k < 6; k += 3)
        for (int j = 0; j < 3; ++j) e.size[k + j] = larger(e.size[k], larger(e.size[k + 1], e.size[k + 2]));
    return e;
}

static bool beyond(const leftover* e, double part)
{
    for (int k = 0; k < 7; ++k)
        if (!(e->left[k] <= part * e->size[k])) return true;
    return false;
}

static void take_change(const cardan_model* m, const cd_rows* rows, lagrange_work* w, const real* s)
{
    for (int v = 0; v < m->nv; ++v) w->y[v] = r_lift(0);
    for (int i = 0; i < rows->nrow; ++i) w->y[m->nv + i] = s[i];
}

// Iterative refinement where it is of use: without pivot search digits are lost where rows nearly depend on each other.
static cardan_status solve_and_change(const cardan_model* m, const cd_rows* rows, void* work, const real* r, const real* gamma, real* a,
                                      real* lambda, cd_where* where, const real* s, real* dx)
{
    lagrange_work* w = work;
    for (int v = 0; v < m->nv; ++v) w->x[v] = r[v];
    for (int i = 0; i < rows->nrow; ++i) w->x[m->nv + i] = gamma[i];
    if (s) take_change(m, rows, w, s);
    solve_in_place(m, rows, w, w->x, s ? w->y : NULL);
    for (int v = 0; v < m->nv; ++v) a[v] = w->x[v];
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = w->x[m->nv + i];
    for (int v = 0; s && v < m->nv; ++v) dx[v] = w->y[v];

    const leftover first = leave(m, rows, r, gamma, a, lambda, w->x);
    where->sure          = !beyond(&first, (rows->enough > 0 ? rows->enough : exact) * w->crowd / 6);
    if (where->sure) return CARDAN_OK;
    solve_in_place(m, rows, w, w->x, NULL);
    for (int v = 0; v < m->nv; ++v) a[v] = r_add(a[v], w->x[v]);
    for (int i = 0; i < rows->nrow; ++i) lambda[i] = r_add(lambda[i], w->x[m->nv + i]);
    return cd_check_rows(rows, a, gamma, cd_free_acceleration(m, r), where);
}

static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r, const real* gamma,
                           real* a, real* lambda, cd_where* where)
{
    (void)k;
    return solve_and_change(m, rows, work, r, gamma, a, lambda, where, NULL, NULL);
}

static void change(const cardan_model* m, const cd_rows* rows, void* work, const real* s, real* dx)
{
    lagrange_work* w = work;
    take_change(m, rows, w, s);
    solve_in_place(m, rows, w, w->y, NULL);
    for (int v = 0; v < m->nv; ++v) dx[v] = w->y[v];
}

static void share(void* work, cd_threads* threads) { ((lagrange_work*)work)->threads = threads; }

static bool sparse(const cardan_model* m, const cd_rows* rows, const void* work, long* multiplications, long* nonzeros)
{
    const cd_block_ldl* F       = &((const lagrange_work*)work)->S.F;
    int*                order   = cd_allocate((size_t)F->nblock, sizeof *order);
    bool(*product)[3]           = cd_allocate((size_t)m->nlink, sizeof *product);
    cd_flat_counts counts       = {0};
    for (int k = 0; order && k < F->nblock; ++k) order[k] = F->column[k].block;
    for (int i = 0; product && i < m->nlink; ++i)
        for (int k = 0; k < 3; ++k) product[i][k] = m->link[i].I[3 + k] != 0;
    const bool good  = order && product && cd_flat_count(m->nlink, rows, (const bool(*)[3])product, ((const lagrange_work*)work)->leaning, order, &counts);
    *multiplications = counts.multiplications;
    *nonzeros        = counts.nonzeros;
    free(order), free(product);
    return good;
}

static void pivots(const cardan_model* m, const cd_rows* rows, const void* work, bool* null, double* ratio)
{
    const cd_block_ldl* F = &((const lagrange_work*)work)->S.F;
    memcpy(null, F->null + m->nv, (size_t)rows->nrow * sizeof *null);
    *ratio = cd_block_ratio(F);
}

const cd_formulation cd_lagrange = {
    .name      = "lagrange",
    .summary   = "maximal coordinates, every joint a constraint, block-sparse LDL'",
    .reference = "Tasora, an optimized Lagrangian-multiplier approach for interactive multibody simulation",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_WAYS,
    .tree      = CARDAN_TREE_FLAT,
    .pace      = {0, 0.34},
    .work_size = sizeof(lagrange_work),
    .analyse   = analyse,
    .release   = release,
    .layout    = layout,
    .assemble  = assemble,
    .factor    = factor,
    .solve     = solve,
    .change    = change,
    .solve_and_change = solve_and_change,
    .share     = share,
    .sparse    = sparse,
    .pivots    = pivots,
    .strength  = strength,
};
