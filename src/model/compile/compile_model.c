// SPDX-License-Identifier: BSD-3-Clause
// Description to model: the spanning tree, its joints as links (compile_links.c), inertias and frames on them
// (compile_link_frames.c), joint force elements, start values, formulas and driver functions.
#include "model/check/check_description.h"
#include "model/compile/model_compiler.h"
#include "model/description.h"
#include "model/reaction_signals.h"
#include "model/compile/inertia_scale.h"
#include "model/compile/start_poses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cardan_location joint_location(const cardan_model* m, int j)
{
    return j < m->view.njoint ? m->view.joint[j].location : cardan_location_none();
}

// Check that the coordinates in formulas exist.
static cardan_status check_signals(const cardan_model* m, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < m->view.nsignal; ++i) {
        const cardan_signal* s        = &m->view.signal[i];
        const bool           position = s->kind == CARDAN_SIGNAL_COORDINATE;
        if (!position && s->kind != CARDAN_SIGNAL_SPEED) continue;
        const cardan_index_range* range = &m->tree_range[s->a];
        const int                 n     = position ? range->nq : range->nv;
        if (s->component >= n)
            status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_VALUE, joint_location(m, s->a),
                                 "a formula refers to %s(%s, %d), but the joint has only %d", position ? "q" : "v",
                                 m->joint[s->a].name, s->component + 1, n);
    }
    return status;
}

// Lists of the bodies of each group.
static void list_group_bodies(cd_model_compiler* c)
{
    for (int g = 0; g < c->tree.ngroup; ++g) c->first_body[g] = -1;
    for (int i = c->m->nbody - 1; i >= 0; --i) {
        const int g      = c->tree.group[i];
        c->next_body[i]  = c->first_body[g];
        c->first_body[g] = i;
    }
}

// Number the coordinates of off-tree joints, behind those of the tree.
static void number_off_tree_joints(cd_model_compiler* c)
{
    cardan_model* m = c->m;
    m->nq_joint     = m->nq;
    m->nv_joint     = m->nv;
    for (int j = 0; j < m->njoint; ++j) {
        m->joint_range[j] = m->tree_range[j];
        if (m->joint[j].nlink > 0 || m->joint[j].nelementary == 0) continue;
        const cardan_joint joint = cd_model_compiler_joint(c, j);
        double*            q     = m->q_off_tree_start + (m->nq_joint - m->nq);
        if (m->tree_range[j].nq == 4) q[0] = 1;
        if (m->tree_range[j].nq == 7) q[3] = 1;
        if (joint.start_q_given) memcpy(q, joint.start_q, (size_t)m->tree_range[j].nq * sizeof *q);
        m->off_tree[m->noff_tree++] = j;
        m->joint_range[j].q         = m->nq_joint;
        m->joint_range[j].v         = m->nv_joint;
        m->nq_joint += m->tree_range[j].nq;
        m->nv_joint += m->tree_range[j].nv;
    }
}

static bool has_joint_force(const cardan_axis_properties* a)
{
    return a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 ||
           isfinite(a->lower) || isfinite(a->upper);
}

static void collect_joint_forces(cardan_model* m)
{
    for (int j = 0; j < m->view.njoint; ++j) {
        const cardan_joint*      joint = &m->view.joint[j];
        const cardan_index_range range = m->joint_range[j];
        for (int i = 0; i < joint->naxis && i < range.nv; ++i) {
            const bool             floating = range.nq == 7, quaternion = range.nq != range.nv;
            cd_joint_force_element element = {.v          = range.v + i,
                                              .joint      = j,
                                              .axis       = i,
                                              .parameter  = joint->axis[i],
                                              .quaternion = CARDAN_NONE,
                                              .q          = range.q + i};
            if (quaternion && (!floating || i >= 3)) {
                element.q          = CARDAN_NONE;
                element.quaternion = range.q + (floating ? 3 : 0);
                element.component  = floating ? i - 3 : i;
            }
            if (element.v < m->nv) m->armature[element.v] = joint->axis[i].armature;
            if (!(element.parameter.friction_speed > 0))
                element.parameter.friction_speed = cardan_axis_properties_default().friction_speed;
            if (has_joint_force(&joint->axis[i])) m->joint_force[m->njoint_force++] = element;
        }
    }
}

