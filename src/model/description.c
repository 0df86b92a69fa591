// SPDX-License-Identifier: BSD-3-Clause
// Description: the user's data, copied and named.
#include "model/description.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "math/finite.h"
#include "model/joint/joint_type.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cardan_pose identity = {{0, 0, 0}, {1, 0, 0, 0}};

static bool create_names(cardan_description* d)
{
    cd_name_table** const all[] = {&d->strings,         &d->body_names,   &d->joint_names,
                                   &d->marker_names,    &d->table_names,  &d->state_names,
                                   &d->parameter_names, &d->signal_names, &d->material_names};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!(*all[i] = cd_name_table_create())) return false;
    return true;
}

cardan_description* cardan_description_create(const char* name)
{
    cardan_description* d = name ? cd_allocate(1, sizeof *d) : NULL;
    if (!d) return NULL;
    d->gravity[2] = -9.81;
    d->run        = cardan_run_defaults_empty();
    d->contacts   = cardan_contact_settings_default();
    d->name       = cd_copy_string(name);
    d->graph      = cd_graph_create();
    // compilation needs a zero node in the graph: the description is constant for it, and may be shared by other
    // threads
    if (!d->name || !d->graph || cd_constant(d->graph, 0) < 0 || !create_names(d)) {
        cardan_description_destroy(d);
        return NULL;
    }
    const cardan_marker ground = {.name = "ground", .body = CARDAN_GROUND, .pose = identity};
    if (cardan_description_add_marker(d, &ground) < 0) {
        cardan_description_destroy(d);
        return NULL;
    }
    return d;
}

static void free_curve(const cardan_curve* curve)
{
    free((void*)curve->point);
    free((void*)curve->weight);
    free((void*)curve->knot);
}

void cardan_description_destroy(cardan_description* d)
{
    if (!d) return;
    for (int i = 0; i < d->njoint; ++i) {
        free((void*)d->joint[i].axis);
        free((void*)d->joint[i].driver);
    }
    for (int i = 0; i < d->nconstraint; ++i) free_curve(&d->constraint[i].curve);
    for (int i = 0; i < d->nshape; ++i) cd_shape_free_arrays(&d->shape[i]);
    for (int i = 0; i < d->ntable; ++i) {
        free((void*)d->table[i].x);
        free((void*)d->table[i].y);
    }
    void* const lists[] = {d->body,       d->joint,    d->coupling, d->marker,    d->shape,         d->table,
                           d->force,      d->state,    d->output,   d->parameter, d->signal,        d->name,
                           d->constraint, d->drivable, d->point,    d->material,  d->material_pair, d->contact_pair};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) free(lists[i]);
    cd_name_table* const names[] = {d->strings,         d->body_names,   d->joint_names,
                                    d->marker_names,    d->table_names,  d->state_names,
                                    d->parameter_names, d->signal_names, d->material_names};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) cd_name_table_destroy(names[i]);
    if (d->graph) cd_graph_destroy(d->graph);
    cd_parametric_destroy(d->parametric);
    cd_suspension_destroy(d->suspension);
    if (d->source) d->destroy_source(d->source);
    free(d);
}

cardan_description_view cardan_description_get_view(const cardan_description* d)
{
    if (!d) return (cardan_description_view){0};
    cardan_description_view view = {
        .name             = d->name,
        .nbody            = d->nbody,
        .njoint           = d->njoint,
        .ncoupling        = d->ncoupling,
        .nmarker          = d->nmarker,
        .nshape           = d->nshape,
        .ntable           = d->ntable,
        .nforce           = d->nforce,
        .nconstraint      = d->nconstraint,
        .nstate           = d->nstate,
        .noutput          = d->noutput,
        .nparameter       = d->nparameter,
        .nsignal          = d->nsignal,
        .npoint           = d->npoint,
        .body             = d->body,
        .joint            = d->joint,
        .coupling         = d->coupling,
        .marker           = d->marker,
        .shape            = d->shape,
        .table            = d->table,
        .force            = d->force,
        .constraint       = d->constraint,
        .state            = d->state,
        .output           = d->output,
        .parameter        = d->parameter,
        .signal           = d->signal,
        .point            = d->point,
        .run              = &d->run,
        .suspension       = d->suspension,
        .nmaterial        = d->nmaterial,
        .nmaterial_pair   = d->nmaterial_pair,
        .ncontact_pair    = d->ncontact_pair,
        .material         = d->material,
        .material_pair    = d->material_pair,
        .contact_pair     = d->contact_pair,
        .contact_settings = &d->contacts,
    };
    memcpy(view.gravity, d->gravity, sizeof view.gravity);
    return view;
}

