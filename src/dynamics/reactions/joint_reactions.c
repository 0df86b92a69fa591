// SPDX-License-Identifier: BSD-3-Clause
// Reactions of all joints, body by body: every body requires a wrench from its joints; the wrenches of constraints
// are known from their multipliers; the remainder is summed along the body tree from the leaves to ground. Welded
// joints are treated like all others.
//
//   required(b) = (I alpha + w x I w, m (a - g)) - applied wrenches + sum of G'lambda           at the body's origin
//   F(joint)    = sum of the required wrenches of all bodies outboard of it
//   F = C + sum over columns of d_j x_j,   S'C = 0   d_j: torque about a rotation axis, force along a translation
//
// C is the reaction: springs, motors and rotors supply x, which solves S'd x = S'F. Cut joints exert -G'lambda. If
// constraints are redundant, the self-stress of joints, other constraints and drivers (self_stress.c) is removed from
// all of them, so that reactions, multipliers and driver efforts have minimum norm, balance each other, and depend
// neither on the formulation nor on the choice of cut joints.
#include "dynamics/reactions/joint_reactions.h"

#include "constraint/joint_state.h"
#include "core/check_arguments.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/joint_coordinates.h"
#include "dynamics/state.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

// Motion columns of a joint and the wrench directions of its motors, at the point p.
static cd_joint_columns joint_columns_at(const cardan_data* d, const cd_compiled_joint* joint, vec3 p)
{
    const cardan_model* m = d->m;
    cd_joint_columns    c = {0};
    for (int i = joint->first_link; i < joint->first_link + joint->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = d->world.pose[i];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const vec3 s = m3_mul(T.R, d->k.S[v].a), u = m3_mul(T.R, d->k.S[v].l);
            const bool is_rotation  = v3_dot(s, s) > 0;
            c.S[c.n]                = (spatial){s, v3_add(u, v3_cross(s, v3_sub(p, T.p)))};
            c.wrench_direction[c.n] = is_rotation ? (spatial){s, v3_zero()} : (spatial){v3_zero(), u};
            ++c.n;
        }
    }
    return c;
}

// Remove the motors' part from F.
static spatial constraint_part(const cd_joint_columns* c, spatial F)
{
    double effort[CARDAN_JOINT_VELOCITIES_MAX];
    for (int i = 0; i < c->n; ++i) effort[i] = sv_dot(c->S[i], F);
    return sv_add_scaled(F, -1, cd_joint_wrench(c, effort));
}

// The same wrench about another point: `arm` points from the new point to the old one.
static spatial shift_wrench(spatial F, vec3 arm) { return (spatial){v3_add(F.a, v3_cross(arm, F.l)), F.l}; }

void cd_update_body_motions(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reaction_work*   r = &d->reactions;
    cd_update_world(d);
    for (int i = 0; i < m->nbody; ++i) {
        const cd_link_frame* at    = &m->body[i];
        const frame          T     = d->world.pose[at->link];
        const spatial        V     = d->world.velocity[at->link];
        const vec3           arm   = m3_mul(T.R, v3_const(at->p));
        r->body_motion.pose[i]     = (frame){m3_mul_m3(T.R, m3_const(at->R)), v3_add(T.p, arm)};
        r->body_motion.velocity[i] = (spatial){V.a, v3_add(V.l, v3_cross(V.a, arm))};
    }
    for (int j = 0; j < m->njoint; ++j) {
        const cd_link_frame* at = &m->joint[j].frame_first;
        r->joint_position[j]    = v3_add(d->world.pose[at->link].p, m3_mul(d->world.pose[at->link].R, v3_const(at->p)));
    }
}

// Sum of G lambda at an end: wrench at the origin of its link.
static spatial multiplier_wrench(const cardan_data* d, int constraint, int end, const double* lambda)
{
    const cd_constraint* c = &d->constraints.constraint[constraint];
    spatial              F = sv_zero();
    for (int row = 0; row < c->nrow; ++row)
        F = sv_add_scaled(F, lambda[c->first_row + row], d->constraints.equations[constraint].G[row * c->nend + end]);
    return F;
}

static void add_multiplier_wrenches(cardan_data* d, const double* lambda)
{
    cd_reaction_work* r = &d->reactions;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        for (int k = 0; k < c->nend; ++k) {
            const int b = cd_constraint_body(c, k);
            if (b == CARDAN_GROUND) continue;
            const vec3 arm = v3_sub(d->world.pose[cd_constraint_end(c, k)->link].p, r->body_motion.pose[b].p);
            r->required_wrench[b] =
                sv_add(r->required_wrench[b], shift_wrench(multiplier_wrench(d, i, k, lambda), arm));
        }
    }
}

