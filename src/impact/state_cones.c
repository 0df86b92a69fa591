// SPDX-License-Identifier: BSD-3-Clause
// Sets that restrict the impulses of contacts in given states, their margin, and their rows in a conic program.
#include "impact/contact_states_internal.h"

#include <math.h>

void cd_states_cones_layout(cd_arena* arena, int max_rows, int max_elements, cd_states_work* work)
{
    const int  cones = 4 * max_elements + 1, rows = 2 * max_rows + 4 * max_elements + 1, n = max_rows + 1;
    const long entries = (long)rows * n;
    cd_cone_rows_layout(arena, cones, rows, entries, &work->program.rows);
    cd_interior_point_layout(arena, n, cones, rows, &work->interior);
    CD_ARENA_ARRAY(arena, work->shifted, cones);
    CD_ARENA_ARRAY(arena, work->shift_by, cones);
    work->program.shifted  = work->shifted;
    work->program.shift_by = work->shift_by;
    CD_ARENA_ARRAY(arena, work->H, (size_t)n * (size_t)n);
    CD_ARENA_ARRAY(arena, work->c, n);
    CD_ARENA_ARRAY(arena, work->x, n);
    CD_ARENA_ARRAY(arena, work->null_force, (size_t)max_rows * (size_t)max_rows);
}

int cd_states_list_sets(const cd_contact_element* e, const cd_element_state* s, cd_state_set set[CD_STATE_MAX_SETS])
{
    int count = 0;
    if (e->kind == CD_ELEMENT_BILATERAL) return 0;
    if (e->kind == CD_ELEMENT_FRICTION) {
        if (!s->slips) set[count++] = (cd_state_set){e->row, 1, -1, 0, e->bound, 1};
        return count;
    }
    if (s->is_open) return 0;
    set[count++] = (cd_state_set){e->row, 0, e->row, 1, 0, 1};
    if (e->kind != CD_ELEMENT_POINT) return count;
    if (e->mu > 0 && !s->slips)
        set[count++] = (cd_state_set){e->row + 1, 2, e->row, e->mu, e->mu * e->preload, sqrt(1 + e->mu * e->mu)};
    if (e->nrow < 6) return count;
    if (e->spinning > 0 && !s->spins) set[count++] = (cd_state_set){e->row + 3, 1, e->row, e->spinning, 0, e->spinning};
    if (e->rolling > 0 && !s->rolls) set[count++] = (cd_state_set){e->row + 4, 2, e->row, e->rolling, 0, e->rolling};
    return count;
}

static double margin_of(const cd_state_set* set, const double* p)
{
    double size = set->bound;
    if (set->normal >= 0) size += set->factor * p[set->normal];
    if (set->nrow == 1) size -= fabs(p[set->row]);
    if (set->nrow == 2) size -= hypot(p[set->row], p[set->row + 1]);
    return size / set->weight;
}

double cd_states_margin(const cd_contact_problem* problem, const cd_element_state* state, const double* p)
{
    double margin = INFINITY;
    for (int i = 0; i < problem->nelement; ++i) {
        cd_state_set set[CD_STATE_MAX_SETS];
        const int    count = cd_states_list_sets(&problem->element[i], &state[i], set);
        for (int k = 0; k < count; ++k) margin = fmin(margin, margin_of(&set[k], p));
    }
    return margin;
}

// One row: factor times p of `row` + bound - weight t, in units of `scale`.
static void add_row(cd_states_work* work, const cd_contact_problem* problem, const double* p, double scale, int row,
                    double factor, double bound, double weight)
{
    cd_cone_rows* rows  = &work->program.rows;
    const int     count = work->nullity;
    cd_cone_rows_begin_row(rows, ((row >= 0 ? factor * p[row] : 0) + bound) / scale);
    for (int v = 0; row >= 0 && v < count; ++v)
        cd_cone_rows_add(rows, v, factor * work->null_force[(long)v * problem->nrow + row] / scale);
    if (weight != 0) cd_cone_rows_add(rows, count, -weight);
}

void cd_states_build_cones(const cd_contact_problem* problem, const cd_element_state* state, cd_states_work* work,
                           const double* p, double scale, bool has_margin)
{
    cd_cone_rows* rows = &work->program.rows;
    cd_cone_rows_clear(rows);
    for (int c = 0; c <= CD_STATE_MAX_SETS * problem->nelement; ++c) work->shifted[c] = -1;
    for (int i = 0; i < problem->nelement; ++i) {
        cd_state_set set[CD_STATE_MAX_SETS];
        const int    count = cd_states_list_sets(&problem->element[i], &state[i], set);
        for (int k = 0; k < count; ++k) {
            cd_cone_rows_begin_cone(rows);
            add_row(work, problem, p, scale, set[k].normal, set[k].factor / set[k].weight, set[k].bound / set[k].weight,
                    has_margin);
            for (int r = 0; r < set[k].nrow; ++r)
                add_row(work, problem, p, scale, set[k].row + r, 1 / set[k].weight, 0, 0);
        }
    }
    if (!has_margin) return;
    cd_cone_rows_begin_cone(rows); // margin <= 1
    add_row(work, problem, p, scale, -1, 0, scale, 1);
}
