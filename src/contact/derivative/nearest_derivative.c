// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of nearest points of two cores with the common normal n from B to A, a - b = d n, d = gap + r_A + r_B.
//
// Relative to its own body, a core point moves by x' in the tangent plane while its outward normal m turns by m'. Every core
// gives two equations P x' = Q m' in that plane:
//
//   point       x' = 0
//   line u      x' across u = 0,  m'.u = 0                                   (n stays orthogonal to the line)
//   plane       m' = 0
//   circle      x' across t = 0,  (m.e) x'.t = R m'.t    t tangent, e radial unit vector, R radius
//   surface     S x' = m',  S_ij = t_j.m'(t_i): curvature, from the descriptor of the shape
//   ellipsoid   x' = H m',  H = D^2/s - D^2 m m' D^2/s^3,  s = |D m|         (x = D^2 m/s is the support point)
//
// With m_A = -n, m_B = n, and the motions (w, v) of the bodies:
//
//   m_A' = -(n' - w_A x n),  m_B' = n' - w_B x n
//   d n' - x_A' + x_B' = v_A(a) - v_B(b)   in the tangent plane;    gap' = n.(v_A(a) - v_B(b))
//
// are six equations for n', x_A', x_B'. They are singular where the nearest points are not unique to first order: parallel
// lines, a centre of curvature at the contact.
#include "contact/derivative/derivative.h"
#include "contact/contact_tolerances.h"
#include "contact/small_solve.h"

typedef struct core_relation {
    double P[2][2], Q[2][2]; // Q in units of the length of the problem
} core_relation;

// u u' and w w' with w orthogonal to the unit vector u
static void along_and_across(const double u[2], double along[2][2], double across[2][2])
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            along[i][j]  = u[i] * u[j];
            across[i][j] = (i == j) - along[i][j];
        }
}

static void relate_circle(const cd_derivative_end* end, d3 x, d3 m, const d3 t[2], double length, core_relation* r)
{
    const d3     radial = d3_unit(d3_reject(d3_sub(x, end->core.origin), end->core.axis));
    const d3     along  = d3_cross(end->core.axis, radial);
    const double u[2]   = {d3_dot(along, t[0]), d3_dot(along, t[1])};
    double       T[2][2], W[2][2];
    along_and_across(u, T, W);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            r->P[i][j] = W[i][j] + d3_dot(m, radial) * T[i][j];
            r->Q[i][j] = end->core.radius / length * T[i][j];
        }
}

static void relate_ellipsoid(const cd_derivative_end* end, d3 m, const d3 t[2], double length, core_relation* r)
{
    d3     local[2], scaled = d3_rotate_back(end->pose->R, m);
    double cosine[2];
    for (int k = 0; k < 3; ++k) scaled.e[k] *= end->core.semi_axes.e[k];
    const double s = d3_norm(scaled); // scaled = D m
    for (int i = 0; i < 2; ++i) {
        local[i] = d3_rotate_back(end->pose->R, t[i]);
        for (int k = 0; k < 3; ++k) local[i].e[k] *= end->core.semi_axes.e[k]; // D t
        cosine[i] = d3_dot(local[i], scaled) / s;
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            r->P[i][j] = i == j;
            r->Q[i][j] = (d3_dot(local[i], local[j]) - cosine[i] * cosine[j]) / (s * length);
        }
}

static void relate_surface(const cd_derivative_end* end, d3 x, const d3 t[2], double length, core_relation* r)
{
    const d3 local = d3_rotate_back(end->pose->R, d3_sub(x, d3_of(end->pose->p)));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const d3 u = d3_rotate_back(end->pose->R, t[j]), v = d3_rotate_back(end->pose->R, t[i]);
            r->P[i][j] = length * cd_shape_type_of(end->g)->bend(end->g, local, u, v);
            r->Q[i][j] = i == j;
        }
}

