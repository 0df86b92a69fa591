// SPDX-License-Identifier: BSD-3-Clause
// Description to model: a spanning tree, its joints as links (compile_links.c), what hangs on them
// (compile_attached.c), laws of axes, start values, formulas and motions.
#include "model/check.h"
#include "model/compiler.h"
#include "model/description.h"
#include "model/resistance.h"
#include "model/start_poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cardan_place joint_place(const cardan_model* m, int j)
{
    return j < m->view.njoint ? m->view.joint[j].place : cardan_nowhere();
}

// Coordinates that formulas look at must exist.
static cardan_status check_signals(const cardan_model* m, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s        = &m->view.signal[i];
        const bool           position = s->kind == CARDAN_SIGNAL_COORDINATE;
        if (!position && s->kind != CARDAN_SIGNAL_SPEED) continue;
        const cardan_slot* slot = &m->slot[s->a];
        const int          n    = position ? slot->nq : slot->nv;
        if (s->component >= n)
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, joint_place(m, s->a),
                                 "a formula asks for %s(%s, %d), but the joint has %d", position ? "q" : "v",
                                 m->joint[s->a].name, s->component + 1, n);
    }
    return status;
}

// Bodies of each group, in lists.
static void list_groups(cd_compiler* c)
{
    for (int g = 0; g < c->tree.ngroup; ++g) c->first_body[g] = -1;
    for (int i = c->m->nbody - 1; i >= 0; --i) {
        const int g      = c->tree.group[i];
        c->next_body[i]  = c->first_body[g];
        c->first_body[g] = i;
    }
}

// Coordinates of joints that the tree does not have, behind those it has.
static void place_measured(cd_compiler* c)
{
    cardan_model* m = c->m;
    m->nq_all       = m->nq;
    m->nv_all       = m->nv;
    for (int j = 0; j < m->njoint; ++j) {
        m->place[j] = m->slot[j];
        if (m->joint[j].nlink > 0 || m->joint[j].nstep == 0) continue;
        const cardan_joint joint = cd_compiler_joint(c, j);
        double*            q     = m->q_measured + (m->nq_all - m->nq);
        if (m->slot[j].nq == 4) q[0] = 1;
        if (m->slot[j].nq == 7) q[3] = 1;
        if (joint.start_q_given) memcpy(q, joint.start_q, (size_t)m->slot[j].nq * sizeof *q);
        m->measured[m->nmeasured++] = j;
        m->place[j].q               = m->nq_all;
        m->place[j].v               = m->nv_all;
        m->nq_all += m->slot[j].nq;
        m->nv_all += m->slot[j].nv;
    }
}

static bool has_law(const cardan_axis* a)
{
    return a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 ||
           isfinite(a->lower) || isfinite(a->upper);
}

static void collect_laws(cardan_model* m)
{
    for (int j = 0; j < m->view.njoint; ++j) {
        const cardan_joint* joint = &m->view.joint[j];
        const cardan_slot   slot  = m->place[j];
        for (int i = 0; i < joint->naxis && i < slot.nv; ++i) {
            const bool floating = slot.nq == 7, quaternion = slot.nq != slot.nv;
            cd_law     law = {.v        = slot.v + i,
                              .joint    = j,
                              .axis     = i,
                              .axis_law = joint->axis[i],
                              .ball     = CARDAN_NONE,
                              .q        = slot.q + i};
            if (quaternion && (!floating || i >= 3)) {
                law.q         = CARDAN_NONE;
                law.ball      = slot.q + (floating ? 3 : 0);
                law.component = floating ? i - 3 : i;
            }
            if (law.v < m->nv) m->armature[law.v] = joint->axis[i].armature;
            if (!(law.axis_law.friction_speed > 0)) law.axis_law.friction_speed = cardan_axis_default().friction_speed;
            if (has_law(&joint->axis[i])) m->law[m->nlaw++] = law;
        }
    }
}

// Flat coordinates at the start: poses and twists of the groups, at their mass centres.
static void collect_flat_start(cd_compiler* c)
{
    cardan_model* m = c->m;
    for (int g = 1; g < c->tree.ngroup; ++g) {
        const cd_link*    link = &m->link[c->group_link[g]];
        const cardan_pose T    = pose_mul(c->start[g], pose_inverse(c->group_pose[g]));
        double            arm[3], back[4];
        const double*     w = c->twist[g];
        for (int k = 0; k < 3; ++k) arm[k] = T.p[k] - c->start[g].p[k];
        q4_conjugate(T.q, back);
        memcpy(m->q_start + link->q, T.p, sizeof T.p);
        memcpy(m->q_start + link->q + 3, T.q, sizeof T.q);
        m->v_start[link->v]     = w[3] + w[1] * arm[2] - w[2] * arm[1];
        m->v_start[link->v + 1] = w[4] + w[2] * arm[0] - w[0] * arm[2];
        m->v_start[link->v + 2] = w[5] + w[0] * arm[1] - w[1] * arm[0];
        q4_rotate(back, w, m->v_start + link->v + 3);
    }
}

