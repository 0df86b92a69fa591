// SPDX-License-Identifier: BSD-3-Clause
// Load and compile the mechanism of the viewer and open its simulation. Without a named integrator the first of rk4,
// semi-implicit-euler and generalized-alpha is used with which a second of motion costs less than 0.4 s.
#include "view/mechanism/live_model.h"

#include "core/clock.h"
#include "core/memory.h"
#include "draw/scene.h"

#include <cardan/interact.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double trial_duration = 0.02; // [s] of motion by which the cost of an integrator is measured
static const double cost_max       = 0.4;  // [s] of processor time for a second of motion

static cardan_status fail_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
}

static bool allocate(cd_live_model* m)
{
    const cardan_model_view* v = &m->model_view;
    const size_t             n = (size_t)m->view.nbody + 1;
    m->q                       = cd_allocate((size_t)v->nq + 1, sizeof(double));
    m->v                       = cd_allocate((size_t)v->nv + 1, sizeof(double));
    m->a                       = cd_allocate((size_t)v->nv + 1, sizeof(double));
    m->effort                  = cd_allocate((size_t)v->nv + 1, sizeof(double));
    m->state                   = cd_allocate((size_t)v->nstate + 1, sizeof(double));
    m->joint_q                 = cd_allocate((size_t)v->nq_joint + 1, sizeof(double));
    m->joint_v                 = cd_allocate((size_t)v->nv_joint + 1, sizeof(double));
    m->output                  = cd_allocate((size_t)m->view.noutput + 1, sizeof(double));
    m->motion                  = cd_allocate(n, sizeof *m->motion);
    m->pose                    = cd_allocate(n, sizeof *m->pose);
    m->ghost                   = cd_allocate(n, sizeof *m->ghost);
    m->wrench                  = cd_allocate(n, sizeof *m->wrench);
    m->reaction                = cd_allocate((size_t)v->njoint + 1, sizeof *m->reaction);
    return m->q && m->v && m->a && m->effort && m->state && m->joint_q && m->joint_v && m->output && m->motion &&
           m->pose && m->ghost && m->wrench && m->reaction && cd_value_columns_create(m);
}

static cardan_status open_with(cd_live_model* m, const cd_live_options* options, int integrator, double step,
                               cardan_report* report)
{
    cardan_run_settings run = cardan_run_default();
    run.integrator          = integrator;
    run.end                 = INFINITY;
    run.output_interval     = 1.0 / 60;
    run.step                = step;
    run.event_callback      = options->event;
    run.user                = options->event_user;
    m->integrator           = integrator;
    m->step                 = step;
    return cardan_simulation_open(m->data, &run, &m->simulation, report);
}

// Open with the first integrator that is fast enough; the last one in any case.
static cardan_status open_fastest(cd_live_model* m, const cd_live_options* options, double step, cardan_report* report)
{
    static const char* const candidate[] = {"rk4", "semi-implicit-euler", "generalized-alpha"};
    cardan_status            status      = CARDAN_UNSUPPORTED;
    for (int i = 0; i < 3; ++i) {
        const int integrator = cardan_integrator_find(candidate[i]);
        if (integrator == CARDAN_NONE) continue;
        cardan_report_clear(report);
        status              = open_with(m, options, integrator, step, report);
        const double before = cd_clock_thread();
        if (status == CARDAN_OK) status = cardan_simulation_advance(m->simulation, trial_duration, NULL);
        const double cost = (cd_clock_thread() - before) / trial_duration;
        if (status == CARDAN_OK && (cost < cost_max || i == 2))
            return cardan_simulation_restart(m->simulation, 0, NULL, NULL, NULL, report);
        cardan_simulation_close(m->simulation, NULL, NULL);
        m->simulation = NULL;
    }
    cardan_report_clear(report);
    return open_with(m, options, cardan_integrator_find("semi-implicit-euler"), step, report);
}

static cardan_status choose_formulation(cd_live_model* m, const cd_live_options* options, int integrator,
                                        cardan_report* report)
{
    const char* name = options->formulation;
    if (!name && m->view.run) name = m->view.run->formulation;
    const int found = name ? cardan_formulation_find(name) : CARDAN_FORMULATION_AUTO;
    if (found == CARDAN_NONE)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                           "there is no formulation '%s'", name);
    m->formulation     = found;
    const bool maximal = found >= 0 && cardan_formulation_tree_policy(found) == CARDAN_TREE_MAXIMAL;
    if (found >= 0 && !(maximal && options->joint_coordinates)) return CARDAN_OK;
    cardan_formulation_choice choice = {.formulation = CARDAN_NONE};
    cardan_formulation_choose_for_integrator(m->description, integrator, &choice, NULL);
    m->formulation = choice.formulation >= 0 ? choice.formulation : cardan_formulation_find("order-n");
    if (options->joint_coordinates && cardan_formulation_tree_policy(m->formulation) == CARDAN_TREE_MAXIMAL)
        m->formulation = cardan_formulation_find("reduction");
    return CARDAN_OK;
}

static cardan_status compile(cd_live_model* m, cardan_report* report)
{
    cardan_status status =
        cardan_model_compile(m->description, cardan_formulation_tree_policy(m->formulation), &m->model, report);
    if (status != CARDAN_OK) return status;
    m->model_view = cardan_model_get_view(m->model);
    return cardan_data_create(m->model, m->formulation, &m->data, report);
}

// Planes and height fields of ground do not determine the size of the scene.
static bool is_terrain(const cd_live_model* m, const cd_primitive* r)
{
    if (r->shape == 0 || r->body >= 0) return false;
    const cardan_shape_kind kind = m->view.shape[r->shape - 1].kind;
    return kind == CARDAN_SHAPE_PLANE || kind == CARDAN_SHAPE_HEIGHT_FIELD;
}

