// SPDX-License-Identifier: BSD-3-Clause
// Description to model: every joint of the tree becomes links, each with one elementary motion about or along the z axis of
// its own frame; bodies, markers and joint frames are attached to links.
//
// Frames. T(a <- b) places frame b in frame a. For a joint of the tree with steps s = 1..n from its parent side:
//   start of link s:   T(link s-1 <- joint frame) A_s,         A_s turns z into the axis of step s
//   after the motion:  T(link s <- joint frame) = A_s^-1
//   group on link n:   A_n^-1 T(joint frame <- body) T(body <- group)
// A joint that the tree walks from its second body to its first has its steps reversed, their axes negated.
#include "model/description.h"
#include "model/carried.h"
#include "model/check.h"
#include "model/model.h"
#include "model/resistance.h"
#include "model/spanning_tree.h"
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
            status = cardan_fail(report, CARDAN_BAD_INPUT, joint_place(m, s->a), "a formula asks for %s(%s, %d), but the joint has %d", position ? "q" : "v",
                                 m->joint[s->a].name, s->component + 1, n);
    }
    return status;
}

// ---- joints to steps, steps to links

// quaternion that turns z into `axis`; exact for the coordinate axes
static void align_z(cd_ledger* l, const double axis[3], double q[4])
{
    const double n = l_knows_any(l, 3, axis) ? l_sqrt(l, l_dot(l, axis, axis)) : hypot(hypot(axis[0], axis[1]), axis[2]);  // squares could over- or underflow
    const double a[3] = {l_div(l, axis[0], n), l_div(l, axis[1], n), l_div(l, axis[2], n)};
    static const struct { double axis[3], q[4]; } exact[] = {
        {{0, 0, 1}, {1, 0, 0, 0}},        {{0, 0, -1}, {0, 1, 0, 0}},
        {{1, 0, 0}, {.5, .5, .5, .5}},    {{-1, 0, 0}, {.5, .5, -.5, -.5}},
        {{0, 1, 0}, {.5, -.5, -.5, -.5}}, {{0, -1, 0}, {.5, .5, -.5, .5}},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i)
        if (a[0] == exact[i].axis[0] && a[1] == exact[i].axis[1] && a[2] == exact[i].axis[2]) {
            memcpy(q, exact[i].q, sizeof exact[i].q);
            return;
        }
    // (1 + z.a, z x a), normalized; by way of -z where that would cancel
    if (a[2] > -0.5) {
        const double r[4] = {l_add(l, 1, a[2]), -a[1], a[0], 0};
        memcpy(q, r, sizeof r);
    } else {
        // z to -z about x, then -z to the axis
        carried_mul(l, (double[4]){l_sub(l, 1, a[2]), a[1], -a[0], 0}, (double[4]){0, 1, 0, 0}, q);
    }
    carried_normalize(l, q);
}

static void set_frame(cd_ledger* l, cardan_pose T, double R[9], double p[3])
{
    carried_matrix(l, T.q, R);
    memcpy(p, T.p, sizeof T.p);
}

static cd_motion reversed_motion(cd_motion motion)
{
    return motion == CD_BALL ? CD_BALL_REVERSED : motion == CD_FLOAT ? CD_FLOAT_REVERSED : motion;
}

typedef struct compiler {
    cardan_model* m;
    cd_ledger*    ledger;      // of the description, mostly NULL
    cd_tree       tree;
    cardan_pose*  group_pose;  // (ngroup) group frame on its link
    int*          group_link;  // (ngroup)
    int*          first_body;  // (ngroup) lists of the bodies of each group
    int*          next_body;   // (nbody)
    cardan_pose*  start;       // (ngroup) flat: where the groups are at the start
    double (*twist)[6];        // (ngroup) and how they move
    int           link, v_placed;
} compiler;

