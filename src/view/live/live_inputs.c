// SPDX-License-Identifier: BSD-3-Clause
// Driven coordinates and efforts along coordinates. Values at a rate and formulas of time are set anew before the
// simulation advances. The filter of driven coordinates (cardan_data_drive_joint) is late by three time constants:
// targets that vary are taken that much later.
#include "view/live/live_state.h"

#include <cardan/interact.h>
#include <math.h>
#include <string.h>

static const double filter_delay =
    3 * 0.04 + 0.5 / 120; // [s] of the filter, and half the time for which a target stays

static int find(const cd_live_inputs* list, int joint, int axis)
{
    for (int i = 0; i < list->count; ++i)
        if (list->item[i].joint == joint && list->item[i].axis == axis) return i;
    return CARDAN_NONE;
}

static void drop(cd_live_inputs* list, int i)
{
    if (i == CARDAN_NONE) return;
    cd_time_formula_destroy(list->item[i].formula);
    list->item[i] = list->item[--list->count];
}

static cardan_status fail(cd_live* live, const char* sentence, int joint)
{
    return cardan_fail(&live->report, CARDAN_UNSUPPORTED, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), sentence,
                       cardan_model_joint_name(live->model.model, joint));
}

// Replace the input of the coordinate in the list. The old one stays if the new one is not valid.
static cardan_status keep(cd_live* live, cd_live_inputs* list, const cd_view_message* message)
{
    cd_live_input input = {
        .joint = message->index, .axis = message->axis, .input = message->input, .value = message->value[0]};
    cardan_status status = CARDAN_OK;
    const int     old    = find(list, message->index, message->axis);
    if (message->input == CD_VIEW_FORMULA) {
        memcpy(input.text, message->name, sizeof input.text);
        status = cd_time_formula_create(input.text, &live->model.view, &input.formula, &live->report);
    }
    if (status == CARDAN_OK && old == CARDAN_NONE && list->count == CD_LIVE_INPUTS_MAX)
        status = fail(live, "joint %s: too many coordinates are driven", message->index);
    if (status != CARDAN_OK) {
        cd_time_formula_destroy(input.formula);
        return status;
    }
    drop(list, old);
    list->item[list->count++] = input;
    return CARDAN_OK;
}

static double evaluate(const cd_live_input* input, double t)
{
    if (input->input == CD_VIEW_FORMULA) return cd_time_formula_value(input->formula, t);
    return input->input == CD_VIEW_RATE ? input->start + input->value * (t - input->t_start) : input->value;
}

// ---- driven coordinates

static cardan_status drive_now(cd_live* live, cd_live_input* input)
{
    const double t     = live->model.t;
    const double value = evaluate(input, input->input == CD_VIEW_VALUE ? t : t + filter_delay);
    if (!isfinite(value)) return CARDAN_OK;
    return cardan_data_drive_joint(live->model.data, input->joint, input->axis, value, &live->report);
}

// A rate continues from the coordinate as it is.
static void begin_rate(cd_live* live, cd_live_input* input)
{
    const cd_live_model*     m = &live->model;
    const cardan_index_range r = m->model_view.joint_range[input->joint];
    cardan_data_joint_motions(m->data, NULL, m->joint_q, NULL, NULL);
    input->t_start = m->t;
    input->start   = r.q >= 0 && input->axis < r.nq ? m->joint_q[r.q + input->axis] : 0;
}

static cardan_status pose_coordinate(cd_live* live, const cd_view_message* message)
{
    cd_pose_result result;
    if (live->model.model_view.joint_range[message->index].nv != 1)
        return fail(live, "joint %s has more than one coordinate; only single coordinates are moved while paused",
                    message->index);
    cd_live_end_animation(live);
    const cardan_status status =
        cd_pose_coordinate(&live->model, message->index, message->value[0], &result, &live->report);
    cd_live_after_pose(live, live->model.view.joint[message->index].second_body, status, &result, 1e-6);
    return CARDAN_OK;
}

// Drive the last coordinate of the list; one that cannot be driven leaves it.
static cardan_status begin_drive(cd_live* live, const cd_view_message* message)
{
    cd_live_input* input = &live->drives.item[live->drives.count - 1];
    if (input->input == CD_VIEW_RATE) begin_rate(live, input);
    const cardan_status status = drive_now(live, input);
    if (status == CARDAN_OK) return status;
    drop(&live->drives, live->drives.count - 1);
    cardan_data_release_joint(live->model.data, message->index, message->axis, NULL);
    return status;
}

void cd_live_drive(cd_live* live, const cd_view_message* message)
{
    cardan_status status;
    cardan_report_clear(&live->report);
    if (!message->has_value) {
        drop(&live->drives, find(&live->drives, message->index, message->axis));
        status = cardan_data_release_joint(live->model.data, message->index, message->axis, &live->report);
    } else if (!live->playing && message->input == CD_VIEW_VALUE) {
        status = pose_coordinate(live, message);
    } else {
        status = keep(live, &live->drives, message);
        if (status == CARDAN_OK) status = begin_drive(live, message);
    }
    if (status != CARDAN_OK) cd_live_send_problem(live, &live->report);
}

