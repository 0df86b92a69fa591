// SPDX-License-Identifier: BSD-3-Clause
// Simulation of the viewer in a thread of its own: it takes messages of the page, keeps pace with real time, and leaves
// the newest frame and texts for all clients. All functions may be called by one other thread.
#pragma once

#include "view/mechanism/live_model.h"

typedef struct cd_live cd_live;

typedef struct cd_live_settings {
    cd_live_options options;
    void (*notify)(void* user); // called by the thread when there is something to send
    void* user;
    // Report of `cardan check --json` of the model with these options; called by the thread.
    void (*check)(void* user, const cd_live_options* options, cd_text* report);
    const char* results[2]; // to be shown, and to be shown as the ghost; NULL: none
} cd_live_settings;

// Load the model and start the thread, paused at the start of the motion.
cardan_status cd_live_start(const cd_live_settings* settings, cd_live** live, cardan_report* report);
void          cd_live_stop(cd_live* live);
// Queue a message of the page. Returns false if an index does not exist, or the queue is full.
bool cd_live_post(cd_live* live, const cd_view_message* message);
// Next text for all clients, or NULL; the caller frees it.
char* cd_live_take_text(cd_live* live);
// Texts for a new client, in this order: 0 hello, 1 scene, 2 status, 3 events; NULL if there is no memory. The caller frees it.
char* cd_live_first_text(cd_live* live, int i);
// Newest frame; valid until the next call. `only_new`: NULL if it was taken before.
const unsigned char* cd_live_take_frame(cd_live* live, bool only_new, size_t* length);