static void collect_start(cd_compiler* c)
{
    cardan_model* m = c->m;
    if (c->tree.flat) collect_flat_start(c);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_joint joint = cd_compiler_joint(c, j);
        const cardan_slot  slot  = m->slot[j];
        if (slot.q < 0) continue;
        if (slot.nq == 4) m->q_start[slot.q] = 1;
        if (slot.nq == 7) m->q_start[slot.q + 3] = 1;
        if (joint.start_q_given) memcpy(m->q_start + slot.q, joint.start_q, (size_t)slot.nq * sizeof(double));
        if (joint.start_v_given) memcpy(m->v_start + slot.v, joint.start_v, (size_t)slot.nv * sizeof(double));
    }
    for (int i = 0; i < m->nstate; ++i) m->state_start[i] = m->view.state[i].start;
    cardan_model_normalize(m, m->q_start);
}

// ---- formulas

static cd_node node_or_zero(const cardan_model* m, cardan_expression e)
{
    return e == CARDAN_NONE ? cd_constant(m->description->graph, 0) : e;
}

static bool compile_formulas(cardan_model* m)
{
    const cardan_view* view = &m->view;
    m->nrates               = 3 * view->nforce + view->nstate;
    m->nwatched             = view->noutput + 1;
    cd_node* rates          = cd_allocate((size_t)m->nrates, sizeof *rates);
    cd_node* watched        = cd_allocate((size_t)m->nwatched, sizeof *watched);
    if (rates && watched) {
        for (int i = 0; i < view->nforce; ++i)
            for (int k = 0; k < 3; ++k) rates[3 * i + k] = node_or_zero(m, view->force[i].component[k]);
        for (int i = 0; i < view->nstate; ++i) rates[3 * view->nforce + i] = node_or_zero(m, view->state[i].rate);
        for (int i = 0; i < view->noutput; ++i) watched[i] = node_or_zero(m, view->output[i].value);
        watched[view->noutput] = node_or_zero(m, view->run->stop);
        m->rates               = cd_tape_create(m->description->graph, m->nrates, rates);
        m->watched             = cd_tape_create(m->description->graph, m->nwatched, watched);
    }
    free(rates);
    free(watched);
    return m->rates && m->watched;
}

// ---- the whole

static void layout(cardan_model* m, cd_arena* arena)
{
    CD_TAKE(arena, m->link, m->nlink);
    CD_TAKE(arena, m->mount, m->nlink);
    CD_TAKE(arena, m->slot, m->njoint + (m->policy == CARDAN_TREE_FLAT ? m->nlink : 0));
    CD_TAKE(arena, m->joint, m->njoint + (m->policy == CARDAN_TREE_FLAT ? m->nlink : 0));
    CD_TAKE(arena, m->place, m->njoint);
    CD_TAKE(arena, m->measured, m->njoint);
    CD_TAKE(arena, m->q_measured, 7 * m->njoint);
    CD_TAKE(arena, m->body, m->nbody);
    CD_TAKE(arena, m->marker, m->nmarker);
    CD_TAKE(arena, m->cut, m->ncut);
    CD_TAKE(arena, m->law, m->nv + 6 * m->njoint);
    CD_TAKE(arena, m->armature, m->nv);
    CD_TAKE(arena, m->resistance, m->nv);
    CD_TAKE(arena, m->lost, m->nv);
    CD_TAKE(arena, m->size, m->nlink);
    CD_TAKE(arena, m->v_link, m->nv);
    CD_TAKE(arena, m->v_parent, m->nv);
    CD_TAKE(arena, m->v_order, m->nv);
    CD_TAKE(arena, m->v_depth, m->nv);
    CD_TAKE(arena, m->rotation, m->nlink);
    CD_TAKE(arena, m->rotation_q, m->nlink);
    CD_TAKE(arena, m->q_start, m->nq);
    CD_TAKE(arena, m->v_start, m->nv);
    CD_TAKE(arena, m->state_start, m->nstate);
}

// Upper bounds before anything is numbered; joints that are cut have no coordinates.
static void measure(cd_compiler* c)
{
    cardan_model* m = c->m;
    if (c->tree.flat) {
        m->nlink = c->tree.ngroup - 1;
        m->nq    = 7 * m->nlink;
        m->nv    = 6 * m->nlink;
        return;
    }
    for (int j = 0; j < m->njoint; ++j) {
        cd_step            step[CARDAN_JOINT_MAX];
        const cardan_joint joint = cd_compiler_joint(c, j);
        const int          n     = cd_joint_type_find(joint.type)->steps(&joint, step);
        m->nlink += n;
        for (int s = 0; s < n; ++s) {
            m->nq += cd_motion_nq(step[s].motion);
            m->nv += cd_motion_nv(step[s].motion);
        }
    }
}

