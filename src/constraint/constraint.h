// SPDX-License-Identifier: BSD-3-Clause
// Constraints: equations between the motions of bodies. At a state a constraint gives its values, their rates, the rows
// that act on the twists of its bodies, and what is left of the second derivative without accelerations:
//
//     c(q, t) = 0        cdot = sum over ends of G V + ct        cddot = sum over ends of G A + h
//
// V = (w, v) and A = (alpha, a) are those of the link's origin in world axes, so the rows serve tree and flat
// coordinates alike. Ends come in pairs, and a row feels the relative motion of the two ends of a pair only. Rows of
// velocities that no position integrates (rolling) come last: they have no value. To add a type: write
// src/constraint/<name>.c and add its row to constraint_types.def: `prepare` in plain numbers, `evaluate` over `real`.
#pragma once

#include "kinematics/world.h"
#include "math/lanes.h"

#include <stddef.h>

enum { CD_ROWS_MAX = 6, CD_ENDS_MAX = 2 * CARDAN_COUPLED_MAX, CD_MEMORY = 4 };

typedef struct cd_constraint_type cd_constraint_type;

// A coordinate between two frames: of a joint, wherever it is, in the tree or cut.
typedef enum cd_coordinate_kind {
    CD_WAY_X,
    CD_WAY_Y,
    CD_WAY_Z,
    CD_STEP_WAY, // of a sequence of steps; slides come before all angles
    CD_ANGLE_Z,
    CD_HOOKE_FIRST,
    CD_HOOKE_SECOND,
    CD_STEP_ANGLE,
    CD_SPIN_X, // of a ball: angular velocity along an axis of end 1; no position
    CD_SPIN_Y,
    CD_SPIN_Z
} cd_coordinate_kind;

typedef struct cd_coordinate {
    cd_coordinate_kind   measure;
    double               axis[2][3]; // Hooke: an axis of each end, in its frame
    int                  joint, axis_index;
    int                  q;        // coordinate of the tree that tells the turns, or CARDAN_NONE
    const cd_joint_info* steps;    // of CD_STEP_*: the joint
    int                  measured; // and where its coordinates are kept
    double               start;    // where the count of turns begins
} cd_coordinate;

// Coordinates of joints, one per pair of ends: sum of factor * coordinate = offset + law.
typedef struct cd_coupled {
    int           n;
    cd_coordinate coordinate[CARDAN_COUPLED_MAX];
    double        factor[CARDAN_COUPLED_MAX], offset;
    cd_attached   end[CD_ENDS_MAX - 2]; // behind the first pair
    int           body[CD_ENDS_MAX - 2];
} cd_coupled;

// What every evaluation looks at stands first, within four lines of memory, and every one begins at a line: sweeps over
// many wait for memory.
typedef struct cd_constraint {
    const cd_constraint_type* type;
    int                       nend, nrow, nposition; // the first nposition rows have values
    int                       first_row;
    unsigned                  locks;        // lock: which relative motions, bits CD_LOCK_*, driven ones included
    bool                      hooke, screw; // lock: angle between two axes kept; way along z follows the angle about z
    bool                      lossy;        // worm: its efficiency is below 1
    bool                      follows;      // some law of motion
    cd_attached               end[2];       // the first pair; cd_end_at knows the others

    const char*          name;
    const char*          what; // "joint", "coupling", "constraint": for messages
    cardan_place         place;
    int                  law[6];       // 0, or 1 + index into the laws of motion
    int                  joint;        // that it closes, or CARDAN_NONE
    int                  body[2];      // of the description, that each end belongs to
    unsigned             driven;       // rows that follow a law, as bits
    double               axis[2][3];   // hooke: an axis of each end, in its frame
    double               parameter[4]; // by type; lock of a screw: [0] pitch [m/rad]
    double               start;        // lock of a screw: angle that the count of turns begins with
    const cd_coupled*    coupled;      // gears, couplers, drivers: the coordinates; else NULL
    const cardan_curve*  curve;
    const cd_joint_info* steps;    // sequence: the joint
    int                  measured; // and where its coordinates are kept
    char                 fill[16];
} cd_constraint;

_Static_assert(sizeof(void*) != 8 || (sizeof(cd_constraint) % 64 == 0 && offsetof(cd_constraint, name) <= 256),
               "constraints in whole lines of memory");

static inline const cd_attached* cd_end_at(const cd_constraint* c, int i)
{
    return i < 2 ? &c->end[i] : &c->coupled->end[i - 2];
}

static inline int cd_body_at(const cd_constraint* c, int i) { return i < 2 ? c->body[i] : c->coupled->body[i - 2]; }

