// SPDX-License-Identifier: BSD-3-Clause
// Modes at a state: eigenvalues and eigenvectors of A (linearization.h), mode shapes in joint coordinates, text
// descriptions by the kinetic energy of bodies. Neutral modes are combined so that each has a joint coordinate in which
// it is 1 and the others are 0.
#include "analysis/linear/linearization.h"
#include "analysis/analysis_tolerances.h"
#include "analysis/motion_description.h"
#include "analysis/linear/linearization_rounding.h"
#include "analysis/linear/spectrum.h"

#include "core/check_arguments.h"
#include "math/lapack.h"
#include "math/norm_inf.h"
#include "math/pi.h"

#include <cardan/analyse.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTION_SIZE = 240 };

typedef struct modes_result {
    cardan_modes public; // first member: cardan_modes* points to modes_result
    cd_arena     arena;
    cardan_mode* mode;
    double*      shape;       // (4 x nv_joint) each: tangent and joint shape, real and imaginary
    char*        description; // (DESCRIPTION_SIZE) each
} modes_result;

typedef struct modes_work {
    cardan_data*     d;
    cd_linearization l;
    cd_spectrum      s;
    double           fastest; // [1/s] largest magnitude of an eigenvalue
    modes_result*    output;
    double*          joint_velocities; // (nv_joint x np) column major: joint velocities of the motions Np, translations
                                       // in characteristic lengths
    double* scratch;
    int*    entry; // (nentry) indices of joint velocities in the order of the joints
    int     nentry;
} modes_work;

// ---- state matrix

// Convert joint coordinates y to xi in place, x (n).
static void to_motions(const modes_work* k, double* x)
{
    const cd_linearization* l = &k->l;
    memcpy(k->scratch, x, (size_t)l->np * sizeof *x);
    for (int i = 0; i < l->np; ++i) {
        x[i] = 0;
        for (int j = 0; j < l->np; ++j) x[i] += l->inverse[(size_t)j * (size_t)l->n + (size_t)i] * k->scratch[j];
    }
}

static bool find_spectrum(modes_work* k)
{
    cd_linearization* l = &k->l;
    if (!cd_linearization_rounding(l, l->Y) || !cd_spectrum_find(l->n, l->A, l->Y, &k->s)) return false;
    for (int i = 0; i < k->s.count; ++i) k->fastest = fmax(k->fastest, hypot(k->s.real[i], k->s.imaginary[i]));
    return true;
}

// ---- mode shapes

static void compute_joint_velocities(modes_work* k)
{
    cd_linearization* l = &k->l;
    k->nentry           = cd_joint_entries(k->d->m, k->entry);
    for (int i = 0; i < l->np; ++i)
        cd_joint_velocities(k->d, l->Np + (size_t)i * (size_t)k->d->m->nv, l->tangent.length,
                            k->joint_velocities + (size_t)i * (size_t)k->d->m->nv_joint);
    cd_linearization_set_state(l, NULL);
}

static void joint_shape(const modes_work* k, const double* xi, double* joint)
{
    const size_t all = (size_t)k->d->m->nv_joint;
    memset(joint, 0, all * sizeof *joint);
    for (int i = 0; i < k->l.np; ++i)
        for (size_t j = 0; j < all; ++j) joint[j] += k->joint_velocities[(size_t)i * all + j] * xi[i];
}

// Convert joint velocities from characteristic lengths to m.
static void to_si_units(const modes_work* k, double* joint)
{
    const cardan_model* m = k->d->m;
    for (int j = 0; j < m->njoint; ++j)
        for (int i = 0; m->joint_range[j].v >= 0 && i < m->joint_range[j].nv; ++i)
            if (!cd_joint_velocity_is_rotation(m, j, i)) joint[m->joint_range[j].v + i] *= k->l.tangent.length;
}

// Multiply the shape by a complex factor so that its largest joint coordinate is 1. re, im: xi (np); joint_re, joint_im
// (nv_joint) are computed.
static void normalize(const modes_work* k, double* re, double* im, double* joint_re, double* joint_im)
{
    const int all = k->d->m->nv_joint;
    joint_shape(k, re, joint_re);
    joint_shape(k, im, joint_im);
    double most = 0, a = 1, b = 0;
    for (int e = 0; e < k->nentry; ++e) {
        const int j = k->entry[e];
        if (hypot(joint_re[j], joint_im[j]) > most * cd_tie_factor)
            most = hypot(joint_re[j], joint_im[j]), a = joint_re[j], b = joint_im[j];
    }
    const double size = a * a + b * b;
    if (!(size > 0)) return;
    for (int i = 0; i < k->l.np + all; ++i) { // divide by a + ib
        double*      x = i < k->l.np ? &re[i] : &joint_re[i - k->l.np];
        double*      y = i < k->l.np ? &im[i] : &joint_im[i - k->l.np];
        const double u = (*x * a + *y * b) / size, v = (*y * a - *x * b) / size;
        *x = u;
        *y = v;
    }
}

