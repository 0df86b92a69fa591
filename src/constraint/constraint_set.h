// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state, and their rows in the model's coordinates.
#pragma once

#include "constraint/constraint.h"
#include "constraint/constraint_rows.h"

// In this order: joints that are cut (constraint i closes m->cut[i]), couplings, constraints, drivers of joints.
typedef struct cd_constraint_set {
    int            nconstraint, nrow, nlossy, ndriven, nnonholonomic; // nslip: rows that no position integrates
    cd_constraint* constraint;                                        // (nconstraint)
    int*           driven;                                            // (ndriving) those that have rows with a law
    bool           has_joint_rows;                                    // blocks have v and J

    // cd_constraint_set_evaluate_drivers
    real *driver_values, *driver_input,
        *driver_work; // (3 x nmotion) laws of motion: value, rate, acceleration; inputs and scratch of their tape

    // cd_constraint_set_evaluate
    real *                   value, *rate, *h; // (nrow) value is 0 where a row holds for velocities only
    cd_constraint_equations* equations;        // (nconstraint)
    real* history; // (nconstraint x CD_CONSTRAINT_HISTORY) turns counted and feet on curves, from the last call
    real* q;       // (nq_all) coordinates of the tree, which tell the turns of its joints, and measured ones
    int singular_constraint; // constraint whose joint has steps that depend on each other at the state, or CARDAN_NONE

    // cd_constraint_set_jacobian
    cd_row_block* block;       // (nconstraint)
    double*       row_norm_sq; // (nrow) of the length of rows on velocities, where there are ways
} cd_constraint_set;

// Refuses what cannot be a constraint, with its place: joints that cannot close a loop, constraints that are not sound.
cardan_status cd_constraint_set_check(const cardan_model* m, cardan_report* report);
int           cd_constraint_count(const cardan_model* m);
int           cd_constraint_row_count(const cardan_model* m);
// ways: rows on velocities are wanted, which are as long as the ways of the tree; on free bodies they are short, and
// always there.
void cd_rotor_set_layout(const cardan_model* m, bool joint_rows, cd_arena* arena,
                         cd_constraint_set* rotors); // of joints beside the tree
int  cd_rotor_count(const cardan_model* m);
void cd_constraint_set_layout(const cardan_model* m, bool joint_rows, cd_arena* arena, cd_constraint_set* constraints);
// Turns are counted, and feet on curves looked for, from the start again.
void cd_constraint_set_reset(cd_constraint_set* constraints);
// The time that the next evaluations belong to.
void cd_constraint_set_evaluate_drivers(const cardan_model* m, real t, cd_constraint_set* constraints);
void cd_constraint_set_evaluate(const cd_world_frame* world, cd_constraint_set* constraints);
void cd_constraint_set_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world_frame* world,
                                cd_constraint_set* constraints);
// Both, constraints by constraints while they are at hand, with their gamma (cd_constraint_set_gamma), or NULL.
void cd_constraint_set_evaluate_with_jacobian(const cardan_model* m, const cd_kinematics* k,
                                              const cd_world_frame* world, cd_constraint_set* constraints, real* gamma);
// The same of constraints from .. to - 1, but that rows on twists are not kept, but for constraints that follow laws;
// where there are ways. closure->singular is the caller's to clear before. J goes to who takes it, or into the blocks.
void cd_constraint_set_stream_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_frame* world,
                                   cd_constraint_set* constraints, int from, int to, const cd_row_stream* stream,
                                   cd_constraint_equations* buffer);
// gamma (nrow): J a = gamma; `world` must hold the accelerations that links have at a = 0; NULL where they have none.
void cd_constraint_set_gamma(const cd_world_frame* world, const cd_constraint_set* constraints, real* gamma);
// Size of what gamma is summed from; `world` must hold those accelerations.
double cd_constraint_set_gamma_scale(const cd_world_frame* world, const cd_constraint_set* constraints,
                                     const double* row_scale);
// True where a row has a position level: its value can be closed, not only its rate.
bool cd_constraint_row_is_holonomic(const cd_constraint_set* constraints, int constraint, int row);
// Wrenches -G'lambda that constraints exert on links, added: (nlink) world axes, at the link's origin.
void cd_constraint_set_wrenches(const cd_constraint_set* constraints, const real* lambda, spatial* wrench);
// Velocity of coordinate number `coordinate` of a constraint.
real cd_coupled_velocity(const cd_world_frame* world, const cd_constraint_set* constraints, int constraint,
                         int coordinate);
// Efforts (nv), added, of `force` along it.
void cd_coupled_add_effort(const cardan_model* m, const cd_kinematics* k, const cd_world_frame* world,
                           const cd_constraint_set* constraints, int constraint, int coordinate, real force,
                           real* effort);
