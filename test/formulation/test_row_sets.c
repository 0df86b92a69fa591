// SPDX-License-Identifier: BSD-3-Clause
// What contacts need of every formulation, compared with dense matrices: rows with compliance, rows that are switched
// off and on without a new analysis, and the Delassus matrix of rows that are not part of the factor.
#include "fixture.h"
#include "random_tree.h"

#include "dynamics/data.h"
#include "dynamics/reactions/degrees_of_freedom.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "formulation/delassus.h"

#include <math.h>

enum { LARGEST = 200, NOTHER = 6 };

// Work memory of a formulation for other rows than those of the data.
typedef struct own_solver {
    const cd_formulation* f;
    cardan_data*          d;
    cd_rows               rows;
    cd_solve_policy       policy;
    cd_arena              arena;
    void*                 work;
    double                J[LARGEST * LARGEST], compliance[LARGEST];
    double                r[LARGEST], gamma[LARGEST], a[LARGEST], lambda[LARGEST];
} own_solver;

static bool open_solver(own_solver* s, cardan_data* d, bool with_compliance)
{
    dice g  = {5};
    *s      = (own_solver){.f = d->formulation, .d = d, .rows = d->rows};
    s->work = calloc(1, s->f->work_size);
    for (int c = 0; c < s->rows.nblock; ++c) {
        const cd_row_block b = cd_joint_space_block(d, &d->constraints, c);
        for (int i = 0; i < b.nrow; ++i) {
            s->compliance[b.row + i] = with_compliance && c % 2 == 0 ? dice_range(&g, 0.1, 1) : 0;
            for (int j = 0; j < b.nv; ++j) s->J[(b.row + i) * d->m->nv + b.v[j]] = b.J[i * b.nv + j];
        }
    }
    if (with_compliance) s->rows.compliance = s->compliance;
    cardan_report report = {0};
    bool          good   = s->work && (!s->f->analyse || s->f->analyse(d->m, &s->rows, s->work, &report) == CARDAN_OK);
    if (!good) return false;
    s->f->layout(d->m, &s->rows, &s->arena, s->work);
    good = cd_arena_reserve(&s->arena);
    s->f->layout(d->m, &s->rows, &s->arena, s->work);
    return good;
}

static void close_solver(own_solver* s)
{
    if (s->work && s->f->release) s->f->release(s->work);
    free(s->work);
    cd_arena_release(&s->arena);
}

// A right side that the rows can satisfy: gamma = J a - C lambda for some a and lambda.
static void set_right_sides(own_solver* s)
{
    dice      g  = {11};
    const int nv = s->d->m->nv;
    double    a[LARGEST];
    for (int v = 0; v < nv; ++v) a[v] = dice_range(&g, -1, 1), s->r[v] = dice_range(&g, -3, 3);
    for (int i = 0; i < s->rows.nrow; ++i) {
        s->gamma[i] = s->compliance[i] > 0 ? dice_range(&g, -1, 1) : 0;
        for (int v = 0; v < nv; ++v) s->gamma[i] += s->J[i * nv + v] * a[v];
    }
}

static cd_problem problem_of(own_solver* s) { return (cd_problem){s->d->m, &s->d->k, &s->rows, &s->policy}; }

static cardan_status factor(own_solver* s, cd_solve_info* info)
{
    const cd_problem p = problem_of(s);
    if (s->f->assemble) s->f->assemble(&p, s->work);
    return s->f->factor(&p, s->work, info);
}