void cd_live_drive_value(cd_live* live, int joint, int axis, double value)
{
    const cd_view_message message = {.index = joint, .axis = axis, .value = {value}, .has_value = true};
    if (keep(live, &live->drives, &message) == CARDAN_OK)
        cardan_data_drive_joint(live->model.data, joint, axis, value, NULL);
}

// ---- efforts

void cd_live_set_effort(cd_live* live, const cd_view_message* message)
{
    const bool               none = !message->has_value || (message->input == CD_VIEW_VALUE && message->value[0] == 0);
    const cardan_index_range r    = live->model.model_view.joint_range[message->index];
    cardan_status            status = CARDAN_OK;
    cardan_report_clear(&live->report);
    if (r.nv != 1 && (live->model.model_view.tree_range[message->index].v < 0 || message->axis >= r.nv))
        status = fail(live, "joint %s has no effort along this coordinate", message->index);
    else if (none)
        drop(&live->efforts, find(&live->efforts, message->index, message->axis));
    else
        status = keep(live, &live->efforts, message);
    if (status != CARDAN_OK) cd_live_send_problem(live, &live->report);
    cd_live_apply_inputs(live, false);
    if (none && live->efforts.count == 0) cardan_data_set_external_forces(live->model.data, NULL, NULL);
}

// Efforts of coordinates in the tree as such; of others as wrenches on the two bodies, at their present poses.
static void apply_efforts(cd_live* live)
{
    cd_live_model* m = &live->model;
    memset(m->effort, 0, (size_t)m->model_view.nv * sizeof *m->effort);
    memset(m->wrench, 0, (size_t)m->view.nbody * sizeof *m->wrench);
    cd_live_model_update(m);
    for (int i = 0; i < live->efforts.count; ++i) {
        cd_live_input*           input = &live->efforts.item[i];
        const cardan_index_range r     = m->model_view.tree_range[input->joint];
        const double             value = evaluate(input, m->t);
        if (!isfinite(value)) continue;
        if (r.v >= 0)
            m->effort[r.v + input->axis] += value;
        else
            cd_pose_add_effort(m, input->joint, value);
    }
    cardan_data_set_external_forces(m->data, m->effort, (const double(*)[6])m->wrench);
}

static bool any_varies(const cd_live_inputs* list)
{
    for (int i = 0; i < list->count; ++i)
        if (list->item[i].input != CD_VIEW_VALUE) return true;
    return false;
}

static bool any_off_tree(const cd_live* live)
{
    for (int i = 0; i < live->efforts.count; ++i)
        if (live->model.model_view.tree_range[live->efforts.item[i].joint].v < 0) return true;
    return false;
}

bool cd_live_inputs_vary(const cd_live* live)
{
    return any_varies(&live->drives) || any_varies(&live->efforts) || any_off_tree(live);
}

void cd_live_apply_inputs(cd_live* live, bool begin)
{
    for (int i = 0; i < live->drives.count; ++i) {
        cd_live_input* input = &live->drives.item[i];
        if (begin && input->input == CD_VIEW_RATE) begin_rate(live, input);
        if (begin || input->input != CD_VIEW_VALUE) drive_now(live, input);
    }
    if (live->efforts.count > 0 && (begin || !live->playing || any_varies(&live->efforts) || any_off_tree(live)))
        apply_efforts(live);
}

// Keep the inputs of joints that the new model has as well.
static void move_list(cd_live_inputs* list, const cd_live_model* old, const cd_live_model* new)
{
    for (int i = list->count - 1; i >= 0; --i) {
        cd_live_input*           input  = &list->item[i];
        const char*              name   = cardan_model_joint_name(old->model, input->joint);
        const cardan_index_range before = old->model_view.joint_range[input->joint];
        const int                joint  = cardan_description_find_joint(new->description, name);
        cd_time_formula*         parsed = NULL;
        const bool               same   = joint >= 0 && new->model_view.joint_range[joint].nv == before.nv;
        if (!same || (input->formula && cd_time_formula_create(input->text, &new->view, &parsed, NULL) != CARDAN_OK)) {
            drop(list, i);
            continue;
        }
        cd_time_formula_destroy(input->formula);
        input->formula = parsed;
        input->joint   = joint;
    }
}

void cd_live_move_inputs(cd_live* live, const cd_live_model* new)
{
    move_list(&live->drives, &live->model, new);
    move_list(&live->efforts, &live->model, new);
}

void cd_live_release_inputs(cd_live* live)
{
    while (live->efforts.count > 0) drop(&live->efforts, 0);
    while (live->drives.count > 0) {
        const cd_live_input* input = &live->drives.item[0];
        if (live->model.data) cardan_data_release_joint(live->model.data, input->joint, input->axis, NULL);
        drop(&live->drives, 0);
    }
    if (live->model.data) cardan_data_set_external_forces(live->model.data, NULL, NULL);
}
