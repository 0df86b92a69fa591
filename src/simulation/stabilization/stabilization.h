// SPDX-License-Identifier: BSD-3-Clause
// Interface of all stabilizations. Accelerations satisfy the constraints, but positions and velocities integrated
// from them drift: a stabilization adds correcting terms to the equations, or projects the state after a step. To add
// one: write src/simulation/stabilization/<name>.c and add its entry to stabilizations.def.
#pragma once

#include "simulation/ode/ode_system.h"

typedef struct cd_stabilization {
    const char* name;     // as typed after --stabilization
    const char* summary;  // one line, shown by `cardan list`
    const char* citation; // source of the method

    bool   can_project_at_step_start;         // the evaluation at the start of a step may project with its own factor
    bool   projects_velocity_each_evaluation; // every evaluation projects the velocities; positions are not corrected
    double baumgarte_factor; // gamma - 2 p cdot - p^2 c with p = baumgarte_factor / step; 0: gamma alone

    // Memory layout of the work struct; called twice, to measure and to assign. NULL: none.
    size_t work_size;
    void (*layout)(const cd_ode_system* system, cd_arena* arena, void* work);
    // Number of entries of its largest matrix; NULL: no matrix.
    double (*matrix_entries)(const cardan_data* data);

    // Project x, whose t is the time of the data, onto the constraints; NULL: no correction.
    cardan_status (*correct)(cd_ode_system* system, void* work, cd_ode_state* x, cardan_report* report);
} cd_stabilization;

const cd_stabilization* cd_stabilization_at(int stabilization); // NULL outside the table

// Return CARDAN_UNSUPPORTED, reported, if its matrices would have more than cd_max_matrix_entries entries.
cardan_status cd_stabilization_supports(const cd_stabilization* stabilization, const cardan_data* data,
                                        cardan_report* report);
