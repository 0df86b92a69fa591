// SPDX-License-Identifier: BSD-3-Clause
// Description of a mechanism: editable structures in the user's terms (bodies, joints, forces). It is the first of
// three stages: description, model (compiled, constant), data (memory of one simulation). The description specifies
// neither the cut joints nor the formulation.
//
//   cardan_description* d = cardan_description_create("pendulum");
//   cardan_body b = cardan_body_default("bob");      b.mass = 1; b.centre[2] = -1;
//   const int bob = cardan_description_add_body(d, &b);
//   cardan_joint j = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, bob);
//   cardan_description_add_joint(d, &j);                         // its axis is z of the joint frame
//
// Every cardan_description_add_* function copies its argument with names and arrays, and returns the new index, or
// CARDAN_NONE if memory or the name is missing. Units are SI and radians. Names are printable UTF-8.
// cardan_model_compile checks indices and numbers; its messages name the body, joint, marker, force or constraint.
#pragma once

#include <cardan/contact.h>
#include <cardan/status.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { CARDAN_GROUND = -1, CARDAN_NONE = -1, CARDAN_JOINT_VELOCITIES_MAX = 6 };

typedef struct cardan_description cardan_description;

typedef int cardan_expression; // node of the expression graph of the description, or CARDAN_NONE

/// Position and orientation of one frame in another: x_outer = p + R(q) x_inner.
typedef struct cardan_pose {
    double p[3];
    double q[4]; // unit quaternion, scalar first
} cardan_pose;

typedef struct cardan_body {
    const char*     name;
    cardan_pose     pose;       // body frame in the world, design configuration
    double          mass;       // [kg]
    double          centre[3];  // mass centre in the body frame [m]
    double          inertia[6]; // about the mass centre, body axes: xx yy zz xy xz yz [kg m^2]
    cardan_location location;
} cardan_body;

/// One elementary motion of a general or universal joint: rotation about, or translation along, an axis of the joint
/// frame.
typedef struct cardan_elementary_joint {
    bool   is_translation;
    double axis[3];
} cardan_elementary_joint;

/// Force elements and limits of one joint axis (one per velocity of the joint). Zero: absent.
typedef struct cardan_axis_properties {
    double stiffness, spring_reference;                         // spring, zero force at q = spring_reference
    double damping;                                             // -damping * v
    double friction_forward, friction_backward, friction_speed; // Coulomb force for v > 0, v < 0; smoothing speed
    double armature;                                            // rotor inertia, reduced to the joint
    double lower, upper;                                        // limits; -INFINITY, INFINITY: none
    double stop_stiffness, stop_damping;                        // of the limits; 0: limits only cause events
    bool   rigid_stop;       // the limits are unilateral constraints, without stiffness and damping
    double stop_restitution; // of rigid limits, 0 to 1
    // Dry friction that sticks: set-valued at v = 0, without smoothing. Its magnitude at v = 0 is at most the static level,
    // in motion it is the kinetic one, in each direction of motion:
    //   static level   static_friction_*  + load_friction_static  * load
    //   kinetic level  friction_*         + load_friction_kinetic * load
    // load: magnitude of the reaction force of the joint; for rotations, times `load_radius`.
    bool   sticking_friction;
    double static_friction_forward, static_friction_backward; // not below friction_forward, friction_backward
    double load_friction_static, load_friction_kinetic;       // coefficients, static >= kinetic >= 0; 0: none
    double load_radius;                                       // [m] of rotations
} cardan_axis_properties;

