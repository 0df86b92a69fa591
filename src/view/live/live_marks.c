// SPDX-License-Identifier: BSD-3-Clause
// Marks in time: events of the simulation and failures.
#include "view/live/live_state.h"

#include "core/json.h"
#include "simulation/events/event_text.h"
#include "view/mechanism/event_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_mark(cd_json_writer* json, const cd_live_mark* mark)
{
    cd_json_number(json, "t", mark->t);
    cd_json_string(json, "kind", mark->kind);
    cd_json_string(json, "text", mark->text);
}

// All marks, for new clients.
static char* list_marks(const cd_live* live)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "type", "events");
    cd_json_begin_array(&json, "events");
    for (int i = 0; i < live->nmark; ++i) {
        cd_json_begin_object(&json, NULL);
        write_mark(&json, &live->mark[i]);
        cd_json_end(&json);
    }
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_text_detach(&text);
}

static void keep_list(cd_live* live)
{
    char* list = list_marks(live);
    pthread_mutex_lock(&live->lock);
    char* before = live->events;
    live->events = list;
    pthread_mutex_unlock(&live->lock);
    free(before);
}

void cd_live_add_mark(cd_live* live, double t, const char* kind, const char* text)
{
    if (live->nmark == CD_LIVE_MARKS_MAX) return;
    cd_live_mark* mark = &live->mark[live->nmark++];
    mark->t            = t;
    snprintf(mark->kind, sizeof mark->kind, "%s", kind);
    snprintf(mark->text, sizeof mark->text, "%s", text);
    cd_text        message = {0};
    cd_json_writer json    = cd_json_writer_to(&message);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "type", "event");
    write_mark(&json, mark);
    cd_json_end(&json);
    keep_list(live);
    cd_live_queue(live, &message);
}

void cd_live_mark_event(void* user, cardan_data* data, const cardan_event* event)
{
    cd_live*            live = user;
    const cd_event_text text = cd_describe_event(cardan_data_model(data), event);
    cd_live_add_mark(live, event->t, cd_event_kind_name(event->kind),
                     event->kind == CARDAN_EVENT_STOP_CONDITION ? "the stop condition is met" : text.text);
}

void cd_live_send_marks(cd_live* live)
{
    cd_text text = {0};
    keep_list(live);
    cd_text_add(&text, live->events ? live->events : "");
    cd_live_queue(live, &text);
}

void cd_live_cut_marks(cd_live* live, double t)
{
    int count = 0;
    for (int i = 0; i < live->nmark; ++i)
        if (live->mark[i].t <= t) live->mark[count++] = live->mark[i];
    if (count == live->nmark) return;
    live->nmark = count;
    cd_live_send_marks(live);
}