// One constraint at one state; the arrays belong to the closure.
typedef struct cd_equations {
    real *   value, *rate, *h; // (nrow)
    spatial* G;                // (nrow x nend)
} cd_equations;

// An end in the world: the frame of the marker, the arm to it from the link's origin, its velocities.
typedef struct cd_end {
    frame   T;
    vec3    r;
    vec3    w, v;
    vec3    bias; // w x (w x r): acceleration relative to the link's origin without alpha
    abreast axes; // of T, side by side
} cd_end;

// What a constraint knows beside its ends.
typedef struct cd_moment {
    const real* law; // (3 x nmotion) value, rate and acceleration of all laws of motion
    real*       q; // (nq_all) coordinates of the tree; behind them those of sequences of steps, kept from the last call
    real* memory;  // (CD_MEMORY) kept from one evaluation to the next: turns, foot on a curve and the piece that it is
                   // held to
    bool* singular; // set where the steps of a joint depend on each other
} cd_moment;

typedef struct cd_law_values {
    real x, v, a; // value, rate, acceleration
} cd_law_values;

// What a constraint is made from.
typedef struct cd_prepare {
    const cardan_model*      m;
    const cardan_constraint* described;
    int                      first_law; // of this constraint
    cd_coupled*              coupled;   // room for coordinates
    char*                    why;       // room for a sentence
    size_t                   size;
} cd_prepare;

struct cd_constraint_type {
    const char* name;
    const char* summary;
    const char* fields; // what it reads, for `cardan list constraints`
    // Ends, rows and parameters; false and the reason where it cannot be.
    bool (*prepare)(const cd_prepare* p, cd_constraint* c);
    void (*evaluate)(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e);
    // A vector, at most 1 long, whose direction the equations follow: they are not defined where it vanishes, and the
    // motion does not go on through such a pose. False: none here. NULL: none ever. `lost` says what such a pose is.
    bool (*bearing)(const cd_constraint* c, const cd_end* end, vec3* m);
    const char* lost;
};

int                       cd_constraint_type_count(void);
const cd_constraint_type* cd_constraint_type_at(int i);
const cd_constraint_type* cd_constraint_type_find(const char* name);

extern const cd_constraint_type cd_constraint_lock, cd_constraint_sequence;

// Pose of a frame on a link.
#ifdef CD_VECTORS

_Static_assert(sizeof(mat3) == 9 * sizeof(double), "a matrix is its nine entries, row by row");

// [R p] of the link times [R p] of the frame, row by row: the fourth lanes are the arm. The last rows of matrices are
// read and written together with the entry before them, so that nothing outside of the matrix is touched.
static inline void cd_end_pose(const frame* T, const cd_attached* at, cd_end* end)
{
    const mat3 R  = T->R;
    double*    to = (double*)(void*)&end->T.R;
    four       x = *(const loose_four*)at->R, y = *(const loose_four*)(at->R + 3);
    const four last = *(const loose_four*)(at->R + 5), z = {last[1], last[2], last[3], at->p[2]};
    x[3] = at->p[0], y[3] = at->p[1];
    const abreast u  = {x * R.xx + y * R.xy + z * R.xz, x * R.yx + y * R.yy + z * R.yz, x * R.zx + y * R.zy + z * R.zz};
    end->axes        = u;
    *(loose_four*)to = u.x;
    *(loose_four*)(to + 3) = u.y;
    *(loose_four*)(to + 5) = (four){u.y[2], u.z[0], u.z[1], u.z[2]};
    end->r                 = v3(u.x[3], u.y[3], u.z[3]);
}

#else

static inline void cd_end_pose(const frame* T, const cd_attached* at, cd_end* end)
{
    const mat3 R = m3_mul_m3(T->R, m3_lift(at->R));
    end->T.R     = R;
    end->axes    = (abreast){v3(R.xx, R.xy, R.xz), v3(R.yx, R.yy, R.yz), v3(R.zx, R.zy, R.zz)};
    end->r       = m3_mul(T->R, v3_lift(at->p));
}

#endif

static inline void cd_end_at_state(const cd_attached* at, const cd_world* world, cd_end* end)
{
    const frame*  T = &world->pose[at->link];
    const spatial V = world->velocity[at->link];
    cd_end_pose(T, at, end);
    const vec3 r = end->r, swing = v3_cross(V.a, r);
    end->T.p  = v3_add(T->p, r);
    end->w    = V.a;
    end->v    = v3_add(V.l, swing);
    end->bias = v3_cross(V.a, swing);
}

static inline cd_end cd_end_of(const cd_attached* at, const cd_world* world)
{
    cd_end end;
    cd_end_at_state(at, world, &end);
    return end;
}

