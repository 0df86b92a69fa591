// SPDX-License-Identifier: BSD-3-Clause
// Constraints: equations between the motions of bodies. A constraint provides at a state its values, their rates, its
// rows on the twists of links, and the acceleration-free part h of the second derivative:
//
//     c(q, t) = 0        cdot = sum over ends of G V + ct        cddot = sum over ends of G A + h
//
// V = (w, v) and A = (alpha, a) are the motions of the link's origin in world axes, so that the rows apply to tree and
// maximal coordinates alike. Ends come in pairs, and a row acts on the relative motion of the two ends of a pair.
// Nonholonomic rows (rolling) come last: they have no value. To add a type: write
// src/constraint/types/constraint_<name>.c and add its entry to constraint_types.def: `prepare` in double, `evaluate`
// over `real`.
#pragma once

#include "kinematics/world_motion.h"
#include "math/simd_types.h"

#include <stddef.h>

enum {
    CD_CONSTRAINT_ROWS_MAX     = 6,
    CD_CONSTRAINT_ENDS_MAX     = 2 * CARDAN_COUPLED_JOINTS_MAX,
    CD_CONSTRAINT_HISTORY_SIZE = 4
};

typedef struct cd_constraint_type cd_constraint_type;

// Kinds of coordinates between two frames, of a joint in the tree or cut.
typedef enum cd_coordinate_kind {
    CD_TRANSLATION_X,
    CD_TRANSLATION_Y,
    CD_TRANSLATION_Z,
    CD_GENERAL_TRANSLATION, // of a general joint; translations come before all angles
    CD_ANGLE_Z,
    CD_UNIVERSAL_FIRST_ANGLE,
    CD_UNIVERSAL_SECOND_ANGLE,
    CD_GENERAL_ANGLE,
    CD_ANGULAR_VELOCITY_X, // of a spherical joint: angular velocity along an axis of end 1; no position
    CD_ANGULAR_VELOCITY_Y,
    CD_ANGULAR_VELOCITY_Z
} cd_coordinate_kind;

typedef struct cd_coordinate {
    cd_coordinate_kind       kind;
    double                   axis[2][3]; // universal: an axis of each end, in its frame
    int                      joint, axis_index;
    int                      q_tree;        // tree coordinate from which the winding number is taken, or CARDAN_NONE
    const cd_compiled_joint* general_joint; // of CD_GENERAL_*: the joint
    int                      q_joint;       // and the index of its saved coordinates
    double                   start_angle;   // initial angle of the winding number
} cd_coordinate;

// Linear relation of joint coordinates, one per pair of ends: sum of factor * coordinate = offset + driver function.
typedef struct cd_coupled_coordinates {
    int           n;
    cd_coordinate coordinate[CARDAN_COUPLED_JOINTS_MAX];
    double        factor[CARDAN_COUPLED_JOINTS_MAX], offset;
    cd_link_frame end[CD_CONSTRAINT_ENDS_MAX - 2]; // ends after the first pair
    int           body[CD_CONSTRAINT_ENDS_MAX - 2];
} cd_coupled_coordinates;

// Fields that every evaluation reads come first, within four cache lines, and every constraint begins at a cache line:
// sweeps over many constraints are limited by memory.
typedef struct cd_constraint {
    const cd_constraint_type* type;
    int                       nend, nrow, nholonomic; // the first nholonomic rows have values
    int                       first_row;
    unsigned                  locked;  // lock: locked relative motions, bits CD_LOCK_*, driven ones included
    bool is_universal_joint, is_screw; // lock: fixed angle between two axes; translation along z coupled to its angle
    bool has_losses;                   // worm: efficiency below 1
    bool has_driver;                   // has a driver function
    cd_link_frame end[2];              // first pair; all ends by cd_constraint_end

    const char*                   name;
    const char*                   category; // "joint", "coupling", "constraint": for messages
    cardan_location               location;
    int                           driver_number[6]; // 0, or 1 + index of the driver function
    int                           joint;            // cut joint, or CARDAN_NONE
    int                           body[2];          // body of the description of each end
    unsigned                      driven_rows;      // bit mask of rows with a driver function
    double                        axis[2][3];       // universal: an axis of each end, in its frame
    double                        parameter[4];     // by type; lock of a screw: [0] pitch [m/rad]
    double                        start_angle;      // lock of a screw: initial angle of the winding number
    const cd_coupled_coordinates* coupled;          // gears, couplers, drivers: the coordinates; else NULL
    const cardan_curve*           curve;
    const cd_compiled_joint*      general_joint; // general joint: the joint
    int                           q_joint;       // and the index of its saved coordinates
    char                          padding[16];
} cd_constraint;