typedef struct cardan_joint {
    const char* name;
    const char* type;                    // a name in `cardan list joints`
    int         first_body, second_body; // bodies, or CARDAN_GROUND; q, v, a: motion of second relative to first
    cardan_pose frame_first;             // joint frame in the frame of the first body
    cardan_pose frame_second;            // joint frame in the frame of the second body; both coincide at q = 0. Angular
                                         // velocities of spherical and free joints: axes of frame_second; translational
                                         // velocity of free joints: axes of frame_first
    double pitch;                        // screw: translation per angle [m/rad]
    int    nelementary; // universal: 2 rotations; general: 1 to CARDAN_JOINT_VELOCITIES_MAX elementary joints
    cardan_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX];

    int                           naxis; // 0, or the number of velocities of the joint
    const cardan_axis_properties* axis;

    int                      ndriver; // 0, or the number of velocities of the joint
    const cardan_expression* driver;  // prescribed q(t) per velocity; CARDAN_NONE: not driven

    bool            start_q_given, start_v_given; // else the design configuration, v = 0
    bool            start_is_guess;               // assembly may change the start value
    double          start_q[CARDAN_JOINT_VELOCITIES_MAX + 1];
    double          start_v[CARDAN_JOINT_VELOCITIES_MAX];
    cardan_location location;
} cardan_joint;

/// q of `joint` = factor * q of `other` + offset (mimic of URDF).
typedef struct cardan_coupling {
    int             joint, other;
    double          factor, offset;
    cardan_location location;
} cardan_coupling;

/// A named frame on a body. The name of a body is also the name of a marker: its body frame.
typedef struct cardan_marker {
    const char*     name;
    int             body;
    cardan_pose     pose; // in the body frame
    cardan_location location;
} cardan_marker;

/// Kinds of shapes. A shape with a material touches (cardan/contact.h) and is drawn; another one is drawn only.
typedef enum cardan_shape_kind {
    CARDAN_SHAPE_ROD,          // cylinder; size: length, radius; along z of its frame, centred
    CARDAN_SHAPE_BOX,          // size: full lengths along x y z, centred
    CARDAN_SHAPE_SPHERE,       // size: radius
    CARDAN_SHAPE_POINTS,       // polyline through `point`; size is not used; never touches
    CARDAN_SHAPE_MESH,         // triangles; size: factors by which the coordinates of `file` were multiplied, not zero
    CARDAN_SHAPE_CAPSULE,      // size: length between the centres of its half spheres, radius; along z, centred
    CARDAN_SHAPE_ELLIPSOID,    // size: semi-axes along x y z
    CARDAN_SHAPE_TORUS,        // size: radius of the circle in z = 0, radius of the tube
    CARDAN_SHAPE_HULL,         // convex hull of `point`; size: as of a mesh if `file` is given
    CARDAN_SHAPE_PLANE,        // half space z <= 0; size: lengths along x y of the part that is drawn
    CARDAN_SHAPE_HEIGHT_FIELD, // surface z = height(x, y), solid below; `field`
} cardan_shape_kind;

/// Regular grid of heights: height[i + nx j] at x = (i - (nx - 1)/2) spacing[0], y = (j - (ny - 1)/2) spacing[1]. The
/// surface ends at the border of the grid.
typedef struct cardan_height_grid {
    int           nx, ny;     // at least 2; ny = 1: a profile, smooth along x and constant along y
    double        spacing[2]; // [m]; of a profile: spacing along x, width
    const double* height;     // (ny x nx) [m], rows along x
    bool          smooth;     // bicubic, continuous slopes; else two triangles per cell
} cardan_height_grid;

typedef struct cardan_shape {
    int               body; // or CARDAN_GROUND
    cardan_shape_kind kind;
    cardan_pose       pose; // in the body frame
    double            size[3];
    int               npoint;
    const double*     point; // (3 x npoint) in the frame of the shape
    int               ntriangle;
    const int*        triangle; // (3 x ntriangle) points, counter-clockwise from outside
    const char*       file;     // path of a mesh; NULL: none, a mesh cannot be written to a model file
    const char*       material; // name of a material: the shape touches; NULL: it is only drawn
    double rounding; // [m] radius of edges of box, rod and hull within their outer dimensions; negative: chosen
    cardan_height_grid field;
    cardan_location    location;
} cardan_shape;

