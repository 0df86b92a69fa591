// SPDX-License-Identifier: BSD-3-Clause
// Jacobians by forward-mode automatic differentiation: the equations are evaluated on dual numbers,
// CD_DUAL_DIRECTIONS columns at a time. An evaluation on dual numbers costs about eight plain ones, so that a column
// costs about as much as a divided difference, with full precision.
#include "dynamics/derivatives/dual_jacobian.h"

#include "constraint/joint_state.h"
#include "dynamics/derivatives/colouring.h"
#include "equation/applied_wrenches.h"
#include "expression/formula_evaluation.h"
#include "force/signal_values.h"
#include "math/quaternion.h"

struct cd_dual_work {
    cd_equation_set set;
    real*           value;   // (nv + nstate + 3 nrow)
    real*           output;  // (noutput_value) outputs, then the stop condition
    real*           scratch; // scratch of the output tape
    bool            initialized;
};

void cd_dual_layout(const cardan_model* m, cd_arena* arena, cd_dual_work** dual)
{
    cd_equation_set sizing_set = {0};
    CD_ARENA_ARRAY(arena, *dual, 1);
    cd_equation_set* set = *dual ? &(*dual)->set : &sizing_set;
    real *           value, *output, *scratch;
    cd_equation_set_layout(m, arena, set);
    CD_ARENA_ARRAY(arena, value, m->nv + m->nstate + 3 * set->constraints.nrow);
    CD_ARENA_ARRAY(arena, output, m->noutput_value);
    CD_ARENA_ARRAY(arena, scratch, cd_tape_work(m->output_tape));
    if (*dual) (*dual)->value = value, (*dual)->output = output, (*dual)->scratch = scratch;
}

// Add q' for unit velocity v, times speed, to lane `lane` of the coordinates that velocity v changes.
static void seed_position(const cardan_model* m, const double* q, int v, double speed, int lane, real* to)
{
    const cd_link* link  = &m->link[m->v_link[v]];
    const int      plain = link->nv == 1 ? 1 : link->nv - 3, i = v - link->v;
    if (i < plain) {
        to[link->q + i].x[lane] += speed;
        return;
    }
    double rate[4], half[4] = {0, 0, 0, 0};
    half[1 + i - plain] = 0.5 * speed;
    q4_mul(q + link->q + plain, half, rate);
    for (int k = 0; k < 4; ++k) to[link->q + plain + k].x[lane] += rate[k];
}

static void set_dual_values(int n, const double* from, real* to)
{
    for (int i = 0; i < n; ++i) to[i] = r_const(from[i]);
}

// Address of column number `column` in the three matrices.
static double* column_address(const cardan_model* m, int n, int column, double* by_q, double* by_v, double* by_s)
{
    if (column < m->nv) return by_q + (size_t)column * (size_t)n;
    if (column < 2 * m->nv) return by_v + (size_t)(column - m->nv) * (size_t)n;
    return by_s + (size_t)(column - 2 * m->nv) * (size_t)n;
}

static void set_dual_state(const cardan_model* m, const cd_dual_state* x, cd_equation_set* e)
{
    set_dual_values(m->nq_joint, x->q, e->q);
    set_dual_values(m->nv, x->v, e->v);
    set_dual_values(m->nstate, x->s, e->s);
}

static void seed_column(const cardan_model* m, const cd_dual_state* x, int column, int lane, cd_equation_set* e)
{
    if (column < m->nv)
        seed_position(m, x->q, column, 1, lane, e->q);
    else if (column < 2 * m->nv)
        e->v[column - m->nv].x[lane] = 1;
    else
        e->s[column - 2 * m->nv].x[lane] = 1;
}

typedef struct column_sweep {
    const cardan_model*      m;
    const cd_equation_input* given;
    const cd_dual_state*     x;
    cd_dual_work*            dual;
    int                      n;
    double *                 by_q, *by_v, *by_s;
} column_sweep;

// Columns first to last - 1, each in its own lane.
static void sweep_columns(const column_sweep* w, int first, int last)
{
    cd_equation_set* e = &w->dual->set;
    for (; first < last; first += CD_DUAL_DIRECTIONS) {
        const int count = last - first < CD_DUAL_DIRECTIONS ? last - first : CD_DUAL_DIRECTIONS;
        set_dual_state(w->m, w->x, e);
        for (int i = 0; i < count; ++i) seed_column(w->m, w->x, first + i, 1 + i, e);
        cd_equation_set_evaluate(w->m, w->given, e, w->dual->value);
        for (int i = 0; i < count; ++i) {
            double* to = column_address(w->m, w->n, first + i, w->by_q, w->by_v, w->by_s);
            for (int row = 0; row < w->n; ++row) to[row] = w->dual->value[row].x[1 + i];
        }
    }
}