_Static_assert(sizeof(void*) != 8 || (sizeof(cd_constraint) % 64 == 0 && offsetof(cd_constraint, name) <= 256),
               "constraints in whole lines of memory");

static inline const cd_link_frame* cd_constraint_end(const cd_constraint* c, int i)
{
    return i < 2 ? &c->end[i] : &c->coupled->end[i - 2];
}

static inline int cd_constraint_body(const cd_constraint* c, int i)
{
    return i < 2 ? c->body[i] : c->coupled->body[i - 2];
}

// Equations of one constraint at one state; the arrays belong to the constraint set.
typedef struct cd_constraint_equations {
    real *   value, *rate, *h; // (nrow)
    spatial* G;                // (nrow x nend)
} cd_constraint_equations;

// State of an end in the world: frame of the marker, arm from the link's origin, velocities.
typedef struct cd_end_state {
    frame  T;
    vec3   r;
    vec3   w, v;
    vec3   bias; // w x (w x r): acceleration relative to the link's origin for alpha = 0
    vec3x3 axes; // axes of T, componentwise
} cd_end_state;

// Inputs of a constraint in addition to its ends.
typedef struct cd_constraint_context {
    const real* driver_values; // (3 x ndriver_function) value, rate and acceleration of all driver functions
    real*       q; // (nq_joint) tree coordinates; behind them those of general joints, saved from the last call
    real*
        history; // (CD_CONSTRAINT_HISTORY_SIZE) saved between evaluations: winding, foot point on a curve, its segment
    bool* is_singular; // set if the elementary motions of a joint are linearly dependent
} cd_constraint_context;

typedef struct cd_driver_values {
    real x, v, a; // value, rate, acceleration
} cd_driver_values;

// Inputs for the preparation of a constraint.
typedef struct cd_constraint_builder {
    const cardan_model*      m;
    const cardan_constraint* definition;
    int                      first_driver; // index of the first driver function of this constraint
    cd_coupled_coordinates*  coupled;      // receives the coordinates
    char*                    reason;       // receives a message
    size_t                   reason_size;
} cd_constraint_builder;

struct cd_constraint_type {
    const char* name;
    const char* summary;
    const char* fields; // fields of the description that it uses, for `cardan list constraints`
    // Set ends, rows and parameters. Returns false, with the reason, if the constraint is not possible.
    bool (*prepare)(const cd_constraint_builder* p, cd_constraint* c);
    void (*evaluate)(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                     cd_constraint_equations* e);
    // Vector of length <= 1 whose direction the equations use: they are undefined where it vanishes, and a motion
    // cannot continue through such a configuration. Returns false if there is none at this state. NULL: there is never
    // one. `direction_loss` describes such a configuration in words.
    bool (*direction)(const cd_constraint* c, const cd_end_state* end, vec3* m);
    const char* direction_loss;
};

int                       cd_constraint_type_count(void);
const cd_constraint_type* cd_constraint_type_at(int i);
const cd_constraint_type* cd_constraint_type_find(const char* name);

extern const cd_constraint_type cd_constraint_lock, cd_constraint_general_joint;

// Pose of a frame on a link.
#ifdef CD_SIMD

_Static_assert(sizeof(mat3) == 9 * sizeof(double), "a matrix is its nine entries, row by row");

