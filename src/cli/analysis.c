// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis.h"

#include "cli/commands.h"
#include "cli/messages.h"
#include "dynamics/data.h"
#include "math/largest.h"

#include <cardan/analyse.h>
#include <string.h>

static const double still = 1e-9, rest = 1e-6; // rad/s or m/s, and per second

static cardan_status settle(cd_mechanism* mechanism, cd_case* c)
{
    const cardan_rest_wish wish   = {.nearest = mechanism->options->nearest};
    const double           speed  = cd_largest(c->data->m->nv, c->data->v);
    const cardan_status    status = cardan_rest_find(c->data, &wish, NULL, c->state, NULL, &mechanism->report);
    if (status != CARDAN_OK) return status;
    if (speed > still)
        cardan_note(
            &mechanism->report, CARDAN_CODE_NOT_AN_EQUILIBRIUM, cardan_nowhere(),
            "an equilibrium stands still: velocities of the start (up to %.3g rad/s or m/s) are left out; without "
            "--equilibrium they count",
            speed);
    cardan_joint_values(c->data, NULL, c->q, c->v, NULL);
    return CARDAN_OK;
}

// dense, the yardstick, factors for every right side; from some size on analyses, which ask for many, go to the one
// that does not.
int cd_analysis_formulation(const cd_mechanism* mechanism)
{
    enum { DENSE_UP_TO = 100 }; // velocities and equations
    cardan_model*       model  = NULL;
    bool                large  = false;
    const cardan_status status = cardan_model_compile(mechanism->description, CARDAN_TREE_SHALLOW, &model, NULL);
    if (status == CARDAN_NO_MEMORY) return cd_say_no_memory(), CARDAN_NONE;
    if (status == CARDAN_OK)
        large = cardan_model_look(model).nconstraint > 0 &&
                cardan_model_look(model).nv + cd_closure_rows(model) > DENSE_UP_TO;
    cardan_model_destroy(model);
    return cardan_formulation_find(large ? "reduction" : "dense");
}

int cd_analysis_open(cd_mechanism* mechanism, cd_case* c, const cd_options* options)
{
    int code = cd_mechanism_open(mechanism, options);
    memset(c, 0, sizeof *c);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(mechanism);
    if (options->nearest && !options->equilibrium) {
        cd_say_error(CARDAN_CODE_USAGE, "--nearest belongs to --equilibrium");
        code = CD_EXIT_USAGE;
    }
    const int formulation = cd_formulation_asked(mechanism, cd_analysis_formulation(mechanism));
    if (formulation == CARDAN_NONE) code = CD_EXIT_USAGE;
    if (code == CD_EXIT_DONE) {
        cardan_status status = cd_case_open(c, mechanism, formulation);
        if (status == CARDAN_OK && options->equilibrium) status = settle(mechanism, c);
        if (status == CARDAN_OK) return CD_EXIT_DONE;
        code = cd_say_failure(&mechanism->report, status);
    }
    cd_case_close(c);
    cd_mechanism_close(mechanism);
    return code;
}

void cd_analysis_warn(cd_mechanism* mechanism, double speed, double acceleration)
{
    if (speed > still)
        cardan_note(&mechanism->report, CARDAN_CODE_NOT_AN_EQUILIBRIUM, cardan_nowhere(),
                    "the state moves (up to %.3g rad/s or m/s): what follows holds while it stays near this state",
                    speed);
    else if (acceleration > rest && !mechanism->options->equilibrium)
        cardan_note(&mechanism->report, CARDAN_CODE_NOT_AN_EQUILIBRIUM, cardan_nowhere(),
                    "the state is no equilibrium, it accelerates by up to %.3g rad/s^2 or m/s^2: --equilibrium looks "
                    "for one first",
                    acceleration);
    cd_mechanism_warn(mechanism);
}
