// SPDX-License-Identifier: BSD-3-Clause
// Read access to a compiled model, and operations on its coordinates: integration, difference, rate.
#include "model/model.h"

#include "core/check_arguments.h"
#include "math/finite.h"
#include "math/simd_types.h"
#include "math/quaternion.h"

#include <stdlib.h>
#include <string.h>

void cardan_model_destroy(cardan_model* m)
{
    if (!m) return;
    if (m->formula_tape) cd_tape_destroy(m->formula_tape);
    if (m->output_tape) cd_tape_destroy(m->output_tape);
    if (m->driver_tape) cd_tape_destroy(m->driver_tape);
    if (m->contact_scene) m->destroy_contact_scene(m->contact_scene);
    cd_arena_release(&m->arena);
    free(m);
}

cardan_model_view cardan_model_get_view(const cardan_model* m)
{
    if (!m) return (cardan_model_view){0};
    return (cardan_model_view){.name        = m->view.name,
                               .nq          = m->nq,
                               .nv          = m->nv,
                               .nstate      = m->nstate,
                               .nlink       = m->nlink,
                               .njoint      = m->njoint,
                               .nbody       = m->nbody,
                               .ncut        = m->ncut,
                               .nconstraint = m->ncut + m->view.ncoupling + m->view.nconstraint + m->njoint_driver,
                               .ntree_range = m->njoint + (m->policy == CARDAN_TREE_MAXIMAL ? m->nlink : 0),
                               .tree_range  = m->tree_range,
                               .nq_joint    = m->nq_joint,
                               .nv_joint    = m->nv_joint,
                               .joint_range = m->joint_range,
                               .cut         = m->cut,
                               .q_start     = m->q_start,
                               .v_start     = m->v_start,
                               .state_start = m->state_start};
}

const cardan_description* cardan_model_description(const cardan_model* m) { return m ? m->description : NULL; }

// Joints, and in maximal coordinates the free joints behind them.
static bool has_joint(const cardan_model* m, int j)
{
    return m && cd_is_index(j, cardan_model_get_view(m).ntree_range);
}

const char* cardan_model_joint_name(const cardan_model* m, int j) { return has_joint(m, j) ? m->joint[j].name : NULL; }
const char* cardan_model_joint_type(const cardan_model* m, int j)
{
    return has_joint(m, j) ? m->joint[j].type->name : NULL;
}

// Elementary motion of joint j with coordinate (or velocity) i, and the index within it.
static cd_elementary_motion motion_of(const cardan_model* m, int j, int* i, int (*size)(cd_elementary_motion))
{
    const cd_compiled_joint* info = &m->joint[j];
    int                      s    = 0;
    while (s < info->nelementary - 1 && *i >= size(info->elementary[s].motion))
        *i -= size(info->elementary[s++].motion);
    return info->elementary[s].motion;
}

const char* cardan_model_q_unit(const cardan_model* m, int j, int i)
{
    if (!has_joint(m, j) || !cd_is_index(i, m->tree_range[j].nq)) return NULL;
    const cd_elementary_motion motion = motion_of(m, j, &i, cd_motion_nq);
    return cd_motion_q_unit(motion, i);
}

const char* cardan_model_v_unit(const cardan_model* m, int j, int i)
{
    if (!has_joint(m, j) || !cd_is_index(i, m->tree_range[j].nv)) return NULL;
    const cd_elementary_motion motion = motion_of(m, j, &i, cd_motion_nv);
    return cd_motion_v_unit(motion, i);
}

bool cd_joint_velocity_is_rotation(const cardan_model* m, int j, int i)
{
    const cd_elementary_motion motion = motion_of(m, j, &i, cd_motion_nv);
    return cd_motion_is_rotation(motion, i);
}

bool cd_velocity_is_rotation(const cardan_model* m, int v)
{
    const cd_link* link = &m->link[m->v_link[v]];
    return cd_motion_is_rotation((cd_elementary_motion)link->motion, v - link->v);
}

int cardan_model_joint_of_velocity(const cardan_model* m, int v, int* local)
{
    if (!m || !cd_is_index(v, m->nv)) return CARDAN_NONE;
    const int j = m->link[m->v_link[v]].joint;
    if (local) *local = v - m->tree_range[j].v;
    return j;
}

int cd_model_quaternions(const cardan_model* m, const int** v_index)
{
    *v_index = m->quaternion_v;
    return m->nquaternion;
}

// Coordinates of a link: scalar ones correspond to its velocities; a quaternion comes last, with an angular velocity.
static int  plain_count(const cd_link* link) { return link->motion < CD_SPHERICAL ? 1 : link->nv - 3; }
static bool has_quaternion(const cd_link* link) { return link->motion >= CD_SPHERICAL; }