void cd_compute_joint_wrenches(cardan_data* d, const double* lambda)
{
    const cardan_model* m    = d->m;
    cd_reaction_work*   r    = &d->reactions;
    cd_body_tree*       tree = &r->body_tree;
    add_multiplier_wrenches(d, lambda);
    for (int j = 0; j < m->njoint; ++j) r->joint_wrench[j] = sv_zero();
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (c->joint == CARDAN_NONE || !m->joint[c->joint].is_cut) continue;
        const vec3 arm = v3_sub(d->world.pose[c->end[1].link].p, r->joint_position[c->joint]);
        r->joint_wrench[c->joint] =
            sv_add(r->joint_wrench[c->joint], sv_scale(-1, shift_wrench(multiplier_wrench(d, i, 1, lambda), arm)));
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const int b = tree->order[i], p = tree->parent[b], j = tree->joint[b];
        if (j == CARDAN_NONE) continue;
        const spatial F = shift_wrench(r->required_wrench[b], v3_sub(r->body_motion.pose[b].p, r->joint_position[j]));
        r->joint_wrench[j] = sv_scale(m->view.joint[j].second_body == b ? 1 : -1, F);
        if (p == CARDAN_GROUND) continue;
        r->required_wrench[p] =
            sv_add(r->required_wrench[p],
                   shift_wrench(r->required_wrench[b], v3_sub(r->body_motion.pose[b].p, r->body_motion.pose[p].p)));
    }
}

// Inertia wrench of a body, gravity included, at its origin.
static spatial inertia_wrench(const cardan_data* d, int i)
{
    const cardan_body*   body = &d->m->view.body[i];
    const cd_link_frame* at   = &d->m->body[i];
    const mat3           R    = d->reactions.body_motion.pose[i].R;
    const spatial        A    = d->world.acceleration[at->link];
    const vec3           w = d->world.velocity[at->link].a, c = m3_mul(R, v3_const(body->centre));
    const vec3           arm =
        v3_add(c, v3_sub(d->reactions.body_motion.pose[i].p, d->world.pose[at->link].p)); // from the link origin
    const vec3 a = v3_add(v3_add(A.l, v3_cross(A.a, arm)), v3_cross(w, v3_cross(w, arm)));
    const sym3 I = s3_rotate(R, s3_const(body->inertia));
    const vec3 f = v3_scale(body->mass, v3_sub(a, v3_const(d->m->view.gravity)));
    const vec3 n = v3_add(s3_mul(I, A.a), v3_cross(w, s3_mul(I, w)));
    return (spatial){v3_add(n, v3_cross(c, f)), f};
}

// Apply the force elements to bodies instead of links, by markers that refer to bodies.
static void apply_force_elements(cardan_data* d)
{
    cd_reaction_work* r      = &d->reactions;
    cardan_model      bodies = *d->m;
    cd_force_effect   effect = {r->required_wrench, r->effort, NULL};
    bodies.marker            = r->marker;
    for (int i = 0; i < d->m->view.nforce; ++i) {
        const cd_force_input input = {&bodies, &r->body_motion, d->forces.formula_value + 3 * i};
        if (d->settings.is_force_disabled[i]) continue;
        d->forces.type[i]->apply(&d->m->view.force[i], &input, &effect);
    }
}

// Efforts along off-tree joints: a pair of wrenches on their bodies. Efforts along tree joints are removed from the
// joint wrench instead.
static void apply_off_tree_efforts(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reaction_work*   r = &d->reactions;
    cd_update_off_tree_joints(d);
    for (int i = 0; i < m->noff_tree; ++i) {
        const cd_compiled_joint* joint = &m->joint[m->off_tree[i]];
        const cardan_index_range range = m->joint_range[m->off_tree[i]];
        if (m->off_tree[i] >= m->view.njoint) continue; // no effort acts along an added free joint
        const int body[2] = {m->view.joint[m->off_tree[i]].first_body, m->view.joint[m->off_tree[i]].second_body};
        const cd_end_state     end[2] = {cd_end_state_of(&joint->frame_first, &d->world),
                                         cd_end_state_of(&joint->frame_second, &d->world)};
        const cd_joint_columns c      = cd_joint_columns_at(joint, end, d->q + range.q);
        const spatial          F      = cd_joint_wrench(&c, d->forces.effort + range.v);
        for (int k = 0; k < 2; ++k)
            if (body[k] != CARDAN_GROUND)
                r->required_wrench[body[k]] =
                    sv_add(r->required_wrench[body[k]],
                           shift_wrench(sv_scale(k ? 1 : -1, F), v3_sub(end[0].T.p, r->body_motion.pose[body[k]].p)));
    }
}