static cardan_status build(cd_compiler* c, cardan_report* report)
{
    cardan_model* m = c->m;
    m->nmarker      = m->view.nmarker;
    m->nbody        = m->view.nbody;
    m->nstate       = m->view.nstate;
    m->njoint       = m->view.njoint + c->tree.nadded;
    m->ncut         = c->tree.ncut;
    measure(c);
    layout(m, &m->arena);
    c->group_pose = cd_allocate((size_t)c->tree.ngroup, sizeof *c->group_pose);
    c->group_link = cd_allocate((size_t)c->tree.ngroup, sizeof *c->group_link);
    c->first_body = cd_allocate((size_t)c->tree.ngroup, sizeof *c->first_body);
    c->next_body  = cd_allocate((size_t)m->nbody, sizeof *c->next_body);
    if (!cd_arena_reserve(&m->arena) || !c->group_pose || !c->group_link || !c->first_body || !c->next_body)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the model of '%s'", m->view.name);
    layout(m, &m->arena);
    list_groups(c);

    m->nlink = m->nq = m->nv = 0;
    c->group_pose[0]         = cardan_pose_default();
    c->group_link[0]         = -1;
    for (int j = 0; j < m->njoint; ++j) cd_compile_number(c, j);
    for (int i = 0; i < m->ncut; ++i) {
        m->cut[i]                    = c->tree.cut[i];
        m->joint[c->tree.cut[i]].cut = true;
    }
    for (int i = 1; i < c->tree.ngroup; ++i) {
        const int g = c->tree.flat ? i : c->tree.order[i];
        if (c->tree.flat)
            cd_compile_floating(c, g);
        else
            cd_compile_joint(c, g, c->tree.via[g]);
    }
    m->nlink    = c->link;
    m->in_order = true;
    for (int i = 0; i < m->nlink; ++i)
        m->in_order &= cd_link_is_free(m, &m->link[i]) && m->link[i].q == 7 * i && m->link[i].v == 6 * i;
    cd_compile_attached(c);
    cd_resistance(m, m->size, m->resistance, m->lost);
    place_measured(c);
    collect_laws(m);
    collect_start(c);
    const cardan_status status = check_signals(m, report);
    if (status != CARDAN_OK) return status;
    if (!compile_formulas(m))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the formulas of '%s'", m->view.name);
    return cd_compile_motion(m, report);
}

// Flat coordinates know nothing of joints: their start comes from a tree.
static cardan_status find_start(cd_compiler* c, cardan_report* report)
{
    cd_tree             tree;
    const cardan_status status = cd_tree_create(&c->m->view, c->ledger, CARDAN_TREE_SHALLOW, &tree, report);
    if (status != CARDAN_OK) return status;
    c->start = cd_allocate((size_t)tree.ngroup, sizeof *c->start);
    c->twist = cd_allocate((size_t)tree.ngroup, sizeof *c->twist);
    if (c->start && c->twist) cd_start_poses(&c->m->view, &tree, c->start, c->twist);
    cd_tree_destroy(&tree);
    return c->start && c->twist ? CARDAN_OK
                                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                                              "no memory for the model of '%s'", c->m->view.name);
}

cardan_status cd_model_compile(const cardan_description* description, cardan_tree_policy policy, cardan_model** model,
                               cardan_report* report)
{
    *model                   = NULL;
    const cardan_view view   = cardan_description_view(description);
    cardan_status     status = cd_check_view(&view, report);
    if (status == CARDAN_OK) status = cd_check_references(description, report);
    if (status != CARDAN_OK) return status;

    cd_compiler c = {.m = cd_allocate(1, sizeof(cardan_model)), .ledger = description->ledger};
    if (!c.m)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for a model");
    c.m->description = description;
    c.m->view        = view;
    c.m->policy      = policy;
    c.m->chosen      = CARDAN_NONE;
    status           = cd_tree_create(&view, c.ledger, policy, &c.tree, report);
    if (status == CARDAN_OK && policy == CARDAN_TREE_FLAT) status = find_start(&c, report);
    if (status == CARDAN_OK) status = build(&c, report);
    cd_tree_destroy(&c.tree);
    void* const scratch[] = {c.group_pose, c.group_link, c.first_body, c.next_body, c.start, c.twist};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) free(scratch[i]);
    if (status == CARDAN_OK)
        *model = c.m;
    else
        cardan_model_destroy(c.m);
    return status;
}
