// SPDX-License-Identifier: BSD-3-Clause
// Modes at a state: eigenvalues and vectors of A (linear.h), shapes in joint coordinates, words from the kinetic energy
// of bodies. Neutral motions are combined so that each is told by one joint
// coordinate where the others have none.
#include "analysis/linear.h"
#include "analysis/motion_words.h"
#include "analysis/rounding.h"
#include "analysis/spectrum.h"

#include "core/arguments.h"
#include "math/lapack.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi         = 3.14159265358979323846;
static const double no_growth  = 1e-13; // real parts below this part of the fastest are rounding
static const double no_real    = 1e-9,
                    no_damping = 1e-12; // and below these of the eigenvalue itself: for growth, for decay

enum { WORDS = 240 };

typedef struct result {
    cardan_modes public; // first, so that the one is the other
    cd_arena     arena;
    cardan_mode* mode;
    double*      shape; // (4 x nv_all) each: move and joints, real and imaginary
    char*        words; // (WORDS) each
} result;

typedef struct modes_job {
    cardan_data* d;
    cd_linear    l;
    cd_spectrum  s;
    double       fastest; // [1/s] of the eigenvalues
    result*      r;
    double*      joint; // (nv_all x np) column major: joint velocities of the motions Np, lengths in units
    double*      scratch;
    int*         entry; // (nentry) joint velocities in the order of the joints
    int          nentry;
} modes_job;

// ---- state matrix

// xi of joint coordinates y, both in x (n).
static void to_motions(const modes_job* k, double* x)
{
    const cd_linear* l = &k->l;
    memcpy(k->scratch, x, (size_t)l->np * sizeof *x);
    for (int i = 0; i < l->np; ++i) {
        x[i] = 0;
        for (int j = 0; j < l->np; ++j) x[i] += l->inverse[(size_t)j * (size_t)l->n + (size_t)i] * k->scratch[j];
    }
}

static bool find_spectrum(modes_job* k)
{
    cd_linear* l = &k->l;
    if (!cd_linear_rounding(l, l->Y) || !cd_spectrum_find(l->n, l->A, l->Y, &k->s)) return false;
    for (int i = 0; i < k->s.count; ++i) k->fastest = fmax(k->fastest, hypot(k->s.real[i], k->s.imaginary[i]));
    return true;
}

// ---- shapes

static void know_joints(modes_job* k)
{
    cd_linear* l = &k->l;
    k->nentry    = cd_joint_entries(k->d->m, k->entry);
    for (int i = 0; i < l->np; ++i)
        cd_joint_motion(k->d, l->Np + (size_t)i * (size_t)k->d->m->nv, l->tangent.length,
                        k->joint + (size_t)i * (size_t)k->d->m->nv_all);
    cd_linear_move(l, NULL);
}

static void joint_shape(const modes_job* k, const double* xi, double* joint)
{
    const size_t all = (size_t)k->d->m->nv_all;
    memset(joint, 0, all * sizeof *joint);
    for (int i = 0; i < k->l.np; ++i)
        for (size_t j = 0; j < all; ++j) joint[j] += k->joint[(size_t)i * all + j] * xi[i];
}

// Joint velocities in units to those of the model.
static void out_of_units(const modes_job* k, double* joint)
{
    const cardan_model* m = k->d->m;
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->place[j].v >= 0 && i < m->place[j].nv; ++i)
            if (!cd_turns(m, j, i)) joint[m->place[j].v + i] *= k->l.tangent.length;
}

// Turned and scaled so that its largest joint coordinate is 1. xi: (np) real, (np) imaginary; both are overwritten.
static void normalize(const modes_job* k, double* re, double* im, double* joint_re, double* joint_im)
{
    const int all = k->d->m->nv_all;
    joint_shape(k, re, joint_re);
    joint_shape(k, im, joint_im);
    double most = 0, a = 1, b = 0;
    for (int e = 0; e < k->nentry; ++e) {
        const int j = k->entry[e];
        if (hypot(joint_re[j], joint_im[j]) > most * (1 + 1e-6))
            most = hypot(joint_re[j], joint_im[j]), a = joint_re[j], b = joint_im[j];
    }
    const double size = a * a + b * b;
    if (!(size > 0)) return;
    for (int i = 0; i < k->l.np + all; ++i) { // divided by a + ib
        double*      x = i < k->l.np ? &re[i] : &joint_re[i - k->l.np];
        double*      y = i < k->l.np ? &im[i] : &joint_im[i - k->l.np];
        const double u = (*x * a + *y * b) / size, v = (*y * a - *x * b) / size;
        *x = u;
        *y = v;
    }
}