// x: point of the core, m: outward normal
static core_relation relate(const cd_derivative_end* end, d3 x, d3 m, const d3 t[2], double length)
{
    core_relation r = {{{0}}, {{0}}};
    switch (end->core.kind) {
    case CD_CORE_POINT:
        r.P[0][0] = r.P[1][1] = 1;
        break;
    case CD_CORE_PLANE:
        r.Q[0][0] = r.Q[1][1] = 1;
        break;
    case CD_CORE_LINE: {
        const d3     axis = d3_unit(d3_reject(end->core.axis, m));
        const double u[2] = {d3_dot(axis, t[0]), d3_dot(axis, t[1])};
        along_and_across(u, r.Q, r.P);
        break;
    }
    case CD_CORE_CIRCLE:
        relate_circle(end, x, m, t, length, &r);
        break;
    case CD_CORE_ELLIPSOID:
        relate_ellipsoid(end, m, t, length, &r);
        break;
    case CD_CORE_SURFACE:
        relate_surface(end, x, t, length, &r);
        break;
    }
    return r;
}

bool cd_nearest_derivative(const cd_derivative_problem* p, cd_contact_rates* rates)
{
    const d3     t0 = d3_orthogonal(p->n), t[2] = {t0, d3_cross(p->n, t0)};
    const double d = p->gap + p->end[0].core.offset + p->end[1].core.offset, L = p->length;
    double       M[36] = {0}, Y[6 * 12] = {0}; // unknowns n', x_A'/L, x_B'/L in the basis t
    d3           x[2];
    for (int i = 0; i < 2; ++i) {
        const double sign     = i == 0 ? -1 : 1; // outward normal m = sign n
        const d3     m        = d3_scale(sign, p->n);
        x[i]                  = d3_add_scaled(p->end[i].point, -p->end[i].core.offset, m);
        const core_relation r = relate(&p->end[i], x[i], m, t, L);
        for (int row = 0; row < 2; ++row) {
            double* equation = M + 6 * (2 * i + row);
            for (int k = 0; k < 2; ++k) {
                equation[k]             = -sign * r.Q[row][k];
                equation[2 + 2 * i + k] = r.P[row][k];
            }
            for (int j = 0; j < 12; ++j) {
                const d3 turn = d3_cross(cd_unit_motion_of(i, j).w, p->n);
                Y[12 * (2 * i + row) + j] =
                    -sign * (r.Q[row][0] * d3_dot(turn, t[0]) + r.Q[row][1] * d3_dot(turn, t[1]));
            }
        }
    }
    d3 relative[12];
    for (int j = 0; j < 12; ++j) {
        const cd_unit_motion A = cd_unit_motion_of(0, j), B = cd_unit_motion_of(1, j);
        relative[j] = d3_sub(cd_velocity_at(&A, x[0], p->centre), cd_velocity_at(&B, x[1], p->centre));
        for (int row = 0; row < 2; ++row) Y[12 * (4 + row) + j] = d3_dot(relative[j], t[row]) / L;
    }
    for (int row = 0; row < 2; ++row) {
        M[6 * (4 + row) + row]     = d / L;
        M[6 * (4 + row) + 2 + row] = -1;
        M[6 * (4 + row) + 4 + row] = 1;
    }
    if (!cd_small_solve(6, M, 12, Y, cd_singular_pivot)) return false;
    for (int j = 0; j < 12; ++j) {
        const d3 turn  = d3_add_scaled(d3_scale(Y[j], t[0]), Y[12 + j], t[1]);
        d3       point = d3_zero();
        for (int i = 0; i < 2; ++i) {
            const cd_unit_motion m = cd_unit_motion_of(i, j);
            point                  = d3_add(point, cd_velocity_at(&m, x[i], p->centre));
            for (int k = 0; k < 2; ++k) point = d3_add_scaled(point, L * Y[12 * (2 + 2 * i + k) + j], t[k]);
        }
        point = d3_add_scaled(point, p->end[1].core.offset - p->end[0].core.offset, turn);
        cd_put_rates(rates, j, d3_dot(relative[j], p->n), turn, d3_scale(0.5, point));
    }
    return true;
}