// Joint j: described, or the free joint that was added for a body that floats. The coordinates of the latter are those of
// the body frame in the world, so it starts at the design position.
static cardan_joint joint_at(const compiler* c, int j)
{
    const cardan_view* view = &c->m->view;
    if (j < view->njoint) return view->joint[j];
    const int          body  = c->tree.added[j - view->njoint];
    const cardan_body* b     = &view->body[body];
    cardan_joint       joint = cardan_joint_default(b->name, "free", CARDAN_GROUND, body);
    joint.place              = b->place;
    joint.start_q_given      = true;
    memcpy(joint.start_q, b->pose.p, sizeof b->pose.p);
    memcpy(joint.start_q + 3, b->pose.q, sizeof b->pose.q);
    return joint;
}

static cardan_pose body_on_link(const compiler* c, int body, int* link)
{
    if (body == CARDAN_GROUND) {
        *link = -1;
        return cardan_pose_default();
    }
    const int g = c->tree.group[body];
    *link       = c->group_link[g];
    return carried_pose_mul(c->ledger, c->group_pose[g], c->tree.pose[body]);
}

static void number_joint(compiler* c, int j)
{
    cardan_model*      m     = c->m;
    const cardan_joint joint = joint_at(c, j);
    cd_joint_info*     info  = &m->joint[j];
    info->name               = joint.name;
    info->type               = cd_joint_type_find(joint.type);
    info->nstep              = info->type->steps(&joint, info->step);
    m->slot[j]               = (cardan_slot){.q = CARDAN_NONE, .v = CARDAN_NONE};
    for (int s = 0; s < info->nstep; ++s) {
        m->slot[j].nq += cd_motion_nq(info->step[s].motion);
        m->slot[j].nv += cd_motion_nv(info->step[s].motion);
    }
}

static void add_link(compiler* c, int j, int s, int parent, cardan_pose start, int q, int v)
{
    cardan_model*        m    = c->m;
    const cd_joint_info* info = &m->joint[j];
    cd_link*             link = &m->link[c->link];
    link->parent              = parent;
    link->motion              = (int)(info->reversed ? reversed_motion(info->step[s].motion) : info->step[s].motion);
    link->joint               = j;
    link->q                   = q;
    link->v                   = v;
    link->nv                  = cd_motion_nv(info->step[s].motion);

    cd_mount* mount = &m->mount[c->link];
    mount->motion   = link->motion;
    mount->q        = q;
    mount->pitch    = info->step[s].pitch;
    set_frame(c->ledger, start, mount->R, mount->p);

    for (int i = 0; i < link->nv; ++i) {
        int before = -1, p = parent;
        if (i > 0) before = v + i - 1;
        else if (p >= 0) before = m->link[p].v + m->link[p].nv - 1;
        m->v_link[v + i]         = c->link;
        m->v_parent[v + i]       = before;
        m->v_depth[v + i]        = before < 0 ? 1 : m->v_depth[before] + 1;
        m->v_order[c->v_placed++] = v + i;
        if (m->v_depth[v + i] > m->depth) m->depth = m->v_depth[v + i];
    }
    if (link->motion >= CD_BALL) {
        const bool floating          = cd_motion_nq(info->step[s].motion) == 7;
        m->rotation[m->nrotation]    = v + (floating ? 3 : 0);
        m->rotation_q[m->nrotation++] = q + (floating ? 3 : 0);
    }
    ++c->link;
}