// Inertia forces of rotors of off-tree joints: -G f on the bodies of each end.
static void apply_rotors(cardan_data* d)
{
    cd_reaction_work* r = &d->reactions;
    for (int i = 0; i < d->rotors.nconstraint; ++i)
        for (int k = 0; k < 2; ++k) {
            const cd_constraint* c = &d->rotors.constraint[i];
            if (c->body[k] == CARDAN_GROUND) continue;
            const spatial F                = sv_scale(-d->solve.lambda[d->rows.nrow + i], d->rotors.equations[i].G[k]);
            const vec3    arm              = v3_sub(d->world.pose[c->end[k].link].p, r->body_motion.pose[c->body[k]].p);
            r->required_wrench[c->body[k]] = sv_add(r->required_wrench[c->body[k]], shift_wrench(F, arm));
        }
}

// The force of a rotor acts along the rate of its coordinate; its difference to the motor's wrench direction is a
// reaction of the joint.
static void add_rotor_reactions(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reaction_work*   r = &d->reactions;
    for (int i = 0; i < d->rotors.nconstraint; ++i) {
        const cd_constraint*     c      = &d->rotors.constraint[i];
        const int                j      = c->coupled->coordinate[0].joint;
        const cd_compiled_joint* joint  = &m->joint[j];
        const cd_end_state       end[2] = {cd_end_state_of(&joint->frame_first, &d->world),
                                           cd_end_state_of(&joint->frame_second, &d->world)};
        const cd_joint_columns   S      = cd_joint_columns_at(joint, end, d->q + m->joint_range[j].q);
        const spatial            F      = sv_scale(-d->solve.lambda[d->rows.nrow + i], d->rotors.equations[i].G[1]);
        r->joint_wrench[j] =
            sv_add(r->joint_wrench[j],
                   constraint_part(&S, shift_wrench(F, v3_sub(d->world.pose[c->end[1].link].p, r->joint_position[j]))));
    }
}

static void apply_grabs(cardan_data* d)
{
    cd_reaction_work* r = &d->reactions;
    for (int i = 0; i < d->external.ngrab; ++i) {
        const cd_grab* grab = &d->external.grab[i];
        if (!grab->active) continue;
        const cd_grab_load load = cd_grab_evaluate(grab, d->t, &d->world);
        const vec3         arm  = v3_sub(load.point, r->body_motion.pose[grab->body].p);
        r->required_wrench[grab->body] =
            sv_add(r->required_wrench[grab->body], shift_wrench((spatial){v3_zero(), load.force}, arm));
    }
}

static void apply_compliant_contacts(cardan_data* d)
{
    const cd_compliant_contacts* c = d->forces.compliant;
    cd_reaction_work*            r = &d->reactions;
    for (int i = 0; c && i < c->n; ++i)
        for (int end = 0; end < 2; ++end) {
            const int body = c->scene->shape[c->scene->pair[c->pair[i]].shape[end]].body;
            if (body == CARDAN_GROUND) continue;
            const spatial F          = sv_scale(end ? -1 : 1, (spatial){c->load[i].moment, c->load[i].force});
            const vec3    arm        = v3_sub(v3_const(c->contact[i].point), r->body_motion.pose[body].p);
            r->required_wrench[body] = sv_add(r->required_wrench[body], shift_wrench(F, arm));
        }
}

// Forces at contact points; limits and friction of off-tree joints, along their coordinates.
static void apply_contacts(cardan_data* d)
{
    cd_reaction_work*  r = &d->reactions;
    const cd_contacts* c = d->contacts;
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact*      point = cd_contacts_point(d, c->contact_of[e]);
        const cd_axis_contact* axis  = cd_contacts_axis(d, c->contact_of[e]);
        for (int k = 0; k < 2; ++k) {
            const cd_constraint* row  = axis ? &c->axes.constraint[axis->row] : NULL;
            const int            body = axis ? row->body[k] : point->body[k];
            if (body == CARDAN_GROUND || (axis && d->m->joint[axis->joint].nlink > 0)) continue;
            const spatial F  = axis ? sv_scale(axis->force, c->block[e].G[k])
                                    : sv_scale(k ? -1 : 1, (spatial){v3_const(point->moment), v3_const(point->force)});
            const vec3    at = axis ? d->world.pose[row->end[k].link].p : v3_const(point->point);
            r->required_wrench[body] =
                sv_add(r->required_wrench[body], shift_wrench(F, v3_sub(at, r->body_motion.pose[body].p)));
        }
    }
}

