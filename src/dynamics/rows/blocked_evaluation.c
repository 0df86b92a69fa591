// SPDX-License-Identifier: BSD-3-Clause
// Blocked evaluation: links and constraints are evaluated in batches while the factorization sweeps over them. Large
// mechanisms are limited by memory bandwidth; therefore everything about a body or a constraint is computed while it
// is in the cache, and quantities that only the factorization uses are not stored: motion columns of links, twist
// Jacobians, constraint values. For integrator steps in maximal coordinates with independent rows or with frozen
// rank; the violation is available after the solve.
//
// A batch has CD_STREAM_BATCH constraints, or links. Forces may depend on any link: if there are any, the forward
// kinematics is computed before the sweep.
#include "dynamics/rows/blocked_evaluation.h"

#include "dynamics/data.h"
#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "math/norm_inf.h"
#include "math/quaternion.h"

#include <stddef.h>
#include <string.h>

enum { MIN_CONSTRAINTS = 256 }; // constraints; smaller mechanisms fit in the cache
enum {
    LINKS_PER_CHUNK    = 8,
    MIN_PREFETCH_LINKS = 2000
}; // links per inner loop; number of links above which memory is prefetched

static int block_count(int n) { return (n + CD_STREAM_BATCH - 1) / CD_STREAM_BATCH; }
static int block_end(int part, int n) { return (part + 1) * CD_STREAM_BATCH < n ? (part + 1) * CD_STREAM_BATCH : n; }

void cd_blocked_layout(cd_arena* arena, cardan_data* d)
{
    const cd_constraint_set* constraints = &d->constraints;
    cd_blocked_evaluation*   p           = &d->blocked;
    CD_ARENA_ARRAY(arena, p->row_stream.blocks_ready, block_count(constraints->nconstraint));
    CD_ARENA_ARRAY(arena, p->row_stream.bodies_ready, block_count(d->m->nlink));
    p->supported = d->m->all_links_free && constraints->nconstraint >= MIN_CONSTRAINTS && d->rotors.nconstraint == 0 &&
                   constraints->nlossy == 0;
    if (p->supported) d->world.pose = d->k.X; // share one array, to save memory traffic
}

bool cd_can_evaluate_blocked(const cardan_data* d)
{
    return d->blocked.supported && d->formulation->factor_and_solve && !d->settings.has_disabled_constraint;
}

static cardan_data* data_of_stream(cd_row_stream* stream)
{
    return (cardan_data*)((char*)stream - offsetof(cardan_data, blocked.row_stream));
}

// Prefetch the data of the next few links. Always inlined: a compiler may drop a function without side effects.
static inline __attribute__((always_inline)) void prefetch(const void* address, size_t size, bool written)
{
    for (const char *p = address, *end = p + size; p < end; p += 64)
        written ? __builtin_prefetch(p, 1) : __builtin_prefetch(p, 0);
}

static inline __attribute__((always_inline)) void prefetch_links(const cardan_data* d, int from, int to)
{
    const cd_blocked_evaluation* p = &d->blocked;
    const size_t                 n = (size_t)(to - from);
    prefetch(d->m->link + from, n * sizeof(cd_link), false);
    prefetch(d->solve.r + 6 * from, 6 * n * sizeof(double), true);
    if (!p->q) return;
    prefetch(p->q + 7 * from, 7 * n * sizeof(double), false);
    prefetch(p->v + 6 * from, 6 * n * sizeof(double), false);
    prefetch(d->q + 7 * from, 7 * n * sizeof(double), true);
    prefetch(d->v + 6 * from, 6 * n * sizeof(double), true);
    prefetch(d->k.X + from, n * sizeof(frame), true);
    prefetch(d->world.velocity + from, n * sizeof(spatial), true);
}

// Compute poses, velocities and r of some links; efforts and wrenches are up to date.
static void update_links(cardan_data* d, int from, int to)
{
    const cardan_model*          m = d->m;
    const cd_blocked_evaluation* p = &d->blocked;
    if (p->q) {
        memcpy(d->q + 7 * from, p->q + 7 * from, 7 * (size_t)(to - from) * sizeof *d->q);
        memcpy(d->v + 6 * from, p->v + 6 * from, 6 * (size_t)(to - from) * sizeof *d->v);
        for (int i = from; i < to; ++i) q4_normalize(d->q + 7 * i + 3);
        cd_forward_kinematics_free(m, &d->k, d->q, from, to);
        cd_world_poses_range(m, &d->k, d->v, &d->world, from, to);
    }
    cd_inverse_dynamics_free(m, &d->k, d->v, d->forces.has_wrenches ? d->forces.wrench : NULL, from, to, d->solve.r);
    for (int i = 6 * from; i < 6 * to; ++i)
        d->solve.r[i] = (d->forces.no_efforts ? 0 : d->forces.effort[i]) - d->solve.r[i];
}

