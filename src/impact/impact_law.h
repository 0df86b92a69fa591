// SPDX-License-Identifier: BSD-3-Clause
// Impact laws: impulses p and velocities u+ after an impact from the velocities u- before it,
//
//   u+ = W p + u-
//
// W: Delassus matrix of the contacts that are closed; bilateral constraints are eliminated in it. A law never raises
// the kinetic energy: the change is T+ - T- = p.(u+ + u-)/2, and where a coefficient e would raise it, the largest
// e' < e that does not is used.
#pragma once

#include "core/memory.h"
#include "impact/contact_problem.h"

typedef struct cd_impact_problem {
    cd_contact_problem contact;     // q = u-; the shifts and preloads of the elements are not read
    const double*      restitution; // (nelement) e in [0, 1]; used where u_n- < 0, contacts at rest have e = 0
    double             energy;      // T- [J]: the change may exceed 0 by round-off of it; 0: unknown
} cd_impact_problem;

typedef struct cd_impact_solution {
    double* p;                  // (nrow) impulses; in: start values (zeros: none)
    double* u;                  // (nrow) velocities after the impact
    bool*   is_unique;          // (nelement) the impulse of the element is determined
    double  residual;           // of the cone law, worst of the solves [units of u]
    double  energy_change;      // T+ - T- <= 0 up to round-off
    double  restitution_factor; // e'/e of the law; below 1 where e would have raised the energy
    int     solves;             // contact problems solved, or impacts of the sequence
    bool    is_replaced;        // the law does not apply to this impact (energetic: several contacts); poisson was used
} cd_impact_solution;

typedef struct cd_impact_work cd_impact_work;

cd_impact_work* cd_impact_work_layout(cd_arena* arena, int max_rows, int max_elements);

typedef cd_contact_status (*cd_impact_function)(const cd_impact_problem* problem, double factor, cd_impact_work* work,
                                                cd_impact_solution* solution, double tolerance);

typedef struct cd_impact_law {
    const char*        name;
    const char*        summary;
    cd_impact_function apply; // with e multiplied by `factor`
} cd_impact_law;

enum {
#define CD_IMPACT_LAW(name) CD_IMPACT_LAW_##name,
#include "impact/impact_laws.def"
#undef CD_IMPACT_LAW
    CD_IMPACT_LAW_COUNT
};

const cd_impact_law* cd_impact_law_at(int index);          // index below CD_IMPACT_LAW_COUNT
int                  cd_impact_law_find(const char* name); // -1: no such law

cd_contact_status cd_impact_solve(const cd_impact_law* law, const cd_impact_problem* problem, cd_impact_work* work,
                                  cd_impact_solution* solution, double tolerance);