typedef enum cardan_interpolation {
    CARDAN_INTERPOLATION_LINEAR,
    CARDAN_INTERPOLATION_MONOTONE,
    CARDAN_INTERPOLATION_SPLINE
} cardan_interpolation;

/// y over x, x strictly increasing. Outside [x_0, x_n] extrapolated linearly with the derivative at the end.
typedef struct cardan_table {
    const char*          name;
    int                  count;
    const double *       x, *y;
    cardan_interpolation interpolation;
    cardan_location      location;
} cardan_table;

/// A force element. The type determines which fields are used (`cardan list forces`).
typedef struct cardan_force {
    const char*       name;
    const char*       type;
    int               marker[2];    // force on marker[0], opposite force on marker[1] (CARDAN_NONE: ground)
    int               frame;        // marker whose axes the components refer to; CARDAN_NONE: world
    int               joint, axis;  // actuator: driven coordinate
    double            stiffness[6]; // spring: [0]; torsion: [0]; bushing: along x y z, about x y z
    double            damping[6];
    double            free_length;  // spring: free length [m]; torsion: free angle [rad]
    double            preload;      // spring, torsion: force at the free length
    int               force_table;  // spring: force [N] over extension [m]; CARDAN_NONE: linear
    int               damper_table; // spring: force [N] over speed [m/s]; CARDAN_NONE: linear
    double            lower, upper; // actuator: bounds of its effort
    cardan_expression component[3]; // force, torque: x y z; actuator: [0]
    cardan_location   location;
} cardan_force;

/// A smooth curve defined by control points: a B-spline, or a NURBS if weights are given.
typedef struct cardan_curve {
    int           degree; // 0: 3, or less if there are fewer points
    bool          closed; // periodic
    int           npoint;
    const double* point;  // (3 x npoint) in the frame of the marker of the curve
    const double* weight; // (npoint) positive; NULL: all equal
    int           nknot;
    const double* knot; // non-decreasing; open: npoint + degree + 1, closed: npoint + 1 (a period). NULL: uniform, 0..1
} cardan_curve;

enum { CARDAN_COUPLED_JOINTS_MAX = 3 };

/// A constraint that is not a joint. The type determines which fields are used (`cardan list constraints`).
typedef struct cardan_constraint {
    const char* name;
    const char* type;
    int         marker[2]; // motion of the first relative to the second is constrained (CARDAN_NONE: ground)
    int         njoint;
    int         joint[CARDAN_COUPLED_JOINTS_MAX]; // coordinates: a joint ...
    int         axis[CARDAN_COUPLED_JOINTS_MAX];  // ... and the index of its velocity, from 0
    double   factor[CARDAN_COUPLED_JOINTS_MAX]; // coupler: sum of factor * q = offset. gear: teeth, < 0: internal gear
    double   offset;
    double   length;        // distance [m]
    double   radius[2];     // rolling, rack_pinion: [0]; belt: of both pulleys, [1] negative for a crossed belt [m]
    double   ratio;         // worm: angle of the worm per angle of the wheel
    double   efficiency[2]; // worm: if the worm drives, if the wheel drives
    double   loss_speed;    // worm: speed of the worm at which three quarters of the losses are reached [rad/s]
    bool     is_sphere;     // rolling: a sphere; else a disc about z of the first marker
    unsigned locked;        // lock: bits 0 to 5, motion along x y z and about x y z of the second marker
    cardan_pose       reference; // lock, orientation: pose of the first marker in the second that is zero
    cardan_expression driver[6]; // functions of time, or CARDAN_NONE. lock: one per motion; driver, distance, follow:
                                 // [0]
    cardan_curve    curve;       // point_on_curve, follow
    cardan_location location;
} cardan_constraint;

/// A user state s with the differential equation s' = rate.
typedef struct cardan_user_state {
    const char*       name;
    double            start;
    cardan_expression rate;
    cardan_location   location;
} cardan_user_state;