static void extend(cd_xyz p, cd_xyz* lower, cd_xyz* upper)
{
    *lower = (cd_xyz){fmin(lower->x, p.x), fmin(lower->y, p.y), fmin(lower->z, p.z)};
    *upper = (cd_xyz){fmax(upper->x, p.x), fmax(upper->y, p.y), fmax(upper->z, p.z)};
}

static void extend_by_primitive(const cd_scene* scene, const cd_primitive* r, cd_xyz* lower, cd_xyz* upper)
{
    const bool two = r->kind == CD_PRIMITIVE_BAR || r->kind == CD_PRIMITIVE_SPRING || r->kind == CD_PRIMITIVE_RAIL;
    for (int k = 0; r->kind == CD_PRIMITIVE_FACE && k < r->count; ++k) extend(scene->point[r->first + k], lower, upper);
    if (r->kind != CD_PRIMITIVE_FACE) extend(r->a, lower, upper);
    if (two) extend(r->b, lower, upper);
}

// Centre and size of the scene from the primitives of a picture; weight of all bodies.
static cardan_status measure(cd_live_model* m, cardan_report* report)
{
    cd_scene            scene;
    const cardan_status status = cd_scene_create(&m->view, NULL, &scene, report);
    cd_xyz              lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; status == CARDAN_OK && i < scene.nprimitive; ++i) {
        const cd_primitive* r = &scene.primitive[i];
        if (!is_terrain(m, r)) extend_by_primitive(&scene, r, &lower, &upper);
    }
    const double diagonal = xyz_distance(lower, upper);
    m->length             = diagonal > 0 && isfinite(diagonal) ? diagonal : 1;
    if (isfinite(diagonal)) {
        m->centre[0] = (lower.x + upper.x) / 2;
        m->centre[1] = (lower.y + upper.y) / 2;
        m->centre[2] = (lower.z + upper.z) / 2;
    }
    const double g  = xyz_length(xyz_of(m->view.gravity));
    double       kg = 0;
    for (int i = 0; i < m->view.nbody; ++i) kg += m->view.body[i].mass;
    m->weight = kg * (g > 0 ? g : 9.80665);
    cd_scene_destroy(&scene);
    return status;
}

cardan_status cd_live_load(const cd_live_options* options, cardan_description** description, cardan_report* report)
{
    cardan_status status = cardan_description_load(options->path, &options->load, description, report);
    for (int i = 0; i < options->nrepair && status == CARDAN_OK; ++i) {
        const int joint = cardan_description_find_joint(*description, options->repair[i].joint);
        if (joint >= 0)
            status = cardan_description_set_joint_type(*description, joint, options->repair[i].type, report);
    }
    return status;
}

cardan_status cd_live_model_open(cd_live_model* m, const cd_live_options* options, cardan_report* report)
{
    memset(m, 0, sizeof *m);
    int integrator = CARDAN_NONE;
    if (options->integrator && (integrator = cardan_integrator_find(options->integrator)) == CARDAN_NONE)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                           "there is no integrator '%s'", options->integrator);
    cardan_status status = cd_live_load(options, &m->description, report);
    if (status == CARDAN_OK) { // drivable joints have constraints: the formulation is chosen with them
        cardan_description_make_drivable(m->description, CARDAN_NONE, 0, NULL);
        m->view = cardan_description_get_view(m->description);
        status  = choose_formulation(m, options, integrator, report);
    }
    if (status == CARDAN_OK) status = compile(m, report);
    if (status == CARDAN_OK && !allocate(m)) status = fail_memory(report);
    if (status == CARDAN_OK) status = measure(m, report);
    const double step = options->step > 0 ? options->step : 0.001;
    if (status == CARDAN_OK)
        status = integrator == CARDAN_NONE ? open_fastest(m, options, step, report)
                                           : open_with(m, options, integrator, step, report);
    if (status != CARDAN_OK) cd_live_model_close(m);
    return status;
}

cardan_status cd_live_model_borrow(cd_live_model* m, cardan_description* description, cardan_model* model,
                                   cardan_data* data, cardan_report* report)
{
    *m                   = (cd_live_model){.borrowed    = true,
                                           .description = description,
                                           .view        = cardan_description_get_view(description),
                                           .model       = model,
                                           .model_view  = cardan_model_get_view(model),
                                           .data        = data,
                                           .formulation = cardan_data_formulation(data)};
    cardan_status status = allocate(m) ? measure(m, report) : fail_memory(report);
    if (status == CARDAN_OK)
        cd_live_model_update(m);
    else
        cd_live_model_close(m);
    return status;
}

void cd_live_model_update(cd_live_model* m)
{
    cardan_data_body_motions(m->data, NULL, m->motion);
    for (int i = 0; i < m->view.nbody; ++i) m->pose[i] = cd_body_frame_pose(&m->view.body[i], &m->motion[i]);
    cardan_data_joint_motions(m->data, NULL, m->joint_q, m->joint_v, NULL);
    if (m->view.noutput > 0) cardan_data_evaluate_outputs(m->data, m->output);
}

void cd_live_model_close(cd_live_model* m)
{
    cardan_simulation_close(m->simulation, NULL, NULL);
    if (!m->borrowed) {
        cardan_data_destroy(m->data);
        cardan_model_destroy(m->model);
        cardan_description_destroy(m->description);
    }
    free(m->column);
    free(m->drive);
    free(m->q);
    free(m->v);
    free(m->a);
    free(m->effort);
    free(m->state);
    free(m->joint_q);
    free(m->joint_v);
    free(m->output);
    free(m->motion);
    free(m->pose);
    free(m->ghost);
    free(m->wrench);
    free(m->reaction);
    memset(m, 0, sizeof *m);
}