// False without memory.
static bool store(modes_job* k, cardan_mode* mode, double* re, double* im, const double* states)
{
    const cardan_model* m   = k->d->m;
    const size_t        all = (size_t)m->nv_all, i = (size_t)(mode - k->r->mode);
    double *            move_re = k->r->shape + 4 * i * all, *move_im = move_re + all, *joint_re = move_im + all,
           *joint_im = joint_re + all;
    char* words      = k->r->words + i * WORDS;
    normalize(k, re, im, joint_re, joint_im);
    cd_linear_motion(&k->l, re, move_re);
    cd_linear_motion(&k->l, im, move_im);
    out_of_units(k, joint_re);
    out_of_units(k, joint_im);
    const bool told = cd_shape_words(k->d, k->l.M, move_re, move_im, states, words, WORDS);
    cd_linear_move(&k->l, NULL);
    mode->move_real       = move_re;
    mode->move_imaginary  = move_im;
    mode->joint_real      = joint_re;
    mode->joint_imaginary = joint_im;
    mode->words           = words;
    return told;
}

// ---- neutral motions

// Columns of X (n x count) so combined that each is told by a joint coordinate of its own, where it is 1 and the others
// are 0. False without memory.
static bool sort_out(modes_job* k, int count, double* X)
{
    const size_t n = (size_t)k->l.n, all = (size_t)k->d->m->nv_all, c = (size_t)count;
    double*      Z      = cd_allocate(2 * all * c + c * c + c + 1, sizeof *Z);
    int*         chosen = cd_allocate(2 * c + 1, sizeof *chosen);
    const bool   good   = Z && chosen;
    double *     kept = good ? Z + all * c : NULL, *S = good ? kept + all * c : NULL, *x = good ? S + c * c : NULL;
    for (size_t j = 0; good && j < c; ++j) joint_shape(k, X + j * n, Z + j * all);
    if (good) memcpy(kept, Z, all * c * sizeof *Z);
    if (good && cd_telling_rows(k->nentry, k->entry, (int)all, count, Z, chosen) == count) {
        for (size_t j = 0; j < c; ++j) // S', so that rows of X are solved for
            for (size_t i = 0; i < c; ++i) S[i * c + j] = kept[j * all + (size_t)chosen[i]];
        const bool regular = cd_lapack_lu_panel(count, 0, count, S, chosen + c);
        for (size_t r = 0; r < n && regular; ++r) {
            for (size_t j = 0; j < c; ++j) x[j] = X[j * n + r];
            cd_lapack_lu_solve(count, S, chosen + c, x);
            for (size_t j = 0; j < c; ++j) X[j * n + r] = x[j];
        }
    }
    free(Z);
    free(chosen);
    return good;
}

// ---- all modes

static void describe(modes_job* k, cardan_mode* mode, double a, double b)
{
    const double size = hypot(a, b), floor = no_growth * k->fastest;
    mode->kind          = b > 0 ? CARDAN_MODE_OSCILLATION : CARDAN_MODE_DECAY;
    mode->real          = a;
    mode->imaginary     = b;
    mode->frequency     = b / (2 * pi);
    mode->natural       = size / (2 * pi);
    mode->damping       = size > 0 ? -a / size : 0;
    mode->unstable      = a > fmax(floor, no_real * size);
    mode->time_constant = fabs(a) > fmax(floor, no_damping * size) ? 1 / fabs(a) : INFINITY;
}

static int by_size(const void* a, const void* b)
{
    const cardan_mode *x = a, *y = b;
    if ((x->kind == CARDAN_MODE_NEUTRAL) != (y->kind == CARDAN_MODE_NEUTRAL))
        return x->kind == CARDAN_MODE_NEUTRAL ? -1 : 1;
    const float u = (float)x->natural, v = (float)y->natural; // rounding decides nothing
    if (u != v && x->kind != CARDAN_MODE_NEUTRAL) return u < v ? -1 : 1;
    if (x->unstable != y->unstable) return x->unstable ? -1 : 1;
    return x->words < y->words ? -1 : 1;
}