typedef struct cardan_output {
    const char*       name;
    const char*       unit;
    cardan_expression value;
    cardan_location   location;
} cardan_output;

/// Settings of a run in the model file; the command line overrides them.
typedef struct cardan_run_defaults {
    double duration;                                            // [s]
    double output_interval;                                     // between output samples [s]; 0: duration/1000
    double step;                                                // fixed-step integrators [s]; 0: chosen
    double tolerance;                                           // adaptive integrators, relative; 0: 1e-8
    double regularization, violation_tolerance, baumgarte_rate; // regularized-..., as in cardan_run_settings; 0: chosen
    int    window, max_iterations;
    const char *      integrator, *formulation, *stabilization; // NULL: chosen
    cardan_expression stop_condition;                           // the run ends when it becomes positive
    cardan_location   integrator_location, formulation_location, stabilization_location;
} cardan_run_defaults;

/// One wheel of a suspension study.
typedef struct cardan_wheel {
    const char* name;
    int         hub;        // marker at the wheel centre, on the wheel carrier
    double      axis[3];    // spin axis in the design configuration, world axes; any sign
    double      radius;     // [m] from the wheel centre to the road
    int         kingpin[2]; // markers: lower and upper end of the steering axis; CARDAN_NONE: computed from the motion
    int         spring, damper;             // force elements, or CARDAN_NONE ...
    int         spring_joint, damper_joint; // ... or joints along whose coordinate they act, or CARDAN_NONE
    int         tyre; // force element between wheel and road, excluded from the study; CARDAN_NONE: none
    cardan_location location;
} cardan_wheel;

/// Motions and ranges of a suspension study.
typedef struct cardan_suspension {
    int                 chassis;           // body locked to ground, or CARDAN_GROUND
    double              forward[3], up[3]; // directions in the design configuration, world axes
    int                 nwheel;
    const cardan_wheel* wheel;
    double              travel[2];          // [m] of wheel centres, upward, from the design configuration
    int                 steering;           // steering joint, or CARDAN_NONE
    double              steering_travel[2]; // of its coordinate, from the design configuration [m or rad]
    int                 npoint;             // positions per sweep
    double              wheelbase;          // [m] for Ackermann's condition; 0: unknown
    cardan_location     location;
} cardan_suspension;

/// A named number of the model file, after `--set`.
typedef struct cardan_parameter {
    const char*     name;
    double          value;
    cardan_location location;
} cardan_parameter;

/// Quantities that an expression may contain; each is one input of the expression graph.
typedef enum cardan_signal_kind {
    CARDAN_SIGNAL_TIME,
    CARDAN_SIGNAL_COORDINATE,       // a: joint, component: index into its q
    CARDAN_SIGNAL_SPEED,            // a: joint, component: index into its v
    CARDAN_SIGNAL_ACCELERATION,     // the same; only in tasks of optimal control
    CARDAN_SIGNAL_POSITION,         // marker a relative to marker b (or world), component 0..2 in the axes of b
    CARDAN_SIGNAL_VELOCITY,         // velocity of marker a relative to marker b, components in the axes of b
    CARDAN_SIGNAL_ANGULAR_VELOCITY, // the same, angular
    CARDAN_SIGNAL_DISTANCE,         // between markers a and b (or the world's origin)
    CARDAN_SIGNAL_DISTANCE_RATE,
    CARDAN_SIGNAL_ANGLE,  // of marker a relative to b about axis `component` of b, in (-pi, pi]
    CARDAN_SIGNAL_STATE,  // a: state
    CARDAN_SIGNAL_EFFORT, // a: joint, component: index into its v; external effort, only in tasks of optimal control
    // a: joint, b: marker of the axes (or world), component 0..2 force, 3..5 torque, 6, 7 their magnitudes: reaction of
    // the joint on its second body, about its position on the first body; in forces and rates of states only
    CARDAN_SIGNAL_REACTION,
    CARDAN_SIGNAL_PARAMETER, // a: index among the parameters that were loaded as inputs
} cardan_signal_kind;

