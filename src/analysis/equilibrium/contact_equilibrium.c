// SPDX-License-Identifier: BSD-3-Clause
// Equilibrium with rigid contacts at a given configuration: with v = 0 the complementarity problem over all contacts that
// touch (dynamics/contacts/contacts.h)
//
//   M a + J'lambda - Jc'p = r,  J a = 0,  u' = Jc a,    0 <= p_n, u_n' >= 0, p_n u_n' = 0, Coulomb's law for p_t
//
// has the solution a = 0. Such configurations are not isolated: friction holds a continuum of them. Only the given one is
// examined. Stability is not determined. Forces of redundant contacts: admissible ones (dynamics/contacts/admissible_forces.h).
#include "analysis/equilibrium/contact_equilibrium.h"
#include "analysis/analysis_tolerances.h"
#include "analysis/equilibrium/touching_contacts.h"
#include "analysis/motion_description.h"

#include "core/memory.h"
#include "dynamics/contacts/admissible_forces.h"
#include "math/norm_inf.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static const char* body_name(const cardan_data* d, int body)
{
    return body == CARDAN_GROUND ? "ground" : d->m->view.body[body].name;
}

static cardan_status fail_overlap(cardan_data* d, const cd_touching* touching, const char* where, cardan_report* report)
{
    const cd_contact* c    = cd_contacts_point(d, touching->deepest);
    const int         body = c->body[0] == CARDAN_GROUND ? c->body[1] : c->body[0];
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, d->m->view.body[body].location,
                       "'%s' and '%s' overlap by %.4g m %s: move them apart by that distance, or list the pair under "
                       "`ignore`",
                       body_name(d, c->body[0]), body_name(d, c->body[1]), touching->depth, where);
}

static cardan_status fail_acceleration(const cd_statics* s, double* a, cardan_report* report)
{
    cardan_data* d         = s->d;
    const int    nv        = d->m->nv;
    double       size      = 0;
    char         body[200] = "", joint[200] = "";
    for (int i = 0; i < nv; ++i) size = fmax(size, fabs(a[i]) * s->tangent.unit[i]);
    const double largest = cd_norm_inf(nv, a);
    for (int i = 0; i < nv; ++i) a[i] /= size;
    if (!cd_describe_dominant_body(d, a, body, sizeof body) ||
        !cd_describe_motions(d, 1, a, s->tangent.length, joint, sizeof joint))
        return CARDAN_NO_MEMORY;
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, cardan_location_none(),
                       "'%s' is not in equilibrium at the start: the contacts do not hold %s, which accelerates (joint "
                       "%s, up to %.3g m/s^2 or rad/s^2); with rigid contacts the start alone is examined: run the "
                       "model until it rests and give the result with --state, or use `contacts: {law: compliant}`, "
                       "for which an equilibrium is searched",
                       d->m->view.name, body, joint, largest);
}

static cardan_status fail_unsolved(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_CONTACT_NOT_SOLVED, cardan_location_none(),
                       "the contact forces of '%s' at rest at the start could not be computed", d->m->view.name);
}

// Largest acceleration relative to the scale of accelerations: gravity, and accelerations without contacts.
static double relative_acceleration(const cd_statics* s, const double* a)
{
    const cardan_data* d    = s->d;
    const double*      g    = d->m->view.gravity;
    double             most = 0, scale = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / s->tangent.length;
    for (int i = 0; i < d->m->nv; ++i) {
        most  = fmax(most, fabs(a[i]) * s->tangent.unit[i]);
        scale = fmax(scale, fabs(d->contacts->free_acceleration[i]) * s->tangent.unit[i]);
    }
    return most > 0 ? most / scale : 0;
}

// Whether the user states are at rest too.
static bool states_rest(const cd_statics* s, const double* r)
{
    return cd_norm_inf(s->nz, r + s->nmotion) <= cd_equilibrium_force_tolerance * s->force_scale;
}

static cardan_status hold(cd_statics* s, const double* r, double* a, cardan_equilibrium* equilibrium,
                          cardan_report* report)
{
    cardan_data*        d = s->d;
    cd_contact_status   problem;
    const cardan_status status = cd_contact_complementarity(d, cd_contact_rest, a, &problem);
    if (status != CARDAN_OK || problem == CD_CONTACT_INFEASIBLE) return fail_unsolved(d, report);
    const double residual = relative_acceleration(s, a);
    if (!(residual <= cd_equilibrium_contact_residual)) return fail_acceleration(s, a, report);
    if (!states_rest(s, r))
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NO_EQUILIBRIUM, cardan_location_none(),
                           "'%s' is not in equilibrium at the start: its states change; with rigid contacts the start "
                           "alone is examined",
                           d->m->view.name);
    if (cardan_data_accelerate(d, a, NULL, report) != CARDAN_OK) return CARDAN_NOT_CONVERGED;
    cd_contacts_choose_admissible_forces(d);
    *equilibrium = (cardan_equilibrium){.stability           = CARDAN_NEUTRAL,
                                        .dof                 = s->nmotion,
                                        .residual            = residual,
                                        .force_scale         = s->force_scale,
                                        .max_acceleration    = cd_norm_inf(d->m->nv, a),
                                        .evaluations         = s->evaluations,
                                        .is_held_by_contacts = true};
    return CARDAN_OK;
}

cardan_status cd_equilibrium_by_contacts(cd_statics* s, const double* r, bool* holds, cardan_equilibrium* equilibrium,
                                         cardan_report* report)
{
    cardan_data* d = s->d;
    cd_touching  touching;
    *holds = false;
    if (!cd_has_rigid_contacts(d)) return CARDAN_OK;
    cd_close_touching_contacts(d, &touching);
    if (touching.deepest != CARDAN_NONE) return fail_overlap(d, &touching, "at the start", report);
    if (touching.nclosed == 0) return CARDAN_OK;
    double* a = cd_allocate((size_t)d->m->nv + 1, sizeof *a);
    if (!a) return CARDAN_NO_MEMORY;
    const cardan_status status = hold(s, r, a, equilibrium, report);
    *holds                     = status == CARDAN_OK;
    free(a);
    return status;
}

cardan_status cd_equilibrium_check_open(cd_statics* s, cardan_report* report)
{
    cd_touching touching;
    if (!cd_has_rigid_contacts(s->d)) return CARDAN_OK;
    cd_close_touching_contacts(s->d, &touching);
    return touching.deepest == CARDAN_NONE
               ? CARDAN_OK
               : fail_overlap(s->d, &touching, "in the equilibrium without contacts", report);
}

void cd_equilibrium_note_open(const cd_statics* s, cardan_report* report)
{
    if (!cd_has_rigid_contacts(s->d)) return;
    cardan_note(report, CARDAN_CODE_NO_EQUILIBRIUM, cardan_location_none(),
                "nothing touches at the start of '%s': rigid contacts support only what touches there; run the model "
                "until it rests and give the result with --state",
                s->d->m->view.name);
}
