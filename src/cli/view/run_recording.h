// SPDX-License-Identifier: BSD-3-Clause
// Recording of a run as a page (--html).
#pragma once

#include "cli/support/loaded_model.h"
#include "view/recording/recording.h"

#include <cardan/simulate.h>

typedef struct cd_run_recording {
    const char*   path; // NULL: no recording
    bool          force;
    cd_live_model model;
    cd_recording* recording;
    bool          failed; // memory is exhausted
} cd_run_recording;

// Start the recording of a run if there is the option --html.
cardan_status cd_run_recording_open(cd_run_recording* r, const cd_loaded_model* mechanism, const cd_model_instance* c,
                                    const cardan_run_settings* run, cardan_report* report);
void          cd_run_recording_sample(cd_run_recording* r, const cardan_sample* sample); // the data are at the sample
void          cd_run_recording_event(cd_run_recording* r, const cardan_event* event);
// Write the page.
cardan_status cd_run_recording_write(cd_run_recording* r, cardan_report* report);
void          cd_run_recording_close(cd_run_recording* r);