cardan_status cardan_description_set_name(cardan_description* d, const char* name)
{
    CD_REQUIRE_POINTER(d, "description", NULL);
    CD_REQUIRE_POINTER(name, "name", NULL);
    char* copy = cd_copy_string(name);
    if (!copy) return CARDAN_NO_MEMORY;
    free(d->name);
    d->name = copy;
    return CARDAN_OK;
}

cardan_status cardan_description_set_gravity(cardan_description* d, const double gravity[3])
{
    CD_REQUIRE_POINTER(d, "description", NULL);
    CD_REQUIRE_POINTER(gravity, "gravity", NULL);
    memcpy(d->gravity, gravity, sizeof d->gravity); // compilation reports it if it is not finite
    return cd_all_finite(3, gravity) ? CARDAN_OK : CARDAN_BAD_USAGE;
}

// Owned copy of a string, shared between equal ones. NULL of NULL.
static const char* own_string(cardan_description* d, const char* s)
{
    return s ? cd_name_table_add(d->strings, s, 0) : NULL;
}

bool cd_own_string(cardan_description* d, const char** s)
{
    if (!*s) return true;
    return (*s = own_string(d, *s)) != NULL;
}

cardan_status cardan_description_set_run_defaults(cardan_description* d, const cardan_run_defaults* defaults)
{
    CD_REQUIRE_POINTER(d, "description", NULL);
    CD_REQUIRE_POINTER(defaults, "wish", NULL);
    const double number[] = {defaults->duration,      defaults->output_interval, defaults->step,
                             defaults->tolerance,     defaults->regularization,  defaults->violation_tolerance,
                             defaults->baumgarte_rate};
    d->run                = *defaults;
    d->run.integrator     = own_string(d, defaults->integrator);
    d->run.formulation    = own_string(d, defaults->formulation);
    d->run.stabilization  = own_string(d, defaults->stabilization);

    d->run.integrator_location.file    = own_string(d, defaults->integrator_location.file);
    d->run.formulation_location.file   = own_string(d, defaults->formulation_location.file);
    d->run.stabilization_location.file = own_string(d, defaults->stabilization_location.file);
    return cd_all_finite((int)(sizeof number / sizeof *number), number) ? CARDAN_OK : CARDAN_BAD_USAGE;
}

cardan_pose cardan_pose_default(void) { return identity; }

cardan_body cardan_body_default(const char* name) { return (cardan_body){.name = name, .pose = identity}; }

cardan_axis_properties cardan_axis_properties_default(void)
{
    return (cardan_axis_properties){.lower = -INFINITY, .upper = INFINITY, .friction_speed = 1e-3};
}

cardan_joint cardan_joint_default(const char* name, const char* type, int first, int second)
{
    return (cardan_joint){.name         = name,
                          .type         = type,
                          .first_body   = first,
                          .second_body  = second,
                          .frame_first  = identity,
                          .frame_second = identity};
}

cardan_force cardan_force_default(const char* name, const char* type)
{
    return (cardan_force){.name         = name,
                          .type         = type,
                          .marker       = {CARDAN_NONE, CARDAN_NONE},
                          .frame        = CARDAN_NONE,
                          .joint        = CARDAN_NONE,
                          .force_table  = CARDAN_NONE,
                          .damper_table = CARDAN_NONE,
                          .lower        = -INFINITY,
                          .upper        = INFINITY,
                          .component    = {CARDAN_NONE, CARDAN_NONE, CARDAN_NONE}};
}

