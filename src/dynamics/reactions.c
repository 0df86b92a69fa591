// SPDX-License-Identifier: BSD-3-Clause
// Reactions of all joints, body by body: every body needs a wrench that its joints must supply; what the constraints
// supply is known from their multipliers; the rest is summed along the tree of bodies from its ends to ground. Welded
// joints are joints like all others here.
//
//   need(b)    = (I alpha + w x I w, m (a - g)) - applied wrenches + sum of G'lambda           at the body's origin
//   F(joint)   = sum of needs of all bodies beyond it
//   F = C + sum over columns of d_j x_j,   S'C = 0       d_j: torque about the axis of a rotation, force along a slide
//
// C is the reaction: springs, motors and rotors account for x, which solves S'd x = S'F. Joints that close loops exert
// -G'lambda. Where constraints repeat each other, what joints, other constraints and drivers can carry together without
// load (stress.c) is taken out of all of them, so that reactions, multipliers and efforts of drivers are those of least
// norm, balance each other, and do not depend on the formulation or on which joint is cut.
#include "constraint/measure.h"
#include "core/arguments.h"
#include "dynamics/data.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

// Columns of a joint and the directions of its motors, at the point p.
static cd_joint_columns columns_of(const cardan_data* d, const cd_joint_info* joint, vec3 p)
{
    const cardan_model* m = d->m;
    cd_joint_columns    c = {0};
    for (int i = joint->first_link; i < joint->first_link + joint->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = d->world.pose[i];
        for (int v = link->v; v < link->v + link->nv; ++v) {
            const vec3 s = m3_mul(T.R, d->k.S[v].a), u = m3_mul(T.R, d->k.S[v].l);
            const bool turn = v3_dot(s, s) > 0;
            c.S[c.n]        = (spatial){s, v3_add(u, v3_cross(s, v3_sub(p, T.p)))};
            c.d[c.n]        = turn ? (spatial){s, v3_zero()} : (spatial){v3_zero(), u};
            ++c.n;
        }
    }
    return c;
}

// Take the motors' part out of F.
static spatial constraint_part(const cd_joint_columns* c, spatial F)
{
    double effort[CARDAN_JOINT_MAX];
    for (int i = 0; i < c->n; ++i) effort[i] = sv_dot(c->S[i], F);
    return sv_add_scaled(F, -1, cd_joint_wrench(c, effort));
}

// The same wrench about another point: `arm` leads from the new point to the old one.
static spatial moved(spatial F, vec3 arm) { return (spatial){v3_add(F.a, v3_cross(arm, F.l)), F.l}; }

void cd_know_bodies(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reacting*        r = &d->reacting;
    cd_know_world(d);
    for (int i = 0; i < m->nbody; ++i) {
        const cd_attached* at  = &m->body[i];
        const frame        T   = d->world.pose[at->link];
        const spatial      V   = d->world.velocity[at->link];
        const vec3         arm = m3_mul(T.R, v3_lift(at->p));
        r->body.pose[i]        = (frame){m3_mul_m3(T.R, m3_lift(at->R)), v3_add(T.p, arm)};
        r->body.velocity[i]    = (spatial){V.a, v3_add(V.l, v3_cross(V.a, arm))};
    }
    for (int j = 0; j < m->njoint; ++j) {
        const cd_attached* at = &m->joint[j].frame_first;
        r->place[j]           = v3_add(d->world.pose[at->link].p, m3_mul(d->world.pose[at->link].R, v3_lift(at->p)));
    }
}

// Sum of G lambda at an end: wrench at the origin of its link.
static spatial pull(const cardan_data* d, int constraint, int end, const double* lambda)
{
    const cd_constraint* c = &d->closure.constraint[constraint];
    spatial              F = sv_zero();
    for (int row = 0; row < c->nrow; ++row)
        F = sv_add_scaled(F, lambda[c->first_row + row], d->closure.equations[constraint].G[row * c->nend + end]);
    return F;
}

static void pull_bodies(cardan_data* d, const double* lambda)
{
    cd_reacting* r = &d->reacting;
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        for (int k = 0; k < c->nend; ++k) {
            const int b = cd_body_at(c, k);
            if (b == CARDAN_GROUND) continue;
            const vec3 arm = v3_sub(d->world.pose[cd_end_at(c, k)->link].p, r->body.pose[b].p);
            r->load[b]     = sv_add(r->load[b], moved(pull(d, i, k, lambda), arm));
        }
    }
}

