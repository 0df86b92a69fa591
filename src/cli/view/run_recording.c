// SPDX-License-Identifier: BSD-3-Clause
// Recording of a run as a page. Samples that are less than 1/100 s apart are thinned by a whole number.
#include "cli/view/run_recording.h"

#include "core/parts.h"
#include "simulation/events/event_text.h"
#include "view/mechanism/event_kind.h"
#include "cli/support/output_files.h"

#include <math.h>
#include <string.h>

static const double interval_min = 0.01; // [s]

cardan_status cd_run_recording_open(cd_run_recording* r, const cd_loaded_model* mechanism, const cd_model_instance* c,
                                    const cardan_run_settings* run, cardan_report* report)
{
    *r = (cd_run_recording){.path = mechanism->options->html, .force = mechanism->options->force};
    if (!r->path) return CARDAN_OK;
    if (cd_part_missing("viewer")) return cd_fail_missing_part(report, "viewer", cardan_location_none(), "--html");
    cardan_status status = cd_live_model_borrow(&r->model, mechanism->description, c->model, c->data, report);
    if (status != CARDAN_OK) return status;
    const double every = fmax(1, floor(interval_min / run->output_interval + 1e-9));
    r->recording       = cd_recording_create(&r->model, every * run->output_interval);
    if (r->recording) return CARDAN_OK;
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
}

void cd_run_recording_sample(cd_run_recording* r, const cardan_sample* sample)
{
    if (!r->recording) return;
    const cardan_energies* e         = &sample->energy;
    const double           energy[3] = {e->kinetic, e->potential, e->kinetic + e->potential};
    cd_live_model_update(&r->model);
    if (!cd_recording_add_frame(r->recording, sample->t, energy)) r->failed = true;
}

void cd_run_recording_event(cd_run_recording* r, const cardan_event* event)
{
    if (!r->recording) return;
    const cd_event_text text = cd_describe_event(r->model.model, event);
    cd_recording_add_event(r->recording, event->t, cd_event_kind_name(event->kind), text.text);
}

cardan_status cd_run_recording_write(cd_run_recording* r, cardan_report* report)
{
    if (!r->recording) return CARDAN_OK;
    if (r->failed)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while recording");
    return cd_recording_write(r->recording, r->path, r->force, report);
}

void cd_run_recording_close(cd_run_recording* r)
{
    cd_recording_destroy(r->recording);
    cd_live_model_close(&r->model);
    *r = (cd_run_recording){0};
}
