// SPDX-License-Identifier: BSD-3-Clause
// Dense mass matrix for users by the composite-rigid-body algorithm, both triangles.
#include "dynamics/data.h"

#include "core/check_arguments.h"
#include "dynamics/rows/rotors.h"
#include "dynamics/state.h"
#include "kinematics/composite_inertia.h"

cardan_status cardan_data_mass_matrix(cardan_data* d, double* M)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    CD_REQUIRE_ARRAY(M, d->m->nv, "M", NULL);
    const size_t n = (size_t)d->m->nv;
    cd_update_world(d); // updates the motion columns, too
    cd_mass_matrix_crba(d->m, &d->k, d->scratch.composite_inertia, M);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n; ++j) M[i * n + j] = M[j * n + i];
    cd_add_rotor_inertia(d, M);
    return CARDAN_OK;
}
