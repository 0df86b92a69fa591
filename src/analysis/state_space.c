// SPDX-License-Identifier: BSD-3-Clause
// The linear model in joint coordinates: x = (y, w, z), y = Tp xi, w = Tv eta (linear.h), Tp and Tv the rows of independent joint
// coordinates, chosen in the order of the joints and the same whatever coordinates the model has:
//
//   A <- T A T^-1,   B = Tv Nv'M da/du,   C = dh/dx T^-1,   D = 0: outputs see no accelerations
//   M = Tv^-T Tv^-1 since Nv'M Nv = 1;   K = -M A21,  damping = -M A22
#include "analysis/linear.h"
#include "analysis/motion_words.h"

#include "math/lapack.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160 };
static const double firm = 0.1, loose = 1e-6;  // of a row, that no rows before it explain

typedef struct space {
    cardan_linear public;  // first, so that the one is the other
    cd_arena      arena;
    double *      A, *B, *C, *D, *mass, *damping, *stiffness;
    const char ** name, **unit, **input, **input_unit, **output, **output_unit;
    char*         text;  // (NAME) each
} space;

typedef struct space_job {
    cardan_data*        d;
    cd_linear           l;
    space*              s;
    int                 ninput, noutput;
    const cardan_motor* motor;
    int *               entry, nentry;   // joint velocities in the order of the joints
    int *               position, *velocity;  // (np), (nw) entries chosen
    double *            joint;           // (nv_all x nv) joint velocities of motions
    double *            T, *inverse;     // (n x n) column major
    double *            x, *y, *work;
    int*                pivot;
    double *            effort;          // (nv_all) kept
    spatial*            wrench;
} space_job;

static void layout(space_job* k, cd_arena* keep, cd_arena* scratch)
{
    const cardan_model* m = k->d->m;
    const size_t n = (size_t)k->l.n, nw = (size_t)k->l.nw, all = (size_t)m->nv_all, nv = (size_t)m->nv, in = (size_t)k->ninput, out = (size_t)k->noutput;
    space*       s = k->s;
    CD_TAKE(keep, s->A, n * n);
    CD_TAKE(keep, s->B, n * in);
    CD_TAKE(keep, s->C, out * n);
    CD_TAKE(keep, s->D, out * in);
    CD_TAKE(keep, s->mass, nw * nw);
    CD_TAKE(keep, s->damping, nw * nw);
    CD_TAKE(keep, s->stiffness, nw * nw);
    CD_TAKE(keep, s->name, n);
    CD_TAKE(keep, s->unit, n);
    CD_TAKE(keep, s->input, in);
    CD_TAKE(keep, s->input_unit, in);
    CD_TAKE(keep, s->output, out);
    CD_TAKE(keep, s->output_unit, out);
    CD_TAKE(keep, s->text, (n + in) * NAME);
    CD_TAKE(scratch, k->entry, all);
    CD_TAKE(scratch, k->position, all);
    CD_TAKE(scratch, k->velocity, all);
    CD_TAKE(scratch, k->joint, all * nv);
    CD_TAKE(scratch, k->T, n * n);
    CD_TAKE(scratch, k->inverse, n * n);
    CD_TAKE(scratch, k->x, n + all + out + in);
    CD_TAKE(scratch, k->y, n + all + out + in);
    CD_TAKE(scratch, k->work, n * n + all * nv);
    CD_TAKE(scratch, k->pivot, n);
    CD_TAKE(scratch, k->effort, all);
    CD_TAKE(scratch, k->wrench, (size_t)m->nbody);
}

// ---- independent joint coordinates

// Rows of `joint` (nv_all x n) that are independent, in the order of the joints: first those that are so by far. Returns how many.
static int choose(space_job* k, int n, int* chosen)
{
    const size_t all   = (size_t)k->d->m->nv_all;
    double*      basis = k->work;  // (n x n) orthonormal rows
    int          count = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int e = 0; e < k->nentry && count < n; ++e) {
            double *row = k->x, size = 0, left = 0;
            bool    taken = false;
            for (int c = 0; c < count; ++c) taken = taken || chosen[c] == k->entry[e];
            for (int i = 0; i < n; ++i) {
                row[i] = k->joint[(size_t)i * all + (size_t)k->entry[e]];
                size += row[i] * row[i];
            }
            for (int c = 0; c < 2 * count; ++c) {
                const double* b   = basis + (size_t)(c % count) * (size_t)n;
                double        sum = 0;
                for (int i = 0; i < n; ++i) sum += b[i] * row[i];
                for (int i = 0; i < n; ++i) row[i] -= sum * b[i];
            }
            for (int i = 0; i < n; ++i) left += row[i] * row[i];
            const double least = pass == 0 ? firm : loose;
            if (taken || !(left > least * least * size) || !(size > 0)) continue;
            for (int i = 0; i < n; ++i) basis[(size_t)count * (size_t)n + (size_t)i] = row[i] / sqrt(left);
            chosen[count++] = k->entry[e];
        }
    return count;
}