// [R p] of the link times [R p] of the frame, row by row; the fourth lanes are the arm. The last rows of the matrices
// are loaded and stored together with the entry before them, so that no memory outside of the matrix is accessed.
static inline void cd_end_pose(const frame* T, const cd_link_frame* at, cd_end_state* end)
{
    const mat3    R  = T->R;
    double*       to = (double*)(void*)&end->T.R;
    double4       x = *(const double4_unaligned*)at->R, y = *(const double4_unaligned*)(at->R + 3);
    const double4 last = *(const double4_unaligned*)(at->R + 5), z = {last[1], last[2], last[3], at->p[2]};
    x[3] = at->p[0], y[3] = at->p[1];
    const vec3x3 u = {x * R.xx + y * R.xy + z * R.xz, x * R.yx + y * R.yy + z * R.yz, x * R.zx + y * R.zy + z * R.zz};
    end->axes      = u;
    *(double4_unaligned*)to       = u.x;
    *(double4_unaligned*)(to + 3) = u.y;
    *(double4_unaligned*)(to + 5) = (double4){u.y[2], u.z[0], u.z[1], u.z[2]};
    end->r                        = v3(u.x[3], u.y[3], u.z[3]);
}

#else

static inline void cd_end_pose(const frame* T, const cd_link_frame* at, cd_end_state* end)
{
    const mat3 R = m3_mul_m3(T->R, m3_const(at->R));
    end->T.R     = R;
    end->axes    = (vec3x3){v3(R.xx, R.xy, R.xz), v3(R.yx, R.yy, R.yz), v3(R.zx, R.zy, R.zz)};
    end->r       = m3_mul(T->R, v3_const(at->p));
}

#endif

static inline void cd_end_state_evaluate(const cd_link_frame* at, const cd_world_motion* world, cd_end_state* end)
{
    const frame*  T = &world->pose[at->link];
    const spatial V = world->velocity[at->link];
    cd_end_pose(T, at, end);
    const vec3 r = end->r, w_cross_r = v3_cross(V.a, r);
    end->T.p  = v3_add(T->p, r);
    end->w    = V.a;
    end->v    = v3_add(V.l, w_cross_r);
    end->bias = v3_cross(V.a, w_cross_r);
}

static inline cd_end_state cd_end_state_of(const cd_link_frame* link_frame, const cd_world_motion* world)
{
    cd_end_state end;
    cd_end_state_evaluate(link_frame, world, &end);
    return end;
}

// Preparation; each function stores the reason if it fails.
bool cd_constraint_fail(const cd_constraint_builder* p, const char* format, ...) __attribute__((format(printf, 2, 3)));
bool cd_constraint_init_markers(const cd_constraint_builder* p,
                                cd_constraint* c); // end 0 on the second marker, the carrier; end 1 on the first
// Place end 0 at the reference position of the first marker, in the axes of the second; give end 1 the axes that
// coincide with these in the reference pose, at its own position. Translations and rotations are then zero in the
// reference pose, and independent of each other.
void cd_constraint_init_reference(const cd_constraint_builder* p, cd_constraint* c);
bool cd_constraint_init_driver(const cd_constraint_builder* p, int i, cd_constraint* c); // false if there is none
// Value, rate and acceleration of driver function i; zeros if there is none.
cd_driver_values cd_driver_values_of(const cd_constraint* c, const cd_constraint_context* context, int i);
bool cd_constraint_init_coordinates(const cd_constraint_builder* p, int min_joints, int max_joints, cd_constraint* c);
// Init the coordinate of velocity `axis` of a joint; cd_coordinate_init rejects those that are not the rate of a
// coordinate.
bool cd_coordinate_init_velocity(const cd_constraint_builder* p, int joint, int axis, cd_coordinate* coordinate,
                                 cd_link_frame end[2]);
bool cd_coordinate_init(const cd_constraint_builder* p, int joint, int axis, cd_coordinate* coordinate,
                        cd_link_frame end[2]);