// Start values of maximal coordinates: poses and twists of the groups, at their mass centres.
static void collect_maximal_start(cd_model_compiler* c)
{
    cardan_model* m = c->m;
    for (int g = 1; g < c->tree.ngroup; ++g) {
        const cd_link*    link = &m->link[c->group_link[g]];
        const cardan_pose T    = pose_mul(c->start_pose[g], pose_inverse(c->group_pose[g]));
        double            arm[3], back[4];
        const double*     w = c->start_twist[g];
        for (int k = 0; k < 3; ++k) arm[k] = T.p[k] - c->start_pose[g].p[k];
        q4_conjugate(T.q, back);
        memcpy(m->q_start + link->q, T.p, sizeof T.p);
        memcpy(m->q_start + link->q + 3, T.q, sizeof T.q);
        m->v_start[link->v]     = w[3] + w[1] * arm[2] - w[2] * arm[1];
        m->v_start[link->v + 1] = w[4] + w[2] * arm[0] - w[0] * arm[2];
        m->v_start[link->v + 2] = w[5] + w[0] * arm[1] - w[1] * arm[0];
        q4_rotate(back, w, m->v_start + link->v + 3);
    }
}

static void collect_start(cd_model_compiler* c)
{
    cardan_model* m = c->m;
    if (c->tree.is_maximal) collect_maximal_start(c);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_joint       joint = cd_model_compiler_joint(c, j);
        const cardan_index_range range = m->tree_range[j];
        if (range.q < 0) continue;
        if (range.nq == 4) m->q_start[range.q] = 1;
        if (range.nq == 7) m->q_start[range.q + 3] = 1;
        if (joint.start_q_given) memcpy(m->q_start + range.q, joint.start_q, (size_t)range.nq * sizeof(double));
        if (joint.start_v_given) memcpy(m->v_start + range.v, joint.start_v, (size_t)range.nv * sizeof(double));
    }
    for (int i = 0; i < m->view.nstate; ++i) m->state_start[i] = m->view.state[i].start;
    cardan_model_normalize_position(m, m->q_start);
}

// ---- formulas

static cd_node node_or_zero(const cardan_model* m, cardan_expression e)
{
    return e == CARDAN_NONE ? cd_constant(m->description->graph, 0) : e;
}

static bool compile_formulas(cardan_model* m)
{
    const cardan_description_view* view = &m->view;
    m->nformula                         = 3 * view->nforce + view->nstate;
    m->noutput_value                    = view->noutput + 1;
    cd_node* formula                    = cd_allocate((size_t)m->nformula, sizeof *formula);
    cd_node* output_node                = cd_allocate((size_t)m->noutput_value, sizeof *output_node);
    if (formula && output_node) {
        for (int i = 0; i < view->nforce; ++i)
            for (int k = 0; k < 3; ++k) formula[3 * i + k] = node_or_zero(m, view->force[i].component[k]);
        for (int i = 0; i < view->nstate; ++i) formula[3 * view->nforce + i] = node_or_zero(m, view->state[i].rate);
        for (int i = 0; i < view->noutput; ++i) output_node[i] = node_or_zero(m, view->output[i].value);
        output_node[view->noutput] = node_or_zero(m, view->run->stop_condition);
        m->formula_tape            = cd_tape_create(m->description->graph, m->nformula, formula);
        m->output_tape             = cd_tape_create(m->description->graph, m->noutput_value, output_node);
    }
    free(formula);
    free(output_node);
    return m->formula_tape && m->output_tape;
}

// ---- compilation