cardan_constraint cardan_constraint_default(const char* name, const char* type)
{
    cardan_constraint c = {.name       = name,
                           .type       = type,
                           .marker     = {CARDAN_NONE, CARDAN_NONE},
                           .factor     = {1, 1, 1},
                           .ratio      = 1,
                           .efficiency = {1, 1},
                           .loss_speed = 1e-3,
                           .reference  = identity};
    for (int i = 0; i < CARDAN_COUPLED_JOINTS_MAX; ++i) c.joint[i] = CARDAN_NONE;
    for (int i = 0; i < 6; ++i) c.driver[i] = CARDAN_NONE;
    return c;
}

cardan_run_defaults cardan_run_defaults_empty(void) { return (cardan_run_defaults){.stop_condition = CARDAN_NONE}; }

void* cd_copy_items(const void* items, int count, size_t size, bool* ok)
{
    if (!items || count <= 0) return NULL;
    void* copy = cd_allocate((size_t)count, size);
    if (!copy)
        *ok = false;
    else
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

int cardan_description_add_body(cardan_description* d, const cardan_body* body)
{
    if (!d || !body || !body->name) return CARDAN_NONE;
    cardan_body b = *body;
    if (!cd_array_grow((void**)&d->body, &d->cbody, d->nbody, sizeof b)) return CARDAN_NONE;
    if (!cd_own_string(d, &b.name) || !cd_own_string(d, &b.location.file)) return CARDAN_NONE;
    if (!cd_name_table_add(d->body_names, b.name, d->nbody)) return CARDAN_NONE;
    d->body[d->nbody]         = b;
    const cardan_marker frame = {.name = b.name, .body = d->nbody, .pose = identity, .location = b.location};
    ++d->nbody;
    return cardan_description_add_marker(d, &frame) < 0 ? CARDAN_NONE : d->nbody - 1;
}

int cardan_description_add_joint(cardan_description* d, const cardan_joint* joint)
{
    if (!d || !joint || !joint->name) return CARDAN_NONE;
    cardan_joint j = *joint;
    if (!cd_array_grow((void**)&d->joint, &d->cjoint, d->njoint, sizeof j)) return CARDAN_NONE;
    if (!cd_own_string(d, &j.name) || !cd_own_string(d, &j.type) || !cd_own_string(d, &j.location.file))
        return CARDAN_NONE;
    if (!cd_name_table_add(d->joint_names, j.name, d->njoint)) return CARDAN_NONE;
    bool ok  = true;
    j.axis   = cd_copy_items(joint->axis, joint->naxis, sizeof *j.axis, &ok);
    j.driver = cd_copy_items(joint->driver, joint->ndriver, sizeof *j.driver, &ok);
    if (!ok) {
        free((void*)j.axis);
        free((void*)j.driver);
        return CARDAN_NONE;
    }
    d->joint[d->njoint] = j;
    return d->njoint++;
}

cardan_status cardan_description_set_joint_type(cardan_description* d, int joint, const char* type,
                                                cardan_report* report)
{
    CD_REQUIRE_POINTER(d, "description", report);
    CD_REQUIRE_INDEX(joint, d->njoint, "joint", report);
    CD_REQUIRE_POINTER(type, "type", report);
    cardan_joint* j = &d->joint[joint];
    if (!cd_joint_type_find(type))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, j->location,
                           "there is no joint type '%s'", type);
    if (!cd_own_string(d, &type)) return CARDAN_NO_MEMORY;
    free((void*)j->axis);
    free((void*)j->driver);
    j->type          = type;
    j->axis          = NULL;
    j->driver        = NULL;
    j->naxis         = 0;
    j->ndriver       = 0;
    j->start_q_given = false;
    j->start_v_given = false;
    return CARDAN_OK;
}

bool cardan_description_set_joint_drivers(cardan_description* d, int joint, int ndriver,
                                          const cardan_expression* driver)
{
    if (!d || !cd_is_index(joint, d->njoint) || ndriver < 0 || ndriver > CARDAN_JOINT_VELOCITIES_MAX) return false;
    if (ndriver > 0 && !driver) return false;
    bool  ok   = true;
    void* copy = cd_copy_items(driver, ndriver, sizeof *driver, &ok);
    if (!ok) return false;
    free((void*)d->joint[joint].driver);
    d->joint[joint].driver  = copy;
    d->joint[joint].ndriver = copy ? ndriver : 0;
    return true;
}

