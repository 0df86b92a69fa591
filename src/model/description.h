// SPDX-License-Identifier: BSD-3-Clause
// Internals of the description: growing arrays, name tables, the expression graph and the meaning of its inputs.
#pragma once

#include "core/text.h"
#include "expression/graph.h"
#include "expression/parametric_values.h"

#include <cardan/describe.h>

struct cardan_description {
    char*          name;
    double         gravity[3];
    cd_graph*      graph;
    cd_parametric* parametric; // values that depend on parameters which stay inputs; NULL: none
    cd_name_table* strings;    // owns all names, file names and units

    cardan_body*          body;
    cardan_joint*         joint;
    cardan_coupling*      coupling;
    cardan_marker*        marker;
    cardan_shape*         shape;
    cardan_table*         table;
    cardan_force*         force;
    cardan_constraint*    constraint;
    cardan_user_state*    state;
    cardan_output*        output;
    cardan_parameter*     parameter;
    cardan_signal*        signal;
    cardan_design_point*  point;
    cardan_material*      material;
    cardan_material_pair* material_pair;
    cardan_contact_pair*  contact_pair;

    int nbody, njoint, ncoupling, nmarker, nshape, ntable, nforce, nconstraint, nstate, noutput, nparameter, nsignal;
    int npoint, cpoint, nmaterial, cmaterial, nmaterial_pair, cmaterial_pair, ncontact_pair, ccontact_pair;
    int cbody, cjoint, ccoupling, cmarker, cshape, ctable, cforce, cconstraint, cstate, coutput, cparameter, csignal;

    cd_name_table *body_names, *joint_names, *marker_names, *table_names, *state_names, *parameter_names,
        *material_names;
    cd_name_table* signal_names; // (kind, a, b, component) as text, so that equal signals share an input

    unsigned char* drivable; // (ndrivable) bits: drivable coordinates of a joint
    int            ndrivable;

    cardan_run_defaults     run;
    cardan_suspension*      suspension; // NULL: none
    cardan_contact_settings contacts;

    void* source; // model file in memory (io/yaml/model_source.c); NULL: none
    void (*destroy_source)(void* source);
};

// Input of the graph for a signal; created if there is none. CD_NO_NODE if memory is exhausted.
cd_node cd_signal_node(cardan_description* description, cardan_signal signal);
// cardan_description_parse with effort(joint) and a(joint), for formulas of tasks.
cardan_status cd_parse_task_formula(cardan_description* description, const char* formula, cardan_location location,
                                    cardan_expression* expression, cardan_report* report);

// Whether a coordinate was made drivable (drivable.c): it has a driver function, zero, and is not saved.
bool cd_is_drivable(const cardan_description* description, int joint, int axis);

// Replace a string by the copy that the description owns; NULL stays NULL. False if memory is exhausted.
bool cd_own_string(cardan_description* description, const char** s);
// Copy of `count` items; sets *ok to false if memory is exhausted. NULL if there are none.
void* cd_copy_items(const void* items, int count, size_t size, bool* ok);

// description_contact.c
void cd_shape_free_arrays(cardan_shape* shape);
// description_suspension.c
void cd_suspension_destroy(cardan_suspension* suspension);