// Largest of |M a + J'lambda - r| and |J a - C lambda - gamma|, relative to their terms.
static double residual_of(own_solver* s, const double* r, const double* gamma, const double* a, const double* lambda)
{
    const int nv = s->d->m->nv;
    double    y[LARGEST], largest = 0, size = 1;
    cd_mass_matrix_times(s->d, a, y);
    for (int v = 0; v < nv; ++v) {
        size = fmax(size, fmax(fabs(y[v]), fabs(r[v])));
        for (int i = 0; i < s->rows.nrow; ++i) {
            y[v] += s->J[i * nv + v] * lambda[i];
            size = fmax(size, fabs(s->J[i * nv + v] * lambda[i]));
        }
        largest = fmax(largest, fabs(y[v] - r[v]));
    }
    for (int i = 0; i < s->rows.nrow; ++i) {
        double sum = -gamma[i] - s->compliance[i] * lambda[i];
        for (int v = 0; v < nv; ++v) {
            sum += s->J[i * nv + v] * a[v];
            size = fmax(size, fabs(a[v]));
        }
        largest = fmax(largest, fabs(sum));
    }
    return largest / size;
}

static double tolerance_of(const own_solver* s) { return s->f->properties & CD_APPROXIMATE ? 1e-4 : 1e-9; }

static void check_solve(own_solver* s)
{
    cd_solve_info        info        = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    const cd_problem     p           = problem_of(s);
    const cd_right_sides right_sides = {.r = s->r, .gamma = s->gamma};
    CHECK(factor(s, &info) == CARDAN_OK);
    CHECK(s->f->solve(&p, s->work, &right_sides, &(cd_solution){.a = s->a, .lambda = s->lambda}, &info) == CARDAN_OK);
    CHECK(residual_of(s, s->r, s->gamma, s->a, s->lambda) < tolerance_of(s));
}

// Switch off block c: zero rows and right sides.
static void switch_off(own_solver* s, int c)
{
    const cd_row_block* b = &s->rows.block[c];
    for (int i = 0; i < b->nrow; ++i) {
        s->gamma[b->row + i] = 0;
        for (int v = 0; v < s->d->m->nv; ++v) s->J[(b->row + i) * s->d->m->nv + v] = 0;
        for (int j = 0; j < b->nv; ++j) b->J[i * b->nv + j] = 0;
        for (int n = 0; n < b->nend; ++n) b->G[i * b->nend + n] = sv_zero();
    }
}

// Random rows on a few velocities, in blocks of three.
static void fill_other(const cardan_model* m, cd_row_block* block, int* v, double* J, double* dense)
{
    dice g = {17};
    for (int c = 0; c < NOTHER / 3; ++c) {
        const int nv = m->nv < 3 ? m->nv : 3;
        block[c]     = (cd_row_block){.row = 3 * c, .nrow = 3, .nv = nv, .v = v + 3 * c, .J = J + 9 * c};
        for (int k = 0; k < nv; ++k) block[c].v[k] = (c + k) % m->nv;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < nv; ++k)
                dense[(3 * c + i) * m->nv + block[c].v[k]] = block[c].J[i * nv + k] = dice_range(&g, -1, 1);
    }
}

// Every column of X solves the equations, and W = Jc X with equal triangles.
static void check_delassus(own_solver* s)
{
    const int        nv = s->d->m->nv;
    cd_row_block     block[NOTHER / 3];
    int              v[NOTHER];
    double           J[3 * NOTHER], dense[NOTHER * LARGEST] = {0}, zero[LARGEST] = {0};
    cd_arena         arena = {0};
    cd_delassus_work w     = {0};
    cd_solve_info    info  = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    const cd_problem p     = problem_of(s);
    const cd_rows    other = {.nrow = NOTHER, .nblock = NOTHER / 3, .block = block};
    fill_other(s->d->m, block, v, J, dense);
    cd_delassus_layout(s->d->m, &s->rows, NOTHER, &arena, &w);
    CHECK(cd_arena_reserve(&arena));
    cd_delassus_layout(s->d->m, &s->rows, NOTHER, &arena, &w);
    CHECK(cd_delassus_compute(s->f, &p, s->work, &other, &w, &info) == CARDAN_OK);
    for (int i = 0; i < NOTHER; ++i)
        for (int j = 0; j < NOTHER; ++j) {
            double sum = 0, size = 0;
            for (int k = 0; k < nv; ++k) {
                sum += dense[i * nv + k] * w.X[j * nv + k];
                size += fabs(dense[i * nv + k] * w.X[j * nv + k]);
            }
            CHECK(w.W[i * NOTHER + j] == w.W[j * NOTHER + i]);
            CHECK(fabs(w.W[i * NOTHER + j] - sum) <= tolerance_of(s) * (1 + size));
        }
    for (int j = 0; j < NOTHER; ++j) {
        CHECK(w.W[j * NOTHER + j] >= -tolerance_of(s));
        const cd_right_sides right_sides = {.r = dense + j * nv, .gamma = zero};
        CHECK(s->f->solve(&p, s->work, &right_sides, &(cd_solution){.a = s->a, .lambda = s->lambda}, &info) ==
              CARDAN_OK);
        CHECK(memcmp(s->a, w.X + j * nv, (size_t)nv * sizeof *s->a) == 0);
        CHECK(residual_of(s, dense + j * nv, zero, s->a, s->lambda) < tolerance_of(s));
    }
    cd_arena_release(&arena);
}