// q exp(r), unit; by vector operations.
static inline void rotate_quaternion(const double* q, const double r[3], double* q_new)
{
    double increment[4], e[4];
    q4_exp(r, increment);
    const double4 a = *(const double4_unaligned*)q, x = {-a[1], a[0], a[3], -a[2]}, y = {-a[2], -a[3], a[0], a[1]},
                  z        = {-a[3], a[2], -a[1], a[0]};
    *(double4_unaligned*)e = (a * increment[0] + x * increment[1]) + (y * increment[2] + z * increment[3]);
    q4_normalize(e);
    *(double4_unaligned*)q_new = *(const double4_unaligned*)e;
}

static inline void integrate_link_position(int n, bool has_quaternion, const double* q, const double* v, double h,
                                           double* q_new)
{
    for (int k = 0; k < n; ++k) q_new[k] = q[k] + h * v[k];
    if (has_quaternion) rotate_quaternion(q + n, (double[3]){h * v[n], h * v[n + 1], h * v[n + 2]}, q_new + n);
}

// Links are read only if they are not all free: sweeps over many are limited by memory.
void cd_model_integrate_position(const cardan_model* m, const double* q, const double* v, double h, double* q_new,
                                 int from, int to)
{
    for (int i = from; m->all_links_free && i < to; ++i)
        integrate_link_position(3, true, q + 7 * i, v + 6 * i, h, q_new + 7 * i);
    for (int i = from; !m->all_links_free && i < to; ++i) {
        const cd_link* l = &m->link[i];
        if (l->motion == CD_FREE)
            integrate_link_position(3, true, q + l->q, v + l->v, h, q_new + l->q);
        else
            integrate_link_position(plain_count(l), has_quaternion(l), q + l->q, v + l->v, h, q_new + l->q);
    }
}

// Results are also computed from numbers that are not finite; the status then reports it.
static cardan_status finite_status(int n, const double* result)
{
    return cd_all_finite(n, result) ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_status cardan_model_integrate_position(const cardan_model* m, const double* q, const double* dq, double* q_new)
{
    CD_REQUIRE_POINTER(m, "model", NULL);
    CD_REQUIRE_ARRAY(q, m->nq, "q", NULL);
    CD_REQUIRE_ARRAY(dq, m->nv, "dq", NULL);
    CD_REQUIRE_ARRAY(q_new, m->nq, "q_new", NULL);
    cd_model_integrate_position(m, q, dq, 1, q_new, 0, m->nlink);
    return finite_status(m->nq, q_new);
}

cardan_status cardan_model_position_difference(const cardan_model* m, const double* a, const double* b, double* dq)
{
    CD_REQUIRE_POINTER(m, "model", NULL);
    CD_REQUIRE_ARRAY(a, m->nq, "a", NULL);
    CD_REQUIRE_ARRAY(b, m->nq, "b", NULL);
    CD_REQUIRE_ARRAY(dq, m->nv, "dq", NULL);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* l = &m->link[i];
        const int      n = plain_count(l);
        for (int k = 0; k < n; ++k) dq[l->v + k] = b[l->q + k] - a[l->q + k];
        if (!has_quaternion(l)) continue;
        double inverse[4], relative[4];
        q4_conjugate(a + l->q + n, inverse);
        q4_mul(inverse, b + l->q + n, relative);
        q4_log(relative, dq + l->v + n);
    }
    return finite_status(m->nv, dq);
}

cardan_status cardan_model_position_rate(const cardan_model* m, const double* q, const double* v, double* qdot)
{
    CD_REQUIRE_POINTER(m, "model", NULL);
    CD_REQUIRE_ARRAY(q, m->nq, "q", NULL);
    CD_REQUIRE_ARRAY(v, m->nv, "v", NULL);
    CD_REQUIRE_ARRAY(qdot, m->nq, "qdot", NULL);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* l = &m->link[i];
        const int      n = plain_count(l);
        for (int k = 0; k < n; ++k) qdot[l->q + k] = v[l->v + k];
        if (!has_quaternion(l)) continue;
        const double* w       = v + l->v + n;
        const double  half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
        q4_mul(q + l->q + n, half, qdot + l->q + n);
    }
    return finite_status(m->nq, qdot);
}

void cd_model_normalize_position(const cardan_model* m, double* q)
{
    for (int i = 0; i < m->nquaternion; ++i) q4_normalize(q + m->quaternion_q[i]);
}

cardan_status cardan_model_normalize_position(const cardan_model* m, double* q)
{
    CD_REQUIRE_POINTER(m, "model", NULL);
    CD_REQUIRE_ARRAY(q, m->nq, "q", NULL);
    cd_model_normalize_position(m, q);
    return finite_status(m->nq, q);
}
