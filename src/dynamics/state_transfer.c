// SPDX-License-Identifier: BSD-3-Clause
// Transfer of the state of one simulation to another of the same mechanism in other coordinates. Poses and velocities
// of the bodies are transferred: joint coordinates of the tree are computed from them, free bodies are placed by
// them. Winding numbers cannot be derived from poses; they are copied, so that every joint angle is continued from
// its value in the other simulation.
#include "constraint/joint_state.h"
#include "dynamics/data.h"

#include "core/check_arguments.h"
#include "core/text.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/state.h"
#include "math/quaternion.h"

#include <stdlib.h>
#include <string.h>

// Pose and twist of a free link of the target, from a body that both models contain.
static void free_link_state(const cardan_data* from, const cd_link_frame* old, const cd_link_frame* new,
                            const cd_link* link, double* q, double* v)
{
    const frame T    = from->world.pose[old->link];
    const mat3  body = m3_mul_m3(T.R, m3_const(old->R)), R = m3_mul_m3(body, m3_transpose(m3_const(new->R)));
    const vec3  arm = v3_sub(m3_mul(T.R, v3_const(old->p)), m3_mul(R, v3_const(new->p)));
    const vec3  p = v3_add(T.p, arm), w = from->world.velocity[old->link].a,
               u   = v3_add(from->world.velocity[old->link].l, v3_cross(w, arm));
    const vec3 own = m3_tmul(R, w);
    double     e[4];
    q4_of_matrix((const double[9]){R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, e);
    const double position[3] = {p.x, p.y, p.z}, velocity[6] = {u.x, u.y, u.z, own.x, own.y, own.z};
    memcpy(q + link->q, position, sizeof position);
    memcpy(q + link->q + 3, e, sizeof e);
    memcpy(v + link->v, velocity, sizeof velocity);
}

// Start the winding numbers of a constraint at the coordinates of its joints.
static void copy_winding_numbers(const cardan_data* from, const cd_constraint* c, double* history)
{
    const cardan_index_range* range = from->m->joint_range;
    if (c->is_screw) history[0] = from->q[range[c->joint].q];
    for (int n = 0; c->coupled && n < c->coupled->n; ++n) {
        const cd_coordinate* k = &c->coupled->coordinate[n];
        history[n]             = from->q[range[k->joint].q + k->axis_index];
    }
}

// Copy the last joint coordinates, from which angles are continued.
static void copy_joints(const cardan_data* from, cardan_data* to)
{
    for (int j = 0; j < to->m->view.njoint; ++j) {
        const cardan_index_range old = from->m->joint_range[j], new = to->m->joint_range[j];
        if (old.q >= 0 && new.q >= 0) memcpy(to->q + new.q, from->q + old.q, (size_t) new.nq * sizeof *to->q);
    }
    for (int i = 0; i < to->constraints.nconstraint; ++i)
        copy_winding_numbers(from, &to->constraints.constraint[i],
                             to->constraints.history + i * CD_CONSTRAINT_HISTORY_SIZE);
}

// Copy the decision of the assembly about nearly redundant rows: the redundancy error and the message about
// undecidable rank.
static cardan_status copy_rank_decision(const cardan_data* from, cardan_data* to)
{
    const bool same = from->settings.undecidable_rank_message && to->settings.undecidable_rank_message &&
                      strcmp(from->settings.undecidable_rank_message, to->settings.undecidable_rank_message) == 0;
    char* message = from->settings.undecidable_rank_message && !same
                        ? cd_copy_string(from->settings.undecidable_rank_message)
                        : NULL;
    if (from->settings.undecidable_rank_message && !same && !message) return CARDAN_NO_MEMORY;
    if (!same) {
        free(to->settings.undecidable_rank_message);
        to->settings.undecidable_rank_message = message;
    }
    to->policy.redundancy_error = from->policy.redundancy_error;
    return CARDAN_OK;
}

cardan_status cardan_data_copy_state(cardan_data* from, cardan_data* to)
{
    CD_REQUIRE_POINTER(from, "from", NULL);
    CD_REQUIRE_POINTER(to, "to", NULL);
    const cardan_model* m = to->m;
    if (from->m->description != m->description) return CARDAN_BAD_USAGE;
    cd_update_world(from);
    cd_update_off_tree_joints(from);
    copy_joints(from, to);
    if (m->policy == CARDAN_TREE_MAXIMAL) {
        for (int b = 0; b < m->nbody; ++b)
            if (m->body[b].link >= 0)
                free_link_state(from, &from->m->body[b], &m->body[b], &m->link[m->body[b].link], to->q, to->v);
    } else {
        for (int j = 0; j < m->njoint; ++j) {
            const cd_compiled_joint* source = &from->m->joint[j];
            if (m->joint[j].nlink == 0) continue;
            const cd_end_state end[2] = {cd_end_state_of(&source->frame_first, &from->world),
                                         cd_end_state_of(&source->frame_second, &from->world)};
            cd_joint_state_from_frames(&m->joint[j], end, to->q + m->tree_range[j].q, to->v + m->tree_range[j].v);
        }
    }
    const cardan_status status = copy_rank_decision(from, to);
    if (status != CARDAN_OK) return status;
    return cd_data_set_state(to, from->t, to->q, to->v, from->state);
}