// Joint velocities (in the model's units) of the motions N (nv x n), chosen rows into T at (at, at).
static bool fill_rows(space_job* k, int n, const double* N, int at, int* chosen)
{
    const size_t all = (size_t)k->d->m->nv_all, size = (size_t)k->l.n;
    for (int i = 0; i < n; ++i) cd_joint_motion(k->d, N + (size_t)i * (size_t)k->d->m->nv, 1, k->joint + (size_t)i * all);
    if (choose(k, n, chosen) != n) return false;
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < n; ++r) k->T[(size_t)(at + i) * size + (size_t)(at + r)] = k->joint[(size_t)i * all + (size_t)chosen[r]];
    return true;
}

static bool find_coordinates(space_job* k)
{
    const cd_linear* l = &k->l;
    const size_t     n = (size_t)l->n;
    k->nentry          = cd_joint_entries(k->d->m, k->entry);
    if (!fill_rows(k, l->np, l->Np, 0, k->position) || !fill_rows(k, l->nw, l->Nv, l->np, k->velocity)) return false;
    for (int i = 0; i < l->nz; ++i) k->T[(size_t)(l->np + l->nw + i) * (n + 1)] = 1;
    cd_linear_move(&k->l, NULL);
    memcpy(k->work, k->T, n * n * sizeof *k->work);
    if (n > 0 && !cd_lapack_lu_panel(l->n, 0, l->n, k->work, k->pivot)) return false;
    for (size_t j = 0; j < n; ++j) {
        k->inverse[j * n + j] = 1;
        cd_lapack_lu_solve(l->n, k->work, k->pivot, k->inverse + j * n);
    }
    return true;
}

// ---- names

static void name_coordinate(const cardan_model* m, int entry, bool velocity, char* text, const char** unit)
{
    static const char* const way[] = {"x", "y", "z"};
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot place = m->place[j];
        if (place.v < 0 || entry < place.v || entry >= place.v + place.nv) continue;
        const int   i    = entry - place.v;
        const char* name = cardan_model_joint_name(m, j);
        const bool  turn = cd_turns(m, j, i);
        *unit            = velocity ? (turn ? "rad/s" : "m/s") : turn ? "rad" : "m";
        if (place.nv == 1) snprintf(text, NAME, "%s.%s", name, velocity ? "v" : "q");
        else if (place.nq == place.nv) snprintf(text, NAME, "%s.%s%d", name, velocity ? "v" : "q", i + 1);
        else if (velocity) snprintf(text, NAME, "%s.%s%s", name, turn ? "w" : "v", way[i % 3]);
        else snprintf(text, NAME, "%s.%s%s", name, turn ? "turn_" : "", way[i % 3]);
        return;
    }
}

static void name_all(space_job* k)
{
    const cardan_model* m = k->d->m;
    const cd_linear*    l = &k->l;
    space*              s = k->s;
    for (int i = 0; i < l->n; ++i) {
        char* text = s->text + (size_t)i * NAME;
        s->name[i] = text;
        if (i < l->np) name_coordinate(m, k->position[i], false, text, &s->unit[i]);
        else if (i < l->np + l->nw) name_coordinate(m, k->velocity[i - l->np], true, text, &s->unit[i]);
        else snprintf(text, NAME, "%s", m->view.state[i - l->np - l->nw].name), s->unit[i] = "";
    }
    for (int i = 0; i < k->ninput; ++i) {
        const cardan_motor motor = k->motor[i];
        char*              text  = s->text + (size_t)(l->n + i) * NAME;
        const char*        name  = cardan_model_joint_name(m, motor.joint);
        if (m->place[motor.joint].nv == 1) snprintf(text, NAME, "%s.effort", name);
        else snprintf(text, NAME, "%s.effort%d", name, motor.axis + 1);
        s->input[i]      = text;
        s->input_unit[i] = cd_turns(m, motor.joint, motor.axis) ? "N m" : "N";
    }
    for (int i = 0; i < k->noutput; ++i) {
        const bool own    = m->view.noutput == 0;
        s->output[i]      = own ? s->name[i] : m->view.output[i].name;
        s->output_unit[i] = own ? s->unit[i] : m->view.output[i].unit ? m->view.output[i].unit : "";
    }
}

