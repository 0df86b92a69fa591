// SPDX-License-Identifier: BSD-3-Clause
// Near a singular pose with the distance x a pivot shrinks as x^2; or, in joint coordinates, a whole row with x, which
// no pivot shows, since pivots do not depend on the scale of a row. So rows are compared with their own past, where the
// formulation has them on velocities; one that has not sees rows vanish by itself. docs/theory/singular.md (1).
//
// Pivots of fronts depend on which velocity is eliminated by which row. There the weakest direction itself is followed,
// J x = s u with u and x carried on from step to step, in every group of loops by itself: then s changes its sign at a
// singular pose, and no step is too long to see that. docs/theory/singular.md, the measure.
#include "motion/strength.h"

#include "core/sets.h"
#include "dynamics/data.h"
#include "formulation/weakest.h"
#include "math/largest.h"
#include "motion/system.h"

#include <math.h>
#include <string.h>

// Gaps make rows look independent that are not, and so does what is left of weak ones: only states on the constraints,
// and firm ones, tell how many there are.
static const double on_constraints = 1e-9; // what a gap makes of a repeated row is then below the pivot of a null row,
                                           // 1e-10 in s^2, by far: it enters squared
static const double firm_part =
    0.1; // of the largest s^2: three times as far from the pose as `near`, and most of a run is there
static const double nothing = 1e-9; // a row that never was more has only rounding in it
static const double unfelt  = 1e-2; // beside the largest row of its constraint: such rows are zero where they are
                                    // closed, and gaps of steps are below this

static const double same_way = 0.5;  // cosine: less than 60 degrees in a step is the same direction, carried on
static const double doubtful = 0.3;  // pivots below this part of the largest may have lost it to their coordinates
static const double settled  = 1e-2; // of 1/s^2: s to half a percent, where factors of three decide
static const double fallen   = 0.1;  // of the largest 1/s^2: rows see such a direction that the iteration does not
static const double stirred =
    1e-3; // of z: two iterations amplify a direction that has become the weakest by (s2/s)^4, a factor of three by 100
static const double stays_firm = 0.5; // s, from look to look (looks.c: nothing moves by more than 0.3 between them)
static const double any_rest =
    1e3; // of an iteration's equations: its factor is that of the last accelerations, rows may be those of another pose
         // since, by which nothing is refined; and a direction needs few digits of the solve
enum { MOST_ITERATIONS = 8 };

// Whose weakest directions are followed: by an iteration of its own, or by its solves.
static bool follows(const cd_system* system)
{
    const cd_formulation* f = system->data->formulation;
    return system->loops && (f->weakest || !(f->supports & CD_BASELINE));
}

int cd_firmness_groups(const cd_system* system) { return follows(system) ? system->data->system.nblock + 1 : 1; }

double cd_firmness_most(const cd_system* system, int group)
{
    return follows(system) ? system->firmness.strongest[group] : sqrt(system->firmness.firmest);
}

void cd_firmness_layout(cd_system* system, cd_arena* arena)
{
    cd_firmness* f    = &system->firmness;
    const int    nrow = system->data->system.nrow, most = cd_firmness_groups(system);
    CD_TAKE(arena, f->row_size, system->data->rows.nrow);
    CD_TAKE(arena, f->seen, most);
    if (!follows(system)) return;
    CD_TAKE(arena, f->weight, nrow);
    CD_TAKE(arena, f->row_group, nrow);
    CD_TAKE(arena, f->v_group, system->nv);
    CD_TAKE(arena, f->root, most);
    CD_TAKE(arena, f->z, nrow);
    CD_TAKE(arena, f->aside, nrow);
    CD_TAKE(arena, f->any, nrow);
    CD_TAKE(arena, f->best_z, nrow);
    CD_TAKE(arena, f->x, system->nv);
    CD_TAKE(arena, f->way, system->nv);
    CD_TAKE(arena, f->best_way, system->nv);
    double** const each[] = {&f->strongest, &f->flexible, &f->before, &f->best, &f->size, &f->along};
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) CD_TAKE(arena, *each[i], most);
    CD_TAKE(arena, f->side, most);
}

