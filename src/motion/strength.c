// SPDX-License-Identifier: BSD-3-Clause
// Near a singular pose with the distance x a pivot shrinks as x^2; or, in joint coordinates, a whole row with x, which no pivot shows,
// since pivots do not depend on the scale of a row. So rows are compared with their own past, where the formulation has them on velocities;
// one that has not sees rows vanish by itself. docs/theory/singular.md (1).
//
// Pivots of fronts depend on which velocity is eliminated by which row. There the weakest direction itself is followed, J x = s u with u and x carried on from step to
// step: then s changes its sign at a singular pose, and no step is too long to see that. docs/theory/singular.md (2).
#include "motion/strength.h"

#include "dynamics/data.h"
#include "math/largest.h"
#include "motion/system.h"

#include <math.h>
#include <string.h>

// Gaps make rows look independent that are not: only states on the constraints tell how many there are.
static const double on_constraints = 1e-9;
static const double near_part      = 1e-3;
static const double nothing        = 1e-9; // a row that never was more has only rounding in it
static const double unfelt         = 1e-2; // beside the largest row of its constraint

static const double same_way       = 0.5;  // cosine: less is another direction
static const double doubtful       = 0.3;  // pivots below this part of the largest may have lost it to their coordinates
static const double settled        = 1e-2; // of 1/s^2
enum { MOST_ITERATIONS = 8 };

void cd_firmness_layout(cd_system* system, cd_arena* arena)
{
    cd_firmness* f = &system->firmness;
    CD_TAKE(arena, f->row_size, system->data->rows.nrow);
    CD_TAKE(arena, f->z, system->data->system.nrow);
    CD_TAKE(arena, f->aside, system->data->system.nrow);
    CD_TAKE(arena, f->x, system->nv);
    CD_TAKE(arena, f->way, system->nv);
}

void cd_firmness_begin(cd_system* system)
{
    cd_firmness* f = &system->firmness;
    f->fewest      = -1;
    f->firmest     = 0;
    f->value       = 1;
    f->row         = CARDAN_NONE;
    f->t           = -INFINITY;
    f->followed    = false;
    f->strongest   = 0;
    for (int i = 0; i < system->data->rows.nrow; ++i) f->row_size[i] = 0;
}

// The largest square so far of every row; whether some row is less than `value` of it now. Loops without branches, which become vectors.
static bool some_smaller(int nrow, const double* square, double value, double* row_size)
{
    long long smaller = 0;
    for (int i = 0; i < nrow; ++i) row_size[i] = square[i] > row_size[i] ? square[i] : row_size[i];
    for (int i = 0; i < nrow; ++i) smaller += square[i] < value * row_size[i];
    return smaller > 0;
}

// The smallest row relative to its own past. A row that was never felt beside others of its constraint vanishes where it is closed, in every
// pose: what is seen of it are gaps.
static void look_at_rows(cd_firmness* f, const cd_rows* rows, const cd_closure* closure)
{
    if (!some_smaller(rows->nrow, closure->square, f->value, f->row_size)) return;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b       = &rows->block[c];
        const double        largest = cd_largest(b->nrow, f->row_size + b->row);
        for (int i = b->row; i < b->row + b->nrow; ++i) {
            const double now = closure->square[i], past = f->row_size[i];
            if (!(now < f->value * past) || now == 0 || past < nothing * nothing || past < unfelt * unfelt * largest) continue;
            f->value = now / past;
            f->row   = i;
        }
    }
}

static int count_off(const cardan_data* data)
{
    int count = 0;
    for (int i = 0; data->some_off && i < data->closure.nconstraint; ++i) count += data->off[i];
    return count;
}

static double dot(const cardan_model* m, const double* a, const double* b)
{
    double sum = 0;
    for (int v = 0; v < m->nv; ++v) sum += m->resistance[v] * a[v] * b[v];
    return sum;
}

// A row that is null is not in the factor, but where rows are soft.
static bool can_follow(const cd_system* system)
{
    const cardan_data* data = system->data;
    return data->formulation->weakest && data->factor_held && (system->firmness.value > 0 || data->formulation->supports & CD_PASSES);
}

// 1/s^2 by the factor at hand, from z on, which is improved; the direction is left in `way`. 0: there is none.
static double iterate(cd_system* system, double* z)
{
    const cardan_data* data     = system->data;
    double             flexible = 0;
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        const double before = flexible;
        flexible            = data->formulation->weakest(data->m, &data->system, data->work, z, system->firmness.way);
        if (!(flexible > 0) || fabs(flexible - before) <= settled * flexible) break;
    }
    return flexible;
}

// Within a step: what pivots take for weak is looked at itself.
static void look_along(cd_system* system)
{
    cd_firmness* f = &system->firmness;
    memcpy(f->aside, f->z, (size_t)system->data->system.nrow * sizeof *f->z);
    const double flexible = iterate(system, f->aside);
    if (flexible > 0) f->value = fmin(1, 1 / (flexible * f->strongest * f->strongest));
}

// Any direction that is not, by chance, none of the weakest.
static void begin_anywhere(const cardan_data* data, double* z)
{
    for (int i = 0; i < data->system.nrow; ++i) z[i] = i < data->rows.nrow ? 1 + 0.37 * sin(1.0 + 7.0 * i) : 0;
}

void cd_firmness_look(cd_system* system)
{
    cardan_data*      data = system->data;
    cd_firmness*      f    = &system->firmness;
    const cd_strength now  = data->formulation->strength ? data->strength : (cd_strength){.least = 1, .row = CARDAN_NONE};
    if (!system->loops) return;
    if (count_off(data) != f->off) {
        cd_firmness_begin(system);
        f->off = count_off(data);
    }
    if (data->rows.gap < on_constraints && (f->fewest < 0 || now.null < f->fewest)) f->fewest = now.null;
    f->firmest = fmax(f->firmest, now.least);
    f->t       = data->t;
    f->row     = now.row;
    f->value   = f->fewest >= 0 && now.null > f->fewest ? 0 : now.least / f->firmest;
    if (data->closure.ways) look_at_rows(f, &data->rows, &data->closure);
    if (f->followed && f->value < doubtful && can_follow(system)) look_along(system);
    data->near = f->value < near_part;
}

cd_seen cd_firmness_follow(cd_system* system)
{
    cd_firmness*        f       = &system->firmness;
    const cardan_model* m       = system->model;
    const cd_seen       unknown = {sqrt(f->value), 0};
    if (!can_follow(system)) return unknown;
    if (!f->followed) begin_anywhere(system->data, f->z);
    const double flexible = iterate(system, f->z), size = sqrt(dot(m, f->way, f->way));
    if (!(flexible > 0) || !(size > 0) || !isfinite(size)) {
        f->followed = false;
        return unknown;
    }
    const double along = f->followed ? dot(m, f->x, f->way) / size : 0; // way is x/s
    const bool   same  = fabs(along) > same_way;
    const int    side = same && along < 0 ? -1 : 1, sign = same ? side * f->side : 0;
    for (int v = 0; v < m->nv; ++v) f->x[v] = side * f->way[v] / size;
    f->side      = side;
    f->followed  = true;
    f->strongest = fmax(f->strongest, 1 / sqrt(flexible));
    return (cd_seen){1 / sqrt(flexible) / f->strongest, sign};
}