static void stream_links(cd_row_stream* stream, int part)
{
    cardan_data* d  = data_of_stream(stream);
    const int    to = block_end(part, d->m->nlink);
    for (int i = part * CD_STREAM_BATCH, next; i < to; i = next) {
        next            = i + LINKS_PER_CHUNK < to ? i + LINKS_PER_CHUNK : to;
        const int after = next + LINKS_PER_CHUNK < d->m->nlink ? next + LINKS_PER_CHUNK : d->m->nlink;
        if (d->m->nlink > MIN_PREFETCH_LINKS) prefetch_links(d, next, after);
        update_links(d, i, next);
    }
    stream->bodies_ready[part] = true;
}

static void stream_constraints(cd_row_stream* stream, int part)
{
    cardan_data*       d    = data_of_stream(stream);
    cd_constraint_set* c    = &d->constraints;
    const int          from = part * CD_STREAM_BATCH, to = block_end(part, c->nconstraint);
    for (int i = from; i < to; ++i)
        for (int n = 0; n < c->constraint[i].nend; ++n)
            if (cd_constraint_end(&c->constraint[i], n)->link >= 0)
                cd_row_stream_require_body(stream, cd_constraint_end(&c->constraint[i], n)->link);
    double value[CD_STREAM_BATCH * CD_CONSTRAINT_ROWS_MAX], rate[CD_STREAM_BATCH * CD_CONSTRAINT_ROWS_MAX],
        h[CD_STREAM_BATCH * CD_CONSTRAINT_ROWS_MAX];
    cd_constraint_equations e     = {value, rate, h, NULL};
    const int               first = c->constraint[from].first_row,
              n                   = c->constraint[to - 1].first_row + c->constraint[to - 1].nrow - first;
    cd_constraint_set_stream_rows(d->m, &d->k, &d->world, c, from, to, stream, &e);
    cd_update_gamma_range(d, first, n, &e);
    for (int i = 0; i < n; ++i) d->solve.row_rhs[first + i] = -value[i];
    d->violations.position_si = cd_max_propagate_nan(d->violations.position_si, cd_norm_inf(n, value));
    d->violations.velocity_si = cd_max_propagate_nan(d->violations.velocity_si, cd_norm_inf(n, rate));
    if (d->units.row_unit_inverse) {
        d->violations.position = cd_max_propagate_nan(d->violations.position, cd_row_norm_inf(d, first, n, value));
        d->violations.velocity = cd_max_propagate_nan(d->violations.velocity, cd_row_norm_inf(d, first, n, rate));
    }
    stream->blocks_ready[part] = true;
}

static void stream_all(cd_row_stream* stream)
{
    cardan_data* d = data_of_stream(stream);
    cd_row_stream_require_all(stream, d->constraints.nconstraint, d->m->nlink);
    cd_blocked_store_rows(d);
}

void cd_blocked_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state)
{
    const cardan_model* m          = d->m;
    const bool          has_forces = m->view.nforce > 0 || d->external.has_forces || d->external.ngrab > 0 ||
                            d->forces.compliant || d->forces.has_off_tree_forces || m->njoint_force > 0 ||
                            m->nformula > 0;
    cd_blocked_evaluation* p = &d->blocked;
    if (has_forces) {
        cd_data_set_state(d, t, q, v, state);
        cd_update_world(d);
    } else
        cd_data_set_time(d, t, state);
    cd_update_forces(d);
    p->row_stream.request_blocks = stream_constraints;
    p->row_stream.request_bodies = stream_links;
    p->row_stream.request_all    = stream_all;
    memset(p->row_stream.blocks_ready, 0,
           (size_t)block_count(d->constraints.nconstraint) * sizeof *p->row_stream.blocks_ready);
    memset(p->row_stream.bodies_ready, 0, (size_t)block_count(m->nlink) * sizeof *p->row_stream.bodies_ready);
    p->q                               = has_forces ? NULL : q;
    p->v                               = has_forces ? NULL : v;
    p->active                          = true;
    p->rows_not_stored                 = true;
    p->columns_not_stored              = !has_forces;
    d->constraints.singular_constraint = CARDAN_NONE;
    d->violations.position_si = d->violations.velocity_si = d->violations.position = d->violations.velocity = 0;
}

void cd_blocked_finish(cardan_data* d)
{
    cd_blocked_evaluation* p = &d->blocked;
    if (!p->active) return;
    cd_row_stream_require_all(&p->row_stream, d->constraints.nconstraint, d->m->nlink);
    p->active       = false;
    d->k.world_pose = d->world.pose;
    if (!d->units.row_unit_inverse)
        d->violations.position = d->violations.position_si, d->violations.velocity = d->violations.velocity_si;
    d->rows.gamma_scale = d->solver_rows.gamma_scale = 0;
    d->valid.world = d->valid.constraint_values = d->valid.rows = d->valid.gamma = true;
}

void cd_blocked_store_rows(cardan_data* d)
{
    if (!d->blocked.rows_not_stored) return;
    cd_constraint_set_evaluate_with_jacobian(d->m, &d->k, &d->world, &d->constraints, NULL);
    d->blocked.rows_not_stored = false;
}

void cd_blocked_invalidate(cardan_data* d)
{
    if (!d->blocked.rows_not_stored) return;
    d->valid.world = d->valid.off_tree_joints = d->valid.referenced_joints = d->valid.constraint_values =
        d->valid.rows = d->valid.gamma = d->valid.solution = false;
    d->blocked.rows_not_stored                             = false;
}