enum { STATE_COLUMNS = 12 }; // six by position, six by velocity

// Column of a free body: direction k is column k % 12 of all links of colour k / 12.
static int direction_column(const cardan_model* m, int link, int k)
{
    const int i = k % STATE_COLUMNS;
    return i < 6 ? m->link[link].v + i : m->nv + m->link[link].v + i - 6;
}

static void sweep_colours(const column_sweep* w, const cd_colouring* c)
{
    cd_equation_set*    e     = &w->dual->set;
    const cardan_model* m     = w->m;
    const int           total = STATE_COLUMNS * c->ncolour;
    for (int i = 0; i < 2 * m->nv; ++i) {
        double* to = column_address(m, w->n, i, w->by_q, w->by_v, w->by_s);
        for (int row = 0; row < w->n; ++row) to[row] = 0;
    }
    for (int first = 0; first < total; first += CD_DUAL_DIRECTIONS) {
        const int count = total - first < CD_DUAL_DIRECTIONS ? total - first : CD_DUAL_DIRECTIONS;
        set_dual_state(m, w->x, e);
        for (int i = 0; i < count; ++i)
            for (int link = 0; link < m->nlink; ++link)
                if (c->colour[link] == (first + i) / STATE_COLUMNS)
                    seed_column(m, w->x, direction_column(m, link, first + i), 1 + i, e);
        cd_equation_set_evaluate(m, w->given, e, w->dual->value);
        for (int i = 0; i < count; ++i)
            for (int link = 0; link < m->nlink; ++link) {
                if (c->colour[link] != (first + i) / STATE_COLUMNS) continue;
                double* to = column_address(m, w->n, direction_column(m, link, first + i), w->by_q, w->by_v, w->by_s);
                for (int k = c->start[link]; k < c->start[link + 1]; ++k)
                    to[c->row[k]] = w->dual->value[c->row[k]].x[1 + i];
            }
    }
}

static void initialize(const cardan_model* m, cd_dual_work* dual)
{
    if (!dual->initialized) cd_equation_set_init(m, &dual->set);
    dual->initialized = true;
}

void cd_dual_jacobian(const cardan_model* m, const cd_equation_input* given, const cd_dual_state* x, cd_dual_work* dual,
                      const cd_colouring* colouring, double* by_q, double* by_v, double* by_s)
{
    cd_equation_set*   e        = &dual->set;
    const column_sweep w        = {m, given, x, dual, m->nv + m->nstate + 3 * e->constraints.nrow, by_q, by_v, by_s};
    const bool         coloured = colouring && colouring->ncolour > 0 && STATE_COLUMNS * colouring->ncolour < 2 * m->nv;
    initialize(m, dual);
    set_dual_values(m->nv, x->a, e->a);
    set_dual_values(e->constraints.nrow, x->lambda, e->lambda);
    if (coloured) sweep_colours(&w, colouring);
    sweep_columns(&w, coloured ? 2 * m->nv : 0, 2 * m->nv + m->nstate);
}

// Direction k is column k % CD_FREE_BODY_COLUMNS of all links of colour k / CD_FREE_BODY_COLUMNS: six by position,
// six by velocity, six by acceleration.
static void seed_free_body(const column_sweep* w, int link, int k, int lane, cd_equation_set* e)
{
    const int i = k % CD_FREE_BODY_COLUMNS, v = w->m->link[link].v;
    if (i < 12)
        seed_column(w->m, w->x, i < 6 ? v + i : w->m->nv + v + i - 6, lane, e);
    else
        e->a[v + i - 12].x[lane] = 1;
}

void cd_dual_free_body_jacobian(const cardan_model* m, const cd_equation_input* given, const cd_dual_state* x,
                                cd_dual_work* dual, const cd_colouring* c, double* jacobian, double* by_s)
{
    cd_equation_set*   e     = &dual->set;
    const column_sweep w     = {m, given, x, dual, m->nv + m->nstate + 3 * e->constraints.nrow, NULL, NULL, by_s};
    const int          total = CD_FREE_BODY_COLUMNS * c->ncolour;
    initialize(m, dual);
    set_dual_values(e->constraints.nrow, x->lambda, e->lambda);
    for (int first = 0; first < total; first += CD_DUAL_DIRECTIONS) {
        const int count = total - first < CD_DUAL_DIRECTIONS ? total - first : CD_DUAL_DIRECTIONS;
        set_dual_state(m, x, e);
        set_dual_values(m->nv, x->a, e->a);
        for (int i = 0; i < count; ++i)
            for (int link = 0; link < m->nlink; ++link)
                if (c->colour[link] == (first + i) / CD_FREE_BODY_COLUMNS)
                    seed_free_body(&w, link, first + i, 1 + i, e);
        cd_equation_set_evaluate(m, given, e, dual->value);
        for (int i = 0; i < count; ++i)
            for (int link = 0; link < m->nlink; ++link) {
                if (c->colour[link] != (first + i) / CD_FREE_BODY_COLUMNS) continue;
                for (int k = c->start[link]; k < c->start[link + 1]; ++k)
                    jacobian[(size_t)k * CD_FREE_BODY_COLUMNS + (size_t)((first + i) % CD_FREE_BODY_COLUMNS)] =
                        dual->value[c->row[k]].x[1 + i];
            }
    }
    set_dual_values(m->nv, x->a, e->a);
    sweep_columns(&w, 2 * m->nv, 2 * m->nv + m->nstate);
}