static void layout(cardan_model* m, cd_arena* arena)
{
    CD_ARENA_ARRAY(arena, m->link, m->nlink);
    CD_ARENA_ARRAY(arena, m->tree_transform, m->nlink);
    CD_ARENA_ARRAY(arena, m->tree_range, m->njoint + (m->policy == CARDAN_TREE_MAXIMAL ? m->nlink : 0));
    CD_ARENA_ARRAY(arena, m->joint, m->njoint + (m->policy == CARDAN_TREE_MAXIMAL ? m->nlink : 0));
    CD_ARENA_ARRAY(arena, m->joint_range, m->njoint);
    CD_ARENA_ARRAY(arena, m->off_tree, m->njoint);
    CD_ARENA_ARRAY(arena, m->q_off_tree_start, 7 * m->njoint);
    CD_ARENA_ARRAY(arena, m->body, m->nbody);
    CD_ARENA_ARRAY(arena, m->marker, m->nmarker);
    CD_ARENA_ARRAY(arena, m->cut, m->ncut);
    CD_ARENA_ARRAY(arena, m->joint_force, m->nv + 6 * m->njoint);
    CD_ARENA_ARRAY(arena, m->armature, m->nv);
    CD_ARENA_ARRAY(arena, m->inertia_scale, m->nv);
    CD_ARENA_ARRAY(arena, m->inertia_roundoff, m->nv);
    CD_ARENA_ARRAY(arena, m->link_inertia_scale, m->nlink);
    CD_ARENA_ARRAY(arena, m->v_link, m->nv);
    CD_ARENA_ARRAY(arena, m->v_parent, m->nv);
    CD_ARENA_ARRAY(arena, m->v_order, m->nv);
    CD_ARENA_ARRAY(arena, m->v_depth, m->nv);
    CD_ARENA_ARRAY(arena, m->quaternion_v, m->nlink);
    CD_ARENA_ARRAY(arena, m->quaternion_q, m->nlink);
    CD_ARENA_ARRAY(arena, m->q_start, m->nq);
    CD_ARENA_ARRAY(arena, m->v_start, m->nv);
    CD_ARENA_ARRAY(arena, m->state_start, m->nstate);
    CD_ARENA_ARRAY(arena, m->reaction_signal, m->view.nsignal);
    CD_ARENA_ARRAY(arena, m->reaction_reader, m->view.nsignal);
}

// Upper bounds before the numbering; cut joints have no coordinates.
static void count_coordinates(cd_model_compiler* c)
{
    cardan_model* m = c->m;
    if (c->tree.is_maximal) {
        m->nlink = c->tree.ngroup - 1;
        m->nq    = 7 * m->nlink;
        m->nv    = 6 * m->nlink;
        return;
    }
    for (int j = 0; j < m->njoint; ++j) {
        cd_elementary_joint element[CARDAN_JOINT_VELOCITIES_MAX];
        const cardan_joint  joint = cd_model_compiler_joint(c, j);
        const int           n     = cd_joint_type_find(joint.type)->elementary_joints(&joint, element);
        m->nlink += n;
        for (int s = 0; s < n; ++s) {
            m->nq += cd_motion_nq(element[s].motion);
            m->nv += cd_motion_nv(element[s].motion);
        }
    }
}

