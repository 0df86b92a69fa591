// SPDX-License-Identifier: BSD-3-Clause
// Correction of positions and velocities of closed contacts in the mass metric, tangent to the constraints:
//
//   positions    W_n y = -g,  dx = X_n'y          velocities   W y = -u,  dv = X'y
//
// with the normal rows of closed contacts, and for velocities all rows of contacts that stick. Redundant rows share what
// contradicts (least squares, least norm). Positions: a chord iteration with the factor of the first state, alternating
// with the projection onto the constraints, which are violated by the square of the change.
#include "dynamics/contacts/contact_rows.h"
#include "dynamics/contacts/contacts_tolerances.h"
#include "dynamics/projection/project.h"
#include "dynamics/state.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

enum { GAP_ITERATIONS = 8, VELOCITY_ITERATIONS = 4, NORMAL_ROWS = 1 };

// Equalities u = 0 of the rows of element e: its normal row, or by its state all rows that stick. Adds them to the problem.
static int add_equalities(cd_contacts* c, int e, bool velocities, int n)
{
    const cd_contact_element* element = &c->element[e];
    const cd_element_state*   state   = &c->element_state[e];
    const int                 r       = element->row;
    const cd_contact_element  row     = {.kind = CD_ELEMENT_BILATERAL, .row = r, .nrow = NORMAL_ROWS};
    if (element->kind == CD_ELEMENT_FRICTION) {
        if (velocities && !state->slips) c->law_element[n++] = row;
        return n;
    }
    c->law_element[n] = row;
    if (velocities && element->kind == CD_ELEMENT_POINT && !state->slips && element->mu > 0) c->law_element[n].nrow = 3;
    ++n;
    if (!velocities || element->nrow < 6) return n;
    if (!state->spins && element->spinning > 0) {
        c->law_element[n]       = row;
        c->law_element[n++].row = r + 3;
    }
    if (!state->rolls && element->rolling > 0) {
        c->law_element[n]        = row;
        c->law_element[n].row    = r + 4;
        c->law_element[n++].nrow = 2;
    }
    return n;
}

// Solve for the change x (nv) that removes the violations c->q.
static void solve_change(cardan_data* d, bool velocities, double* x)
{
    cd_contacts* c = d->contacts;
    int          n = 0;
    memset(x, 0, (size_t)d->m->nv * sizeof *x);
    if (cd_norm_inf(c->nrow, c->q) == 0) return;
    for (int e = 0; e < c->nelement; ++e) n = add_equalities(c, e, velocities, n);
    const cd_contact_problem problem  = {c->nrow, n, c->W, c->q, c->law_element, cd_norm_inf(c->nrow, c->q)};
    cd_states_solution       solution = {.p = c->p, .u = c->u, .is_unique = c->is_unique};
    memset(c->free_state, 0, (size_t)n * sizeof *c->free_state);
    cd_contact_states_solve(&problem, c->free_state, c->states_work, &solution);
    cd_contacts_add_response(d, c->p, x, NULL);
}

static double gap_of(cardan_data* d, int contact)
{
    const cd_contact*      point = cd_contacts_point(d, contact);
    const cd_axis_contact* axis  = cd_contacts_axis(d, contact);
    return point ? point->gap : axis->kind == CD_ELEMENT_LIMIT ? axis->gap : 0;
}

// Gaps of the elements of the first state in c->q, at the present state; the largest.
static double update_gaps(cardan_data* d)
{
    cd_contacts* c       = d->contacts;
    double       largest = 0;
    cd_contacts_update_geometry(d, false);
    memset(c->q, 0, (size_t)c->nrow * sizeof *c->q);
    for (int e = 0; e < c->nelement; ++e) {
        c->q[c->element[e].row] = gap_of(d, c->contact_of[e]);
        largest                 = fmax(largest, fabs(c->q[c->element[e].row]));
    }
    return largest;
}

static cardan_status project_constraints(cardan_data* d)
{
    cd_failure failure;
    return d->rows.nrow > 0 ? cd_project(d, NULL, NULL, NULL, NULL, &failure) : CARDAN_OK;
}

// The rows and W of the first state serve all iterations; the state of the data moves.
static cardan_status correct_gaps(cardan_data* d, double* gap)
{
    cd_contacts*  c         = d->contacts;
    const double  tolerance = cd_gap_tolerance * (c->set.scene ? c->set.scene->length : 1);
    cardan_status status    = project_constraints(d);
    *gap                    = update_gaps(d);
    for (int i = 0; status == CARDAN_OK && *gap > tolerance && i < GAP_ITERATIONS; ++i) {
        const double before = *gap;
        solve_change(d, false, c->acceleration);
        cardan_model_integrate_position(d->m, d->q, c->acceleration, d->q);
        cd_data_set_state(d, d->t, d->q, d->v, d->state);
        status = project_constraints(d);
        *gap   = update_gaps(d);
        if (!(*gap < cd_correction_progress * before)) break;
    }
    return status;
}

static double largest_velocity(const cd_contacts* c)
{
    double largest = 0;
    for (int e = 0; e < c->nelement; ++e) {
        const cd_contact_element* element = &c->element[e];
        const bool sticks = element->kind == CD_ELEMENT_POINT && !c->element_state[e].slips && element->mu > 0;
        if (element->kind == CD_ELEMENT_FRICTION && c->element_state[e].slips) continue;
        for (int k = 0; k < (sticks ? 3 : 1); ++k) largest = fmax(largest, fabs(c->velocity[element->row + k]));
    }
    return largest;
}

// Linear, but repeated for the round-off of nearly redundant rows.
static cardan_status correct_velocities(cardan_data* d, double* velocity)
{
    cd_contacts*  c      = d->contacts;
    cardan_status status = cd_contacts_update_delassus(d);
    if (status != CARDAN_OK) return status;
    *velocity = largest_velocity(c);
    for (int i = 0; *velocity > cd_contact_velocity_zero * c->velocity_scale && i < VELOCITY_ITERATIONS; ++i) {
        const double before = *velocity;
        memcpy(c->q, c->velocity, (size_t)c->nrow * sizeof *c->q);
        solve_change(d, true, c->acceleration);
        for (int v = 0; v < d->m->nv; ++v) d->v[v] += c->acceleration[v];
        cd_data_set_velocity(d, d->v);
        cd_contacts_update_rows(d);
        *velocity = largest_velocity(c);
        if (!(*velocity < cd_correction_progress * before)) break;
    }
    return CARDAN_OK;
}

cardan_status cd_contact_correct(cardan_data* d, double* gap, double* velocity)
{
    cd_contacts* c = d->contacts;
    *gap = *velocity     = 0;
    cardan_status status = c ? cd_contacts_update_delassus(d) : CARDAN_OK;
    if (status != CARDAN_OK || !c || c->nelement == 0) return status;
    if (c->overflow) return CARDAN_UNSUPPORTED;
    status = correct_gaps(d, gap);
    return status == CARDAN_OK ? correct_velocities(d, velocity) : status;
}
