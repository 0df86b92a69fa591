// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts at contact points that were found in plain numbers. Over numbers with derivatives, with the rates of
// the geometry by the twists of both links at the point c (cd_contact_rates),
//
//   g = g_0 + g_V dV,   n = n_0 + n_V dV,   c = c_0 + c_V dV
//
// where dV = (rotation, displacement at c_0) of A and of B is the part of the poses that only has derivatives: R - R_0 is
// the infinitesimal rotation times R_0. Derivatives are exact as long as the features that touch remain.
#include "force/compliant_contact.h"

enum { CHANGES = 12 };

static vec3 value_of(vec3 a) { return v3(r_const(r_value(a.x)), r_const(r_value(a.y)), r_const(r_value(a.z))); }

// Difference of a pose to its value: a rotation, and a displacement of the point that coincides with c.
static void change_of_pose(const frame* T, vec3 c, real change[6])
{
    const mat3 R = T->R, R0 = {r_const(r_value(R.xx)), r_const(r_value(R.xy)), r_const(r_value(R.xz)),
                               r_const(r_value(R.yx)), r_const(r_value(R.yy)), r_const(r_value(R.yz)),
                               r_const(r_value(R.zx)), r_const(r_value(R.zy)), r_const(r_value(R.zz))};
    const mat3 dR = {r_sub(R.xx, R0.xx), r_sub(R.xy, R0.xy), r_sub(R.xz, R0.xz), r_sub(R.yx, R0.yx), r_sub(R.yy, R0.yy),
                     r_sub(R.yz, R0.yz), r_sub(R.zx, R0.zx), r_sub(R.zy, R0.zy), r_sub(R.zz, R0.zz)};
    const mat3 W  = m3_mul_m3(dR, m3_transpose(R0));
    const vec3 rotation =
        v3(r_scale(0.5, r_sub(W.zy, W.yz)), r_scale(0.5, r_sub(W.xz, W.zx)), r_scale(0.5, r_sub(W.yx, W.xy)));
    const vec3 p0 = value_of(T->p), displacement = v3_add(v3_sub(T->p, p0), v3_cross(rotation, v3_sub(c, p0)));
    for (int i = 0; i < 3; ++i) {
        change[i]     = v3_component(rotation, i);
        change[3 + i] = v3_component(displacement, i);
    }
}

static real with_change(double value, const double rate[CHANGES], const real* change)
{
    real sum = r_const(value);
    for (int k = 0; k < CHANGES; ++k) sum = r_add(sum, r_scale(rate[k], change[k]));
    return sum;
}

typedef struct geometry {
    real gap;
    vec3 normal, point;
} geometry;

static geometry geometry_of(const cd_compliant_contact* c, const cd_world_motion* world)
{
    geometry g = {r_const(c->gap), v3_const(c->normal), v3_const(c->point)};
    real     change[CHANGES], normal[3], point[3];
    if (!r_has_derivatives()) return g;
    for (int i = 0; i < 2; ++i) change_of_pose(&world->pose[c->link[i]], g.point, change + 6 * i);
    for (int i = 0; i < 3; ++i) {
        normal[i] = with_change(c->normal[i], c->rates.normal[i], change);
        point[i]  = with_change(c->point[i], c->rates.point[i], change);
    }
    g.gap    = with_change(c->gap, c->rates.gap, change);
    g.normal = v3(normal[0], normal[1], normal[2]);
    g.point  = v3(point[0], point[1], point[2]);
    return g;
}

void cd_fixed_contact_rates(const double n[3], cd_contact_rates* rates)
{
    *rates = (cd_contact_rates){0};
    for (int i = 0; i < 3; ++i) {
        rates->gap[3 + i]      = n[i];
        rates->gap[9 + i]      = -n[i];
        rates->point[i][3 + i] = 1;
        // w x n
        rates->normal[i][6 + (i + 1) % 3] = n[(i + 2) % 3];
        rates->normal[i][6 + (i + 2) % 3] = -n[(i + 1) % 3];
    }
}

static vec3 velocity_at(const cd_world_motion* world, int link, vec3 point)
{
    const spatial V = world->velocity[link];
    return v3_add(V.l, v3_cross(V.a, v3_sub(point, world->pose[link].p)));
}

spatial cd_relative_motion_at(const cd_world_motion* world, const int link[2], vec3 point)
{
    return (spatial){v3_sub(world->velocity[link[0]].a, world->velocity[link[1]].a),
                     v3_sub(velocity_at(world, link[0], point), velocity_at(world, link[1], point))};
}

static void add_wrench(const cd_world_motion* world, int link, vec3 point, vec3 force, vec3 moment, spatial* wrench)
{
    if (link < 0) return;
    const vec3 r = v3_sub(point, world->pose[link].p);
    wrench[link] = sv_add(wrench[link], (spatial){v3_add(moment, v3_cross(r, force)), force});
}

void cd_add_contact_wrench(const cd_world_motion* world, const int link[2], vec3 point, vec3 force, vec3 moment,
                           spatial* wrench)
{
    add_wrench(world, link[0], point, force, moment, wrench);
    add_wrench(world, link[1], point, v3_neg(force), v3_neg(moment), wrench);
}

void cd_relax_bristles(int n, const double* relaxation, const real* deflection, real* rate)
{
    for (int i = 0; i < 3 * n; ++i) rate[i] = r_scale(-relaxation[i / 3], deflection[i]);
}

cd_compliant_sums cd_add_compliant_contacts(int n, const cd_compliant_contact* contact, const cd_world_motion* world,
                                            const real* state, spatial* wrench, real* state_rate,
                                            cd_compliant_load* load)
{
    cd_compliant_sums sums = {r_const(0), r_const(0)};
    for (int i = 0; i < n; ++i) {
        const cd_compliant_contact* c          = &contact[i];
        const geometry              g          = geometry_of(c, world);
        const spatial               V          = cd_relative_motion_at(world, c->link, g.point);
        const cd_compliant_motion   motion     = {g.gap, g.normal, V.l, V.a};
        const mat3                  axes       = world->pose[c->link[1]].R;
        vec3                        deflection = v3_zero();
        if (c->law->has_brush) deflection = m3_mul(axes, v3(state[c->brush], state[c->brush + 1], state[c->brush + 2]));
        const cd_compliant_load f = cd_compliant_load_of(c->law, &motion, deflection);
        cd_add_contact_wrench(world, c->link, g.point, f.force, f.moment, wrench);
        sums.stored_energy = r_add(sums.stored_energy, f.stored_energy);
        sums.stored_power  = r_add(sums.stored_power, f.stored_power);
        if (load) load[i] = f;
        if (!c->law->has_brush || !state_rate) continue;
        const vec3 rate = m3_tmul(axes, f.deflection_rate);
        for (int k = 0; k < 3; ++k) state_rate[c->brush + k] = v3_component(rate, k);
    }
    return sums;
}
