// SPDX-License-Identifier: BSD-3-Clause
// All constraints of a model, evaluated at a state, and their rows in the model's coordinates.
#pragma once

#include "constraint/constraint.h"
#include "constraint/rows.h"

// In this order: joints that are cut (constraint i closes m->cut[i]), couplings, constraints, drivers of joints.
typedef struct cd_closure {
    int            nconstraint, nrow, nlossy, ndriving, nslip; // nslip: rows that no position integrates
    cd_constraint* constraint;                                 // (nconstraint)
    int*           driving;                                    // (ndriving) those that have rows with a law
    bool           ways;                                       // blocks have v and J

    // cd_closure_time
    real *law, *law_input,
        *law_work; // (3 x nmotion) laws of motion: value, rate, acceleration; inputs and scratch of their tape

    // cd_closure_evaluate
    real *        value, *rate, *h; // (nrow) value is 0 where a row holds for velocities only
    cd_equations* equations;        // (nconstraint)
    real*         memory;           // (nconstraint x CD_MEMORY) turns counted and feet on curves, from the last call
    real*         q;        // (nq_all) coordinates of the tree, which tell the turns of its joints, and measured ones
    int           singular; // constraint whose joint has steps that depend on each other at the state, or CARDAN_NONE

    // cd_closure_jacobian
    cd_row_block* block;  // (nconstraint)
    double*       square; // (nrow) of the length of rows on velocities, where there are ways
} cd_closure;

// Refuses what cannot be a constraint, with its place: joints that cannot close a loop, constraints that are not sound.
cardan_status cd_closure_check(const cardan_model* m, cardan_report* report);
int           cd_closure_count(const cardan_model* m);
int           cd_closure_rows(const cardan_model* m);
// ways: rows on velocities are wanted, which are as long as the ways of the tree; on free bodies they are short, and
// always there.
void cd_rotors_layout(const cardan_model* m, bool ways, cd_arena* arena,
                      cd_closure* rotors); // of joints beside the tree
int  cd_rotors_count(const cardan_model* m);
void cd_closure_layout(const cardan_model* m, bool ways, cd_arena* arena, cd_closure* closure);
// Turns are counted, and feet on curves looked for, from the start again.
void cd_closure_begin(cd_closure* closure);
// The time that the next evaluations belong to.
void cd_closure_time(const cardan_model* m, real t, cd_closure* closure);
void cd_closure_evaluate(const cd_world* world, cd_closure* closure);
void cd_closure_jacobian(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure);
// Both, constraints by constraints while they are at hand, with their gamma (cd_closure_gamma), or NULL.
void cd_closure_rows_too(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure,
                         real* gamma);
// The same of constraints from .. to - 1, but that rows on twists are not kept, but for constraints that follow laws;
// where there are ways. closure->singular is the caller's to clear before. J goes to who takes it, or into the blocks.
void cd_closure_rows_alone(const cardan_model* m, const cd_kinematics* k, const cd_world* world, cd_closure* closure,
                           int from, int to, const cd_reach* reach, cd_equations* some);
// gamma (nrow): J a = gamma; `world` must hold the accelerations that links have at a = 0; NULL where they have none.
void cd_closure_gamma(const cd_world* world, const cd_closure* closure, real* gamma);
// Size of what gamma is summed from; `world` must hold those accelerations.
double cd_closure_terms(const cd_world* world, const cd_closure* closure, const double* over);
// True where a row has a position level: its value can be closed, not only its rate.
bool cd_closure_has_position(const cd_closure* closure, int constraint, int row);
// Wrenches -G'lambda that constraints exert on links, added: (nlink) world axes, at the link's origin.
void cd_closure_wrenches(const cd_closure* closure, const real* lambda, spatial* wrench);
// Velocity of coordinate number `coordinate` of a constraint.
real cd_closure_speed(const cd_world* world, const cd_closure* closure, int constraint, int coordinate);
// Efforts (nv), added, of `force` along it.
void cd_closure_push(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_closure* closure,
                     int constraint, int coordinate, real force, real* effort);
