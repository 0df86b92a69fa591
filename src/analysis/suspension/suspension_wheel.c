// SPDX-License-Identifier: BSD-3-Clause
// Wheel measures at one position. Vehicle axes: x forward, y left, z up. The spin axis s points outward.
//
//   contact          P = C - R u,            u: upward direction in the wheel plane
//   camber           sin = -s.z              toe   tan = s.x / s.out
//   steering axis    k upward: through the ends of the kingpin, else the screw axis of the carrier in a steering motion
//                    at constant spring length
//   roll centre      the carrier's point at P moves with v: normal to v in front view, at the centre plane
//   wheel rate       t_i'H t, change of the wheel load along the sweep (quasi_static.h)
#include "analysis/suspension/suspension_study.h"
#include "analysis/analysis_tolerances.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

static vec3 unit_vector(vec3 a) { return v3_scale(1 / sqrt(v3_dot(a, a)), a); }
static vec3 orthogonal_part(vec3 a, vec3 direction) { return v3_add_scaled(a, -v3_dot(a, direction), direction); }

static cd_marker_state marker_state(cardan_suspension_study* s, int i)
{
    cd_update_world(s->data);
    return cd_marker_state_of(s->model, &s->data->world, i);
}

spatial cd_suspension_marker_twist(cardan_suspension_study* s, int i, const double* t)
{
    const int nv   = s->model->nv;
    double    V[6] = {0};
    if (i == CARDAN_NONE || s->model->marker[i].link < 0) return sv_zero();
    cardan_data_marker_jacobian(s->data, i, s->marker_jacobian);
    for (int k = 0; k < 6; ++k)
        for (int j = 0; j < nv; ++j) V[k] += s->marker_jacobian[k * nv + j] * t[j];
    return (spatial){v3(V[0], V[1], V[2]), v3(V[3], V[4], V[5])};
}

static vec3 spin_axis(cardan_suspension_study* s, int wheel)
{
    return m3_mul(marker_state(s, s->suspension->wheel[wheel].hub).R, s->wheel[wheel].spin_axis);
}

vec3 cd_suspension_contact_point(cardan_suspension_study* s, int wheel)
{
    const vec3 up = unit_vector(orthogonal_part(s->z, spin_axis(s, wheel)));
    return v3_add_scaled(marker_state(s, s->suspension->wheel[wheel].hub).p, -s->suspension->wheel[wheel].radius, up);
}

vec3 cd_suspension_contact_velocity(cardan_suspension_study* s, int wheel, const double* t)
{
    const int     hub = s->suspension->wheel[wheel].hub;
    const spatial V   = cd_suspension_marker_twist(s, hub, t);
    return v3_add(V.l, v3_cross(V.a, v3_sub(cd_suspension_contact_point(s, wheel), marker_state(s, hub).p)));
}

// ---- springs

// Return the length of a spring, or the angle of a torsion spring or joint, and its rate of
// compression in the motion t.
static double element_length(cardan_suspension_study* s, int force_element, int joint, const double* t, double* rate,
                             bool* is_rotation)
{
    *rate        = NAN;
    *is_rotation = false;
    if (force_element == CARDAN_NONE && joint == CARDAN_NONE) return NAN;
    if (force_element == CARDAN_NONE) {
        double q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
        cd_data_set_velocity(s->data, t);
        cardan_data_joint_state(s->data, joint, q, v);
        cd_data_set_velocity(s->data, s->data->scratch.zero_nv);
        *rate        = v[0];
        *is_rotation = cd_joint_velocity_is_rotation(s->model, joint, 0);
        return q[0];
    }
    const cardan_force*   f = &s->view.force[force_element];
    const int             a = f->marker[0] < 0 ? 0 : f->marker[0], b = f->marker[1] < 0 ? 0 : f->marker[1];
    const cd_marker_state A = marker_state(s, a), B = marker_state(s, b);
    const spatial         VA = cd_suspension_marker_twist(s, a, t), VB = cd_suspension_marker_twist(s, b, t);
    if (f->type[0] == 't') { // torsion spring, about z of the second marker
        const vec3 x = m3_tmul(B.R, m3_column_x(A.R));
        *rate        = v3_dot(v3_sub(VA.a, VB.a), m3_column_z(B.R));
        *is_rotation = true;
        return atan2(x.y, x.x);
    }
    const vec3   r      = v3_sub(A.p, B.p);
    const double length = sqrt(v3_dot(r, r));
    *rate               = -v3_dot(r, v3_sub(VA.l, VB.l)) / length;
    return length;
}

static double spring_rate(cardan_suspension_study* s, int wheel, const double* t)
{
    const cardan_wheel* w = &s->suspension->wheel[wheel];
    double              rate;
    bool                is_rotation;
    element_length(s, w->spring, w->spring_joint, t, &rate, &is_rotation);
    return rate;
}

// ---- steering axis