// Return a block whose rows can be switched off: without them every motion still has inertia. In maximal coordinates
// its bodies need a regular inertia.
static int switchable_block(const own_solver* s)
{
    const cardan_model* m = s->d->m;
    for (int c = 1; c < s->rows.nblock; ++c) {
        bool regular = true;
        for (int j = 0; m->nv == 6 * m->nlink && j < s->rows.block[c].nv; ++j) {
            const double* I = m->link[s->rows.block[c].v[j] / 6].I;
            regular         = regular && fmin(I[0], fmin(I[1], I[2])) > 1e-6 * (I[0] + I[1] + I[2]);
        }
        if (regular) return c;
    }
    return CARDAN_NONE;
}

// Returns whether a block was switched off.
static bool test_model(const char* path, const char* formulation, bool with_compliance)
{
    bool              switched = false;
    static own_solver s;
    fixture           f;
    if (fixture_open(&f, path, formulation, 0, NULL) && f.m.nv <= LARGEST && f.data->rows.nrow <= LARGEST) {
        cardan_data* d = f.data;
        CHECK(f.m.nconstraint == 0 || cardan_data_assemble(d, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK);
        if (f.m.nconstraint == 0) cardan_data_set_state(d, 0, f.m.q_start, f.m.v_start, f.m.state_start);
        cd_update_rows(d);
        cd_update_world(d);
        CHECK(open_solver(&s, d, with_compliance));
        set_right_sides(&s);
        check_solve(&s);
        check_delassus(&s);
        const int c = switchable_block(&s);
        if (c != CARDAN_NONE) {
            const cd_row_block* b = &s.rows.block[c];
            switch_off(&s, c);
            check_solve(&s);
            for (int i = 0; i < b->nrow; ++i) CHECK(s.lambda[b->row + i] == 0);
            check_delassus(&s);
            switched = true;
        }
        if (test_broken) printf("    %s, %s%s\n", path, formulation, with_compliance ? ", with compliance" : "");
        close_solver(&s);
    }
    fixture_close(&f);
    return switched;
}

static void test_models(const cd_formulation* f, bool with_compliance)
{
    static const char* const models[] = {"models/double_pendulum", "models/puma560",  "models/four_bar",
                                         "models/slider_crank",    "models/stewart",  "models/five_bar_redundant",
                                         "models/parallelogram",   "models/three_rrr"};
    int                      switched = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i)
        switched += test_model(models[i], f->name, with_compliance);
    printf("%s: rows of %d models switched off\n", f->name, switched);
    CHECK(switched >= 4 || !(f->properties & CD_SUPPORTS_LOOPS));
}

int main(void)
{
    for (int k = 0; k < cardan_formulation_count(); ++k) {
        RUN(test_models(cd_formulation_at(k), false));
        RUN(test_models(cd_formulation_at(k), true));
    }
    return test_end();
}
