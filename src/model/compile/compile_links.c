// SPDX-License-Identifier: BSD-3-Clause
// Joints to links: every joint of the tree becomes links, each with one elementary motion about or along the z axis of
// its frame.
//
// Frames: T(a <- b) is the pose of frame b in frame a. For a joint of the tree with elementary joints s = 1..n from its
// parent side:
//   start of link s:   T(link s-1 <- joint frame) A_s,         A_s rotates z into axis s
//   after the motion:  T(link s <- joint frame) = A_s^-1
//   group on link n:   A_n^-1 T(joint frame <- body) T(body <- group)
// A joint whose second body is the parent in the tree has its elementary joints in reversed order, with negated axes.
#include "model/compile/model_compiler.h"

#include <math.h>
#include <string.h>

// quaternion that rotates z into `axis`; exact for the coordinate axes
static void align_z(cd_parametric* parametric, const double axis[3], double q[4])
{
    const double n    = par_any_parametric(parametric, 3, axis)
                            ? par_sqrt(parametric, par_dot(parametric, axis, axis))
                            : hypot(hypot(axis[0], axis[1]), axis[2]); // squares could overflow or underflow
    const double a[3] = {par_div(parametric, axis[0], n), par_div(parametric, axis[1], n),
                         par_div(parametric, axis[2], n)};
    static const struct {
        double axis[3], q[4];
    } exact[] = {
        {{0, 0, 1}, {1, 0, 0, 0}},        {{0, 0, -1}, {0, 1, 0, 0}},       {{1, 0, 0}, {.5, .5, .5, .5}},
        {{-1, 0, 0}, {.5, .5, -.5, -.5}}, {{0, 1, 0}, {.5, -.5, -.5, -.5}}, {{0, -1, 0}, {.5, .5, -.5, .5}},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i)
        if (a[0] == exact[i].axis[0] && a[1] == exact[i].axis[1] && a[2] == exact[i].axis[2]) {
            memcpy(q, exact[i].q, sizeof exact[i].q);
            return;
        }
    // (1 + z.a, z x a), normalized; via -z if that would cancel
    if (a[2] > -0.5) {
        const double r[4] = {par_add(parametric, 1, a[2]), -a[1], a[0], 0};
        memcpy(q, r, sizeof r);
    } else {
        // z to -z about x, then -z to the axis
        par_q4_mul(parametric, (double[4]){par_sub(parametric, 1, a[2]), a[1], -a[0], 0}, (double[4]){0, 1, 0, 0}, q);
    }
    par_q4_normalize(parametric, q);
}

static cd_elementary_motion reversed_motion(cd_elementary_motion motion)
{
    return motion == CD_SPHERICAL ? CD_SPHERICAL_REVERSED : motion == CD_FREE ? CD_FREE_REVERSED : motion;
}

cardan_joint cd_model_compiler_joint(const cd_model_compiler* c, int j)
{
    const cardan_description_view* view = &c->m->view;
    if (j < view->njoint) return view->joint[j];
    const int          body  = c->tree.floating[j - view->njoint];
    const cardan_body* b     = &view->body[body];
    cardan_joint       joint = cardan_joint_default(b->name, "free", CARDAN_GROUND, body);
    joint.location           = b->location;
    joint.start_q_given      = true;
    memcpy(joint.start_q, b->pose.p, sizeof b->pose.p);
    memcpy(joint.start_q + 3, b->pose.q, sizeof b->pose.q);
    return joint;
}

cardan_pose cd_model_compiler_body_pose(const cd_model_compiler* c, int body, int* link)
{
    if (body == CARDAN_GROUND) {
        *link = -1;
        return cardan_pose_default();
    }
    const int g = c->tree.group[body];
    *link       = c->group_link[g];
    return par_pose_mul(c->parametric, c->group_pose[g], c->tree.pose[body]);
}

void cd_compile_joint_size(cd_model_compiler* c, int j)
{
    cardan_model*      m     = c->m;
    const cardan_joint joint = cd_model_compiler_joint(c, j);
    cd_compiled_joint* info  = &m->joint[j];
    info->name               = joint.name;
    info->type               = cd_joint_type_find(joint.type);
    info->nelementary        = info->type->elementary_joints(&joint, info->elementary);
    m->tree_range[j]         = (cardan_index_range){.q = CARDAN_NONE, .v = CARDAN_NONE};
    for (int s = 0; s < info->nelementary; ++s) {
        m->tree_range[j].nq += cd_motion_nq(info->elementary[s].motion);
        m->tree_range[j].nv += cd_motion_nv(info->elementary[s].motion);
    }
}

