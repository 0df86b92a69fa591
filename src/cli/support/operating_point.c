// SPDX-License-Identifier: BSD-3-Clause
// Operating point of linear analyses.
#include "cli/support/operating_point.h"

#include "cli/cli_tolerances.h"
#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "dynamics/data.h"
#include "math/norm_inf.h"

#include <cardan/analyse.h>
#include <string.h>

static cardan_status move_to_equilibrium(cd_loaded_model* mechanism, cd_model_instance* c)
{
    const cardan_equilibrium_options options = {.nearest = mechanism->options->nearest};
    const double                     speed   = cd_norm_inf(c->data->m->nv, c->data->v);
    const cardan_status status = cardan_equilibrium_solve(c->data, &options, NULL, c->state, NULL, &mechanism->report);
    if (status != CARDAN_OK) return status;
    if (speed > cd_operating_point_speed)
        cardan_note(
            &mechanism->report, CARDAN_CODE_NOT_AN_EQUILIBRIUM, cardan_location_none(),
            "the start velocities (up to %.3g rad/s or m/s) are ignored, because an equilibrium has none; without "
            "--equilibrium they are used",
            speed);
    cardan_data_joint_motions(c->data, NULL, c->q, c->v, NULL);
    return CARDAN_OK;
}

// dense, the reference formulation, refactors for every right-hand side. Analyses solve many right-hand sides; above a
// size limit they use reduction, which reuses its factorization.
int cd_default_analysis_formulation(const cd_loaded_model* mechanism)
{
    enum { DENSE_SIZE_MAX = 100 }; // velocities and constraint rows
    cardan_model*       model  = NULL;
    bool                large  = false;
    const cardan_status status = cardan_model_compile(mechanism->description, CARDAN_TREE_BREADTH_FIRST, &model, NULL);
    if (status == CARDAN_NO_MEMORY) return cd_report_no_memory(), CARDAN_NONE;
    if (status == CARDAN_OK)
        large = cardan_model_get_view(model).nconstraint > 0 &&
                cardan_model_get_view(model).nv + cd_constraint_row_count(model) > DENSE_SIZE_MAX;
    cardan_model_destroy(model);
    return cardan_formulation_find(large ? "reduction" : "dense");
}

int cd_operating_point_open(cd_loaded_model* mechanism, cd_model_instance* c, const cd_options* options)
{
    int code = cd_loaded_model_open(mechanism, options);
    memset(c, 0, sizeof *c);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(mechanism);
    if (options->nearest && !options->equilibrium) {
        cd_report_error(CARDAN_CODE_USAGE, "--nearest requires --equilibrium");
        code = CD_EXIT_USAGE;
    }
    const int formulation = cd_formulation_from_options(mechanism, cd_default_analysis_formulation(mechanism));
    if (formulation == CARDAN_NONE) code = CD_EXIT_USAGE;
    if (code == CD_EXIT_DONE) {
        cardan_status status = cd_model_instance_open(c, mechanism, formulation);
        if (status == CARDAN_OK && options->equilibrium) status = move_to_equilibrium(mechanism, c);
        if (status == CARDAN_OK) return CD_EXIT_DONE;
        code = cd_report_failure(&mechanism->report, status);
    }
    cd_model_instance_close(c);
    cd_loaded_model_close(mechanism);
    return code;
}

void cd_operating_point_warn(cd_loaded_model* mechanism, double speed, double acceleration)
{
    if (speed > cd_operating_point_speed)
        cardan_note(&mechanism->report, CARDAN_CODE_NOT_AN_EQUILIBRIUM, cardan_location_none(),
                    "the state has velocities (up to %.3g rad/s or m/s): the linearization holds only near this state",
                    speed);
    else if (acceleration > cd_operating_point_acceleration && !mechanism->options->equilibrium)
        cardan_note(
            &mechanism->report, CARDAN_CODE_NOT_AN_EQUILIBRIUM, cardan_location_none(),
            "the state is no equilibrium, accelerations are up to %.3g rad/s^2 or m/s^2: --equilibrium finds one first",
            acceleration);
    cd_loaded_model_warn(mechanism);
}