// Normalize and store one mode with its description. Returns false without memory.
static bool store_mode(modes_work* k, cardan_mode* mode, double* re, double* im, const double* states)
{
    const cardan_model* m   = k->d->m;
    const size_t        all = (size_t)m->nv_joint, i = (size_t)(mode - k->output->mode);
    double *            move_re = k->output->shape + 4 * i * all, *move_im = move_re + all, *joint_re = move_im + all,
           *joint_im = joint_re + all;
    char* text       = k->output->description + i * DESCRIPTION_SIZE;
    normalize(k, re, im, joint_re, joint_im);
    cd_linearization_motion(&k->l, re, move_re);
    cd_linearization_motion(&k->l, im, move_im);
    to_si_units(k, joint_re);
    to_si_units(k, joint_im);
    const bool described = cd_describe_mode_shape(k->d, k->l.M, move_re, move_im, states, text, DESCRIPTION_SIZE);
    cd_linearization_set_state(&k->l, NULL);
    mode->tangent_real      = move_re;
    mode->tangent_imaginary = move_im;
    mode->joint_real        = joint_re;
    mode->joint_imaginary   = joint_im;
    mode->description       = text;
    return described;
}

// ---- neutral modes

// Combine the columns of X (n x count) so that each has a joint coordinate in which it is 1 and the others are 0.
// Returns false without memory.
static bool separate_neutral(modes_work* k, int count, double* X)
{
    const size_t n = (size_t)k->l.n, all = (size_t)k->d->m->nv_joint, c = (size_t)count;
    double*      Z      = cd_allocate(2 * all * c + c * c + c + 1, sizeof *Z);
    int*         chosen = cd_allocate(2 * c + 1, sizeof *chosen);
    const bool   good   = Z && chosen;
    double *     kept = good ? Z + all * c : NULL, *S = good ? kept + all * c : NULL, *x = good ? S + c * c : NULL;
    for (size_t j = 0; good && j < c; ++j) joint_shape(k, X + j * n, Z + j * all);
    if (good) memcpy(kept, Z, all * c * sizeof *Z);
    if (good && cd_distinguishing_rows(k->nentry, k->entry, (int)all, count, Z, chosen) == count) {
        for (size_t j = 0; j < c; ++j) // S', to solve for rows of X
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

static void set_eigenvalue(modes_work* k, cardan_mode* mode, double a, double b)
{
    const double size = hypot(a, b), floor = cd_growth_tolerance * k->fastest;
    mode->kind              = b > 0 ? CARDAN_MODE_OSCILLATION : CARDAN_MODE_DECAY;
    mode->real              = a;
    mode->imaginary         = b;
    mode->frequency         = b / (2 * CD_PI);
    mode->natural_frequency = size / (2 * CD_PI);
    mode->damping_ratio     = size > 0 ? -a / size : 0;
    mode->is_unstable       = a > fmax(floor, cd_relative_growth_tolerance * size);
    mode->time_constant     = fabs(a) > fmax(floor, cd_relative_damping_tolerance * size) ? 1 / fabs(a) : INFINITY;
}

static int by_size(const void* a, const void* b)
{
    const cardan_mode *x = a, *y = b;
    if ((x->kind == CARDAN_MODE_NEUTRAL) != (y->kind == CARDAN_MODE_NEUTRAL))
        return x->kind == CARDAN_MODE_NEUTRAL ? -1 : 1;
    const float u = (float)x->natural_frequency, v = (float)y->natural_frequency; // single precision: the order
                                                                                  // does not depend on round-off
    if (u != v && x->kind != CARDAN_MODE_NEUTRAL) return u < v ? -1 : 1;
    if (x->is_unstable != y->is_unstable) return x->is_unstable ? -1 : 1;
    return x->description < y->description ? -1 : 1;
}

static bool fill_modes(modes_work* k)
{
    cd_spectrum*  s  = &k->s;
    modes_result* r  = k->output;
    const int     n  = k->l.n;
    double *      re = k->scratch + k->d->m->nv_joint, *im = re + n, *states = im + n;
    for (int i = 0; i < s->nneutral; ++i) to_motions(k, s->neutral + (size_t)i * (size_t)n);
    for (int i = 0; i < s->count; ++i) {
        to_motions(k, s->vector_real + (size_t)i * (size_t)n);
        to_motions(k, s->vector_imaginary + (size_t)i * (size_t)n);
    }
    if (s->nneutral > 0 && !separate_neutral(k, s->nneutral, s->neutral)) return false;
    for (int i = 0; i < s->nneutral + s->count; ++i) {
        cardan_mode* mode    = &r->mode[i];
        const bool   neutral = i < s->nneutral;
        const size_t at      = (size_t)(neutral ? i : i - s->nneutral) * (size_t)n;
        memcpy(re, (neutral ? s->neutral : s->vector_real) + at, (size_t)n * sizeof *re);
        if (neutral)
            memset(im, 0, (size_t)n * sizeof *im);
        else
            memcpy(im, s->vector_imaginary + at, (size_t)n * sizeof *im);
        if (neutral)
            *mode = (cardan_mode){.kind = CARDAN_MODE_NEUTRAL, .time_constant = INFINITY};
        else
            set_eigenvalue(k, mode, s->real[i - s->nneutral], s->imaginary[i - s->nneutral]);
        for (int z = 0; z < k->l.nz; ++z) states[z] = hypot(re[n - k->l.nz + z], im[n - k->l.nz + z]);
        if (!store_mode(k, mode, re, im, states)) return false;
        if (mode->is_unstable) ++r->public.nunstable;
    }
    qsort(r->mode, (size_t)(s->nneutral + s->count), sizeof *r->mode, by_size);
    return true;
}

static bool reserve(modes_work* k)
{
    const size_t  all = (size_t)k->d->m->nv_joint, count = (size_t)(k->s.nneutral + k->s.count), n = (size_t)k->l.n;
    modes_result* r = k->output;
    for (int pass = 0; pass < 2; ++pass) {
        CD_ARENA_ARRAY(&r->arena, r->mode, count + 1);
        CD_ARENA_ARRAY(&r->arena, r->shape, 4 * all * count + 1);
        CD_ARENA_ARRAY(&r->arena, r->description, DESCRIPTION_SIZE * count + 1);
        CD_ARENA_ARRAY(&r->arena, k->joint_velocities, all * (size_t)k->l.np + 1);
        CD_ARENA_ARRAY(&r->arena, k->entry, all + 1);
        CD_ARENA_ARRAY(&r->arena, k->scratch, all + 2 * n + (size_t)k->l.nz + 1);
        if (pass == 0 && !cd_arena_reserve(&r->arena)) return false;
    }
    return true;
}

cardan_status cardan_modes_create(cardan_data* d, cardan_modes** modes, cardan_report* report)
{
    CD_REQUIRE_POINTER(modes, "modes", report);
    *modes = NULL;
    CD_REQUIRE_POINTER(d, "data", report);
    modes_work    k      = {.d = d};
    cardan_status status = cd_linearization_create(d, &k.l, report);
    if (status != CARDAN_OK) return status;
    k.output  = cd_allocate(1, sizeof *k.output);
    bool good = k.output && find_spectrum(&k) && reserve(&k);
    if (good) compute_joint_velocities(&k);
    good = good && fill_modes(&k);
    if (good) {
        k.output->public = (cardan_modes){.count            = k.s.nneutral + k.s.count,
                                          .mode             = k.output->mode,
                                          .nposition        = k.l.np,
                                          .nvelocity        = k.l.nw,
                                          .nstate           = k.l.nz,
                                          .nunstable        = k.output->public.nunstable,
                                          .max_velocity     = cd_norm_inf(d->m->nv, k.l.v0),
                                          .max_acceleration = cd_norm_inf(d->m->nv, k.l.a0)};
        *modes           = &k.output->public;
    } else {
        cardan_modes_destroy((cardan_modes*)k.output);
        status =
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_EIGENVALUES_FAILED, cardan_location_none(),
                        "the eigenvalues of '%s' cannot be computed: out of memory, or not finite", d->m->view.name);
    }
    cd_spectrum_release(&k.s);
    cd_linearization_release(&k.l);
    return status;
}

void cardan_modes_destroy(cardan_modes* modes)
{
    modes_result* r = (modes_result*)modes;
    if (!r) return;
    cd_arena_release(&r->arena);
    free(r);
}
