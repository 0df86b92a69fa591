// SPDX-License-Identifier: BSD-3-Clause
// Impact at the closed contacts: v+ = v- + X'p with the impulses p of an impact law (impact/impact_law.h),
//
//   M (v+ - v-) = J'L + Jc'p,   J (v+ - v-) = 0,   u+ = W p + u-
//
// so that constraints and driven joints keep their velocities. Dry friction of joints is finite and has no impulse. The
// coefficient of restitution is that of the pair of materials, or of the stop; it is zero for contacts that approach slower
// than the restitution speed of the settings (else a fraction of the fastest impact so far).
#include "dynamics/contacts/contact_rows.h"
#include "dynamics/contacts/contacts_tolerances.h"
#include "dynamics/state.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

static const cd_impact_law* law_of(const cd_contacts* c, cardan_impact_law law, cardan_impact_law* used)
{
    static const char* const name[] = {[CARDAN_IMPACT_NEWTON]    = "newton",
                                       [CARDAN_IMPACT_POISSON]   = "poisson",
                                       [CARDAN_IMPACT_ENERGETIC] = "energetic",
                                       [CARDAN_IMPACT_SEQUENCE]  = "sequence"};
    *used                           = law;
    if (law == CARDAN_IMPACT_AUTOMATIC)
        *used = c->nelement == 1 && c->element[0].mu > 0 ? CARDAN_IMPACT_ENERGETIC : CARDAN_IMPACT_POISSON;
    return cd_impact_law_at(cd_impact_law_find(name[*used]));
}

static double slow_impact(const cd_contacts* c)
{
    const double given = c->set.scene ? c->set.scene->settings.restitution_speed : 0;
    return given > 0 ? given : cd_slow_impact * c->fastest_approach;
}

// In a sequence of impacts contacts at rest are hit by the others.
static double restitution_of(cardan_data* d, int e, cardan_impact_law law, bool inelastic)
{
    const cd_contacts*     c     = d->contacts;
    const cd_contact*      point = cd_contacts_point(d, c->contact_of[e]);
    const cd_axis_contact* axis  = cd_contacts_axis(d, c->contact_of[e]);
    const double           speed = -c->velocity[c->element[e].row];
    if (inelastic || (speed < slow_impact(c) && law != CARDAN_IMPACT_SEQUENCE)) return 0;
    return point ? point->properties->restitution : axis->restitution;
}

// Elements that take part in the impact, with kinetic friction; their number.
static int impact_elements(cardan_data* d, cardan_impact_law law, bool inelastic)
{
    cd_contacts* c = d->contacts;
    int          n = 0;
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact* point = cd_contacts_point(d, c->contact_of[e]);
        if (c->element[e].kind == CD_ELEMENT_FRICTION) continue;
        c->law_element[n] = c->element[e];
        if (point) c->law_element[n].mu = point->properties->kinetic_friction;
        c->restitution[n++] = restitution_of(d, e, law, inelastic);
    }
    return n;
}

static void solve_law(cardan_data* d, const cd_impact_problem* problem, cardan_impact_law law,
                      cd_contact_impact_result* result)
{
    cd_contacts*       c        = d->contacts;
    cd_impact_solution solution = {.p = c->p, .u = c->u, .is_unique = c->is_unique};
    memset(c->p, 0, (size_t)c->nrow * sizeof *c->p);
    result->status =
        cd_impact_solve(law_of(c, law, &result->law), problem, c->impact_work, &solution, cd_cone_law_tolerance);
    if (solution.is_replaced) result->law = CARDAN_IMPACT_POISSON;
    result->residual    = solution.residual;
    result->energy_lost = -solution.energy_change;
    result->restitution = solution.restitution_factor;
    result->iterations  = solution.solves;
    result->is_unique   = true;
    for (int i = 0; i < problem->contact.nelement; ++i) result->is_unique &= c->is_unique[i];
}

static bool is_solved(const cd_contact_impact_result* result, const cd_impact_problem* problem)
{
    return result->status != CD_CONTACT_INFEASIBLE &&
           result->residual <= cd_impact_residual * problem->contact.velocity_scale;
}

cardan_status cd_contact_impact(cardan_data* d, cardan_impact_law law, bool inelastic, cd_contact_impact_result* result)
{
    cd_contacts* c       = d->contacts;
    *result              = (cd_contact_impact_result){.law = law, .restitution = 1, .is_unique = true};
    cardan_status status = c ? cd_contacts_update_delassus(d) : CARDAN_OK;
    if (status != CARDAN_OK || !c || c->nelement == 0) return status;
    if (c->overflow) return CARDAN_UNSUPPORTED;
    for (int e = 0; e < c->nelement; ++e)
        if (c->element[e].kind != CD_ELEMENT_FRICTION)
            result->largest_approach = fmax(result->largest_approach, -c->velocity[c->element[e].row]);
    c->fastest_approach = fmax(c->fastest_approach, result->largest_approach);
    if (cd_norm_inf(c->nrow, c->velocity) == 0) return CARDAN_OK;
    const int               n       = impact_elements(d, law, inelastic);
    const cd_impact_problem problem = {
        .contact     = {c->nrow, n, c->W, c->velocity, c->law_element, cd_norm_inf(c->nrow, c->velocity)},
        .restitution = c->restitution,
        .energy      = cardan_data_energy(d).kinetic};
    solve_law(d, &problem, law, result);
    // restitution at all contacts of wedged bodies may be impossible: impulses of compression always exist
    if (!is_solved(result, &problem) && result->law != CARDAN_IMPACT_POISSON)
        solve_law(d, &problem, CARDAN_IMPACT_POISSON, result);
    if (!is_solved(result, &problem)) return CARDAN_NOT_CONVERGED;
    cd_contacts_store(d, c->p, true);
    cd_contacts_add_response(d, c->p, d->v, NULL);
    cd_data_set_velocity(d, d->v);
    return CARDAN_OK;
}