void cd_carry(cardan_data* d, const double* lambda)
{
    const cardan_model* m    = d->m;
    cd_reacting*        r    = &d->reacting;
    cd_body_tree*       tree = &r->tree;
    pull_bodies(d, lambda);
    for (int j = 0; j < m->njoint; ++j) r->carried[j] = sv_zero();
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        if (c->joint == CARDAN_NONE || !m->joint[c->joint].cut) continue;
        const vec3 arm       = v3_sub(d->world.pose[c->end[1].link].p, r->place[c->joint]);
        r->carried[c->joint] = sv_add(r->carried[c->joint], sv_scale(-1, moved(pull(d, i, 1, lambda), arm)));
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const int b = tree->order[i], p = tree->parent[b], j = tree->joint[b];
        if (j == CARDAN_NONE) continue;
        const spatial F = moved(r->load[b], v3_sub(r->body.pose[b].p, r->place[j]));
        r->carried[j]   = sv_scale(m->view.joint[j].second == b ? 1 : -1, F);
        if (p == CARDAN_GROUND) continue;
        r->load[p] = sv_add(r->load[p], moved(r->load[b], v3_sub(r->body.pose[b].p, r->body.pose[p].p)));
    }
}

// What a body needs to accelerate, at its origin.
static spatial inertia_wrench(const cardan_data* d, int i)
{
    const cardan_body* body = &d->m->view.body[i];
    const cd_attached* at   = &d->m->body[i];
    const mat3         R    = d->reacting.body.pose[i].R;
    const spatial      A    = d->world.acceleration[at->link];
    const vec3         w = d->world.velocity[at->link].a, c = m3_mul(R, v3_lift(body->centre));
    const vec3 arm = v3_add(c, v3_sub(d->reacting.body.pose[i].p, d->world.pose[at->link].p)); // from the link's origin
    const vec3 a   = v3_add(v3_add(A.l, v3_cross(A.a, arm)), v3_cross(w, v3_cross(w, arm)));
    const sym3 I   = s3_rotate(R, s3_lift(body->inertia));
    const vec3 f   = v3_scale(body->mass, v3_sub(a, v3_lift(d->m->view.gravity)));
    const vec3 n   = v3_add(s3_mul(I, A.a), v3_cross(w, s3_mul(I, w)));
    return (spatial){v3_add(n, v3_cross(c, f)), f};
}

// Force elements see markers on bodies in place of markers on links.
static void apply_elements(cardan_data* d)
{
    cd_reacting*    r      = &d->reacting;
    cardan_model    bodies = *d->m;
    cd_force_effect effect = {r->load, r->effort, NULL};
    bodies.marker          = r->marker;
    for (int i = 0; i < d->m->view.nforce; ++i) {
        const cd_force_input input = {&bodies, &r->body, d->rates + 3 * i};
        if (d->left_out[i]) continue;
        d->force[i]->apply(&d->m->view.force[i], &input, &effect);
    }
}

// Efforts along joints that the tree does not have: a pair of wrenches on their bodies. In the tree they are taken out
// of what the joint carries.
static void apply_measured(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reacting*        r = &d->reacting;
    cd_know_measured(d);
    for (int i = 0; i < m->nmeasured; ++i) {
        const cd_joint_info* joint = &m->joint[m->measured[i]];
        const cardan_slot    place = m->place[m->measured[i]];
        if (m->measured[i] >= m->view.njoint) continue; // nothing acts along a free joint that was added
        const int    body[2] = {m->view.joint[m->measured[i]].first, m->view.joint[m->measured[i]].second};
        const cd_end end[2]  = {cd_end_of(&joint->frame_first, &d->world), cd_end_of(&joint->frame_second, &d->world)};
        const cd_joint_columns c = cd_joint_columns_at(joint, end, d->q + place.q);
        const spatial          F = cd_joint_wrench(&c, d->effort + place.v);
        for (int k = 0; k < 2; ++k)
            if (body[k] != CARDAN_GROUND)
                r->load[body[k]] = sv_add(r->load[body[k]],
                                          moved(sv_scale(k ? 1 : -1, F), v3_sub(end[0].T.p, r->body.pose[body[k]].p)));
    }
}

// What rotors beside the tree resist with: -G f on the bodies of each end.
static void apply_rotors(cardan_data* d)
{
    cd_reacting* r = &d->reacting;
    for (int i = 0; i < d->rotors.nconstraint; ++i)
        for (int k = 0; k < 2; ++k) {
            const cd_constraint* c = &d->rotors.constraint[i];
            if (c->body[k] == CARDAN_GROUND) continue;
            const spatial F     = sv_scale(-d->lambda[d->rows.nrow + i], d->rotors.equations[i].G[k]);
            const vec3    arm   = v3_sub(d->world.pose[c->end[k].link].p, r->body.pose[c->body[k]].p);
            r->load[c->body[k]] = sv_add(r->load[c->body[k]], moved(F, arm));
        }
}

