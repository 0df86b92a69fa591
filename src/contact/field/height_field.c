// SPDX-License-Identifier: BSD-3-Clause
// Compilation of a height field: checks, own samples, box, and the pyramid of least and largest heights.
#include "contact/field/height_field.h"
#include "contact/field/bicubic.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct cd_field_memory {
    cd_height_field field;
    cd_arena        arena;
    double*         z;
} cd_field_memory;

static const char* check(const cd_field_description* d)
{
    const bool profile = d->kind == CD_FIELD_PROFILE, formula = d->kind == CD_FIELD_FORMULA;
    if (d->nx < 2 || (!profile && d->ny < 2)) return "it has fewer than two points in a direction";
    if (profile && d->nx < 8) return "a profile needs at least eight points";
    if ((double)d->nx * (profile ? 1 : d->ny) > CD_FIELD_CELLS_MAX) return "it has too many points";
    if (!(d->dx > 0 && d->dy > 0 && isfinite(d->dx * d->nx) && isfinite(d->dy * d->ny)))
        return "its spacings must be positive and finite";
    if (!(isfinite(d->x0) && isfinite(d->y0))) return "its first point is not finite";
    if (formula) return d->function ? NULL : "its formula is missing";
    for (int i = 0; i < d->nx * (profile ? 1 : d->ny); ++i)
        if (!isfinite(d->z[i])) return "a height is not finite";
    if (d->periodic && d->z[0] != d->z[d->nx - 1]) return "a periodic profile must end with its first height";
    return NULL;
}

static void layout(cd_field_memory* m, cd_arena* arena)
{
    cd_height_field* f = &m->field;
    const int        n = f->d.kind == CD_FIELD_FORMULA ? 0 : f->d.nx * (f->d.kind == CD_FIELD_PROFILE ? 1 : f->d.ny);
    const int        p = f->d.kind == CD_FIELD_PROFILE ? f->d.nx : 0;
    CD_ARENA_ARRAY(arena, m->z, n);
    CD_ARENA_ARRAY(arena, f->slope, p);
    CD_ARENA_ARRAY(arena, f->curvature, p);
    int x = f->cells_x, y = f->cells_y;
    for (f->nlevel = 0;; x = (x + 1) / 2, y = (y + 1) / 2) {
        f->level_x[f->nlevel] = x;
        f->level_y[f->nlevel] = y;
        CD_ARENA_ARRAY(arena, f->range[f->nlevel], x * y);
        ++f->nlevel;
        if (x == 1 && y == 1) break;
    }
}

static void widen(double range[2], double z)
{
    range[0] = fmin(range[0], z);
    range[1] = fmax(range[1], z);
}

// Least and largest height in a cell. A polynomial in Bernstein form is between its coefficients. Formulas are sampled at four
// by four points.
static void cell_range(const cd_height_field* f, int i, int j, double range[2])
{
    const cd_field_description* d = &f->d;
    range[0] = INFINITY, range[1] = -INFINITY;
    if (d->kind == CD_FIELD_TRIANGLES) {
        for (int k = 0; k < 4; ++k) widen(range, d->z[(j + k / 2) * d->nx + i + k % 2]);
    } else if (d->kind == CD_FIELD_SMOOTH) {
        double b[16];
        cd_bicubic_bernstein(f, i, j, b);
        for (int k = 0; k < 16; ++k) widen(range, b[k]);
    } else if (d->kind == CD_FIELD_PROFILE) { // coefficients of degree 5 from value, slope and curvature at both ends
        const double h = d->dx, *z = d->z + i, *s = f->slope + i, *c = f->curvature + i;
        widen(range, z[0]);
        widen(range, z[1]);
        widen(range, z[0] + h * s[0] / 5);
        widen(range, z[1] - h * s[1] / 5);
        widen(range, z[0] + 2 * h * s[0] / 5 + h * h * c[0] / 20);
        widen(range, z[1] - 2 * h * s[1] / 5 + h * h * c[1] / 20);
    } else {
        for (int k = 0; k < 16; ++k) {
            cd_height h;
            cd_height_evaluate(f, d->x0 + d->dx * (i + k % 4 / 3.0), d->y0 + d->dy * (j + k / 4 / 3.0), &h);
            widen(range, h.z);
        }
    }
}

static void build_pyramid(cd_height_field* f)
{
    for (int j = 0; j < f->cells_y; ++j)
        for (int i = 0; i < f->cells_x; ++i) cell_range(f, i, j, f->range[0][j * f->cells_x + i]);
    for (int k = 1; k < f->nlevel; ++k)
        for (int j = 0; j < f->level_y[k]; ++j)
            for (int i = 0; i < f->level_x[k]; ++i) {
                double* range = f->range[k][j * f->level_x[k] + i];
                range[0] = INFINITY, range[1] = -INFINITY;
                for (int q = 0; q < 4; ++q) {
                    const int x = 2 * i + q % 2, y = 2 * j + q / 2;
                    if (x >= f->level_x[k - 1] || y >= f->level_y[k - 1]) continue;
                    const double* part = f->range[k - 1][y * f->level_x[k - 1] + x];
                    range[0]           = fmin(range[0], part[0]);
                    range[1]           = fmax(range[1], part[1]);
                }
            }
    const cd_field_description* d   = &f->d;
    const double*               all = f->range[f->nlevel - 1][0];
    f->box = (cd_box){{d->x0, d->y0, all[0]}, {d->x0 + d->dx * f->cells_x, d->y0 + d->dy * f->cells_y, all[1]}};
}

cd_height_field* cd_height_field_create(const cd_field_description* d, const char** reason)
{
    *reason = check(d);
    if (*reason) return NULL;
    cd_field_memory* m = cd_allocate(1, sizeof *m);
    *reason            = "there is no memory";
    if (!m) return NULL;
    cd_height_field* f = &m->field;
    f->memory          = m;
    f->d               = *d;
    f->cells_x         = d->nx - 1;
    f->cells_y         = d->kind == CD_FIELD_PROFILE ? 1 : d->ny - 1;
    layout(m, &m->arena);
    if (!cd_arena_reserve(&m->arena)) {
        free(m);
        return NULL;
    }
    layout(m, &m->arena);
    if (d->kind != CD_FIELD_FORMULA) {
        memcpy(m->z, d->z, sizeof *m->z * (size_t)d->nx * (size_t)(d->kind == CD_FIELD_PROFILE ? 1 : d->ny));
        f->d.z = m->z;
    }
    if (d->kind == CD_FIELD_PROFILE) cd_profile_derivatives(&f->d, f->slope, f->curvature);
    build_pyramid(f);
    *reason = NULL;
    return f;
}

void cd_height_field_destroy(cd_height_field* field)
{
    if (!field) return;
    cd_field_memory* m = field->memory;
    cd_arena_release(&m->arena);
    free(m);
}