typedef struct cardan_signal {
    cardan_signal_kind kind;
    int                a, b; // CARDAN_NONE: world
    int                component;
} cardan_signal;

/// Read access to a description. Pointers stay valid until the description is changed or destroyed.
/// A point of the model file, in the world at the design configuration. Points are not saved.
typedef struct cardan_design_point {
    const char*     name;
    double          position[3]; // [m]
    cardan_location location;
} cardan_design_point;

typedef struct cardan_description_view {
    const char* name;
    double      gravity[3]; // [m/s^2]
    int nbody, njoint, ncoupling, nmarker, nshape, ntable, nforce, nconstraint, nstate, noutput, nparameter, nsignal,
        npoint, nmaterial, nmaterial_pair, ncontact_pair;
    const cardan_body*             body;
    const cardan_joint*            joint;
    const cardan_coupling*         coupling;
    const cardan_marker*           marker;
    const cardan_shape*            shape;
    const cardan_table*            table;
    const cardan_force*            force;
    const cardan_constraint*       constraint;
    const cardan_user_state*       state;
    const cardan_output*           output;
    const cardan_parameter*        parameter;
    const cardan_design_point*     point;
    const cardan_signal*           signal; // (nsignal) meaning of the inputs of the graph
    const cardan_run_defaults*     run;
    const cardan_suspension*       suspension; // NULL: none
    const cardan_material*         material;
    const cardan_material_pair*    material_pair;
    const cardan_contact_pair*     contact_pair;
    const cardan_contact_settings* contact_settings;
} cardan_description_view;

cardan_description*     cardan_description_create(const char* name);
void                    cardan_description_destroy(cardan_description* description);
cardan_description_view cardan_description_get_view(const cardan_description* description);
cardan_status           cardan_description_set_name(cardan_description* description, const char* name);
cardan_status           cardan_description_set_gravity(cardan_description* description, const double gravity[3]);
cardan_status cardan_description_set_run_defaults(cardan_description* description, const cardan_run_defaults* defaults);
/// Set the suspension study of the description. Returns false if there is no memory.
bool cardan_description_set_suspension(cardan_description* description, const cardan_suspension* suspension);

cardan_pose            cardan_pose_default(void);
cardan_body            cardan_body_default(const char* name);
cardan_axis_properties cardan_axis_properties_default(void);
cardan_joint           cardan_joint_default(const char* name, const char* type, int first, int second);
cardan_force           cardan_force_default(const char* name, const char* type);
cardan_constraint      cardan_constraint_default(const char* name, const char* type);
cardan_run_defaults    cardan_run_defaults_empty(void);
cardan_wheel           cardan_wheel_default(const char* name, int hub);
/// Default study: x forward, z up, travel -100 mm to 100 mm, 41 positions.
cardan_suspension cardan_suspension_default(void);
/// A shape at the origin of the body frame, drawn only, with chosen rounding.
cardan_shape    cardan_shape_default(int body, cardan_shape_kind kind);
cardan_material cardan_material_default(const char* name);
/// No friction, restitution and stiffness of the settings.
cardan_material_pair cardan_material_pair_default(int first, int second);
/// Rigid, restitution 0, all bodies that no joint connects.
cardan_contact_settings cardan_contact_settings_default(void);

/// Joint placed in the world, at the design configuration of the bodies: its frame is at `point`, with z along `axis`
/// (NULL: the axes of the world), on both bodies. The bodies are added before. Zeros, which
/// cardan_description_add_joint rejects, if a body does not exist, a number is not finite or the axis is zero.
///
///   const double point[3] = {1, 0, 0}, axis[3] = {0, 1, 0};
///   cardan_joint elbow = cardan_joint_at(description, "elbow", "revolute", upper, lower, point, axis);
cardan_joint cardan_joint_at(const cardan_description* description, const char* name, const char* type, int first,
                             int second, const double point[3], const double axis[3]);
