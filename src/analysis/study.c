// SPDX-License-Identifier: BSD-3-Clause
// Suspension studies: made ready, brought to the design position, checked there.
#include "analysis/study.h"

#include "core/arguments.h"
#include "math/quaternion.h"
#include "model/check.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double followed = 1e-6; // of a driver's row that the mechanism cannot follow
static const double loose    = 0.1;  // stiffness relative to the forces: no spring resists

const cardan_suspension* cardan_study_look(const cardan_study* s) { return s ? s->suspension : NULL; }
int                      cardan_study_side(const cardan_study* s, int wheel)
{
    return s && cd_is_index(wheel, s->suspension->nwheel) ? s->wheel[wheel].side : 0;
}

void cardan_study_destroy(cardan_study* s)
{
    if (!s) return;
    cd_still_destroy(s->still);
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->model);
    void* const all[] = {s->idle, s->wheel, s->q, s->q0, s->t, s->along, s->Jm};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(s);
}

bool cd_study_solve(cardan_study* s, const double* value, double most, double* moved)
{
    for (int i = 0; i < s->ndriver; ++i) {
        const bool   wheel  = i < s->suspension->nwheel;
        const double law[3] = {value[i], 0, 0};
        cardan_data_drive(s->data, wheel ? s->wheel[i].driver : s->steering_driver, law);
    }
    return cd_still_solve(s->still, s->q, most, moved);
}

void cd_study_tangents(cardan_study* s)
{
    double miss;
    for (int i = 0; i < s->ndriver; ++i)
        cd_still_tangent(s->still, i < s->suspension->nwheel ? s->wheel[i].row : s->steering_row,
                         s->t + (size_t)i * (size_t)s->model->nv, &miss);
}

// Hinges and slides say more than balls, so these are named where they move at all.
const char* cd_study_liveliest(cardan_study* s, const double* t)
{
    cardan_data* d       = s->data;
    double       most[2] = {-1, 1e-6}, q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX];
    int          best[2] = {0, -1};
    cd_set_velocity(d, t);
    for (int j = 0; j < s->model->njoint; ++j) {
        if (s->model->place[j].q < 0) continue;
        cardan_joint_state(d, j, q, v);
        const int simple = s->model->place[j].nv == 1;
        for (int i = 0; i < s->model->place[j].nv; ++i) {
            const bool   turns = strcmp(cardan_model_v_unit(s->model, j, i), "rad/s") == 0;
            const double speed = fabs(v[i]) / (turns ? 1 : d->length);
            if (speed <= most[simple] * (1 + 1e-6)) continue;
            most[simple] = speed;
            best[simple] = j;
        }
    }
    cd_set_velocity(d, d->rest);
    return cardan_model_joint_name(s->model, best[1] >= 0 ? best[1] : best[0]);
}

// ---- what is wrong at the design position

static const char* chassis_name(const cardan_study* s)
{
    return s->suspension->chassis < 0 ? "ground" : s->view.body[s->suspension->chassis].name;
}

static cardan_status check_followed(cardan_study* s, cardan_report* report)
{
    for (int i = 0; i < s->ndriver; ++i) {
        const bool wheel = i < s->suspension->nwheel;
        double     miss;
        cd_still_tangent(s->still, wheel ? s->wheel[i].row : s->steering_row, s->along, &miss);
        if (miss < followed) continue;
        if (!wheel)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, s->suspension->place,
                               "joint '%s' cannot steer: it cannot move while the wheel centres keep their heights",
                               s->view.joint[s->suspension->steering].name);
        const cardan_wheel* w = &s->suspension->wheel[i];
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->place,
                           "wheel '%s' is not moved by anything: nothing lets '%s' rise relative to '%s' while the "
                           "other wheels and the steering stand still",
                           w->name, s->view.body[s->view.marker[w->hub].body].name, chassis_name(s));
    }
    return CARDAN_OK;
}

// What neither joints nor springs determine may be the wheel's own spin, no more. Weight and preload alone hold nothing
// worth the name: their stiffness is a part of the forces themselves.
static cardan_status check_determined(cardan_study* s, cardan_report* report)
{
    const cd_still* still = s->still;
    for (int k = 0; k < still->nfree; ++k) {
        if (still->values[k] > loose * still->size) continue;
        cd_still_free(still, k, s->along);
        for (int i = 0; i < s->suspension->nwheel; ++i) {
            const cardan_wheel*   w    = &s->suspension->wheel[i];
            const spatial         V    = cd_study_twist(s, w->hub, s->along);
            const cd_marker_state m    = cd_marker_state_of(s->model, &s->data->world, w->hub);
            const vec3            a    = m3_mul(m.R, s->wheel[i].axis);
            const vec3            tilt = v3_add_scaled(V.a, -v3_dot(V.a, a), a);
            if (sqrt(v3_dot(tilt, tilt)) < 1e-6 && sqrt(v3_dot(V.l, V.l)) < 1e-6) continue;
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, w->place,
                               "nothing holds the carrier '%s' of wheel '%s': with the travel of the wheels%s given it "
                               "can still move, joint '%s' most; hold it by a joint, a "
                               "rod or a bushing%s",
                               s->view.body[s->view.marker[w->hub].body].name, w->name,
                               s->suspension->steering < 0 ? "" : " and the steering", cd_study_liveliest(s, s->along),
                               s->suspension->steering < 0 ? ", or name what steers it with 'steering'" : "");
        }
    }
    return CARDAN_OK;
}