static bool fill(modes_job* k)
{
    cd_spectrum* s  = &k->s;
    result*      r  = k->r;
    const int    n  = k->l.n;
    double *     re = k->scratch + k->d->m->nv_all, *im = re + n, *states = im + n;
    for (int i = 0; i < s->nneutral; ++i) to_motions(k, s->neutral + (size_t)i * (size_t)n);
    for (int i = 0; i < s->count; ++i) {
        to_motions(k, s->vector + (size_t)i * (size_t)n);
        to_motions(k, s->other + (size_t)i * (size_t)n);
    }
    if (s->nneutral > 0 && !sort_out(k, s->nneutral, s->neutral)) return false;
    for (int i = 0; i < s->nneutral + s->count; ++i) {
        cardan_mode* mode    = &r->mode[i];
        const bool   neutral = i < s->nneutral;
        const size_t at      = (size_t)(neutral ? i : i - s->nneutral) * (size_t)n;
        memcpy(re, (neutral ? s->neutral : s->vector) + at, (size_t)n * sizeof *re);
        if (neutral)
            memset(im, 0, (size_t)n * sizeof *im);
        else
            memcpy(im, s->other + at, (size_t)n * sizeof *im);
        if (neutral)
            *mode = (cardan_mode){.kind = CARDAN_MODE_NEUTRAL, .time_constant = INFINITY};
        else
            describe(k, mode, s->real[i - s->nneutral], s->imaginary[i - s->nneutral]);
        for (int z = 0; z < k->l.nz; ++z) states[z] = hypot(re[n - k->l.nz + z], im[n - k->l.nz + z]);
        if (!store(k, mode, re, im, states)) return false;
        if (mode->unstable) ++r->public.unstable;
    }
    qsort(r->mode, (size_t)(s->nneutral + s->count), sizeof *r->mode, by_size);
    return true;
}

static bool reserve(modes_job* k)
{
    const size_t all = (size_t)k->d->m->nv_all, count = (size_t)(k->s.nneutral + k->s.count), n = (size_t)k->l.n;
    result*      r = k->r;
    for (int pass = 0; pass < 2; ++pass) {
        CD_TAKE(&r->arena, r->mode, count + 1);
        CD_TAKE(&r->arena, r->shape, 4 * all * count + 1);
        CD_TAKE(&r->arena, r->words, WORDS * count + 1);
        CD_TAKE(&r->arena, k->joint, all * (size_t)k->l.np + 1);
        CD_TAKE(&r->arena, k->entry, all + 1);
        CD_TAKE(&r->arena, k->scratch, all + 2 * n + (size_t)k->l.nz + 1);
        if (pass == 0 && !cd_arena_reserve(&r->arena)) return false;
    }
    return true;
}

static double largest(const modes_job* k, const double* x)
{
    double most = 0;
    for (int i = 0; i < k->d->m->nv; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

cardan_status cardan_modes_find(cardan_data* d, cardan_modes** modes, cardan_report* report)
{
    CD_REFUSE_NULL(modes, "modes", report);
    *modes = NULL;
    CD_REFUSE_NULL(d, "data", report);
    modes_job     k      = {.d = d};
    cardan_status status = cd_linear_create(d, &k.l, report);
    if (status != CARDAN_OK) return status;
    k.r       = cd_allocate(1, sizeof *k.r);
    bool good = k.r && find_spectrum(&k) && reserve(&k);
    if (good) know_joints(&k);
    good = good && fill(&k);
    if (good) {
        k.r->public = (cardan_modes){.count        = k.s.nneutral + k.s.count,
                                     .mode         = k.r->mode,
                                     .nposition    = k.l.np,
                                     .nvelocity    = k.l.nw,
                                     .nstate       = k.l.nz,
                                     .unstable     = k.r->public.unstable,
                                     .speed        = largest(&k, k.l.v0),
                                     .acceleration = largest(&k, k.l.a0)};
        *modes      = &k.r->public;
    } else {
        cardan_modes_destroy((cardan_modes*)k.r);
        status =
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_EIGENVALUES_FAILED, cardan_nowhere(),
                        "the eigenvalues of '%s' cannot be computed: out of memory, or not finite", d->m->view.name);
    }
    cd_spectrum_release(&k.s);
    cd_linear_release(&k.l);
    return status;
}

void cardan_modes_destroy(cardan_modes* modes)
{
    result* r = (result*)modes;
    if (!r) return;
    cd_arena_release(&r->arena);
    free(r);
}