// Preparing: each says why it fails.
bool cd_refuse(const cd_prepare* p, const char* format, ...) __attribute__((format(printf, 2, 3)));
bool cd_take_markers(const cd_prepare* p,
                     cd_constraint*    c); // end 0 on the second marker, the carrier; end 1 on the first
// End 0 goes where the first marker rests, in the axes of the second; end 1 takes the axes that coincide with these at
// rest, and stays where it is. So ways and rotations are zero at rest, and neither moves the other.
void cd_take_rest(const cd_prepare* p, cd_constraint* c);
bool cd_take_law(const cd_prepare* p, int i, cd_constraint* c); // false where there is none
// Value, rate and acceleration of law i; zeros where there is none.
cd_law_values cd_law_of(const cd_constraint* c, const cd_moment* now, int i);
bool          cd_take_coordinates(const cd_prepare* p, int least, int most, cd_constraint* c);
// Velocity number `axis` of a joint; cd_coordinate_of refuses those that are no rate of a coordinate of their own.
bool cd_rate_of(const cd_prepare* p, int joint, int axis, cd_coordinate* coordinate, cd_attached end[2]);
bool cd_coordinate_of(const cd_prepare* p, int joint, int axis, cd_coordinate* coordinate, cd_attached end[2]);

// One scalar between two ends.
typedef struct cd_scalar_row {
    real    value, rate, h;
    spatial G[2];
} cd_scalar_row;

// End 1 as end 0 sees it, in world axes: way d, velocity s, and the acceleration h that is left without those of the
// bodies.
//   s = v1 - v0 - w0 x d        h = bias1 - bias0 - 2 w0 x s - w0 x (w0 x d)
typedef struct cd_apart {
    vec3 d, s, h;
} cd_apart;

static inline cd_apart cd_apart_of(const cd_end end[2])
{
    const vec3 d = v3_sub(end[1].T.p, end[0].T.p), w = end[0].w, swing = v3_cross(w, d);
    const vec3 s       = v3_sub(v3_sub(end[1].v, end[0].v), swing);
    const vec3 turning = v3_add(v3_scale(r_lift(2), v3_cross(w, s)), v3_cross(w, swing));
    return (cd_apart){d, s, v3_sub(v3_sub(end[1].bias, end[0].bias), turning)};
}

// u.d, u a direction fixed in end 0 (given in world axes).
static inline cd_scalar_row cd_row_toward(const cd_end end[2], const cd_apart* apart, vec3 u)
{
    return (cd_scalar_row){
        .value = v3_dot(u, apart->d),
        .rate  = v3_dot(u, apart->s),
        .h     = v3_dot(u, apart->h),
        .G     = {{v3_neg(v3_cross(v3_add(end[0].r, apart->d), u)), v3_neg(u)}, {v3_cross(end[1].r, u), u}}};
}
cd_scalar_row cd_row_along(const cd_end end[2], vec3 u);
// Angle of end 1 about z, turns counted from the angle `near`.
cd_scalar_row cd_row_angle(const cd_end end[2], real near);
// `near`: the last value, which tells the turns.
cd_scalar_row cd_row_coordinate(const cd_coordinate* c, const cd_end end[2], const cd_moment* now, real near);
// The row of c - x, x something that no body moves.
static inline void cd_row_less(cd_scalar_row* row, real value, real rate, real second)
{
    row->value = r_sub(row->value, value);
    row->rate  = r_sub(row->rate, rate);
    row->h     = r_sub(row->h, second);
}
// Into the equations of a constraint with two ends.
static inline void cd_row_put(const cd_scalar_row* row, int i, cd_equations* e)
{
    e->value[i]     = row->value;
    e->rate[i]      = row->rate;
    e->h[i]         = row->h;
    e->G[2 * i]     = row->G[0];
    e->G[2 * i + 1] = row->G[1];
}

// sum of factor * coordinate = offset, minus the law where there is one: gears, couplers, drivers.
void cd_evaluate_coordinates(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e);

// Motions of end 1 relative to end 0, as a lock has them.
void cd_take_locks(unsigned locks, cd_constraint* c);
void cd_evaluate_lock(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e);
// Rows that the laws of a constraint move: those that follow one, and all rotations of a lock where one does.
unsigned cd_moved_rows(const cd_constraint* c);
// By how much the law of row `row` moves each row of its constraint, -dc / dlaw: `part` (nrow).
void cd_moved_by(const cd_constraint* c, const cd_end* end, const cd_moment* now, const cd_equations* e, int row,
                 real* part);
bool cd_take_curve(const cd_prepare* p, cd_constraint* c); // parameter[0]: 1e-6 of the square of its extent

// The piece of its curve that a constraint is held to: from memory[2] to memory[3], all of it where these are equal.
static inline bool cd_is_held(const real* memory) { return r_value(memory[2]) < r_value(memory[3]); }