static void compute_required_wrenches(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reaction_work*   r = &d->reactions;
    for (int i = 0; i < m->nbody; ++i) {
        const vec3 centre     = m3_mul(r->body_motion.pose[i].R, v3_const(m->view.body[i].centre));
        r->required_wrench[i] = d->external.has_forces ? shift_wrench(d->external.wrench[i], centre) : sv_zero();
    }
    apply_grabs(d);
    apply_compliant_contacts(d);
    apply_force_elements(d);
    apply_off_tree_efforts(d);
    apply_rotors(d);
    if (d->contacts && d->contacts->forces_valid) apply_contacts(d);
    for (int i = 0; i < m->nbody; ++i)
        r->required_wrench[i] = sv_add(inertia_wrench(d, i), sv_scale(-1, r->required_wrench[i]));
}

// R - Q Q'R with the self-stress basis as columns of Q: the minimum-norm reactions.
static void remove_self_stress(cardan_data* d)
{
    cd_reaction_work*     r      = &d->reactions;
    const cd_self_stress* stress = &r->self_stress;
    const int             njoint = d->m->njoint;
    memcpy(r->lambda, d->solve.lambda, (size_t)d->rows.nrow * sizeof *r->lambda);
    for (int s = 0; s < stress->nbasis; ++s) {
        const double* Q   = stress->basis + (size_t)s * (size_t)stress->width;
        double        sum = 0;
        for (int j = 0; j < njoint; ++j)
            sum += v3_dot(v3_const(Q + 6 * j), r->joint_wrench[j].a) / r->design_length +
                   v3_dot(v3_const(Q + 6 * j + 3), r->joint_wrench[j].l);
        for (int i = stress->first_other_row; i < d->rows.nrow; ++i)
            sum += Q[6 * njoint + i - stress->first_other_row] * r->lambda[i] / (stress->scale[i] * r->design_length);
        for (int i = stress->first_other_row; i < d->rows.nrow; ++i)
            r->lambda[i] -= sum * Q[6 * njoint + i - stress->first_other_row] * stress->scale[i] * r->design_length;
        for (int j = 0; j < njoint; ++j) {
            const spatial set  = {v3_scale(r->design_length, v3_const(Q + 6 * j)), v3_const(Q + 6 * j + 3)};
            r->joint_wrench[j] = sv_add_scaled(r->joint_wrench[j], -sum, set);
        }
    }
}

static void use_limit_reactions(cardan_data* d)
{
    cd_reaction_work*         r     = &d->reactions;
    const cd_limit_reactions* limit = &r->limit;
    memcpy(r->joint_wrench, limit->joint_wrench, (size_t)d->m->njoint * sizeof *r->joint_wrench);
    memcpy(r->self_stress.unique, limit->joint_unique, (size_t)d->m->njoint * sizeof *limit->joint_unique);
    memcpy(r->lambda, limit->lambda, (size_t)d->rows.nrow * sizeof *r->lambda);
}

void cd_compute_given_reactions(cardan_data* d, const double* a)
{
    const cardan_model* m = d->m;
    cd_reaction_work*   r = &d->reactions;
    cd_update_body_motions(d);
    cd_update_forces(d);
    cd_update_rows(d);
    cd_world_accelerations(m, &d->k, d->v, a, &d->world);
    compute_required_wrenches(d);
    cd_compute_joint_wrenches(d, d->solve.lambda);
    for (int j = 0; j < m->njoint; ++j) {
        const cd_joint_columns c = joint_columns_at(d, &m->joint[j], r->joint_position[j]);
        r->joint_wrench[j]       = constraint_part(&c, r->joint_wrench[j]);
    }
    add_rotor_reactions(d);
}

void cd_compute_reactions(cardan_data* d, const double* a)
{
    cd_reaction_work* r = &d->reactions;
    cd_update_body_motions(d);
    cd_update_forces(d);
    cd_update_rows(d);
    if (r->limit.valid) {
        use_limit_reactions(d);
        return;
    }
    cd_find_self_stress(d, &r->self_stress);
    cd_compute_given_reactions(d, a);
    remove_self_stress(d);
}

// ---- constraints other than joints

void cd_find_marker_constraints(cardan_data* d)
{
    cd_reaction_work* r   = &d->reactions;
    r->nmarker_constraint = 0;
    for (int n = 0; n < d->constraints.nconstraint; ++n) {
        const cd_constraint* c = &d->constraints.constraint[n];
        if (c->joint == CARDAN_NONE && !c->coupled && c->nend == 2) r->marker_constraint[r->nmarker_constraint++] = n;
    }
}

