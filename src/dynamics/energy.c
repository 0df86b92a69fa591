// SPDX-License-Identifier: BSD-3-Clause
// Energy, power and momentum.
//
//   kinetic    sum of V'I V / 2 and armature v^2 / 2
//   potential  -sum of m g.c, and the energy stored in springs
//   power      of all efforts and wrenches except gravity, plus the rate of the energy stored in springs:
//              d/dt (kinetic + potential)
#include "dynamics/energy.h"

#include "core/check_arguments.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/forces.h"
#include "dynamics/reactions/driver_efforts.h"
#include "dynamics/rows/rotors.h"
#include "dynamics/state.h"

#include <math.h>

static rigid inertia_of(const cd_link* link) { return (rigid){link->m, v3_const(link->h), s3_const(link->I)}; }

// Twist of a link in link axes.
static spatial body_twist(const cardan_data* d, int i)
{
    const mat3    R = d->world.pose[i].R;
    const spatial V = d->world.velocity[i];
    return (spatial){m3_tmul(R, V.a), m3_tmul(R, V.l)};
}

// Energy stored in joint springs and force elements, and its rate; that of force elements was computed with the
// forces.
static void add_spring_energy(cardan_data* d, double* energy, double* rate)
{
    cd_joint_forces_stored_energy(d->m, d->q, d->v, d->settings.frozen_stops, energy, rate);
    *rate += d->forces.stored_power;
    if (d->forces.compliant) *energy += d->forces.compliant->stored_energy;
    for (int i = 0; i < d->m->view.nforce; ++i) {
        if (!d->forces.type[i]->stored_energy || d->settings.is_force_disabled[i]) continue;
        const cd_force_input input = {d->m, &d->world, d->forces.formula_value + 3 * i};
        double               e = 0, r = 0;
        d->forces.type[i]->stored_energy(&d->m->view.force[i], &input, &e, &r);
        *energy += e;
    }
}

double cd_nonconservative_power(cardan_data* d)
{
    double energy = 0, power = cd_driver_power(d);
    cd_update_forces(d);
    if (d->forces.has_wrenches) power += d->forces.wrench_power;
    for (int v = 0; !d->forces.no_efforts && v < d->m->nv; ++v) power += d->forces.effort[v] * d->v[v];
    cd_joint_forces_stored_energy(d->m, d->q, d->v, d->settings.frozen_stops, &energy, &power);
    return power + d->forces.stored_power + cd_contacts_power(d);
}

cardan_energies cardan_data_energy(cardan_data* d)
{
    if (!d) return (cardan_energies){NAN, NAN, NAN};
    const cardan_model* m = d->m;
    const vec3          g = v3_const(m->view.gravity);
    cardan_energies     e = {0};
    cd_update_world(d);
    cd_update_forces(d);
    for (int i = 0; i < m->nlink; ++i) {
        const spatial V = body_twist(d, i);
        const frame   T = d->world.pose[i];
        e.kinetic += sv_dot(V, rigid_mul(inertia_of(&m->link[i]), V)) / 2;
        e.potential -= v3_dot(g, v3_add_scaled(m3_mul(T.R, v3_const(m->link[i].h)), m->link[i].m, T.p));
    }
    if (d->forces.has_wrenches) e.power += d->forces.wrench_power;
    for (int v = 0; v < m->nv; ++v) {
        e.kinetic += m->armature[v] * d->v[v] * d->v[v] / 2;
        e.power += d->forces.effort[v] * d->v[v];
    }
    e.kinetic += cd_rotor_energy(d);
    e.power += cd_driver_power(d) + cd_contacts_power(d);
    add_spring_energy(d, &e.potential, &e.power);
    return e;
}

cardan_status cardan_data_momentum(cardan_data* d, double linear[3], double angular[3])
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    vec3 p = v3_zero(), L = v3_zero();
    cd_update_world(d);
    for (int i = 0; i < d->m->nlink; ++i) {
        const frame   T = d->world.pose[i];
        const spatial h = rigid_mul(inertia_of(&d->m->link[i]), body_twist(d, i));
        const vec3    f = m3_mul(T.R, h.l);
        p               = v3_add(p, f);
        L               = v3_add(L, v3_add(m3_mul(T.R, h.a), v3_cross(T.p, f)));
    }
    const double P[3] = {p.x, p.y, p.z}, A[3] = {L.x, L.y, L.z};
    for (int i = 0; i < 3; ++i) {
        if (linear) linear[i] = P[i];
        if (angular) angular[i] = A[i];
    }
    return CARDAN_OK;
}
