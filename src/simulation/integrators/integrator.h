// SPDX-License-Identifier: BSD-3-Clause
// Interface of all integrators. To add one: write src/simulation/integrators/<name>.c and add its entry to
// integrators.def.
#pragma once

#include "simulation/ode/ode_system.h"

// How a method passes singular configurations of loops (fallback_integrator.c).
typedef enum cd_singular_policy {
    CD_SINGULAR_NATIVE,
    CD_SINGULAR_FALLBACK_IF_STUCK, // the fallback integrator steps if the method finds no step
    CD_SINGULAR_ALWAYS_FALLBACK    // the method would lose accuracy there
} cd_singular_policy;

typedef struct cd_integrator {
    const char* name;                // as typed after --integrator
    const char* summary;             // one line, shown by `cardan list`
    const char* citation;            // source of the method
    const char* missing_part;        // part that it needs and this build has not (core/parts.h); NULL: none
    int         order;               // of a fixed-step method; 0: variable
    bool        is_adaptive;         // controls its step by a tolerance; else a step ends exactly at the given limit
    bool        uses_dense_jacobian; // solves with a dense Jacobian: O(n^3) operations each
    bool        can_use_sparse_jacobian; // sparse in maximal coordinates (cd_prefers_sparse_jacobian)
    bool        evaluates_at_step_start; // every step evaluates at its start, by cd_rhs_and_project
    bool        is_low_order;            // adaptive, low order, for engineering accuracy: default tolerance 1e-5
    bool        is_regularized; // satisfies the constraints by itself in windows of steps; needs no stabilization
    cd_singular_policy singular_policy;
    bool is_multistep; // uses past steps: a correction of the state between steps has no effect until a restart

    bool uses_rhs;          // evaluates rates only (system->rhs)
    bool uses_rhs_jacobian; // and their derivatives, by generated code where available
    bool uses_residual;     // evaluates residuals and their derivatives (cd_equation_residual), generated if available
    // Memory layout of the work struct; called twice, to measure and to assign.
    size_t work_size;
    void (*layout)(const cd_ode_system* system, cd_arena* arena, void* work);

    // Start at x, also after an event: the history is discarded.
    cardan_status (*start)(cd_ode_system* system, void* work, const cd_ode_state* x);
    // Take one step from x, the last state, at most to `limit`; x becomes its end.
    cardan_status (*step)(cd_ode_system* system, void* work, double limit, cd_ode_state* x);
    // Compute the state at a time inside the last step.
    cardan_status (*dense_output)(cd_ode_system* system, void* work, double t, cd_ode_state* x);
    // Compute accelerations at the state of the data if the formulation fails; may be NULL.
    cardan_status (*accelerate)(cd_ode_system* system, void* work, double* a);
    // Report a failure specific to this method; returns false if there is none. May be NULL.
    bool (*report_failure)(cd_ode_system* system, void* work, cardan_status status, cardan_report* report);
    // Free memory of external libraries; may be NULL. Also called if start failed or was not called.
    void (*finish)(void* work);
} cd_integrator;

const cd_integrator* cd_integrator_at(int integrator); // NULL outside the table
