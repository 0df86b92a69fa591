// SPDX-License-Identifier: BSD-3-Clause
// The one interface behind which every integrator lives.
// To add one: write src/simulation/integrators/<name>.c and add its row to integrators.def.
#pragma once

#include "simulation/ode/ode_system.h"

// How a method gets across singular poses of loops (fallback_integrator.c).
typedef enum cd_singular_policy {
    CD_SINGULAR_NATIVE,
    CD_SINGULAR_FALLBACK_IF_STUCK, // else another method takes them
    CD_SINGULAR_ALWAYS_FALLBACK    // it would lose digits
} cd_singular_policy;

typedef struct cd_integrator {
    const char* name;                // as typed after --integrator
    const char* summary;             // one line, shown by `cardan list`
    const char* citation;            // where the method comes from
    int         order;               // of a fixed-step method; 0: variable
    bool        is_adaptive;         // chooses its steps by a tolerance; else a step ends exactly at the limit given
    bool        uses_dense_jacobian; // solves with a dense Jacobian: n^3 operations each
    bool        can_use_sparse_jacobian; // but with a sparse one in flat coordinates (cd_prefers_sparse_jacobian)
    bool        evaluates_at_step_start; // every step evaluates at its beginning, by cd_rhs_and_project
    bool        is_low_order;   // adaptive, of low order: for engineering accuracy, 1e-5 where no tolerance is given
    bool        is_regularized; // keeps loops closed by itself, in windows of several steps; no stabilization is needed
    cd_singular_policy singular_policy; // singular poses
    bool is_multistep; // builds on its own past: a state that is moved between steps is not seen until it starts anew

    // Memory: the work struct and what hangs from it. Runs twice, to measure and to assign.
    bool uses_rhs;          // asks for rates alone (cd_rhs)
    bool uses_rhs_jacobian; // and for their derivatives, of generated code where it has them
    bool uses_residual;     // asks for equations at accelerations and multipliers and their derivatives alone
                            // (cd_equation_residual), of generated code where there is some
    size_t work_size;
    void (*layout)(const cd_ode_system* system, cd_arena* arena, void* work);

    // Begin at x, and begin again after an event: nothing of the past is used.
    cardan_status (*start)(cd_ode_system* system, void* work, const cd_ode_state* x);
    // One step from x, the last point, to not beyond `limit`; x becomes its end.
    cardan_status (*step)(cd_ode_system* system, void* work, double limit, cd_ode_state* x);
    // The state at a time inside the last step.
    cardan_status (*dense_output)(cd_ode_system* system, void* work, double t, cd_ode_state* x);
    // Accelerations at the state that the data are set to, where the formulation has none; may be NULL.
    cardan_status (*accelerate)(cd_ode_system* system, void* work, double* a);
    // The sentence for a failure that only this method knows; false: none. May be NULL.
    bool (*explain)(cd_ode_system* system, void* work, cardan_status status, cardan_report* report);
    // Frees what a foreign library holds; may be NULL. Also called where start failed or was never reached.
    void (*finish)(void* work);
} cd_integrator;

const cd_integrator* cd_integrator_at(int integrator); // NULL outside of the table