// ---- matrices

// Y (rows x n, row major) = X (rows x n, column major) T^-1
static void times_inverse(const space_job* k, int rows, const double* X, double* Y)
{
    const size_t n = (size_t)k->l.n;
    for (size_t i = 0; i < (size_t)rows; ++i)
        for (size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (size_t h = 0; h < n; ++h) sum += X[h * (size_t)rows + i] * k->inverse[j * n + h];
            Y[i * n + j] = sum;
        }
}

static void fill_A(space_job* k)
{
    const size_t n = (size_t)k->l.n;
    for (size_t j = 0; j < n; ++j)
        for (size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (size_t h = 0; h < n; ++h) sum += k->T[h * n + i] * k->l.A[j * n + h];
            k->work[j * n + i] = sum;
        }
    times_inverse(k, k->l.n, k->work, k->s->A);
}

// One unit of effort more: the change of accelerations, exactly, since they are linear in it.
static cardan_status fill_B(space_job* k, cardan_report* report)
{
    cardan_data*   d = k->d;
    const size_t   n = (size_t)k->l.n, np = (size_t)k->l.np, nw = (size_t)k->l.nw, nv = (size_t)d->m->nv, in = (size_t)k->ninput;
    cardan_motors* motors = NULL;
    if (k->ninput == 0) return CARDAN_OK;
    const bool loaded = d->loaded;
    memcpy(k->effort, d->outer_effort, (size_t)d->m->nv_all * sizeof *k->effort);
    memcpy(k->wrench, d->outer_wrench, (size_t)d->m->nbody * sizeof *k->wrench);
    cardan_status status = cardan_motors_create(d, k->ninput, k->motor, &motors, report);
    for (size_t i = 0; i <= in && status == CARDAN_OK; ++i) {  // the last: none
        memset(k->x, 0, (in + 1) * sizeof *k->x);
        if (i < in) k->x[i] = 1;
        cardan_motors_load(motors, k->x);
        status = cardan_accelerate(d, k->l.a, NULL, report);
        for (size_t r = 0; r < nw && status == CARDAN_OK; ++r) {  // eta' by rows of B for now, the last subtracted from all
            double sum = 0;
            for (size_t v = 0; v < nv; ++v) sum += k->l.Wv[r * nv + v] * k->l.a[v];
            if (i < in) k->s->B[(np + r) * in + i] = sum;
            else for (size_t j = 0; j < in; ++j) k->s->B[(np + r) * in + j] -= sum;
        }
    }
    cardan_motors_destroy(motors);
    memcpy(d->outer_effort, k->effort, (size_t)d->m->nv_all * sizeof *k->effort);
    memcpy(d->outer_wrench, k->wrench, (size_t)d->m->nbody * sizeof *k->wrench);
    d->loaded = loaded;
    cd_linear_move(&k->l, NULL);
    for (size_t j = 0; j < in; ++j) {
        for (size_t r = 0; r < nw; ++r) {
            double sum = 0;
            for (size_t h = 0; h < nw; ++h) sum += k->T[(np + h) * n + np + r] * k->s->B[(np + h) * in + j];
            k->x[r] = sum;
        }
        for (size_t r = 0; r < nw; ++r) k->s->B[(np + r) * in + j] = k->x[r];
    }
    return status;
}

// dh/dx by central differences of fourth order; velocities that follow and axes that stand still as for A.
static bool fill_C(space_job* k)
{
    static const double weight[2] = {8.0 / 12, -1.0 / 12};
    cardan_data*        d         = k->d;
    cd_linear*          l         = &k->l;
    const size_t        n = (size_t)l->n, out = (size_t)k->noutput, np = (size_t)l->np, nw = (size_t)l->nw;
    if (d->m->view.noutput == 0) {
        for (size_t i = 0; i < n; ++i) k->s->C[i * n + i] = 1;
        return true;
    }
    double* H = cd_allocate(out * n + 1, sizeof *H);  // (out x n) column major
    bool    good = H != NULL;
    for (int j = 0; j < l->n && good; ++j) {
        const double h = cd_linear_step(l, j);
        memset(l->x, 0, n * sizeof *l->x);
        for (int i = -2; i <= 2 && good; ++i) {
            if (i == 0) continue;
            l->x[j] = i * h;
            good    = cd_linear_move(l, l->x);
            if (good) cardan_outputs(d, k->y);
            for (size_t o = 0; o < out; ++o) H[(size_t)j * out + o] += (i > 0 ? 1 : -1) * weight[abs(i) - 1] / h * k->y[o];
        }
    }
    cd_linear_move(l, NULL);
    for (size_t j = 0; j < np && good; ++j)
        for (size_t r = 0; r < nw; ++r)
            for (size_t o = 0; o < out; ++o) H[j * out + o] -= (l->follow[j * nw + r] + l->turning[j * nw + r]) * H[(np + r) * out + o];
    if (good) times_inverse(k, k->noutput, H, k->s->C);
    free(H);
    return good;
}