/// Marker on a body, placed in the same way.
cardan_marker cardan_marker_at(const cardan_description* description, const char* name, int body, const double point[3],
                               const double axis[3]);

int cardan_description_add_body(cardan_description* description, const cardan_body* body);
int cardan_description_add_joint(cardan_description* description, const cardan_joint* joint);
/// Change the type of a joint that was added to one without further arguments: "spherical", "cylindrical", "revolute".
/// Springs, limits, drivers and start values of its coordinates are not kept. Returns CARDAN_BAD_USAGE if there is no such
/// joint or type.
cardan_status cardan_description_set_joint_type(cardan_description* description, int joint, const char* type,
                                                cardan_report* report);
/// Set the drivers of a joint that was added: one function of time per velocity, or CARDAN_NONE. Returns false if there
/// is no memory.
bool          cardan_description_set_joint_drivers(cardan_description* description, int joint, int ndriver,
                                                   const cardan_expression* driver);
int           cardan_description_add_coupling(cardan_description* description, const cardan_coupling* coupling);
int           cardan_description_add_marker(cardan_description* description, const cardan_marker* marker);
int           cardan_description_add_shape(cardan_description* description, const cardan_shape* shape);
int           cardan_description_add_material(cardan_description* description, const cardan_material* material);
int           cardan_description_add_material_pair(cardan_description* description, const cardan_material_pair* pair);
int           cardan_description_add_contact_pair(cardan_description* description, const cardan_contact_pair* pair);
cardan_status cardan_description_set_contact_settings(cardan_description*            description,
                                                      const cardan_contact_settings* settings);
int           cardan_description_add_table(cardan_description* description, const cardan_table* table);
int           cardan_description_add_force(cardan_description* description, const cardan_force* force);
int           cardan_description_add_constraint(cardan_description* description, const cardan_constraint* constraint);
int           cardan_description_add_state(cardan_description* description, const cardan_user_state* state);
/// Set the rate of a state. Formulas may use a state before its rate is known: add the states first, then set the
/// rates.
cardan_status cardan_description_set_state_rate(cardan_description* description, int state, cardan_expression rate);
int           cardan_description_add_output(cardan_description* description, const cardan_output* output);
int           cardan_description_add_parameter(cardan_description* description, const cardan_parameter* parameter);
int           cardan_description_add_point(cardan_description* description, const cardan_design_point* point);

/// Index by name, or CARDAN_NONE. Markers: the name of a body finds its body frame. "ground" is not a body;
/// cardan_description_find_marker finds it as the marker at the origin of the world.
int cardan_description_find_body(const cardan_description* description, const char* name);
int cardan_description_find_joint(const cardan_description* description, const char* name);
int cardan_description_find_marker(const cardan_description* description, const char* name);
int cardan_description_find_table(const cardan_description* description, const char* name);
int cardan_description_find_state(const cardan_description* description, const char* name);
int cardan_description_find_material(const cardan_description* description, const char* name);
int cardan_description_find_parameter(const cardan_description* description, const char* name);

/// Parse a formula, e.g. "-2*v(hinge) + sin(3*t)". It may contain t, pi, parameters, states, the functions of
/// docs/model-file.md, q(joint[, i]), v(joint[, i]), x y z vx vy vz wx wy wz (marker[, marker]), distance, speed and
/// angle of two markers, and tables by name as functions of one argument.
cardan_status cardan_description_parse(cardan_description* description, const char* formula, cardan_location location,
                                       cardan_expression* expression, cardan_report* report);

/// Parse a formula that is a constant: parameters, pi, tables and functions only. `value` receives its value.
cardan_status cardan_description_parse_number(cardan_description* description, const char* formula,
                                              cardan_location location, double* value, cardan_report* report);

/// Make an expression from a constant; CARDAN_NONE if it is not finite.
cardan_expression cardan_description_add_constant(cardan_description* description, double value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
