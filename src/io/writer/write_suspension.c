// SPDX-License-Identifier: BSD-3-Clause
// Section `suspension`.
#include "io/writer/write_model.h"

static void write_element(cd_writer* w, const char* key, int force, int joint)
{
    if (force >= 0)
        cd_write_word(w, 3, key, w->view.force[force].name);
    else if (joint >= 0)
        cd_write_word(w, 3, key, w->view.joint[joint].name);
}

static void write_wheel(cd_writer* w, const cardan_wheel* wheel)
{
    cd_text_add(&w->text, "  ");
    cd_write_item(w, wheel->name);
    cd_write_word(w, 3, "hub", cd_write_marker_name(w, wheel->hub));
    cd_write_value(w, 3, "radius", wheel->radius);
    cd_write_list(w, 3, "axis", 3, wheel->axis);
    if (wheel->kingpin[0] >= 0) {
        cd_write_key(w, 3, "kingpin");
        cd_text_add(&w->text, " [");
        cd_write_name(w, cd_write_marker_name(w, wheel->kingpin[0]));
        cd_text_add(&w->text, ", ");
        cd_write_name(w, cd_write_marker_name(w, wheel->kingpin[1]));
        cd_text_add(&w->text, "]\n");
    }
    write_element(w, "spring", wheel->spring, wheel->spring_joint);
    write_element(w, "damper", wheel->damper, wheel->damper_joint);
    write_element(w, "tyre", wheel->tyre, CARDAN_NONE);
}

void cd_write_suspension(cd_writer* w)
{
    const cardan_suspension* s = w->view.suspension;
    if (!s) return;
    cd_write_heading(w, "suspension");
    if (s->chassis >= 0) cd_write_word(w, 1, "chassis", cd_write_body_name(w, s->chassis));
    cd_write_list(w, 1, "forward", 3, s->forward);
    cd_write_list(w, 1, "up", 3, s->up);
    cd_write_list(w, 1, "travel", 2, s->travel);
    if (s->steering >= 0) {
        cd_write_word(w, 1, "steering", w->view.joint[s->steering].name);
        cd_write_list(w, 1, "stroke", 2, s->steering_travel);
    }
    cd_write_value(w, 1, "points", s->npoint);
    if (s->wheelbase > 0) cd_write_value(w, 1, "wheelbase", s->wheelbase);
    cd_write_key(w, 1, "wheels");
    cd_write_end_of_line(w);
    for (int i = 0; i < s->nwheel; ++i) write_wheel(w, &s->wheel[i]);
}