static void fill_second_order(space_job* k)
{
    const size_t n = (size_t)k->l.n, np = (size_t)k->l.np, nw = (size_t)k->l.nw;
    space*       s = k->s;
    if (np != nw) return;
    for (size_t i = 0; i < nw; ++i)
        for (size_t j = 0; j < nw; ++j) {
            double sum = 0;
            for (size_t h = 0; h < nw; ++h) sum += k->inverse[(np + i) * n + np + h] * k->inverse[(np + j) * n + np + h];
            s->mass[i * nw + j] = sum;
        }
    for (size_t i = 0; i < nw; ++i)
        for (size_t j = 0; j < nw; ++j)
            for (size_t h = 0; h < nw; ++h) {
                s->stiffness[i * nw + j] -= s->mass[i * nw + h] * s->A[(np + h) * n + j];
                s->damping[i * nw + j] -= s->mass[i * nw + h] * s->A[(np + h) * n + np + j];
            }
}

static cardan_status fill(space_job* k, cardan_report* report)
{
    const char* name = k->d->m->view.name;
    if (!find_coordinates(k))
        return cardan_fail(report, CARDAN_SINGULAR, cardan_nowhere(), "the motions of '%s' cannot be told by coordinates of its joints at t = %g s", name, k->d->t);
    fill_A(k);
    cardan_status status = fill_B(k, report);
    if (status == CARDAN_OK && !fill_C(k))
        status = cardan_fail(report, CARDAN_NOT_CONVERGED, cardan_nowhere(), "the outputs of '%s' cannot be linearized at t = %g s", name, k->d->t);
    if (status != CARDAN_OK) return status;
    fill_second_order(k);
    name_all(k);
    space*     s     = k->s;
    const bool plain = k->l.np == k->l.nw;
    s->public        = (cardan_linear){.n = k->l.n, .ninput = k->ninput, .noutput = k->noutput, .nposition = k->l.np, .nvelocity = k->l.nw, .nstate = k->l.nz,
                                       .A = s->A, .B = s->B, .C = s->C, .D = s->D, .mass = plain ? s->mass : NULL, .damping = plain ? s->damping : NULL,
                                       .stiffness = plain ? s->stiffness : NULL, .state = s->name, .state_unit = s->unit, .input = s->input,
                                       .input_unit = s->input_unit, .output = s->output, .output_unit = s->output_unit};
    return CARDAN_OK;
}

cardan_status cardan_linearize(cardan_data* d, int ninput, const cardan_motor* motor, cardan_linear** linear, cardan_report* report)
{
    *linear              = NULL;
    space_job     k      = {.d = d, .ninput = ninput, .motor = motor};
    cardan_status status = cd_linear_create(d, &k.l, report);
    if (status != CARDAN_OK) return status;
    cd_arena scratch = {0};
    k.noutput        = d->m->view.noutput > 0 ? d->m->view.noutput : k.l.n;
    k.s              = cd_allocate(1, sizeof *k.s);
    status           = CARDAN_NO_MEMORY;
    if (k.s) {
        layout(&k, &k.s->arena, &scratch);
        if (cd_arena_reserve(&k.s->arena) && cd_arena_reserve(&scratch)) {
            layout(&k, &k.s->arena, &scratch);
            status = fill(&k, report);
        }
    }
    if (status == CARDAN_NO_MEMORY) cardan_fail(report, status, cardan_nowhere(), "no memory to linearize '%s'", d->m->view.name);
    if (status == CARDAN_OK) *linear = &k.s->public;
    else cardan_linear_destroy((cardan_linear*)k.s);
    cd_arena_release(&scratch);
    cd_linear_release(&k.l);
    return status;
}

void cardan_linear_destroy(cardan_linear* linear)
{
    space* s = (space*)linear;
    if (!s) return;
    cd_arena_release(&s->arena);
    free(s);
}