typedef struct spatial_line {
    vec3 p, direction; // a point; upward direction
} spatial_line;

static bool steering_axis(cardan_suspension_study* s, int wheel, spatial_line* axis)
{
    const cardan_wheel* w  = &s->suspension->wheel[wheel];
    const int           nv = s->model->nv;
    if (w->kingpin[0] != CARDAN_NONE) {
        axis->p         = marker_state(s, w->kingpin[0]).p;
        axis->direction = unit_vector(v3_sub(marker_state(s, w->kingpin[1]).p, axis->p));
    } else {
        if (s->suspension->steering == CARDAN_NONE) return false;
        const double *wheel_motion = s->driver_motion + (size_t)wheel * (size_t)nv,
                     *steering     = s->driver_motion + (size_t)s->suspension->nwheel * (size_t)nv;
        const double by_own = spring_rate(s, wheel, wheel_motion), by_steering = spring_rate(s, wheel, steering);
        if (!(fabs(by_own) > cd_spring_rate_tolerance)) return false;
        const spatial V = sv_add_scaled(cd_suspension_marker_twist(s, w->hub, steering), -by_steering / by_own,
                                        cd_suspension_marker_twist(s, w->hub, wheel_motion));
        const double  n = v3_dot(V.a, V.a);
        if (!(n > cd_steering_rotation_sq)) return false;
        axis->p         = v3_add_scaled(marker_state(s, w->hub).p, 1 / n, v3_cross(V.a, V.l));
        axis->direction = v3_scale(1 / sqrt(n), V.a);
    }
    if (v3_dot(axis->direction, s->z) < 0) axis->direction = v3_neg(axis->direction);
    return v3_dot(axis->direction, s->z) > cd_steering_axis_cosine;
}

static void measure_axis(cardan_suspension_study* s, int wheel, vec3 contact, cardan_wheel_state* m)
{
    spatial_line axis;
    const int    side = s->wheel[wheel].side;
    const vec3   out  = unit_vector(orthogonal_part(spin_axis(s, wheel), s->z)),
               ahead  = v3_scale(side, v3_cross(out, s->z));
    m->caster = m->kingpin_inclination = m->scrub_radius = m->trail = NAN;
    if (!steering_axis(s, wheel, &axis)) return;
    const double up        = v3_dot(axis.direction, s->z);
    m->caster              = atan2(-v3_dot(axis.direction, s->x), up);
    m->kingpin_inclination = atan2(-side * v3_dot(axis.direction, s->y), up);
    const vec3 on_road     = v3_add_scaled(axis.p, v3_dot(v3_sub(contact, axis.p), s->z) / up, axis.direction);
    m->scrub_radius        = v3_dot(v3_sub(contact, on_road), out);
    m->trail               = v3_dot(v3_sub(on_road, contact), ahead);
}

// ---- angles and their derivatives along the motion t of unit travel

static void measure_angles(cardan_suspension_study* s, int wheel, const double* t, cardan_wheel_state* m)
{
    const int    side = s->wheel[wheel].side;
    const vec3   a = spin_axis(s, wheel), out = v3_scale(side, s->y);
    const vec3   axis_rate = v3_cross(cd_suspension_marker_twist(s, s->suspension->wheel[wheel].hub, t).a, a);
    const double x = v3_dot(a, s->x), y = v3_dot(a, out), z = v3_dot(a, s->z);
    m->camber      = asin(fmax(-1, fmin(1, -z)));
    m->toe         = atan2(x, y);
    m->steer       = -side * m->toe;
    m->camber_gain = -v3_dot(axis_rate, s->z) / sqrt(fmax(cd_wheel_axis_sine_sq, 1 - z * z));
    m->toe_gain    = (v3_dot(axis_rate, s->x) * y - x * v3_dot(axis_rate, out)) / (x * x + y * y);
}

static void measure_displacements(cardan_suspension_study* s, int wheel, const double* t, vec3 contact,
                                  cardan_wheel_state* m)
{
    const cardan_wheel* w     = &s->suspension->wheel[wheel];
    const vec3          moved = v3_sub(contact, s->wheel[wheel].design_contact);
    const vec3 v = cd_suspension_contact_velocity(s, wheel, t), v_centre = cd_suspension_marker_twist(s, w->hub, t).l;
    m->track_change     = s->wheel[wheel].side * v3_dot(moved, s->y);
    m->wheelbase_change = v3_dot(moved, s->x);
    m->roll_centre      = (v3_dot(contact, s->y) - s->centre_y) * v3_dot(v, s->y) / v3_dot(v, s->z);
    m->brake_angle      = atan2(v3_dot(v, s->x), v3_dot(v, s->z));
    m->drive_angle      = atan2(v3_dot(v_centre, s->x), v3_dot(v_centre, s->z));
}