// A rotor acts along the rate of its coordinate; what that is more than its motor's direction is a reaction of the
// joint.
static void react_to_rotors(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reacting*        r = &d->reacting;
    for (int i = 0; i < d->rotors.nconstraint; ++i) {
        const cd_constraint* c     = &d->rotors.constraint[i];
        const int            j     = c->coupled->coordinate[0].joint;
        const cd_joint_info* joint = &m->joint[j];
        const cd_end end[2] = {cd_end_of(&joint->frame_first, &d->world), cd_end_of(&joint->frame_second, &d->world)};
        const cd_joint_columns S = cd_joint_columns_at(joint, end, d->q + m->place[j].q);
        const spatial          F = sv_scale(-d->lambda[d->rows.nrow + i], d->rotors.equations[i].G[1]);
        r->carried[j] =
            sv_add(r->carried[j], constraint_part(&S, moved(F, v3_sub(d->world.pose[c->end[1].link].p, r->place[j]))));
    }
}

static void load_bodies(cardan_data* d)
{
    const cardan_model* m = d->m;
    cd_reacting*        r = &d->reacting;
    for (int i = 0; i < m->nbody; ++i) {
        const vec3 centre = m3_mul(r->body.pose[i].R, v3_lift(m->view.body[i].centre));
        r->load[i]        = d->loaded ? moved(d->outer_wrench[i], centre) : sv_zero();
    }
    apply_elements(d);
    apply_measured(d);
    apply_rotors(d);
    for (int i = 0; i < m->nbody; ++i) r->load[i] = sv_add(inertia_wrench(d, i), sv_scale(-1, r->load[i]));
}

// R - Q Q'R with the sets of self-stress as columns of Q: of all reactions that hold the mechanism, the smallest.
static void take_least(cardan_data* d)
{
    cd_reacting*     r      = &d->reacting;
    const cd_stress* stress = &r->stress;
    const int        njoint = d->m->njoint;
    memcpy(r->lambda, d->lambda, (size_t)d->rows.nrow * sizeof *r->lambda);
    for (int s = 0; s < stress->nset; ++s) {
        const double* Q   = stress->set + (size_t)s * (size_t)stress->width;
        double        sum = 0;
        for (int j = 0; j < njoint; ++j)
            sum += v3_dot(v3_lift(Q + 6 * j), r->carried[j].a) / r->length +
                   v3_dot(v3_lift(Q + 6 * j + 3), r->carried[j].l);
        for (int i = stress->first_other; i < d->rows.nrow; ++i)
            sum += Q[6 * njoint + i - stress->first_other] * r->lambda[i] / (stress->scale[i] * r->length);
        for (int i = stress->first_other; i < d->rows.nrow; ++i)
            r->lambda[i] -= sum * Q[6 * njoint + i - stress->first_other] * stress->scale[i] * r->length;
        for (int j = 0; j < njoint; ++j) {
            const spatial set = {v3_scale(r->length, v3_lift(Q + 6 * j)), v3_lift(Q + 6 * j + 3)};
            r->carried[j]     = sv_add_scaled(r->carried[j], -sum, set);
        }
    }
}

static void take_given(cardan_data* d)
{
    cd_reacting*     r     = &d->reacting;
    const cd_limits* given = &r->given;
    memcpy(r->carried, given->carried, (size_t)d->m->njoint * sizeof *r->carried);
    memcpy(r->stress.unique, given->unique, (size_t)d->m->njoint * sizeof *given->unique);
    memcpy(r->lambda, given->lambda, (size_t)d->rows.nrow * sizeof *r->lambda);
}

void cd_react(cardan_data* d, const double* a)
{
    const cardan_model* m = d->m;
    cd_reacting*        r = &d->reacting;
    cd_know_bodies(d);
    cd_know_forces(d);
    cd_know_rows(d);
    if (r->given.known) {
        take_given(d);
        return;
    }
    cd_find_stress(d, &r->stress);
    cd_world_accelerations(m, &d->k, d->v, a, &d->world);
    load_bodies(d);
    cd_carry(d, d->lambda);
    for (int j = 0; j < m->njoint; ++j) {
        const cd_joint_columns c = columns_of(d, &m->joint[j], r->place[j]);
        r->carried[j]            = constraint_part(&c, r->carried[j]);
    }
    react_to_rotors(d);
    take_least(d);
}

// ---- constraints that are no joint