static cardan_status go_to_design(cardan_study* s, cardan_report* report)
{
    double* value = cd_allocate((size_t)s->ndriver + 1, sizeof *value);
    double  moved;
    if (!value)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the study");
    memcpy(s->q, s->model->q_start, (size_t)s->model->nq * sizeof *s->q);
    const bool there = cd_study_solve(s, value, 100, &moved);
    free(value);
    if (!there)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ASSEMBLY_FAILED, s->suspension->place,
                           "the design position of '%s' cannot be found: with the chassis held and the wheels at their "
                           "heights the joints do not close, or what bushings hold does not "
                           "come to rest",
                           s->view.name);
    memcpy(s->q0, s->q, (size_t)s->model->nq * sizeof *s->q);
    return CARDAN_OK;
}

// ---- made

static bool furnish(cardan_study* s)
{
    const size_t nv = (size_t)s->model->nv, nq = (size_t)s->model->nq;
    s->ndriver = s->suspension->nwheel + (s->suspension->steering >= 0);
    s->idle    = cd_allocate(nv + 1, sizeof *s->idle);
    s->wheel   = cd_allocate((size_t)s->suspension->nwheel + 1, sizeof *s->wheel);
    s->q       = cd_allocate(nq + 1, sizeof *s->q);
    s->q0      = cd_allocate(nq + 1, sizeof *s->q0);
    s->t       = cd_allocate((size_t)(s->ndriver + 1) * nv, sizeof *s->t);
    s->along   = cd_allocate(nv + 1, sizeof *s->along);
    s->Jm      = cd_allocate(6 * nv + 1, sizeof *s->Jm);
    return s->idle && s->wheel && s->q && s->q0 && s->t && s->along && s->Jm;
}

static cardan_status make(cardan_study* s, cardan_tree_policy policy, cardan_report* report)
{
    s->view       = cardan_description_view(s->description);
    s->suspension = s->view.suspension;
    if (!s->suspension)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SUSPENSION_INVALID, cardan_nowhere(),
                           "'%s' has no section 'suspension': which wheels move, and how far", s->view.name);
    s->x                 = v3_lift(s->suspension->forward);
    s->z                 = v3_lift(s->suspension->up);
    s->y                 = v3_cross(s->z, s->x);
    cardan_status status = cd_study_add(s, report);
    if (status == CARDAN_OK) status = cardan_model_compile(s->description, policy, &s->model, report);
    if (status == CARDAN_OK) status = cd_data_create_bare(s->model, &s->data, report);
    if (status != CARDAN_OK) return status;
    if (!furnish(s) || !(s->still = cd_still_create(s->data, s->idle)))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the study of '%s'", s->view.name);
    cd_study_leave_out(s);
    if (!cd_study_idle(s))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the study of '%s'", s->view.name);
    status = cd_study_find(s, report);
    if (status == CARDAN_OK) status = go_to_design(s, report);
    if (status == CARDAN_OK) status = check_followed(s, report);
    if (status == CARDAN_OK) status = check_determined(s, report);
    if (status != CARDAN_OK) return status;
    cd_study_tangents(s);
    for (int i = 0; i < s->suspension->nwheel; ++i) {
        s->wheel[i].contact = cd_study_contact(s, i);
        s->wheel[i].steer   = cd_study_measure(s, i, NULL, 0).steer;
    }
    return CARDAN_OK;
}

cardan_status cardan_study_create(cardan_description* description, cardan_tree_policy policy, cardan_study** study,
                                  cardan_report* report)
{
    CD_REFUSE_NULL(study, "study", report);
    *study = NULL;
    CD_REFUSE_NULL(description, "description", report);
    if (policy == CARDAN_TREE_AUTO) policy = CARDAN_TREE_SHALLOW;
    if (cd_check_references(description, report) != CARDAN_OK) return CARDAN_BAD_INPUT;
    cardan_study* s = cd_allocate(1, sizeof *s);
    if (!s)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory for the study");
    s->description             = description;
    const cardan_status status = make(s, policy, report);
    if (status == CARDAN_OK)
        *study = s;
    else
        cardan_study_destroy(s);
    return status;
}