// Each joint force element depends on its own joint only, so that all joints are differentiated at once.
void cd_dual_joint_force_jacobian(const cardan_model* m, const cd_stop_state* frozen_stops, const cd_dual_state* x,
                                  cd_dual_work* dual, double* by_q, double* by_v)
{
    cd_equation_set* e = &dual->set;
    initialize(m, dual);
    for (int pass = 0; pass < 2; ++pass) {
        double* to = pass == 0 ? by_q : by_v;
        set_dual_state(m, x, e);
        for (int v = 0; v < m->nv; ++v) seed_column(m, x, pass * m->nv + v, 1 + v - m->link[m->v_link[v]].v, e);
        for (int v = 0; v < m->nv_joint; ++v) e->effort[v] = r_const(0);
        cd_joint_forces_apply(m, e->q, e->v, frozen_stops, e->effort);
        for (int v = 0; v < m->nv; ++v)
            for (int i = 0; i < CD_JOINT_COLUMNS; ++i) to[CD_JOINT_COLUMNS * v + i] = e->effort[v].x[1 + i];
    }
}

// ---- directional derivatives of joint motions and outputs

static void seed_direction(const cardan_model* m, const cd_dual_state* x, const cd_dual_direction* direction, int lane,
                           cd_equation_set* e)
{
    for (int v = 0; v < m->nv; ++v) {
        seed_position(m, x->q, v, direction->q[v], lane, e->q);
        e->v[v].x[lane] = direction->v[v];
        e->a[v].x[lane] = direction->a[v];
    }
    for (int i = 0; i < m->nstate; ++i) e->s[i].x[lane] = direction->s[i];
}

// Accelerations of all joints, off-tree joints behind those of the tree.
static void off_tree_accelerations(const cardan_model* m, cd_equation_set* e, real* joint_a)
{
    for (int v = 0; v < m->nv; ++v) joint_a[v] = e->a[v];
    if (m->noff_tree == 0) return;
    cd_world_accelerations(m, &e->k, e->v, e->a, &e->world);
    for (int i = 0; i < m->noff_tree; ++i) {
        const int joint = m->off_tree[i], v = m->joint_range[joint].v;
        if (m->joint_range[joint].q >= 0)
            cd_joint_acceleration(&m->joint[joint], &e->world, e->q + m->joint_range[joint].q, e->v + v, joint_a + v);
    }
}

static void evaluate_outputs(const cardan_model* m, double t, cd_dual_work* dual)
{
    cd_equation_set*      e      = &dual->set;
    const cd_signal_input source = {m, &e->world, r_const(t), e->q, e->v, e->s, NULL};
    for (int i = 0; i < m->view.nsignal; ++i) e->signal[i] = cd_signal_value(&source, &m->view.signal[i]);
    cd_tape_run_real(m->output_tape, e->signal, dual->scratch, dual->output);
}

void cd_dual_directional_derivative(const cardan_model* m, double t, const cd_dual_state* x, cd_dual_work* dual,
                                    const cd_dual_direction* direction, double* joint_v, double* joint_a,
                                    double* output)
{
    cd_equation_set* e = &dual->set;
    initialize(m, dual);
    set_dual_state(m, x, e);
    set_dual_values(m->nv, x->a, e->a);
    seed_direction(m, x, direction, 1, e);
    cd_forward_kinematics(m, &e->k, e->q);
    cd_world_poses(m, &e->k, e->v, &e->world);
    cd_evaluate_off_tree_joints(m, &e->world, e->q, e->v);
    off_tree_accelerations(m, e, e->effort);
    for (int v = 0; v < m->nv_joint; ++v) {
        joint_v[v] = e->v[v].x[1];
        joint_a[v] = e->effort[v].x[1];
    }
    if (!output) return;
    evaluate_outputs(m, t, dual);
    for (int i = 0; i < m->view.noutput; ++i) output[i] = dual->output[i].x[1];
}
