// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state, and their rows in the coordinates of the model.
#pragma once

#include "constraint/constraint.h"
#include "constraint/constraint_rows.h"

// Order: cut joints (constraint i closes m->cut[i]), couplings, constraints, drivers of joints.
typedef struct cd_constraint_set {
    int            nconstraint, nrow, nlossy, ndriven, nnonholonomic; // nnonholonomic: rows without a position level
    cd_constraint* constraint;                                        // (nconstraint)
    int*           driven;                                            // (ndriven) constraints with driven rows
    bool           has_joint_rows;                                    // blocks have v and J

    // cd_constraint_set_evaluate_drivers
    real *driver_values, *driver_input,
        *driver_work; // (3 x ndriver_function) driver functions: value, rate, acceleration; inputs and scratch of the
                      // tape

    // cd_constraint_set_evaluate
    real *                   value, *rate, *h; // (nrow) value is 0 for nonholonomic rows
    cd_constraint_equations* equations;        // (nconstraint)
    real* history; // (nconstraint x CD_CONSTRAINT_HISTORY_SIZE) winding and foot points on curves, from the last call
    real* q;       // (nq_joint) tree coordinates, for the winding of tree joints, and those of off-tree joints
    int   singular_constraint; // constraint whose joint has dependent elementary motions at the state, or CARDAN_NONE

    // cd_constraint_set_jacobian
    cd_row_block* block;       // (nconstraint)
    double*       row_norm_sq; // (nrow) squared norms of joint-space rows, if there are any
} cd_constraint_set;

// Check the constraints; report those that are not possible with their location: joints that cannot be cut, invalid
// constraints.
cardan_status cd_constraint_set_check(const cardan_model* m, cardan_report* report);
int           cd_constraint_count(const cardan_model* m);
int           cd_constraint_row_count(const cardan_model* m);
// joint_rows: joint-space rows are needed; for free bodies they are short and always computed.
void cd_rotor_set_layout(const cardan_model* m, bool joint_rows, cd_arena* arena,
                         cd_constraint_set* rotors); // rotors of off-tree joints
int  cd_rotor_count(const cardan_model* m);
// Coordinates of joints with rigid limits or friction that sticks; rows on twists only.
void cd_axis_set_layout(const cardan_model* m, cd_arena* arena, cd_constraint_set* axes);
int  cd_axis_row_count(const cardan_model* m);
void cd_constraint_set_layout(const cardan_model* m, bool joint_rows, cd_arena* arena, cd_constraint_set* constraints);
// Reset winding numbers and foot points on curves.
void cd_constraint_set_reset(cd_constraint_set* constraints);
// Evaluate the driver functions at time t for the next evaluations.
void cd_constraint_set_evaluate_drivers(const cardan_model* m, real t, cd_constraint_set* constraints);
void cd_constraint_set_evaluate(const cd_world_motion* world, cd_constraint_set* constraints);
void cd_constraint_set_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                                cd_constraint_set* constraints);
// Both, in batches that fit into the cache, with gamma (cd_constraint_set_gamma), or NULL.
void cd_constraint_set_evaluate_with_jacobian(const cardan_model* m, const cd_kinematics* k,
                                              const cd_world_motion* world, cd_constraint_set* constraints,
                                              real* gamma);
// The same for constraints from .. to - 1 without storing rows on twists, except for driven constraints; needs
// joint-space rows. The caller resets singular_constraint before. J goes to the sink of the stream, or into the blocks.
void cd_constraint_set_stream_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                                   cd_constraint_set* constraints, int from, int to, const cd_row_stream* stream,
                                   cd_constraint_equations* buffer);
// gamma (nrow): J a = gamma; `world` must contain the accelerations of links at a = 0; NULL if they are zero.
void cd_constraint_set_gamma(const cd_world_motion* world, const cd_constraint_set* constraints, real* gamma);
// Magnitude of the terms of gamma; `world` must contain those accelerations.
double cd_constraint_set_gamma_scale(const cd_world_motion* world, const cd_constraint_set* constraints,
                                     const double* row_scale);
// Constraint of a row, or CARDAN_NONE.
int cd_constraint_of_row(const cd_constraint_set* constraints, int row);
// Whether a row is holonomic: it has a value, not only a rate.
bool cd_constraint_row_is_holonomic(const cd_constraint_set* constraints, int constraint, int row);
// Add the wrenches -G'lambda that constraints exert on links: (nlink) world axes, at the link's origin.
void cd_constraint_set_wrenches(const cd_constraint_set* constraints, const real* lambda, spatial* wrench);
// Velocity of coordinate `coordinate` of a constraint.
real cd_coupled_velocity(const cd_world_motion* world, const cd_constraint_set* constraints, int constraint,
                         int coordinate);
// Add the efforts (nv) of `force` along this coordinate.
void cd_coupled_add_effort(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                           const cd_constraint_set* constraints, int constraint, int coordinate, real force,
                           real* effort);
