// SPDX-License-Identifier: BSD-3-Clause
// cardan inverse: the joint efforts that produce a given motion.
#include "cli/commands.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/values.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_words(const cd_mechanism* mechanism, const cd_case* c, const double* effort)
{
    cd_grid                  grid   = {.align = "lrrrrl"};
    static const char* const head[] = {"joint", "q", "v", "a", "effort", ""};
    printf("%s at t = %g s: efforts that produce the motion given\n", mechanism->view.name, c->t);
    for (int i = 0; i < 6; ++i) cd_grid_add(&grid, "%s", head[i]);
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot s = c->look.place[j];
        for (int i = 0; s.q >= 0 && i < s.nq; ++i) {
            const bool  moves = i < s.nv;
            const char* unit  = moves ? cardan_model_v_unit(c->model, j, i) : "";
            cd_grid_add(&grid, "%s", i == 0 ? cardan_model_joint_name(c->model, j) : "");
            cd_grid_add(&grid, "%s", cd_number_word(c->q[s.q + i]).text);
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->v[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? cd_number_word(c->a[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? cd_number_word(effort[s.v + i]).text : "");
            cd_grid_add(&grid, "%s", moves ? (strcmp(unit, "rad/s") == 0 ? "N m" : "N") : "");
        }
    }
    cd_grid_print(&grid);
}

static int report(const cd_mechanism* mechanism, const cd_case* c, const double* effort)
{
    if (!mechanism->options->json) {
        if (!mechanism->options->quiet) print_words(mechanism, c, effort);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_number(&json, "time", c->t);
    cd_json_joints(&json, c, c->q, c->v, c->a, effort);
    cd_json_end(&json);
    return cd_print_text(&text);
}

static int run(const cd_options* options)
{
    cd_mechanism mechanism;
    int          code = cd_mechanism_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&mechanism);

    cd_case       c;
    cardan_status status = cd_case_open(&c, &mechanism, cardan_formulation_find("implicit"));
    if (status == CARDAN_OK) {
        double* effort = cd_allocate((size_t)c.look.nv_all + 1, sizeof *effort);
        status         = effort ? cardan_inverse(c.data, c.a, effort) : CARDAN_NO_MEMORY;
        if (status == CARDAN_OK) code = report(&mechanism, &c, effort);
        free(effort);
        cd_case_close(&c);
    }
    if (status != CARDAN_OK) code = cd_say_failure(&mechanism.report, status);
    cd_mechanism_close(&mechanism);
    return code;
}

const cd_command cd_command_inverse = {
    .name     = "inverse",
    .operands = "MODEL",
    .least    = 1,
    .most     = 1,
    .summary  = "joint efforts that produce a given motion (inverse dynamics)",
    .text     = "Computes, at one state, the effort along every joint coordinate [N m, N] that produces the\n"
                "accelerations given in --state, beside the forces that the model has anyway (gravity,\n"
                "springs, actuators). Without accelerations: the efforts that hold it there. Where the\n"
                "model's own forces produce the motion, they are zero.",
    .examples = "cardan inverse arm.yaml                       # what holds the arm at its start\n"
                "cardan inverse arm.yaml --state motion.json   # q, v and a of the joints\n"
                "cardan accel arm.yaml --json | cardan inverse arm.yaml --state -   # zero, up to rounding\n",
    CD_OPTIONS(CD_OPTION_MOTION_STATE, CD_OPTION_TIME, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