// The links of joint j, which carries group g; afterwards the group knows its link and its place there.
static void add_joint(compiler* c, int g, int j)
{
    cardan_model*      m      = c->m;
    const cardan_joint joint  = joint_at(c, j);
    cd_joint_info*     info   = &m->joint[j];
    const int          up     = c->tree.parent[g];
    const int          first  = joint.first == CARDAN_GROUND ? 0 : c->tree.group[joint.first];
    info->reversed            = first != up;
    info->first_link          = c->link;
    info->nlink               = info->nstep;

    const int         near = info->reversed ? joint.second : joint.first, far = info->reversed ? joint.first : joint.second;
    const cardan_pose near_frame = info->reversed ? joint.frame_second : joint.frame_first;
    const cardan_pose far_frame  = info->reversed ? joint.frame_first : joint.frame_second;

    int         parent = -1;
    cardan_pose T      = carried_pose_mul(c->ledger, body_on_link(c, near, &parent), near_frame);
    m->slot[j].q       = m->nq;
    m->slot[j].v       = m->nv;
    for (int k = 0; k < info->nstep; ++k) {
        const int s = info->reversed ? info->nstep - 1 - k : k;
        int       q = m->nq, v = m->nv;
        for (int i = 0; i < s; ++i) {
            q += cd_motion_nq(info->step[i].motion);
            v += cd_motion_nv(info->step[i].motion);
        }
        cardan_pose A = cardan_pose_default();
        if (info->step[s].motion < CD_BALL) {
            const double* a    = info->step[s].axis;
            const double  sign = info->reversed ? -1 : 1;
            align_z(c->ledger, (double[3]){sign * a[0], sign * a[1], sign * a[2]}, A.q);
        }
        add_link(c, j, s, parent, carried_pose_mul(c->ledger, T, A), q, v);
        parent = c->link - 1;
        T      = carried_pose_inverse(c->ledger, A);
    }
    m->nq += m->slot[j].nq;
    m->nv += m->slot[j].nv;
    c->group_link[g]            = parent;
    const cardan_pose far_place = far == CARDAN_GROUND ? cardan_pose_default() : c->tree.pose[far];
    cd_ledger* l                = c->ledger;
    c->group_pose[g]            = carried_pose_mul(l, T, carried_pose_mul(l, carried_pose_inverse(l, far_frame), carried_pose_inverse(l, far_place)));
}

// Mass centre of a group in its own frame; the origin where nothing has mass.
static void group_centre(const compiler* c, int g, double centre[3])
{
    double mass = 0;
    for (int k = 0; k < 3; ++k) centre[k] = 0;
    for (int i = c->first_body[g]; i >= 0; i = c->next_body[i]) {
        const cardan_body* b = &c->m->view.body[i];
        double             p[3];
        pose_point(c->tree.pose[i], b->centre, p);
        mass += b->mass;
        for (int k = 0; k < 3; ++k) centre[k] += b->mass * p[k];
    }
    for (int k = 0; k < 3; ++k) centre[k] = mass > 0 ? centre[k] / mass : 0;
}

// A group on a free joint of its own, its link's origin at the mass centre, so that its inertia is constant and uncoupled.
static void add_floating(compiler* c, int g)
{
    cardan_model*  m    = c->m;
    const int      j    = m->njoint + c->link;  // behind the user's
    cd_joint_info* info = &m->joint[j];
    *info               = (cd_joint_info){.name = m->view.body[c->first_body[g]].name, .type = cd_joint_type_find("free"), .first_link = c->link, .nlink = 1,
                                          .nstep = 1, .step = {{.motion = CD_FLOAT}}};
    add_link(c, j, 0, -1, cardan_pose_default(), m->nq, m->nv);
    m->slot[j] = (cardan_slot){m->nq, 7, m->nv, 6};
    m->nq += 7;
    m->nv += 6;
    double centre[3];
    group_centre(c, g, centre);
    c->group_link[g] = c->link - 1;
    c->group_pose[g] = cardan_pose_default();
    for (int k = 0; k < 3; ++k) c->group_pose[g].p[k] = -centre[k];
}

// Bodies of each group, in lists.
static void list_groups(compiler* c)
{
    for (int g = 0; g < c->tree.ngroup; ++g) c->first_body[g] = -1;
    for (int i = c->m->nbody - 1; i >= 0; --i) {
        const int g      = c->tree.group[i];
        c->next_body[i]  = c->first_body[g];
        c->first_body[g] = i;
    }
}

// ---- what hangs on links

