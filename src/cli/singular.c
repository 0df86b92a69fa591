// SPDX-License-Identifier: BSD-3-Clause
// At a singular pose accelerations can be solved for, and are told; but reactions are not unique there, and motions
// that are possible at first order are not all motions of the mechanism. Who asks for one pose is told so.
#include "cli/singular.h"

#include "cli/messages.h"
#include "core/report.h"
#include "dynamics/data.h"

#include <cardan/diagnose.h>
#include <math.h>
#include <string.h>

static const double most_operations = 1e7;  // rows^2 velocities: what is known at once
static const double null_value      = 1e-6; // singular values of rows in units

void cd_singular_warn(const cd_case* c, bool solves, const cardan_report* opened, cardan_report* report)
{
    const double      rows  = c->data->rows.nrow;
    cardan_report     found = {0};
    cardan_diagnosis* g     = NULL;
    cd_report_append(report, opened, CD_TAKE_WARNINGS);
    if (rows == 0 || rows * rows * c->look.nv > most_operations) return;
    cd_heed_memory(cardan_diagnose(c->data, &g, &found));
    for (int i = 0; i < found.count; ++i) {
        const cardan_message* message = &found.message[i];
        const bool            nearly  = message->code == CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION;
        if (message->severity > CARDAN_NOTE && (nearly || message->code == CARDAN_CODE_SINGULAR_CONFIGURATION))
            cardan_warn(report, message->code, cardan_message_place(message), "%s%s", cardan_message_sentence(message),
                        solves ? "; what is solved at it alone may be mostly rounding: accelerations, reactions and "
                                 "efforts of a motion that passes it are in the first row of `cardan run`"
                               : "");
    }
    cardan_diagnosis_destroy(g);
}

bool cd_singular_driven(cardan_data* d)
{
    cd_stress* stress = &d->reacting.stress;
    const int  nv     = d->m->nv;
    if (!stress->affordable || d->rows.nrow < nv || nv == 0 || cd_rank_of_rows(d, stress) < 0) return false;
    return stress->sigma[nv - 1] < null_value * fmax(1, stress->sigma[0]);
}

void cd_json_warnings(cd_json* json, const cardan_report* report)
{
    cd_json_array(json, "warnings");
    for (int i = 0; i < report->count; ++i) cd_json_string(json, NULL, report->message[i].text);
    cd_json_end(json);
}
