// SPDX-License-Identifier: BSD-3-Clause
// Sentences about events of a run.
#include "simulation/events/event_text.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>

static void describe_contact(const cardan_event* e, cd_event_text* w)
{
    const char* change = e->kind == CARDAN_EVENT_TOUCH  ? "touch"
                         : e->kind == CARDAN_EVENT_LIFT ? "separate"
                         : e->kind == CARDAN_EVENT_SLIP ? "begin to slip"
                                                        : "stop slipping";
    if (e->kind == CARDAN_EVENT_IMPACT)
        snprintf(w->text, sizeof w->text, "%s collide with %.4g m/s: impulse %.4g N s, %.4g J dissipated",
                 e->description, e->speed, e->impulse, e->value);
    else if (e->kind == CARDAN_EVENT_JAM)
        snprintf(w->text, sizeof w->text,
                 "%s jam: no contact force exists (Painleve), impulse %.4g N s, %.4g J dissipated", e->description,
                 e->impulse, e->value);
    else if (e->kind == CARDAN_EVENT_BOUNCES_END)
        snprintf(w->text, sizeof w->text, "%s stay in contact: %d impacts, limit of their times %.12g s",
                 e->description, e->impacts, e->value);
    else
        snprintf(w->text, sizeof w->text, "%s %s", e->description, change);
}

cd_event_text cd_describe_event(const cardan_model* model, const cardan_event* e)
{
    cd_event_text w         = {0};
    const char*   direction = e->is_entering ? "passes its" : "returns within its";
    const char*   side      = e->is_upper ? "upper" : "lower";
    const bool    is_plural = e->names_several_loops;
    if (e->kind == CARDAN_EVENT_SINGULAR)
        snprintf(w.text, sizeof w.text, "%s %s a singular configuration", e->description,
                 is_plural ? "pass" : "passes");
    if (e->kind == CARDAN_EVENT_NEAR_SINGULAR)
        snprintf(w.text, sizeof w.text, "%s %s near a singular configuration (%.1g); reactions are large there",
                 e->description, is_plural ? "pass" : "passes", e->value);
    if (e->kind == CARDAN_EVENT_BRANCH_SWITCH)
        snprintf(w.text, sizeof w.text, "%s %s to another branch", e->description, is_plural ? "switch" : "switches");
    if (e->kind == CARDAN_EVENT_VIOLATION_GROWTH)
        snprintf(w.text, sizeof w.text,
                 "%s: constraint violation %.2g m or rad grows from step to step: the step is too long", e->description,
                 e->value);
    if (e->kind == CARDAN_EVENT_VIOLATION_LIMIT)
        snprintf(w.text, sizeof w.text, "%s: constraint violation %.2g of a window exceeds the tolerance",
                 e->description, e->value);
    if (e->kind == CARDAN_EVENT_CURVE_CORNER)
        snprintf(w.text, sizeof w.text, "%s: velocity jump, %.4g J %s", e->description, fabs(e->value),
                 e->value < 0 ? "added" : "dissipated");
    if (e->kind == CARDAN_EVENT_CURVE_END)
        snprintf(w.text, sizeof w.text, "%s%s", e->description, e->is_entering ? ", and continues straight" : "");
    if (e->kind >= CARDAN_EVENT_IMPACT) describe_contact(e, &w);
    if (e->kind != CARDAN_EVENT_JOINT_LIMIT) return w;
    const char* name = cardan_model_joint_name(model, e->joint);
    if (model->tree_range[e->joint].nq > 1)
        snprintf(w.text, sizeof w.text, "joint '%s', coordinate %d, %s %s limit", name, e->axis + 1, direction, side);
    else
        snprintf(w.text, sizeof w.text, "joint '%s' %s %s limit", name, direction, side);
    return w;
}
