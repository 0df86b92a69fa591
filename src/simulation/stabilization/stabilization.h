// SPDX-License-Identifier: BSD-3-Clause
// The one interface behind which every stabilization lives. Accelerations satisfy the constraints, but positions and
// velocities that are integrated from them drift: a stabilization pulls them back in the equations, or puts them back
// after a step. To add one: write src/simulation/stabilization/<name>.c and add its row to stabilizations.def.
#pragma once

#include "simulation/ode/ode_system.h"

typedef struct cd_stabilization {
    const char* name;     // as typed after --stabilization
    const char* summary;  // one line, shown by `cardan list`
    const char* citation; // where the method comes from

    bool
        can_project_at_step_start; // a method that evaluates at the beginning of a step may close gaps there, with
                                   // that factor
    bool
           projects_velocity_each_eval; // velocities are put on the constraints in every evaluation; positions are
                                        // left to the method
    double baumgarte_factor; // gamma - 2 p cdot - p^2 c with p = pull / step; 0: gamma alone

    // Memory: the work struct and what hangs from it. Runs twice, to measure and to assign. NULL: none.
    size_t work_size;
    void (*layout)(const cd_ode_system* system, cd_arena* arena, void* work);
    // Entries of its largest matrix; NULL: it has none.
    double (*matrix_entries)(const cardan_data* data);

    // Puts x, whose t is that of the data's load, back on the constraints; NULL: nothing is put back.
    cardan_status (*correct)(cd_ode_system* system, void* work, cd_ode_state* x, cardan_report* report);
} cd_stabilization;

// A gap that a run goes on with: near singular poses more cannot be had, later steps close it again, and the summary
// tells it.
static const double cd_accepted_violation = 1e-6;

const cd_stabilization* cd_stabilization_at(int stabilization); // NULL outside of the table

// CARDAN_UNSUPPORTED with a sentence where its matrices would have more than cd_max_matrix_entries.
cardan_status cd_stabilization_fits(const cd_stabilization* stabilization, const cardan_data* data,
                                    cardan_report* report);