static cardan_status build_model(cd_model_compiler* c, cardan_report* report)
{
    cardan_model* m = c->m;
    m->nmarker      = m->view.nmarker;
    m->nbody        = m->view.nbody;
    for (int i = 0; i < m->view.nshape; ++i) m->nbristle += cd_shape_bristles(&m->view, i);
    m->nstate = m->view.nstate + 3 * m->nbristle;
    m->njoint = m->view.njoint + c->tree.nfloating;
    m->ncut   = c->tree.ncut;
    count_coordinates(c);
    layout(m, &m->arena);
    c->group_pose = cd_allocate((size_t)c->tree.ngroup, sizeof *c->group_pose);
    c->group_link = cd_allocate((size_t)c->tree.ngroup, sizeof *c->group_link);
    c->first_body = cd_allocate((size_t)c->tree.ngroup, sizeof *c->first_body);
    c->next_body  = cd_allocate((size_t)m->nbody, sizeof *c->next_body);
    if (!cd_arena_reserve(&m->arena) || !c->group_pose || !c->group_link || !c->first_body || !c->next_body)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the model of '%s'", m->view.name);
    layout(m, &m->arena);
    list_group_bodies(c);

    m->nlink = m->nq = m->nv = 0;
    c->group_pose[0]         = cardan_pose_default();
    c->group_link[0]         = -1;
    for (int j = 0; j < m->njoint; ++j) cd_compile_joint_size(c, j);
    for (int i = 0; i < m->ncut; ++i) {
        m->cut[i]                       = c->tree.cut[i];
        m->joint[c->tree.cut[i]].is_cut = true;
    }
    for (int i = 1; i < c->tree.ngroup; ++i) {
        const int g = c->tree.is_maximal ? i : c->tree.order[i];
        if (c->tree.is_maximal)
            cd_compile_floating_group(c, g);
        else
            cd_compile_tree_joint(c, g, c->tree.parent_joint[g]);
    }
    m->nlink          = c->nlink;
    m->all_links_free = true;
    for (int i = 0; i < m->nlink; ++i)
        m->all_links_free &= cd_link_is_free(m, &m->link[i]) && m->link[i].q == 7 * i && m->link[i].v == 6 * i;
    cd_compile_link_frames(c);
    cd_inertia_scales(m, m->link_inertia_scale, m->inertia_scale, m->inertia_roundoff);
    number_off_tree_joints(c);
    collect_joint_forces(m);
    collect_start(c);
    cardan_status status = check_signals(m, report);
    if (status == CARDAN_OK) status = cd_compile_reaction_signals(m, report);
    if (status != CARDAN_OK) return status;
    if (!compile_formulas(m))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the formulas of '%s'", m->view.name);
    return cd_compile_drivers(m, report);
}

// Maximal coordinates have no start values of joints: their start is computed with a tree.
static cardan_status find_maximal_start(cd_model_compiler* c, cardan_report* report)
{
    cd_spanning_tree    tree;
    const cardan_status status =
        cd_spanning_tree_create(&c->m->view, c->parametric, CARDAN_TREE_BREADTH_FIRST, &tree, report);
    if (status != CARDAN_OK) return status;
    c->start_pose  = cd_allocate((size_t)tree.ngroup, sizeof *c->start_pose);
    c->start_twist = cd_allocate((size_t)tree.ngroup, sizeof *c->start_twist);
    if (c->start_pose && c->start_twist) cd_start_poses(&c->m->view, &tree, c->start_pose, c->start_twist);
    cd_spanning_tree_destroy(&tree);
    return c->start_pose && c->start_twist
               ? CARDAN_OK
               : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory for the model of '%s'", c->m->view.name);
}

cardan_status cd_model_compile(const cardan_description* description, cardan_tree_policy policy, cardan_model** model,
                               cardan_report* report)
{
    *model                               = NULL;
    const cardan_description_view view   = cardan_description_get_view(description);
    cardan_status                 status = cd_check_description(&view, report);
    if (status == CARDAN_OK) status = cd_check_references(description, report);
    if (status != CARDAN_OK) return status;

    cd_model_compiler c = {.m = cd_allocate(1, sizeof(cardan_model)), .parametric = description->parametric};
    if (!c.m)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for a model");
    c.m->description        = description;
    c.m->view               = view;
    c.m->policy             = policy;
    c.m->chosen_formulation = CARDAN_NONE;
    status                  = cd_spanning_tree_create(&view, c.parametric, policy, &c.tree, report);
    if (status == CARDAN_OK && policy == CARDAN_TREE_MAXIMAL) status = find_maximal_start(&c, report);
    if (status == CARDAN_OK) status = build_model(&c, report);
    cd_spanning_tree_destroy(&c.tree);
    void* const scratch[] = {c.group_pose, c.group_link, c.first_body, c.next_body, c.start_pose, c.start_twist};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) free(scratch[i]);
    if (status == CARDAN_OK)
        *model = c.m;
    else
        cardan_model_destroy(c.m);
    return status;
}