// m, h = m c, I about the link's origin: R Ic R' + m (|c|^2 1 - c c')
static void add_inertia(cd_ledger* l, cd_link* link, const cardan_body* body, cardan_pose T)
{
    double R[9], c[3], J[9] = {0};
    carried_matrix(l, T.q, R);
    carried_pose_point(l, T, body->centre, c);
    const double* i6       = body->inertia;
    const double  Ic[3][3] = {{i6[0], i6[3], i6[4]}, {i6[3], i6[1], i6[5]}, {i6[4], i6[5], i6[2]}};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int k = 0; k < 3; ++k)
                for (int n = 0; n < 3; ++n) J[3 * a + b] = l_more(l, J[3 * a + b], l_mul(l, R[3 * a + k], Ic[k][n]), R[3 * b + n]);
    const double m = body->mass, cc = l_dot(l, c, c);
    for (int a = 0; a < 3; ++a) {
        link->h[a] = l_more(l, link->h[a], m, c[a]);
        link->I[a] = l_add(l, link->I[a], l_more(l, J[4 * a], m, l_sub(l, cc, l_mul(l, c[a], c[a]))));
    }
    link->m = l_add(l, link->m, m);
    for (int i = 3; i < 6; ++i) {
        const int a = i == 5, b = i == 3 ? 1 : 2;
        link->I[i]  = l_add(l, link->I[i], l_sub(l, J[3 * a + b], l_mul(l, l_mul(l, m, c[a]), c[b])));
    }
}

static cd_attached attach(const compiler* c, int body, cardan_pose pose)
{
    cd_attached       at;
    const cardan_pose T = carried_pose_mul(c->ledger, body_on_link(c, body, &at.link), pose);
    set_frame(c->ledger, T, at.R, at.p);
    return at;
}

static void attach_all(compiler* c)
{
    cardan_model*      m    = c->m;
    const cardan_view* view = &m->view;
    for (int i = 0; i < m->nbody; ++i) {
        int               link;
        const cardan_pose T = body_on_link(c, i, &link);
        m->body[i]          = attach(c, i, cardan_pose_default());
        if (link >= 0) add_inertia(c->ledger, &m->link[link], &view->body[i], T);
    }
    for (int i = 0; i < m->nlink; ++i) {
        cd_link*     link = &m->link[i];
        cd_ledger*   l    = c->ledger;
        const double half = l_div(l, l_add(l, l_add(l, link->I[0], link->I[1]), link->I[2]), 2);
        for (int a = 0; a < 6; ++a) link->J[a] = l_sub(l, a < 3 ? half : 0, link->I[a]);
        link->bare = link->m == 0 && half == 0;
    }
    for (int i = 0; i < m->nmarker; ++i) m->marker[i] = attach(c, view->marker[i].body, view->marker[i].pose);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_joint joint   = joint_at(c, j);
        m->joint[j].frame_first  = attach(c, joint.first, joint.frame_first);
        m->joint[j].frame_second = attach(c, joint.second, joint.frame_second);
    }
}