// For angles and joints the sign is arbitrary: return the magnitude.
static double unsigned_ratio(double ratio, int force_element, bool is_rotation)
{
    return force_element == CARDAN_NONE || is_rotation ? fabs(ratio) : ratio;
}

// sweep_motion (nv): motion of the sweep, in which the wheel rises by `weight`; if weight is 0, derivatives are taken
// along the motion with the wheel's own travel.
cardan_wheel_state cd_suspension_measure_wheel(cardan_suspension_study* s, int wheel, const double* sweep_motion,
                                               double weight)
{
    const cardan_wheel* w            = &s->suspension->wheel[wheel];
    const double*       wheel_motion = s->driver_motion + (size_t)wheel * (size_t)s->model->nv;
    const double*       t            = weight != 0 ? sweep_motion : wheel_motion;
    const double        per          = weight != 0 ? 1 / weight : 1;
    const vec3          C = marker_state(s, w->hub).p, P = cd_suspension_contact_point(s, wheel);
    cardan_wheel_state  m = {.centre = {C.x, C.y, C.z}, .contact = {P.x, P.y, P.z}};
    measure_angles(s, wheel, t, &m);
    m.camber_gain *= per;
    m.toe_gain *= per;
    measure_displacements(s, wheel, t, P, &m);
    if (per < 0) { // the motion is downward
        m.brake_angle = remainder(m.brake_angle + acos(-1), 2 * acos(-1));
        m.drive_angle = remainder(m.drive_angle + acos(-1), 2 * acos(-1));
    }
    measure_axis(s, wheel, P, &m);
    m.spring_length  = element_length(s, w->spring, w->spring_joint, t, &m.spring_ratio, &m.spring_is_torsional);
    m.damper_length  = element_length(s, w->damper, w->damper_joint, t, &m.damper_ratio, &m.damper_is_torsional);
    m.spring_ratio   = unsigned_ratio(per * m.spring_ratio, w->spring, m.spring_is_torsional);
    m.damper_ratio   = unsigned_ratio(per * m.damper_ratio, w->damper, m.damper_is_torsional);
    m.vertical_force = cd_quasi_static_force(s->equilibrium, wheel_motion);
    m.wheel_rate     = per * cd_quasi_static_stiffness(s->equilibrium, wheel_motion, t);
    return m;
}

// ---- both sides

static void find_roll_centre(const cardan_suspension_study* s, const cardan_wheel_state* L, const cardan_wheel_state* R,
                             const vec3* velocity, int l, int r, cardan_suspension_sweep_point* point)
{
    const vec3   P = v3_const(L->contact), Q = v3_const(R->contact);
    const double a = v3_dot(velocity[l], s->y), b = v3_dot(velocity[l], s->z), c = v3_dot(velocity[r], s->y),
                 d  = v3_dot(velocity[r], s->z);
    const double yl = v3_dot(P, s->y), zl = v3_dot(P, s->z), yr = v3_dot(Q, s->y), zr = v3_dot(Q, s->z);
    const double e = a * yl + b * zl, f = c * yr + d * zr, det = a * d - b * c, size = hypot(a, b) * hypot(c, d);
    if (!(fabs(det) > cd_roll_centre_sine * size)) return;
    const double y = (e * d - b * f) / det, z = (a * f - c * e) / det;
    point->roll_centre_y = y - s->centre_y;
    point->roll_centre_z = z - (zr + (zl - zr) * (y - yr) / (yl - yr));
}

// Ackermann ratio. The inner wheel is on the side of the curve centre; angles relative to the design configuration.
static void find_ackermann(const cardan_suspension_study* s, const cardan_wheel_state* L, const cardan_wheel_state* R,
                           double left, double right, cardan_suspension_sweep_point* point)
{
    const double inner = left > 0 ? left : -right, outer = left > 0 ? right : -left;
    const double track = v3_dot(v3_sub(v3_const(L->contact), v3_const(R->contact)), s->y),
                 base  = s->suspension->wheelbase;
    if (!(base > 0) || !(inner > 0.005 && outer > 0)) return;
    const double ideal = atan(1 / (1 / tan(inner) + track / base));
    point->ackermann   = (inner - outer) / (inner - ideal);
}

void cd_suspension_measure_axle(const cardan_suspension_study* s, cardan_wheel_state* wheel, const vec3* velocity,
                                cardan_suspension_sweep_point* point)
{
    int l = -1, r = -1;
    point->roll_centre_y = point->roll_centre_z = point->ackermann = NAN;
    for (int i = s->suspension->nwheel - 1; i >= 0; --i) *(s->wheel[i].side > 0 ? &l : &r) = i;
    if (l < 0 || r < 0) return;
    find_roll_centre(s, &wheel[l], &wheel[r], velocity, l, r, point);
    find_ackermann(s, &wheel[l], &wheel[r], wheel[l].steer - s->wheel[l].design_steer,
                   wheel[r].steer - s->wheel[r].design_steer, point);
}