static void add_link(cd_model_compiler* c, int j, int s, int parent, cardan_pose start, int q, int v)
{
    cardan_model*            m    = c->m;
    const cd_compiled_joint* info = &m->joint[j];
    cd_link*                 link = &m->link[c->nlink];
    link->parent                  = parent;
    link->motion = (int)(info->is_reversed ? reversed_motion(info->elementary[s].motion) : info->elementary[s].motion);
    link->joint  = j;
    link->q      = q;
    link->v      = v;
    link->nv     = cd_motion_nv(info->elementary[s].motion);

    cd_tree_transform* transform = &m->tree_transform[c->nlink];
    transform->motion            = link->motion;
    transform->q                 = q;
    transform->pitch             = info->elementary[s].pitch;
    par_q4_matrix(c->parametric, start.q, transform->R);
    memcpy(transform->p, start.p, sizeof transform->p);

    for (int i = 0; i < link->nv; ++i) {
        int preceding = -1, p = parent;
        if (i > 0)
            preceding = v + i - 1;
        else if (p >= 0)
            preceding = m->link[p].v + m->link[p].nv - 1;
        m->v_link[v + i]            = c->nlink;
        m->v_parent[v + i]          = preceding;
        m->v_depth[v + i]           = preceding < 0 ? 1 : m->v_depth[preceding] + 1;
        m->v_order[c->nv_ordered++] = v + i;
        if (m->v_depth[v + i] > m->depth) m->depth = m->v_depth[v + i];
    }
    if (link->motion >= CD_SPHERICAL) {
        const bool floating               = cd_motion_nq(info->elementary[s].motion) == 7;
        m->quaternion_v[m->nquaternion]   = v + (floating ? 3 : 0);
        m->quaternion_q[m->nquaternion++] = q + (floating ? 3 : 0);
    }
    ++c->nlink;
}

// Create the links of joint j, the parent joint of group g; sets link and pose of the group.
void cd_compile_tree_joint(cd_model_compiler* c, int g, int j)
{
    cardan_model*      m            = c->m;
    const cardan_joint joint        = cd_model_compiler_joint(c, j);
    cd_compiled_joint* info         = &m->joint[j];
    const int          parent_group = c->tree.parent[g];
    const int          first        = joint.first_body == CARDAN_GROUND ? 0 : c->tree.group[joint.first_body];
    info->is_reversed               = first != parent_group;
    info->first_link                = c->nlink;
    info->nlink                     = info->nelementary;

    const int near_body          = info->is_reversed ? joint.second_body : joint.first_body,
              far_body           = info->is_reversed ? joint.first_body : joint.second_body;
    const cardan_pose near_frame = info->is_reversed ? joint.frame_second : joint.frame_first;
    const cardan_pose far_frame  = info->is_reversed ? joint.frame_first : joint.frame_second;

    int         parent = -1;
    cardan_pose T      = par_pose_mul(c->parametric, cd_model_compiler_body_pose(c, near_body, &parent), near_frame);
    m->tree_range[j].q = m->nq;
    m->tree_range[j].v = m->nv;
    for (int k = 0; k < info->nelementary; ++k) {
        const int s = info->is_reversed ? info->nelementary - 1 - k : k;
        int       q = m->nq, v = m->nv;
        for (int i = 0; i < s; ++i) {
            q += cd_motion_nq(info->elementary[i].motion);
            v += cd_motion_nv(info->elementary[i].motion);
        }
        cardan_pose A = cardan_pose_default();
        if (info->elementary[s].motion < CD_SPHERICAL) {
            const double* a    = info->elementary[s].axis;
            const double  sign = info->is_reversed ? -1 : 1;
            align_z(c->parametric, (double[3]){sign * a[0], sign * a[1], sign * a[2]}, A.q);
        }
        add_link(c, j, s, parent, par_pose_mul(c->parametric, T, A), q, v);
        parent = c->nlink - 1;
        T      = par_pose_inverse(c->parametric, A);
    }
    m->nq += m->tree_range[j].nq;
    m->nv += m->tree_range[j].nv;
    c->group_link[g]                = parent;
    const cardan_pose far_body_pose = far_body == CARDAN_GROUND ? cardan_pose_default() : c->tree.pose[far_body];
    cd_parametric*    parametric    = c->parametric;

    c->group_pose[g] = par_pose_mul(
        parametric, T,
        par_pose_mul(parametric, par_pose_inverse(parametric, far_frame), par_pose_inverse(parametric, far_body_pose)));
}

// Mass centre of a group in its frame; the origin if the mass is zero.
static void group_centre(const cd_model_compiler* c, int g, double centre[3])
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

// Put a group on a free joint, with the link's origin at the mass centre, so that its inertia is constant and
// decoupled.
void cd_compile_floating_group(cd_model_compiler* c, int g)
{
    cardan_model*      m    = c->m;
    const int          j    = m->njoint + c->nlink; // behind the joints of the description
    cd_compiled_joint* info = &m->joint[j];
    *info                   = (cd_compiled_joint){.name        = m->view.body[c->first_body[g]].name,
                                                  .type        = cd_joint_type_find("free"),
                                                  .first_link  = c->nlink,
                                                  .nlink       = 1,
                                                  .nelementary = 1,
                                                  .elementary  = {{.motion = CD_FREE}}};
    add_link(c, j, 0, -1, cardan_pose_default(), m->nq, m->nv);
    m->tree_range[j] = (cardan_index_range){m->nq, 7, m->nv, 6};
    m->nq += 7;
    m->nv += 6;
    double centre[3];
    group_centre(c, g, centre);
    c->group_link[g] = c->nlink - 1;
    c->group_pose[g] = cardan_pose_default();
    for (int k = 0; k < 3; ++k) c->group_pose[g].p[k] = -centre[k];
}