// Coordinates of joints that the tree does not have, behind those it has.
static void place_measured(compiler* c)
{
    cardan_model* m = c->m;
    m->nq_all       = m->nq;
    m->nv_all       = m->nv;
    for (int j = 0; j < m->njoint; ++j) {
        m->place[j] = m->slot[j];
        if (m->joint[j].nlink > 0 || m->joint[j].nstep == 0) continue;
        const cardan_joint joint = joint_at(c, j);
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
    return a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 || isfinite(a->lower) || isfinite(a->upper);
}

static void collect_laws(cardan_model* m)
{
    for (int j = 0; j < m->view.njoint; ++j) {
        const cardan_joint* joint = &m->view.joint[j];
        const cardan_slot   slot  = m->place[j];
        for (int i = 0; i < joint->naxis && i < slot.nv; ++i) {
            const bool floating = slot.nq == 7, quaternion = slot.nq != slot.nv;
            cd_law     law = {.v = slot.v + i, .joint = j, .axis = i, .axis_law = joint->axis[i], .ball = CARDAN_NONE, .q = slot.q + i};
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
static void collect_flat_start(compiler* c)
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

static void collect_start(compiler* c)
{
    cardan_model* m = c->m;
    if (c->tree.flat) collect_flat_start(c);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_joint joint = joint_at(c, j);
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
static void measure(compiler* c)
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
        const cardan_joint joint = joint_at(c, j);
        const int          n     = cd_joint_type_find(joint.type)->steps(&joint, step);
        m->nlink += n;
        for (int s = 0; s < n; ++s) {
            m->nq += cd_motion_nq(step[s].motion);
            m->nv += cd_motion_nv(step[s].motion);
        }
    }
}

static cardan_status build(compiler* c, cardan_report* report)
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
        return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for the model of '%s'", m->view.name);
    layout(m, &m->arena);
    list_groups(c);

    m->nlink = m->nq = m->nv = 0;
    c->group_pose[0]         = cardan_pose_default();
    c->group_link[0]         = -1;
    for (int j = 0; j < m->njoint; ++j) number_joint(c, j);
    for (int i = 0; i < m->ncut; ++i) {
        m->cut[i]                   = c->tree.cut[i];
        m->joint[c->tree.cut[i]].cut = true;
    }
    for (int i = 1; i < c->tree.ngroup; ++i) {
        const int g = c->tree.flat ? i : c->tree.order[i];
        if (c->tree.flat) add_floating(c, g);
        else add_joint(c, g, c->tree.via[g]);
    }
    m->nlink = c->link;
    attach_all(c);
    cd_resistance(m, m->size, m->resistance);
    place_measured(c);
    collect_laws(m);
    collect_start(c);
    const cardan_status status = check_signals(m, report);
    if (status != CARDAN_OK) return status;
    if (!compile_formulas(m)) return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for the formulas of '%s'", m->view.name);
    return cd_compile_motion(m, report);
}

// Flat coordinates know nothing of joints: their start comes from a tree.
static cardan_status find_start(compiler* c, cardan_report* report)
{
    cd_tree             tree;
    const cardan_status status = cd_tree_create(&c->m->view, c->ledger, CARDAN_TREE_SHALLOW, &tree, report);
    if (status != CARDAN_OK) return status;
    c->start = cd_allocate((size_t)tree.ngroup, sizeof *c->start);
    c->twist = cd_allocate((size_t)tree.ngroup, sizeof *c->twist);
    if (c->start && c->twist) cd_start_poses(&c->m->view, &tree, c->start, c->twist);
    cd_tree_destroy(&tree);
    return c->start && c->twist ? CARDAN_OK : cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for the model of '%s'", c->m->view.name);
}

cardan_status cardan_model_compile(const cardan_description* description, cardan_tree_policy policy, cardan_model** model, cardan_report* report)
{
    *model                 = NULL;
    const cardan_view view = cardan_description_view(description);
    cardan_status     status = cd_check_view(&view, report);
    if (status != CARDAN_OK) return status;

    compiler c = {.m = cd_allocate(1, sizeof(cardan_model)), .ledger = description->ledger};
    if (!c.m) return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory for a model");
    c.m->description = description;
    c.m->view        = view;
    c.m->policy      = policy;
    status           = cd_tree_create(&view, c.ledger, policy, &c.tree, report);
    if (status == CARDAN_OK && policy == CARDAN_TREE_FLAT) status = find_start(&c, report);
    if (status == CARDAN_OK) status = build(&c, report);
    cd_tree_destroy(&c.tree);
    void* const scratch[] = {c.group_pose, c.group_link, c.first_body, c.next_body, c.start, c.twist};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) free(scratch[i]);
    if (status == CARDAN_OK) *model = c.m;
    else cardan_model_destroy(c.m);
    return status;
}