int cardan_description_add_coupling(cardan_description* d, const cardan_coupling* coupling)
{
    if (!d || !coupling) return CARDAN_NONE;
    cardan_coupling c = *coupling;
    if (!cd_array_grow((void**)&d->coupling, &d->ccoupling, d->ncoupling, sizeof c)) return CARDAN_NONE;
    if (!cd_own_string(d, &c.location.file)) return CARDAN_NONE;
    d->coupling[d->ncoupling] = c;
    return d->ncoupling++;
}

int cardan_description_add_marker(cardan_description* d, const cardan_marker* marker)
{
    if (!d || !marker || !marker->name) return CARDAN_NONE;
    cardan_marker m = *marker;
    if (!cd_array_grow((void**)&d->marker, &d->cmarker, d->nmarker, sizeof m)) return CARDAN_NONE;
    if (!cd_own_string(d, &m.name) || !cd_own_string(d, &m.location.file)) return CARDAN_NONE;
    if (!cd_name_table_add(d->marker_names, m.name, d->nmarker)) return CARDAN_NONE;
    d->marker[d->nmarker] = m;
    return d->nmarker++;
}

int cardan_description_add_table(cardan_description* d, const cardan_table* table)
{
    if (!d || !table || !table->name || !table->x || !table->y || table->count < 1) return CARDAN_NONE;
    if (!cd_all_finite(table->count, table->x) || !cd_all_finite(table->count, table->y)) return CARDAN_NONE;
    cardan_table t = *table;
    if (!cd_array_grow((void**)&d->table, &d->ctable, d->ntable, sizeof t)) return CARDAN_NONE;
    if (!cd_own_string(d, &t.name) || !cd_own_string(d, &t.location.file)) return CARDAN_NONE;
    if (!cd_name_table_add(d->table_names, t.name, d->ntable)) return CARDAN_NONE;
    if (cd_graph_add_table(d->graph, t.count, t.x, t.y, (cd_interpolation)t.interpolation) != d->ntable)
        return CARDAN_NONE;
    bool ok               = true;
    t.x                   = cd_copy_items(table->x, table->count, sizeof(double), &ok);
    t.y                   = cd_copy_items(table->y, table->count, sizeof(double), &ok);
    d->table[d->ntable++] = t;
    return ok ? d->ntable - 1 : CARDAN_NONE;
}

int cardan_description_add_force(cardan_description* d, const cardan_force* force)
{
    if (!d || !force || !force->name) return CARDAN_NONE;
    cardan_force f = *force;
    if (!cd_array_grow((void**)&d->force, &d->cforce, d->nforce, sizeof f)) return CARDAN_NONE;
    if (!cd_own_string(d, &f.name) || !cd_own_string(d, &f.type) || !cd_own_string(d, &f.location.file))
        return CARDAN_NONE;
    d->force[d->nforce] = f;
    return d->nforce++;
}

int cardan_description_add_constraint(cardan_description* d, const cardan_constraint* constraint)
{
    if (!d || !constraint || !constraint->name) return CARDAN_NONE;
    if (constraint->curve.npoint < 0 || constraint->curve.npoint > INT_MAX / 3) return CARDAN_NONE;
    cardan_constraint c = *constraint;
    if (!cd_array_grow((void**)&d->constraint, &d->cconstraint, d->nconstraint, sizeof c)) return CARDAN_NONE;
    if (!cd_own_string(d, &c.name) || !cd_own_string(d, &c.type) || !cd_own_string(d, &c.location.file))
        return CARDAN_NONE;
    const cardan_curve* curve = &constraint->curve;
    bool                ok    = true;
    c.curve.point             = cd_copy_items(curve->point, 3 * curve->npoint, sizeof(double), &ok);
    c.curve.weight            = cd_copy_items(curve->weight, curve->npoint, sizeof(double), &ok);
    c.curve.knot              = cd_copy_items(curve->knot, curve->nknot, sizeof(double), &ok);
    if (!ok) {
        free_curve(&c.curve);
        return CARDAN_NONE;
    }
    d->constraint[d->nconstraint] = c;
    return d->nconstraint++;
}

