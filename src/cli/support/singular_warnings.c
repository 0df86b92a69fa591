// SPDX-License-Identifier: BSD-3-Clause
// At a singular configuration accelerations can be computed, but reactions are not unique, and not every velocity of
// the tangent space belongs to a motion of the mechanism. Commands that solve at a single state warn about this.
#include "cli/support/singular_warnings.h"

#include "cli/cli_tolerances.h"
#include "cli/support/messages.h"
#include "core/report.h"
#include "dynamics/data.h"

#include <cardan/diagnose.h>
#include <math.h>
#include <string.h>

static const double operations_max = 1e7; // rows^2 velocities: limit of the cost of a diagnosis

void cd_warn_singular_configuration(const cd_model_instance* c, bool solves, const cardan_report* open_messages,
                                    cardan_report* report)
{
    const double      rows      = c->data->rows.nrow;
    cardan_report     found     = {0};
    cardan_diagnosis* diagnosis = NULL;
    cd_report_append(report, open_messages, CD_APPEND_WARNINGS);
    if (rows == 0 || rows * rows * c->model_view.nv > operations_max) return;
    cd_report_if_no_memory(cardan_diagnosis_create(c->data, &diagnosis, &found));
    for (int i = 0; i < found.count; ++i) {
        const cardan_message* message = &found.message[i];
        const bool            nearly  = message->code == CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION;
        if (message->severity > CARDAN_NOTE && (nearly || message->code == CARDAN_CODE_SINGULAR_CONFIGURATION))
            cardan_warn(report, message->code, cardan_message_location(message), "%s%s",
                        cardan_message_sentence(message),
                        solves ? "; accelerations, reactions and efforts computed at this state may be dominated by "
                                 "rounding errors: "
                                 "for a motion through it, use the first sample of `cardan run`"
                               : "");
    }
    cardan_diagnosis_destroy(diagnosis);
}

bool cd_prescribed_motion_is_singular(cardan_data* d)
{
    cd_self_stress* stress = &d->reactions.self_stress;
    const int       nv     = d->m->nv;
    if (!stress->affordable || d->rows.nrow < nv || nv == 0 || cd_rank_of_rows(d, stress) < 0) return false;
    return stress->sigma[nv - 1] < cd_singular_row_tolerance * fmax(1, stress->sigma[0]);
}

void cd_write_warnings_json(cd_json_writer* json, const cardan_report* report)
{
    cd_json_begin_array(json, "warnings");
    for (int i = 0; i < report->count; ++i) cd_json_string(json, NULL, report->message[i].text);
    cd_json_end(json);
}