// The i-th constraint between two markers, or NULL.
static const cd_constraint* marker_constraint_at(const cardan_data* d, int i)
{
    const cd_reaction_work* r = &d->reactions;
    return i >= 0 && i < r->nmarker_constraint ? &d->constraints.constraint[r->marker_constraint[i]] : NULL;
}

int cardan_data_marker_constraint_count(const cardan_data* d) { return d ? d->reactions.nmarker_constraint : 0; }

const char* cardan_data_marker_constraint_name(const cardan_data* d, int i)
{
    const cd_constraint* c = d && i >= 0 ? marker_constraint_at(d, i) : NULL;
    return c ? c->name : "";
}

bool cd_multiplier_sum_is_unique(const cardan_data* d, const cd_constraint* c, int row, const double* part)
{
    const cd_self_stress* stress    = &d->reactions.self_stress;
    const double*         scale     = stress->scale + c->first_row;
    bool                  use_limit = d->reactions.limit.valid;
    for (int i = 0; i < c->nrow && use_limit; ++i)
        if (part[i] != 0 && !d->reactions.limit.row_unique[c->first_row + i]) return false;
    if (use_limit) return true;
    if (!stress->affordable) return d->solver_rows.nrow == 0;
    for (int s = 0; s < stress->nbasis; ++s) {
        const double* Q = stress->basis + (size_t)s * (size_t)stress->width + 6 * d->m->njoint + c->first_row -
                          stress->first_other_row;
        double sum = 0;
        for (int i = 0; i < c->nrow; ++i)
            if (part[i] != 0) sum += part[i] * Q[i] * (scale[i] / scale[row]);
        if (fabs(sum) > cd_self_stress_roundoff) return false;
    }
    return true;
}

bool cd_multipliers_are_unique(const cardan_data* d, const cd_constraint* c)
{
    for (int k = 0; k < c->nrow; ++k) {
        double part[CD_CONSTRAINT_ROWS_MAX] = {0};
        part[k]                             = 1;
        if (!cd_multiplier_sum_is_unique(d, c, k, part)) return false;
    }
    return true;
}

spatial cd_marker_constraint_wrench(const cardan_data* d, int i)
{
    const cd_constraint* c   = marker_constraint_at(d, i);
    const cd_end_state   end = cd_end_state_of(&c->end[1], &d->world);
    if (d->reactions.limit.valid) return d->reactions.limit.marker_wrench[i];
    return shift_wrench(
        sv_scale(-1, multiplier_wrench(d, (int)(c - d->constraints.constraint), 1, d->reactions.lambda)),
        v3_neg(end.r));
}

static void store_constraint_reactions(const cardan_data* d, cardan_reaction* reaction)
{
    for (int i = 0; i < d->reactions.nmarker_constraint; ++i) {
        const spatial F = cd_marker_constraint_wrench(d, i);
        reaction[i]     = (cardan_reaction){.force  = {F.l.x, F.l.y, F.l.z},
                                            .torque = {F.a.x, F.a.y, F.a.z},
                                            .unique = cd_multipliers_are_unique(d, marker_constraint_at(d, i))};
    }
}

// ---- all reactions

static void store_joint_reactions(const cardan_data* d, cardan_reaction* reaction)
{
    const cd_reaction_work* r = &d->reactions;
    for (int j = 0; j < d->m->njoint; ++j) {
        const vec3 f = r->joint_wrench[j].l, n = r->joint_wrench[j].a;
        reaction[j] =
            (cardan_reaction){.force = {f.x, f.y, f.z}, .torque = {n.x, n.y, n.z}, .unique = r->self_stress.unique[j]};
    }
}

cardan_status cardan_data_all_reactions(cardan_data* d, const double* a, cardan_reaction* joint,
                                        cardan_reaction* constraint, cardan_transmission* transmission)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", NULL);
    if (!cd_all_finite(d->m->nv, a)) return CARDAN_BAD_USAGE;
    cd_compute_reactions(d, a);
    if (joint) store_joint_reactions(d, joint);
    if (constraint) store_constraint_reactions(d, constraint);
    if (transmission) cd_compute_transmissions(d, transmission);
    return CARDAN_OK;
}

cardan_status cardan_data_reactions(cardan_data* d, const double* a, cardan_reaction* reaction)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(reaction, d->m->njoint, "reaction", NULL);
    return cardan_data_all_reactions(d, a, reaction, NULL, NULL);
}

cardan_status cardan_data_marker_constraint_reactions(cardan_data* d, const double* a, cardan_reaction* reaction)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(reaction, cardan_data_marker_constraint_count(d), "reaction", NULL);
    return cardan_data_all_reactions(d, a, NULL, reaction, NULL);
}