// One scalar equation between two ends.
typedef struct cd_scalar_row {
    real    value, rate, h;
    spatial G[2];
} cd_scalar_row;

// Motion of end 1 relative to end 0, in world axes: displacement d, velocity s, and bias acceleration h (zero
// accelerations of the bodies).
//   s = v1 - v0 - w0 x d        h = bias1 - bias0 - 2 w0 x s - w0 x (w0 x d)
typedef struct cd_relative_motion {
    vec3 d, s, h;
} cd_relative_motion;

static inline cd_relative_motion cd_relative_motion_of(const cd_end_state end[2])
{
    const vec3 d = v3_sub(end[1].T.p, end[0].T.p), w = end[0].w, w_cross_d = v3_cross(w, d);
    const vec3 s              = v3_sub(v3_sub(end[1].v, end[0].v), w_cross_d);
    const vec3 rotation_terms = v3_add(v3_scale(r_const(2), v3_cross(w, s)), v3_cross(w, w_cross_d));
    return (cd_relative_motion){d, s, v3_sub(v3_sub(end[1].bias, end[0].bias), rotation_terms)};
}

// Row of u.d, u a direction fixed in end 0 (given in world axes).
static inline cd_scalar_row cd_translation_row_of(const cd_end_state end[2], const cd_relative_motion* motion, vec3 u)
{
    return (cd_scalar_row){
        .value = v3_dot(u, motion->d),
        .rate  = v3_dot(u, motion->s),
        .h     = v3_dot(u, motion->h),
        .G     = {{v3_neg(v3_cross(v3_add(end[0].r, motion->d), u)), v3_neg(u)}, {v3_cross(end[1].r, u), u}}};
}
cd_scalar_row cd_translation_row(const cd_end_state end[2], vec3 u);
// Row of the angle of end 1 about z, with the winding nearest to `previous_angle`.
cd_scalar_row cd_angle_row(const cd_end_state end[2], real previous_angle);
// Row of a coordinate; `previous`: the last value, for the winding.
cd_scalar_row cd_coordinate_row(const cd_coordinate* c, const cd_end_state end[2], const cd_constraint_context* context,
                                real previous);
// Subtract x(t), which depends on time only, from a row.
static inline void cd_scalar_row_subtract(cd_scalar_row* row, real value, real rate, real acceleration)
{
    row->value = r_sub(row->value, value);
    row->rate  = r_sub(row->rate, rate);
    row->h     = r_sub(row->h, acceleration);
}
// Store a row in the equations of a constraint with two ends.
static inline void cd_scalar_row_store(const cd_scalar_row* row, int i, cd_constraint_equations* e)
{
    e->value[i]     = row->value;
    e->rate[i]      = row->rate;
    e->h[i]         = row->h;
    e->G[2 * i]     = row->G[0];
    e->G[2 * i + 1] = row->G[1];
}

// Equation sum of factor * coordinate - offset - driver function: gears, couplers, drivers.
void cd_evaluate_coupled_coordinates(const cd_constraint* c, const cd_end_state* end,
                                     const cd_constraint_context* context, cd_constraint_equations* e);

// Equations of a lock: motions of end 1 relative to end 0.
void cd_constraint_init_locks(unsigned locks, cd_constraint* c);
void cd_evaluate_lock(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                      cd_constraint_equations* e);
// Bit mask of rows that driver functions change: driven rows, and all rotations of a lock if one of them is driven.
unsigned cd_driven_row_mask(const cd_constraint* c);
// Driver sensitivity -dc/dx of all rows (nrow) with respect to the driver function x of row `row`.
void cd_driver_sensitivity(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                           const cd_constraint_equations* e, int row, real* sensitivity);
bool cd_constraint_init_curve(const cd_constraint_builder* p,
                              cd_constraint*               c); // parameter[0]: extent of the curve [m]

// Whether a constraint is restricted to a segment of its curve, history[2] to history[3]; if equal, to none.
static inline bool cd_has_curve_segment(const real* history) { return r_value(history[2]) < r_value(history[3]); }
