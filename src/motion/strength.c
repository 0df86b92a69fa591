// SPDX-License-Identifier: BSD-3-Clause
// Near a singular pose with the distance x a pivot shrinks as x^2; or, in joint coordinates, a whole row with x, which no pivot shows,
// since pivots do not depend on the scale of a row. So rows are compared with their own past, where the formulation has them on velocities;
// one that has not sees rows vanish by itself. docs/theory/singular.md (1).
#include "motion/strength.h"

#include "dynamics/data.h"
#include "math/largest.h"
#include "motion/system.h"

#include <math.h>

// Gaps make rows look independent that are not: only states on the constraints tell how many there are.
static const double on_constraints = 1e-9;
static const double near_part      = 1e-3;
static const double nothing        = 1e-9; // a row that never was more has only rounding in it
static const double unfelt         = 1e-2; // beside the largest row of its constraint

void cd_firmness_layout(cd_system* system, cd_arena* arena) { CD_TAKE(arena, system->firmness.row_size, system->data->rows.nrow); }

void cd_firmness_begin(cd_system* system)
{
    cd_firmness* f = &system->firmness;
    f->fewest      = -1;
    f->firmest     = 0;
    f->value       = 1;
    f->row         = CARDAN_NONE;
    f->t           = -INFINITY;
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
    data->near = f->value < near_part;
}
