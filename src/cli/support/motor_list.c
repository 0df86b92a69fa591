// SPDX-License-Identifier: BSD-3-Clause
// Selection of the motors of a mechanism.
#include "cli/support/motor_list.h"

#include "cli/support/messages.h"
#include "core/memory.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

static const char* joint_at(void* user, int i)
{
    const cd_model_instance* c = user;
    return i < c->model_view.njoint ? cardan_model_joint_name(c->model, i) : NULL;
}

static bool contains_motor(const cd_motor_list* list, cardan_motor motor)
{
    for (int i = 0; i < list->nmotor; ++i)
        if (list->motor[i].joint == motor.joint && list->motor[i].axis == motor.axis) return true;
    return false;
}

// Read "elbow" or "wrist:2".
static bool read_motor(const cd_model_instance* c, char* word, cardan_motor* motor)
{
    char* colon = strrchr(word, ':');
    char* end   = NULL;
    motor->axis = colon ? (int)strtol(colon + 1, &end, 10) - 1 : 0;
    if (colon && (*end || end == colon + 1)) colon = NULL, motor->axis = 0; // the colon belongs to the name
    if (colon) *colon = 0;
    for (motor->joint = 0; motor->joint < c->model_view.njoint; ++motor->joint)
        if (strcmp(cardan_model_joint_name(c->model, motor->joint), word) == 0) break;
    if (motor->joint == c->model_view.njoint) {
        cd_report_unknown_name("joint", word, joint_at, (void*)c, "`cardan check` lists them");
        return false;
    }
    if (motor->axis >= 0 && motor->axis < c->model_view.joint_range[motor->joint].nv) return true;
    cd_report_error(CARDAN_CODE_USAGE, "--motors: joint '%s' has no coordinate %d", word, motor->axis + 1);
    return false;
}

static bool read_list(const cd_model_instance* c, const char* text, cd_motor_list* list)
{
    char* copy      = cd_copy_string(text);
    char* remainder = copy;
    bool  good      = copy != NULL;
    if (!copy) cd_report_no_memory();
    for (char* word; good && (word = strsep(&remainder, ","));) {
        cardan_motor motor;
        word += strspn(word, " ");
        for (size_t n = strlen(word); n > 0 && word[n - 1] == ' ';) word[--n] = 0;
        if (!*word) continue;
        good = read_motor(c, word, &motor);
        if (good && !contains_motor(list, motor)) list->motor[list->nmotor++] = motor;
    }
    free(copy);
    return good;
}

int cd_motor_list_select(const cd_loaded_model* mechanism, const cd_model_instance* c, cd_motor_list* list)
{
    *list = (cd_motor_list){.motor = cd_allocate((size_t)c->model_view.nv_joint + 1, sizeof *list->motor)};
    if (!list->motor) return cd_report_no_memory();
    if (mechanism->options->motors)
        return read_list(c, mechanism->options->motors, list) ? CD_EXIT_DONE : CD_EXIT_USAGE;
    for (int i = 0; i < mechanism->view.nforce; ++i) {
        const cardan_force* f     = &mechanism->view.force[i];
        const cardan_motor  motor = {f->joint, f->axis};
        if (strcmp(f->type, "actuator") == 0 && !contains_motor(list, motor)) list->motor[list->nmotor++] = motor;
    }
    return CD_EXIT_DONE;
}

void cd_motor_list_free(cd_motor_list* list) { free(list->motor); }

cardan_status cd_fail_too_few_motors(const cd_model_instance* c, double t, double residual, cardan_report* report)
{
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(c->model));
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_ACTUATION_INSUFFICIENT, cardan_location_none(),
                       "at t = %.9g s the motors cannot produce this motion of '%s': the residual acceleration is %.3g "
                       "rad/s^2 or m/s^2; name more joints with --motors",
                       t, view.name, residual);
}