// Velocities between the ends of a constraint belong to its group, and whoever else feels them too. Links stand behind
// their parents.
static void join_way(const cardan_model* m, const cd_row_block* b, int c, int* v_group, int* root)
{
    int at[CD_BLOCK_BODIES];
    for (int n = 0; n < b->nend; ++n) at[n] = b->link[n];
    for (;;) {
        int outer = 0, alike = 1;
        for (int n = 1; n < b->nend; ++n) {
            alike &= at[n] == at[0];
            if (at[n] > at[outer]) outer = n;
        }
        if (at[outer] < 0 || (alike && b->nend > 1)) return;
        const cd_link* link = &m->link[at[outer]];
        const int      here = at[outer];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            if (v_group[v] == CARDAN_NONE)
                v_group[v] = c;
            else
                root[cd_root_of(root, v_group[v])] = cd_root_of(root, c);
        }
        for (int n = 0; n < b->nend; ++n)
            if (at[n] == here) at[n] = link->parent;
    }
}

static void find_groups(cd_system* system)
{
    cd_firmness*        f    = &system->firmness;
    const cd_rows*      rows = &system->data->system;
    const cardan_model* m    = system->model;
    for (int c = 0; c < rows->nblock; ++c) f->root[c] = c;
    for (int v = 0; v < m->nv; ++v) f->v_group[v] = CARDAN_NONE;
    for (int c = 0; c < rows->nblock; ++c) join_way(m, &rows->block[c], c, f->v_group, f->root);
    for (int c = 0; c < rows->nblock; ++c) f->side[c] = CARDAN_NONE; // number of a root
    f->ngroup = 0;
    for (int c = 0; c < rows->nblock; ++c) {
        int* number = &f->side[cd_root_of(f->root, c)];
        if (*number == CARDAN_NONE) *number = f->ngroup++;
        for (int i = rows->block[c].row; i < rows->block[c].row + rows->block[c].nrow; ++i) f->row_group[i] = *number;
    }
    for (int v = 0; v < m->nv; ++v)
        if (f->v_group[v] != CARDAN_NONE) f->v_group[v] = f->side[cd_root_of(f->root, f->v_group[v])];
}

void cd_firmness_begin(cd_system* system)
{
    cd_firmness* f = &system->firmness;
    f->fewest      = -1;
    f->told        = false;
    f->firmest     = 0;
    f->value       = 1;
    f->row         = CARDAN_NONE;
    f->t           = -INFINITY;
    f->followed    = false;
    f->ngroup      = 1;
    for (int i = 0; i < system->data->rows.nrow; ++i) f->row_size[i] = 0;
    if (!follows(system)) return;
    find_groups(system);
    for (int g = 0; g < f->ngroup; ++g) f->strongest[g] = 0;
    for (int i = 0; i < system->data->system.nrow; ++i) f->any[i] = 1 + 0.37 * sin(1.0 + 7.0 * i);
}

// The largest square so far of every row; whether some row is less than `value` of it now. A loop without branches,
// which becomes vectors.
static bool some_smaller(int nrow, const double* square, double value, double* row_size)
{
    long long smaller = 0;
    for (int i = 0; i < nrow; ++i) {
        const double now = square[i], most = now > row_size[i] ? now : row_size[i];
        row_size[i] = most;
        smaller += now < value * most;
    }
    return smaller > 0;
}

