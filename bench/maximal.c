// SPDX-License-Identifier: BSD-3-Clause
#include "maximal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double chance(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

// Joint of `nrow` rows (3: spherical, 5: revolute, 4: universal) between a and b; b < 0: ground. Arms and axes are
// random.
static void add_joint(flat* f, int a, int b, int nrow)
{
    uint64_t seed = 12345u + 977u * (uint64_t)f->njoint;
    cd_array_grow((void**)&f->block, &f->capacity, f->njoint, sizeof *f->block);
    const int    end[2] = {a, b};
    const int    nend   = b < 0 ? 1 : 2;
    cd_row_block r      = {.row = f->rows.nrow, .nrow = nrow, .nv = 6 * nend};
    r.v                 = cd_allocate((size_t)r.nv, sizeof *r.v);
    r.J                 = cd_allocate((size_t)(r.nv * nrow), sizeof *r.J);
    for (int e = 0; e < nend; ++e) {
        const double sign = e ? -1 : 1;
        for (int k = 0; k < 6; ++k) r.v[6 * e + k] = 6 * end[e] + k;
        for (int i = 0; i < nrow; ++i)
            for (int k = 0; k < 3; ++k) {
                if (i < 3) r.J[i * r.nv + 6 * e + k] = i == k ? sign : 0;
                r.J[i * r.nv + 6 * e + 3 + k] = sign * chance(&seed);
            }
    }
    f->rows.nrow += nrow;
    f->block[f->njoint++] = r;
}

static void ring(flat* f, int n)
{
    f->nbody = n;
    for (int i = 0; i < n; ++i) add_joint(f, i, (i + 1) % n, 3);
}

static void star(flat* f, int n)
{
    f->nbody = n;
    for (int i = 1; i < n; ++i) add_joint(f, i, 0, 3);
}

static void chain(flat* f, int n)
{
    f->nbody = n;
    for (int i = 0; i < n; ++i) add_joint(f, i, i - 1, 5);
}

// Ladder of n bodies: rails on universal joints, rungs on spherical ones.
static void ladder(flat* f, int n)
{
    const int cells = (n - 1) / 2;
    f->nbody        = 2 * cells + 1;
    add_joint(f, 0, -1, 4);
    for (int i = 1; i <= cells; ++i) {
        add_joint(f, 2 * i - 1, 2 * (i - 1), 3);
        add_joint(f, 2 * i, 2 * i - 1, 3);
        add_joint(f, 2 * i, -1, 4);
    }
}

// Binary tree: spherical, revolute and universal joints alternate; the root is connected to ground.
static void tree(flat* f, int n)
{
    const int rows[3] = {5, 3, 5};
    f->nbody          = n;
    for (int i = 0; i < n; ++i) add_joint(f, i, i == 0 ? -1 : (i - 1) / 2, i == 0 ? 5 : rows[i % 3]);
}

// Closed chain of revolute joints: an arm whose last body is constrained by a universal joint and a gear row.
static void arm(flat* f, int n)
{
    f->nbody = n;
    for (int i = 0; i < n; ++i) add_joint(f, i, i - 1, 5);
    add_joint(f, n - 1, -1, 4);
    add_joint(f, n - 1, 0, 1);
}

const flat_family flat_families[]   = {{"ring", ring},     {"star", star}, {"chain", chain},
                                       {"ladder", ladder}, {"tree", tree}, {"arm", arm}};
const int         flat_family_count = sizeof flat_families / sizeof *flat_families;

flat flat_make(const flat_family* family, int n)
{
    flat     f    = {0};
    uint64_t seed = 1;
    family->make(&f, n);
    f.rows.nblock = f.njoint;
    f.rows.block  = f.block;
    f.inertia     = cd_allocate(4 * (size_t)f.nbody, sizeof *f.inertia);
    for (int i = 0; i < 4 * f.nbody; ++i) f.inertia[i] = 1.5 + chance(&seed);
    return f;
}

void flat_free(flat* f)
{
    for (int i = 0; i < f->njoint; ++i) free(f->block[i].v), free(f->block[i].J);
    free(f->block), free(f->inertia);
}

void flat_assemble(const flat* f, cd_kkt_system* S)
{
    cd_block_clear(&S->F);
    for (int b = 0; b < f->nbody; ++b)
        for (int k = 0; k < 6 && !cd_block_is_reused(&S->F, b); ++k)
            S->F.value[S->F.column[S->F.position[b]].diagonal_offset + k * (r_padded_rows(6) + 1)] =
                f->inertia[4 * b + (k < 3 ? 0 : k - 2)];
    for (int c = 0; c < f->njoint; ++c) {
        const cd_row_block* b = &f->block[c];
        for (int n = S->jacobian_start[c]; n < S->jacobian_start[c + 1]; ++n) {
            const cd_kkt_jacobian_block* run = &S->jacobian[n];
            double*                      A   = S->F.value + run->address.offset;
            if (run->end - run->begin == 6) { // as in the formulation lagrange
                const double* J = b->J + run->begin;
                for (int i = 0; i < b->nrow; ++i, J += b->nv, A += run->address.row_stride)
                    for (int k = 0; k < 6; ++k)
                        A[run->address.column_stride == 1 ? k : k * run->address.column_stride] = J[k];
                continue;
            }
            for (int j = run->begin; j < run->end; ++j)
                for (int i = 0, k = b->v[j] % 6; i < b->nrow; ++i)
                    A[i * run->address.row_stride + k * run->address.column_stride] = b->J[i * b->nv + j];
        }
    }
}
