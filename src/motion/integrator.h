// SPDX-License-Identifier: BSD-3-Clause
// The one interface behind which every integrator lives.
// To add one: write src/motion/<name>.c and add its row to integrators.def.
#pragma once

#include "motion/system.h"

// How a method gets across singular poses of loops (stand_in.c).
typedef enum cd_across {
    CD_BY_ITSELF,
    CD_IF_STEPS_ARE_FOUND, // else another method takes them
    CD_BY_ANOTHER          // it would lose digits
} cd_across;

typedef struct cd_integrator {
    const char* name;        // as typed after --integrator
    const char* summary;     // one line, shown by `cardan list`
    const char* reference;   // where the method comes from
    int         order;       // of a fixed-step method; 0: variable
    bool        adaptive;    // chooses its steps by a tolerance; else a step ends exactly at the limit given
    bool        dense;       // solves with a dense Jacobian: n^3 operations each
    bool        sparse;      // but with a sparse one in flat coordinates (cd_sparse_pays)
    bool        closes;      // every step evaluates at its beginning, by cd_system_rate_closing
    bool        coarse;      // adaptive, of low order: for engineering accuracy, 1e-5 where no tolerance is given
    bool        regularizes; // keeps loops closed by itself, in windows of several steps; no stabilization is needed
    cd_across   across;      // singular poses
    bool remembers; // builds on its own past: a state that is moved between steps is not seen until it starts anew

    // Memory: the work struct and what hangs from it. Runs twice, to measure and to assign.
    bool rates;     // asks for rates alone (cd_system_rate_alone)
    bool slopes;    // and for their derivatives, of generated code where it has them
    bool equations; // asks for equations at accelerations and multipliers and their derivatives alone
                    // (cd_equations_at), of generated code where there is some
    size_t work_size;
    void (*layout)(const cd_system* system, cd_arena* arena, void* work);

    // Begin at x, and begin again after an event: nothing of the past is used.
    cardan_status (*start)(cd_system* system, void* work, const cd_point* x);
    // One step from x, the last point, to not beyond `limit`; x becomes its end.
    cardan_status (*step)(cd_system* system, void* work, double limit, cd_point* x);
    // The state at a time inside the last step.
    cardan_status (*inside)(cd_system* system, void* work, double t, cd_point* x);
    // Accelerations at the state that the data are set to, where the formulation has none; may be NULL.
    cardan_status (*accelerate)(cd_system* system, void* work, double* a);
    // The sentence for a failure that only this method knows; false: none. May be NULL.
    bool (*explain)(cd_system* system, void* work, cardan_status status, cardan_report* report);
    // Frees what a foreign library holds; may be NULL. Also called where start failed or was never reached.
    void (*finish)(void* work);
} cd_integrator;

const cd_integrator* cd_integrator_at(int integrator); // NULL outside of the table