// The smallest row relative to its own past. A row that was never felt beside others of its constraint vanishes where
// it is closed, in every pose: what is seen of it are gaps.
static void look_at_rows(cd_firmness* f, const cd_rows* rows, const cd_closure* closure)
{
    if (!some_smaller(rows->nrow, closure->square, f->value, f->row_size)) return;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = b->row; i < b->row + b->nrow; ++i) {
            const double now = closure->square[i], past = f->row_size[i];
            if (!(now < f->value * past) || now == 0 || past < nothing * nothing ||
                past < unfelt * unfelt * cd_largest(b->nrow, f->row_size + b->row))
                continue;
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

// A row that is null is not in the factor, but where rows are soft, and there neither where nothing at all is left of
// it. Who has pivots that tell the mechanism is asked for more only where they are weak.
static bool can_follow(const cd_system* system)
{
    const cardan_data* data = system->data;
    const cd_firmness* f    = &system->firmness;
    if (!follows(system) || !data->factor_held ||
        !(f->value > 0 || (data->formulation->supports & CD_PASSES && !f->lost)))
        return false;
    return data->formulation->weakest || !f->followed || f->value < doubtful || f->lent;
}

// One inverse iteration (formulation/weakest.h), by a solve where the formulation has none of its own.
static void improve(cd_system* system, cd_row_groups groups, double* z)
{
    cardan_data*          data  = system->data;
    cd_firmness*          f     = &system->firmness;
    const cd_formulation* by    = data->formulation;
    cd_where              where = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    if (by->weakest) {
        by->weakest(data->m, &data->system, data->work, groups, z, f->way, f->flexible);
        return;
    }
    cd_normalize_rows(&data->system, groups, f->weight, f->flexible, z);
    data->system.enough = any_rest;
    by->solve(data->m, &data->k, &data->system, data->work, data->rest, z, f->way, data->y, &where);
    data->system.enough = 0;
    cd_next_rows(&data->system, groups, f->weight, data->y, f->flexible, z);
}

// A little of everything: what was far from the weakest direction of its group may be it now.
static void stir(const cd_system* system, double part, double* z)
{
    const cardan_data* data = system->data;
    const cd_firmness* f    = &system->firmness;
    for (int g = 0; g < f->ngroup; ++g) f->size[g] = 0;
    for (int i = 0; i < data->rows.nrow; ++i)
        f->size[f->row_group[i]] = cd_larger(f->size[f->row_group[i]], fabs(z[i]));
    for (int i = 0; i < data->system.nrow; ++i) {
        const double size = f->size[f->row_group[i]];
        z[i]              = i < data->rows.nrow ? z[i] + part * (size > 0 ? size : 1) * f->any[i] : 0;
    }
}

// Whether 1/s^2 of every group has settled, or has fallen far below what is kept.
static bool is_done(const cd_firmness* f)
{
    bool done = true;
    for (int g = 0; g < f->ngroup; ++g)
        done &= fabs(f->flexible[g] - f->before[g]) <= settled * f->flexible[g] || f->flexible[g] < fallen * f->best[g];
    return done;
}

// 1/s^2 of a group, its part of the direction and of the next z are kept: the last ones or, where the formulation has
// an iteration of its own, whose 1/s^2 are lower bounds, the largest.
static void keep_best(const cd_system* system, const double* z)
{
    const cd_firmness* f      = &system->firmness;
    const bool         bounds = system->data->formulation->weakest != NULL;
    for (int g = 0; g < f->ngroup; ++g) f->size[g] = !bounds || f->flexible[g] > f->best[g];
    for (int v = 0; v < system->nv; ++v)
        if (f->v_group[v] != CARDAN_NONE && f->size[f->v_group[v]] > 0) f->best_way[v] = f->way[v];
    for (int i = 0; i < system->data->system.nrow; ++i)
        if (f->size[f->row_group[i]] > 0) f->best_z[i] = z[i];
    for (int g = 0; g < f->ngroup; ++g)
        if (f->size[g] > 0) f->best[g] = f->flexible[g];
}

// 1/s^2 of each group by the factor at hand, from z on, which is improved; the directions are left in `way`. Rows that
// a formulation leaves out because they repeat others were chosen at another pose: where those that are left have come
// to depend on each other the iteration turns to a direction that the rows left out resist, and 1/s^2 falls. 0: 1/s^2
// of the group is not known, z is as before.
static void iterate(cd_system* system, double* z)
{
    cd_firmness*        f      = &system->firmness;
    const cd_row_groups groups = {f->ngroup, f->row_group};
    for (int g = 0; g < f->ngroup; ++g) f->flexible[g] = f->best[g] = 0;
    memcpy(f->best_z, z, (size_t)system->data->system.nrow * sizeof *z);
    memcpy(f->best_way, f->way, (size_t)system->nv * sizeof *f->way);
    for (int i = 0; i < MOST_ITERATIONS; ++i) {
        memcpy(f->before, f->flexible, (size_t)f->ngroup * sizeof *f->before);
        improve(system, groups, z);
        keep_best(system, z);
        if (is_done(f)) break;
    }
    memcpy(f->flexible, f->best, (size_t)f->ngroup * sizeof *f->best);
    memcpy(z, f->best_z, (size_t)system->data->system.nrow * sizeof *z);
    memcpy(f->way, f->best_way, (size_t)system->nv * sizeof *f->way);
}

// What iterates by solves needs weights of rows.
static void weigh(cd_system* system)
{
    cardan_data* data = system->data;
    if (data->formulation->weakest) return;
    cd_know_rows(data);
    cd_weigh_rows(&data->system, data->length, system->firmness.weight);
}

// Within a step: what pivots take for weak is looked at itself. Pivots of fronts may be weaker than the mechanism;
// those of others are not.
static void look_along(cd_system* system)
{
    cd_firmness* f     = &system->firmness;
    double       least = 1;
    weigh(system);
    memcpy(f->aside, f->z, (size_t)system->data->system.nrow * sizeof *f->z);
    stir(system, stirred, f->aside);
    iterate(system, f->aside);
    for (int g = 0; g < f->ngroup; ++g)
        if (f->strongest[g] > 0)
            least =
                fmin(least, f->flexible[g] > 0 ? 1 / (f->flexible[g] * f->strongest[g] * f->strongest[g]) : f->value);
    f->lost = f->value == 0 &&
              least >= cd_near_part; // a pivot is missing, and all directions are firm: it is the pose itself
    if (!f->lost) f->value = system->data->formulation->weakest || f->lent ? least : fmin(f->value, least);
}

void cd_firmness_look(cd_system* system)
{
    cardan_data*      data = system->data;
    cd_firmness*      f    = &system->firmness;
    const cd_strength now =
        data->formulation->strength ? data->strength : (cd_strength){.least = 1, .row = CARDAN_NONE};
    if (!system->loops) return;
    if (count_off(data) != f->off) {
        cd_firmness_begin(system);
        f->off = count_off(data);
    }
    f->lent = now.lent && follows(system);
    if (!f->lent || !f->followed) f->firmest = fmax(f->firmest, now.least);
    if (data->rows.gap < on_constraints && (f->lent || now.least > firm_part * f->firmest) &&
        (f->fewest < 0 || now.null < f->fewest))
        f->fewest = now.null;
    f->told    = now.null == f->fewest && (data->system.held || data->rows.gap < on_constraints);
    f->t       = data->t;
    f->factors = data->factors;
    f->row     = now.row;
    f->lost    = false;
    f->value   = f->fewest >= 0 && now.null > f->fewest ? 0 : f->lent ? 1 : now.least / f->firmest;
    if (data->closure.ways) look_at_rows(f, &data->rows, &data->closure);
    if (f->followed && (f->lent || f->value < (data->formulation->weakest ? doubtful : cd_near_part)) &&
        can_follow(system))
        look_along(system);
    data->near = f->value < cd_near_part;
    if (f->lent && f->followed && f->value > firm_part) f->firmest = now.least / f->value; // of what is lent here
    data->firmest = f->firmest;
}

// `way` is x/s: its part along x, from the look before, has the sign of s. Where s is not known the pivots tell how
// weak rows are, and x stays as it was.
static void compare_ways(const cardan_model* m, cd_firmness* f)
{
    for (int g = 0; g < f->ngroup; ++g) f->size[g] = f->along[g] = 0;
    for (int v = 0; v < m->nv; ++v) {
        const int g = f->v_group[v];
        if (g == CARDAN_NONE) continue;
        f->size[g] += m->resistance[v] * f->way[v] * f->way[v];
        f->along[g] += f->followed ? m->resistance[v] * f->way[v] * f->x[v] : 0;
    }
    for (int g = 0; g < f->ngroup; ++g) {
        const bool   good = f->flexible[g] > 0 && f->size[g] > 0 && isfinite(f->size[g]);
        const double size = good ? sqrt(f->size[g]) : 1, s = good ? 1 / sqrt(f->flexible[g]) : 0;
        const bool   same = good && fabs(f->along[g]) > same_way * size;
        const int    side = same && f->along[g] < 0 ? -1 : 1;
        f->strongest[g]   = fmax(f->strongest[g], s);
        f->seen[g].s      = good ? s / f->strongest[g] : f->strongest[g] > 0 ? sqrt(f->value) : 1;
        f->seen[g].sign   = same ? side * f->side[g] : 0;
        if (good || !f->followed) f->side[g] = side;
        f->size[g] = good ? side / size : 0;
    }
    for (int v = 0; v < m->nv; ++v) {
        const double size = f->v_group[v] == CARDAN_NONE ? 0 : f->size[f->v_group[v]];
        if (size != 0 || !f->followed) f->x[v] = size * f->way[v];
    }
}

// Where directions cannot be followed all groups are as weak as the weakest; but of a pose in which rows are null those
// that were firm at the look before have no part.
static void take_value(cd_firmness* f)
{
    double least = INFINITY;
    for (int g = 0; g < f->ngroup; ++g) least = fmin(least, f->seen[g].s);
    for (int g = 0; g < f->ngroup; ++g)
        f->seen[g] = (cd_seen){
            f->value == 0 && f->followed && f->seen[g].s > fmax(least, stays_firm) ? f->seen[g].s : sqrt(f->value), 0};
}

void cd_firmness_follow(cd_system* system)
{
    cd_firmness* f = &system->firmness;
    if (!can_follow(system)) {
        take_value(f);
        return;
    }
    weigh(system);
    for (int i = 0; i < system->data->system.nrow && !f->followed; ++i) f->z[i] = 0;
    stir(system, stirred, f->z);
    iterate(system, f->z);
    compare_ways(system->model, f);
    f->followed = true;
}
