// SPDX-License-Identifier: BSD-3-Clause
// Accelerations with contacts of given states. With a_0 and lambda_0 solved without contacts,
//
//   u' = W p + Jc a_0 + bias,   p by the states (impact/contact_states.h)
//   a = a_0 + da,  lambda = lambda_0 + dl,    M da + J'dl = Jc'p,  J da = 0
#include "dynamics/contacts/axis_loads.h"
#include "dynamics/contacts/contact_rows.h"
#include "dynamics/contacts/contacts_tolerances.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

// Scale of accelerations: the largest term of the rows.
static double acceleration_scale(const cd_contacts* c)
{
    return fmax(cd_norm_inf(c->nrow, c->q), cd_norm_inf(c->nrow, c->bias));
}

void cd_contacts_set_right_side(cardan_data* d, const double* a)
{
    cd_contacts* c = d->contacts;
    cd_contacts_times(d, a, c->q);
    c->scale = cd_norm_inf(c->nrow, c->q);
    for (int i = 0; i < c->nrow; ++i) c->q[i] += c->bias[i];
    c->scale = fmax(c->scale, acceleration_scale(c));
    if (c->scale == 0) c->scale = 1; // without forces and motion: all accelerations are zero
}

// World vector of components in the contact frame.
static void to_world(const cd_contact* c, const double e[3], double x[3])
{
    for (int i = 0; i < 3; ++i) x[i] = e[0] * c->normal[i] + e[1] * c->tangent[0][i] + e[2] * c->tangent[1][i];
}

void cd_contacts_store(cardan_data* d, const double* p, bool impulses)
{
    cd_contacts* c = d->contacts;
    for (int e = 0; e < c->nelement; ++e) {
        const double*    own   = p + c->element[e].row;
        cd_contact*      point = cd_contacts_point(d, c->contact_of[e]);
        cd_axis_contact* axis  = cd_contacts_axis(d, c->contact_of[e]);
        if (axis && impulses) axis->impulse = own[0];
        if (axis && !impulses) axis->force = own[0];
        if (point) to_world(point, own, impulses ? point->impulse : point->force);
        if (point && !impulses) memset(point->moment, 0, sizeof point->moment);
        if (point && !impulses && c->element[e].nrow == 6) to_world(point, own + 3, point->moment);
    }
}

void cd_contacts_apply(cardan_data* d, const double* p, double* a)
{
    cd_contacts_add_response(d, p, a, d->solve.lambda);
}

// Forces by the states for accelerations a without contacts; adds their effect to a and to the multipliers.
static cardan_status apply_states(cardan_data* d, double* a)
{
    cd_contacts* c = d->contacts;
    cd_contacts_set_right_side(d, a);
    const cd_contact_problem problem  = cd_contacts_problem(c, c->scale);
    cd_states_solution       solution = {.p = c->p, .u = c->u, .is_unique = c->is_unique};
    const cd_states_status   solved   = cd_contact_states_solve(&problem, c->element_state, c->states_work, &solution);
    c->residual                       = solution.inconsistency;
    c->determinant                    = solution.determinant;
    cd_contacts_store(d, c->p, false);
    if (solved == CD_STATES_INCONSISTENT && !(solution.inconsistency <= cd_contact_state_residual * c->scale))
        return CARDAN_NOT_CONVERGED;
    cd_contacts_apply(d, c->p, a);
    return CARDAN_OK;
}

// The same with friction of joints by their load.
static cardan_status iterate_loads(cardan_data* d, double* a)
{
    cd_contacts* c = d->contacts;
    cd_contacts_keep_free(d, a);
    for (int i = 0; i < CD_LOAD_ITERATIONS; ++i) {
        cd_contacts_restore_free(d, a);
        cd_contacts_update_bounds(d);
        const cardan_status status = apply_states(d, a);
        if (status != CARDAN_OK) return status;
        if (!(cd_axis_loads_update(d, a) > cd_load_convergence)) return CARDAN_OK;
    }
    c->residual = INFINITY;
    return CARDAN_NOT_CONVERGED;
}

void cd_contacts_keep_free(cardan_data* d, const double* a)
{
    memcpy(d->contacts->free_acceleration, a, (size_t)d->m->nv * sizeof *a);
    memcpy(d->contacts->free_multiplier, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *a);
}

void cd_contacts_restore_free(cardan_data* d, double* a)
{
    memcpy(a, d->contacts->free_acceleration, (size_t)d->m->nv * sizeof *a);
    memcpy(d->solve.lambda, d->contacts->free_multiplier, (size_t)d->solver_rows.nrow * sizeof *a);
}

cardan_status cd_contacts_accelerate(cardan_data* d, double* a)
{
    cd_contacts* c = d->contacts;
    cd_contacts_update_rows(d);
    c->forces_valid = true;
    if (c->overflow) return CARDAN_UNSUPPORTED;
    if (c->nelement == 0) return CARDAN_OK;
    const cardan_status status = cd_contacts_update_delassus(d);
    if (status != CARDAN_OK) return status;
    return c->has_load_friction ? iterate_loads(d, a) : apply_states(d, a);
}

// Wrench of the force and moment at a point, on a link: about its origin.
static void add_wrench(const cardan_data* d, int link, const cd_contact* c, double sign, spatial* wrench)
{
    if (link < 0) return;
    const vec3 f = v3_scale(sign, v3_const(c->force)), r = v3_sub(v3_const(c->point), d->world.pose[link].p);
    const vec3 n = v3_scale(sign, v3_const(c->moment));
    wrench[link] = sv_add(wrench[link], (spatial){v3_add(n, v3_cross(r, f)), f});
}

void cd_contacts_add_wrenches(cardan_data* d, spatial* wrench)
{
    const cd_contacts* c = d->contacts;
    for (int i = 0; c && c->forces_valid && i < c->set.n; ++i) {
        const cd_contact* point = &c->set.contact[i];
        if (point->state.mode == CD_CONTACT_OPEN) continue;
        add_wrench(d, point->link[0], point, 1, wrench);
        add_wrench(d, point->link[1], point, -1, wrench);
    }
    for (int e = 0; c && c->forces_valid && e < c->nelement; ++e) {
        const cd_axis_contact* axis = cd_contacts_axis(d, c->contact_of[e]);
        for (int k = 0; axis && k < 2; ++k)
            if (c->block[e].link[k] >= 0)
                wrench[c->block[e].link[k]] = sv_add_scaled(wrench[c->block[e].link[k]], axis->force, c->block[e].G[k]);
    }
}

void cd_contacts_subtract_efforts(const cardan_data* d, double* x)
{
    const cd_contacts* c = d->contacts;
    for (int e = 0; c && c->forces_valid && e < c->nelement; ++e) {
        const cd_row_block* b = &c->block[e];
        for (int i = 0; i < b->nrow; ++i)
            for (int k = 0; k < b->nv; ++k) x[b->v[k]] -= b->J[i * b->nv + k] * c->p[b->row + i];
    }
}

double cd_contacts_power(cardan_data* d)
{
    const cd_contacts* c     = d->contacts;
    double             power = 0;
    if (!c || !c->forces_valid) return 0;
    cd_contacts_update_rows(d);
    for (int i = 0; i < c->nrow; ++i) power += c->p[i] * c->velocity[i];
    return power;
}