int cardan_description_add_state(cardan_description* d, const cardan_user_state* state)
{
    if (!d || !state || !state->name) return CARDAN_NONE;
    cardan_user_state s = *state;
    if (!cd_array_grow((void**)&d->state, &d->cstate, d->nstate, sizeof s)) return CARDAN_NONE;
    if (!cd_own_string(d, &s.name) || !cd_own_string(d, &s.location.file)) return CARDAN_NONE;
    if (!cd_name_table_add(d->state_names, s.name, d->nstate)) return CARDAN_NONE;
    d->state[d->nstate] = s;
    return d->nstate++;
}

cardan_status cardan_description_set_state_rate(cardan_description* d, int state, cardan_expression rate)
{
    CD_REQUIRE_POINTER(d, "description", NULL);
    CD_REQUIRE_INDEX(state, d->nstate, "state", NULL);
    if (rate != CARDAN_NONE) CD_REQUIRE_INDEX(rate, cd_graph_size(d->graph), "rate", NULL);
    d->state[state].rate = rate;
    return CARDAN_OK;
}

int cardan_description_add_output(cardan_description* d, const cardan_output* output)
{
    if (!d || !output || !output->name) return CARDAN_NONE;
    cardan_output o = *output;
    if (!cd_array_grow((void**)&d->output, &d->coutput, d->noutput, sizeof o)) return CARDAN_NONE;
    if (!cd_own_string(d, &o.name) || !cd_own_string(d, &o.unit) || !cd_own_string(d, &o.location.file))
        return CARDAN_NONE;
    d->output[d->noutput] = o;
    return d->noutput++;
}

int cardan_description_add_parameter(cardan_description* d, const cardan_parameter* parameter)
{
    if (!d || !parameter || !parameter->name) return CARDAN_NONE;
    cardan_parameter p = *parameter;
    if (!cd_array_grow((void**)&d->parameter, &d->cparameter, d->nparameter, sizeof p)) return CARDAN_NONE;
    if (!cd_own_string(d, &p.name) || !cd_own_string(d, &p.location.file)) return CARDAN_NONE;
    if (!cd_name_table_add(d->parameter_names, p.name, d->nparameter)) return CARDAN_NONE;
    d->parameter[d->nparameter] = p;
    return d->nparameter++;
}

int cardan_description_add_point(cardan_description* d, const cardan_design_point* point)
{
    if (!d || !point || !point->name) return CARDAN_NONE;
    cardan_design_point p = *point;
    if (!cd_array_grow((void**)&d->point, &d->cpoint, d->npoint, sizeof p)) return CARDAN_NONE;
    if (!cd_own_string(d, &p.name) || !cd_own_string(d, &p.location.file)) return CARDAN_NONE;
    d->point[d->npoint] = p;
    return d->npoint++;
}

int cardan_description_find_body(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->body_names, name) : CARDAN_NONE;
}
int cardan_description_find_joint(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->joint_names, name) : CARDAN_NONE;
}
int cardan_description_find_marker(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->marker_names, name) : CARDAN_NONE;
}
int cardan_description_find_table(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->table_names, name) : CARDAN_NONE;
}
int cardan_description_find_state(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->state_names, name) : CARDAN_NONE;
}
int cardan_description_find_parameter(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->parameter_names, name) : CARDAN_NONE;
}

cardan_expression cardan_description_add_constant(cardan_description* d, double value)
{
    return d && isfinite(value) ? cd_constant(d->graph, value) : CARDAN_NONE;
}

cd_node cd_signal_node(cardan_description* d, cardan_signal signal)
{
    char key[64];
    snprintf(key, sizeof key, "%d %d %d %d", (int)signal.kind, signal.a, signal.b, signal.component);
    const int existing = cd_name_table_find(d->signal_names, key);
    if (existing >= 0) return cd_input(d->graph, existing);
    if (!cd_array_grow((void**)&d->signal, &d->csignal, d->nsignal, sizeof signal)) return CD_NO_NODE;
    if (!cd_name_table_add(d->signal_names, key, d->nsignal)) return CD_NO_NODE;
    d->signal[d->nsignal] = signal;
    return cd_input(d->graph, d->nsignal++);
}
