// SPDX-License-Identifier: BSD-3-Clause
// The state of one simulation taken over by another of the same mechanism in other coordinates. Poses and velocities of
// bodies are the exchange: joints of the tree are measured from them, flat bodies placed by them. Turns, which poses do
// not tell, are taken from the joints: every measurement begins at the value that the other simulation has.
#include "constraint/measure.h"
#include "dynamics/data.h"

#include "core/arguments.h"
#include "core/text.h"
#include "math/quaternion.h"

#include <stdlib.h>
#include <string.h>

// Frame and twist of a link of `to`, seen through body b that both have.
static void place_link(const cardan_data* from, const cd_attached* old, const cd_attached* new, const cd_link* link,
                       double* q, double* v)
{
    const frame T    = from->world.pose[old->link];
    const mat3  body = m3_mul_m3(T.R, m3_lift(old->R)), R = m3_mul_m3(body, m3_transpose(m3_lift(new->R)));
    const vec3  arm = v3_sub(m3_mul(T.R, v3_lift(old->p)), m3_mul(R, v3_lift(new->p)));
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

// Where the constraint counts turns: at the coordinates of its joints.
static void take_turns(const cardan_data* from, const cd_constraint* c, double* memory)
{
    const cardan_slot* place = from->m->place;
    if (c->screw) memory[0] = from->q[place[c->joint].q];
    for (int n = 0; c->coupled && n < c->coupled->n; ++n) {
        const cd_coordinate* k = &c->coupled->coordinate[n];
        memory[n]              = from->q[place[k->joint].q + k->axis_index];
    }
}

// Last values of the joints, from which they are measured.
static void take_joints(const cardan_data* from, cardan_data* to)
{
    for (int j = 0; j < to->m->view.njoint; ++j) {
        const cardan_slot old = from->m->place[j], new = to->m->place[j];
        if (old.q >= 0 && new.q >= 0) memcpy(to->q + new.q, from->q + old.q, (size_t) new.nq * sizeof *to->q);
    }
    for (int i = 0; i < to->closure.nconstraint; ++i)
        take_turns(from, &to->closure.constraint[i], to->closure.memory + i * CD_MEMORY);
}

// What assembly found about rows that nearly repeat others: how far they are apart, and the sentence where nothing is
// solved because of them.
static cardan_status take_judgement(const cardan_data* from, cardan_data* to)
{
    const bool same = from->torn && to->torn && strcmp(from->torn, to->torn) == 0;
    char*      torn = from->torn && !same ? cd_copy_string(from->torn) : NULL;
    if (from->torn && !same && !torn) return CARDAN_NO_MEMORY;
    if (!same) {
        free(to->torn);
        to->torn = torn;
    }
    to->rows.misfit = to->system.misfit = from->rows.misfit;
    return CARDAN_OK;
}

cardan_status cardan_exchange(cardan_data* from, cardan_data* to)
{
    CD_REFUSE_NULL(from, "from", NULL);
    CD_REFUSE_NULL(to, "to", NULL);
    const cardan_model* m = to->m;
    if (from->m->description != m->description) return CARDAN_BAD_USAGE;
    cd_know_world(from);
    cd_know_measured(from);
    take_joints(from, to);
    if (m->policy == CARDAN_TREE_FLAT) {
        for (int b = 0; b < m->nbody; ++b)
            if (m->body[b].link >= 0)
                place_link(from, &from->m->body[b], &m->body[b], &m->link[m->body[b].link], to->q, to->v);
    } else {
        for (int j = 0; j < m->njoint; ++j) {
            const cd_joint_info* seen = &from->m->joint[j];
            if (m->joint[j].nlink == 0) continue;
            const cd_end end[2] = {cd_end_of(&seen->frame_first, &from->world),
                                   cd_end_of(&seen->frame_second, &from->world)};
            cd_measure(&m->joint[j], end, to->q + m->slot[j].q, to->v + m->slot[j].v);
        }
    }
    const cardan_status judged = take_judgement(from, to);
    if (judged != CARDAN_OK) return judged;
    return cd_data_set(to, from->t, to->q, to->v, from->state);
}
