// SPDX-License-Identifier: BSD-3-Clause
// Rolling without slip on a plane: a sphere, or a thin disc about its z axis. With a negative radius it rolls on the
// back of the plane.
//
//   P = centre + rho                the material points of both bodies at P have the same velocity, s = 0
//   sphere  rho = -r n              n: normal of the plane, z of end 0
//   disc    rho = -r m / |m|        m = n - (n.a) a, a: axis of the disc, z of end 1
//
//   row 0   c = n.(P - o) = 0       cdot = n.s: rho is the lowest point, so that its motion along the rim cancels
//   rows 1, 2   x.s = 0, y.s = 0    x, y: the other axes of end 0; nonholonomic, without a value
//   d/dt (e.s) = e.(a1 + alpha1 x rho + w1 x rhodot - a0 - alpha0 x (P - o) - w0 x (Pdot - v0)) + (w0 x e).s
#include "constraint/constraint.h"
#include "constraint/constraint_tolerances.h"

enum { DISC, SPHERE };

// Vector from the centre to the contact point, and its rate.
static vec3 contact_arm(const cd_constraint* c, const cd_end_state* end, vec3* rate)
{
    const real r = r_const(-c->parameter[0]);
    const vec3 n = m3_column_z(end[0].T.R), ndot = v3_cross(end[0].w, n);
    if (c->parameter[1] == SPHERE) {
        *rate = v3_scale(r, ndot);
        return v3_scale(r, n);
    }
    const vec3 a = m3_column_z(end[1].T.R), adot = v3_cross(end[1].w, a);
    const real na = v3_dot(n, a), nadot = r_add(v3_dot(ndot, a), v3_dot(n, adot));
    vec3       m    = v3_add_scaled(n, r_neg(na), a);
    vec3       mdot = v3_add_scaled(v3_add_scaled(ndot, r_neg(nadot), a), r_neg(na), adot);
    real       size = r_sqrt(v3_dot(m, m));
    if (r_can_branch() && r_value(size) < cd_flat_disc_sine) { // disc flat on the plane: any point of the rim
        m    = m3_column_x(end[1].T.R);
        mdot = v3_cross(end[1].w, m);
        size = r_const(1);
    }
    const vec3 u = v3_div(m, size);
    *rate        = v3_scale(r_div(r, size), v3_add_scaled(mdot, r_neg(v3_dot(u, mdot)), u));
    return v3_scale(r, u);
}

static void evaluate(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                     cd_constraint_equations* e)
{
    (void)context;
    vec3       rhodot;
    const vec3 rho = contact_arm(c, end, &rhodot), P = v3_add(end[1].T.p, rho), d = v3_sub(P, end[0].T.p);
    const vec3 s = v3_sub(v3_add(end[1].v, v3_cross(end[1].w, rho)), v3_add(end[0].v, v3_cross(end[0].w, d)));
    const vec3 contact_velocity = v3_sub(v3_add(end[1].v, rhodot), end[0].v);
    const vec3 bias             = v3_sub(v3_add(end[1].bias, v3_cross(end[1].w, rhodot)),
                                         v3_add(end[0].bias, v3_cross(end[0].w, contact_velocity)));
    const vec3 axis[3]          = {m3_column_z(end[0].T.R), m3_column_x(end[0].T.R), m3_column_y(end[0].T.R)};
    for (int i = 0; i < 3; ++i) {
        const vec3 u    = axis[i];
        e->value[i]     = i == 0 ? v3_dot(u, d) : r_const(0);
        e->rate[i]      = v3_dot(u, s);
        e->h[i]         = r_add(v3_dot(u, bias), v3_dot(v3_cross(end[0].w, u), s));
        e->G[2 * i]     = (spatial){v3_neg(v3_cross(v3_add(end[0].r, d), u)), v3_neg(u)};
        e->G[2 * i + 1] = (spatial){v3_cross(v3_add(end[1].r, rho), u), u};
    }
}

// A disc flat on the plane touches it with its whole rim; beyond that, with the opposite point.
static bool direction(const cd_constraint* c, const cd_end_state* end, vec3* m)
{
    const vec3 n = m3_column_z(end[0].T.R), a = m3_column_z(end[1].T.R);
    *m = v3_add_scaled(n, r_neg(v3_dot(n, a)), a);
    return c->parameter[1] == DISC;
}

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c)) return false;
    if (p->definition->radius[0] == 0) return cd_constraint_fail(p, "its radius is zero");
    c->parameter[0] = p->definition->radius[0];
    c->parameter[1] = p->definition->is_sphere ? SPHERE : DISC;
    c->nrow         = 3;
    c->nholonomic   = 1;
    return true;
}

const cd_constraint_type cd_constraint_rolling = {
    .name = "rolling",
    .summary =
        "a disc about z of the first marker, or a sphere, rolls without slip on the plane normal to z of the second",
    .fields         = "markers, radius, shape",
    .prepare        = prepare,
    .evaluate       = evaluate,
    .direction      = direction,
    .direction_loss = "the disc lies flat on the plane, so that no single point of its rim is in contact",
};