void cd_find_between(cardan_data* d)
{
    cd_reacting* r = &d->reacting;
    r->nbetween    = 0;
    for (int n = 0; n < d->closure.nconstraint; ++n) {
        const cd_constraint* c = &d->closure.constraint[n];
        if (c->joint == CARDAN_NONE && !c->coupled && c->nend == 2) r->between[r->nbetween++] = n;
    }
}

// The i-th constraint between two markers, or NULL.
static const cd_constraint* between_markers(const cardan_data* d, int i)
{
    const cd_reacting* r = &d->reacting;
    return i >= 0 && i < r->nbetween ? &d->closure.constraint[r->between[i]] : NULL;
}

int cardan_constraint_count(const cardan_data* d) { return d ? d->reacting.nbetween : 0; }

const char* cardan_constraint_name(const cardan_data* d, int i)
{
    const cd_constraint* c = d && i >= 0 ? between_markers(d, i) : NULL;
    return c ? c->name : "";
}

bool cd_rows_are_unique(const cardan_data* d, const cd_constraint* c, int row, const double* part)
{
    const cd_stress* stress = &d->reacting.stress;
    const double*    scale  = stress->scale + c->first_row;
    bool             given  = d->reacting.given.known;
    for (int i = 0; i < c->nrow && given; ++i)
        if (part[i] != 0 && !d->reacting.given.row_unique[c->first_row + i]) return false;
    if (given) return true;
    if (!stress->affordable) return d->system.nrow == 0;
    for (int s = 0; s < stress->nset; ++s) {
        const double* Q =
            stress->set + (size_t)s * (size_t)stress->width + 6 * d->m->njoint + c->first_row - stress->first_other;
        double sum = 0;
        for (int i = 0; i < c->nrow; ++i)
            if (part[i] != 0) sum += part[i] * Q[i] * (scale[i] / scale[row]);
        if (fabs(sum) > 1e-6) return false;
    }
    return true;
}

bool cd_is_unique(const cardan_data* d, const cd_constraint* c)
{
    for (int k = 0; k < c->nrow; ++k) {
        double part[CD_ROWS_MAX] = {0};
        part[k]                  = 1;
        if (!cd_rows_are_unique(d, c, k, part)) return false;
    }
    return true;
}

spatial cd_constraint_wrench(const cardan_data* d, int i)
{
    const cd_constraint* c   = between_markers(d, i);
    const cd_end         end = cd_end_of(&c->end[1], &d->world);
    if (d->reacting.given.known) return d->reacting.given.between[i];
    return moved(sv_scale(-1, pull(d, (int)(c - d->closure.constraint), 1, d->reacting.lambda)), v3_neg(end.r));
}

static void give_constraints(const cardan_data* d, cardan_reaction* reaction)
{
    for (int i = 0; i < d->reacting.nbetween; ++i) {
        const spatial F = cd_constraint_wrench(d, i);
        reaction[i]     = (cardan_reaction){.force  = {F.l.x, F.l.y, F.l.z},
                                            .torque = {F.a.x, F.a.y, F.a.z},
                                            .unique = cd_is_unique(d, between_markers(d, i))};
    }
}

// ---- all of them

static void give_joints(const cardan_data* d, cardan_reaction* reaction)
{
    const cd_reacting* r = &d->reacting;
    for (int j = 0; j < d->m->njoint; ++j) {
        const vec3 f = r->carried[j].l, n = r->carried[j].a;
        reaction[j] =
            (cardan_reaction){.force = {f.x, f.y, f.z}, .torque = {n.x, n.y, n.z}, .unique = r->stress.unique[j]};
    }
}

cardan_status cardan_reactions_of_all(cardan_data* d, const double* a, cardan_reaction* joint,
                                      cardan_reaction* constraint, cardan_transmission* transmission)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(a, d->m->nv, "a", NULL);
    if (!cd_are_finite(d->m->nv, a)) return CARDAN_BAD_USAGE;
    cd_react(d, a);
    if (joint) give_joints(d, joint);
    if (constraint) give_constraints(d, constraint);
    if (transmission) cd_transmit(d, transmission);
    return CARDAN_OK;
}

cardan_status cardan_reactions(cardan_data* d, const double* a, cardan_reaction* reaction)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(reaction, d->m->njoint, "reaction", NULL);
    return cardan_reactions_of_all(d, a, reaction, NULL, NULL);
}

cardan_status cardan_constraint_reactions(cardan_data* d, const double* a, cardan_reaction* reaction)
{
    CD_REFUSE_NULL(d, "data", NULL);
    CD_REFUSE_NO_ARRAY(reaction, cardan_constraint_count(d), "reaction", NULL);
    return cardan_reactions_of_all(d, a, NULL, reaction, NULL);
}
