// SPDX-License-Identifier: BSD-3-Clause
// Functions of status.h and describe.h with invalid arguments, and descriptions with invalid numbers and indices.
#include "wrong_arguments.h"

#include <cardan/version.h>

static void test_status(void)
{
    const int     wrong[] = {-1, CARDAN_STOPPED + 1, INT_MAX, INT_MIN};
    cardan_report report  = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        CHECK_TEXT(cardan_status_text((cardan_status)wrong[i]), "unknown status");
        CHECK_TEXT(cardan_status_name((cardan_status)wrong[i]), "UNKNOWN");
    }
    CHECK_TEXT(cardan_status_name(CARDAN_STOPPED), "STOPPED");
    cardan_report_clear(NULL);
    cardan_fail(NULL, CARDAN_OK, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "%s", "");
    cardan_warn(NULL, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "%s", "");
    cardan_note(NULL, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "%s", "");
    cardan_note(&report, CARDAN_CODE_STATUS_ONLY, (cardan_location){NULL, -1, -1}, "%s", "a note");
    CHECK(report.count == 1);
    CHECK_TEXT(cardan_code_name(CARDAN_CODE_FILE_NOT_FOUND), "FILE_NOT_FOUND");
    CHECK_TEXT(cardan_code_name((cardan_code)-1), "UNKNOWN");
    CHECK_TEXT(cardan_code_name(CARDAN_CODE_COUNT), "UNKNOWN");
    CHECK(cardan_code_meaning(CARDAN_CODE_FILE_NOT_FOUND)[0]);
    CHECK_TEXT(cardan_code_meaning(CARDAN_CODE_COUNT), "");
    CHECK_TEXT(cardan_message_sentence(NULL), "");
    CHECK(!cardan_message_location(NULL).file);
    CHECK(strlen(cardan_version()) > 0);
    CHECK(cardan_part_count() == 7);
    CHECK(cardan_part_find(NULL) == -1 && cardan_part_find("") == -1);
    CHECK_TEXT(cardan_part_at(cardan_part_find("IPOPT")).package, "coinor-libipopt-dev");
    for (int i = 0; i < BAD_INDICES; ++i) NIL(cardan_part_at(bad_index[i]).name);
}

// ---- describe.h

static void test_place_nothing(void)
{
    cardan_description* d       = cardan_description_create("nothing");
    const double        good[3] = {0, 0, 1}, zero[3] = {0};
    NIL(cardan_joint_at(NULL, "a", "revolute", CARDAN_GROUND, CARDAN_GROUND, good, good).name);
    NIL(cardan_joint_at(d, "a", "revolute", CARDAN_GROUND, CARDAN_GROUND, NULL, good).name);
    NIL(cardan_joint_at(d, "a", "revolute", CARDAN_GROUND, CARDAN_GROUND, good, zero).name);
    NIL(cardan_joint_at(d, NULL, "revolute", CARDAN_GROUND, CARDAN_GROUND, good, good).name);
    NIL(cardan_marker_at(NULL, "a", CARDAN_GROUND, good, NULL).name);
    NIL(cardan_marker_at(d, "a", CARDAN_GROUND, NULL, NULL).name);
    NIL(cardan_marker_at(d, "a", CARDAN_GROUND, good, zero).name);
    for (int i = 1; i < BAD_INDICES; ++i) { // -1 is ground
        NIL(cardan_joint_at(d, "a", "revolute", CARDAN_GROUND, bad_index[i], good, good).name);
        NIL(cardan_joint_at(d, "a", "revolute", bad_index[i], CARDAN_GROUND, good, good).name);
        NIL(cardan_marker_at(d, "a", bad_index[i], good, good).name);
    }
    for (int i = 0; i < BAD_NUMBERS; ++i) {
        const double wrong[3] = {0, not_finite[i], 0};
        NIL(cardan_joint_at(d, "a", "revolute", CARDAN_GROUND, CARDAN_GROUND, wrong, good).name);
        NIL(cardan_joint_at(d, "a", "revolute", CARDAN_GROUND, CARDAN_GROUND, good, wrong).name);
        NIL(cardan_marker_at(d, "a", CARDAN_GROUND, wrong, NULL).name);
    }
    const cardan_joint rejected = cardan_joint_at(d, "a", "revolute", 7, 8, good, good);
    NONE(cardan_description_add_joint(d, &rejected));
    cardan_description_destroy(d);
}

static void test_add_nothing(void)
{
    cardan_description* d = cardan_description_create("nothing");
    NIL(cardan_description_create(NULL));
    cardan_description_destroy(NULL);
    CHECK(cardan_description_get_view(NULL).nbody == 0);
    BAD(cardan_description_set_name(NULL, "name"));
    BAD(cardan_description_set_name(d, NULL));
    BAD(cardan_description_set_gravity(NULL, (double[3]){0}));
    BAD(cardan_description_set_gravity(d, NULL));
    BAD(cardan_description_set_run_defaults(NULL, &(cardan_run_defaults){0}));
    BAD(cardan_description_set_run_defaults(d, NULL));
    BAD(cardan_description_set_run_defaults(d, &(cardan_run_defaults){.duration = NAN, .stop_condition = CARDAN_NONE}));
    const cardan_suspension no_wheels = {.nwheel = 1}, less = {.nwheel = -1};
    NOT(cardan_description_set_suspension(NULL, &no_wheels));
    NOT(cardan_description_set_suspension(d, NULL));
    NOT(cardan_description_set_suspension(d, &no_wheels));
    NOT(cardan_description_set_suspension(d, &less));
    CHECK(cardan_wheel_default(NULL, INT_MAX).spring == CARDAN_NONE);
    const cardan_body       body       = cardan_body_default(NULL);
    const cardan_joint      joint      = cardan_joint_default(NULL, NULL, 0, 0);
    const cardan_force      force      = cardan_force_default(NULL, NULL);
    const cardan_constraint constraint = cardan_constraint_default(NULL, NULL);
    NONE(cardan_description_add_body(NULL, &body));
    NONE(cardan_description_add_body(d, NULL));
    NONE(cardan_description_add_body(d, &body));
    NONE(cardan_description_add_joint(NULL, &joint));
    NONE(cardan_description_add_joint(d, NULL));
    NONE(cardan_description_add_joint(d, &joint));
    NONE(cardan_description_add_coupling(NULL, &(cardan_coupling){0}));
    NONE(cardan_description_add_coupling(d, NULL));
    NONE(cardan_description_add_marker(NULL, &(cardan_marker){.name = "m"}));
    NONE(cardan_description_add_marker(d, NULL));
    NONE(cardan_description_add_marker(d, &(cardan_marker){0}));
    NONE(cardan_description_add_shape(NULL, &(cardan_shape){0}));
    NONE(cardan_description_add_shape(d, NULL));
    NONE(cardan_description_add_shape(d, &(cardan_shape){.npoint = -1}));
    NONE(cardan_description_add_shape(d, &(cardan_shape){.npoint = INT_MAX, .point = (double[3]){0}}));
    NONE(cardan_description_add_material(NULL, &(cardan_material){.name = "m"}));
    NONE(cardan_description_add_material(d, NULL));
    NONE(cardan_description_add_material(d, &(cardan_material){0}));
    NONE(cardan_description_find_material(NULL, "m"));
    NONE(cardan_description_find_material(d, NULL));
    NONE(cardan_description_find_material(d, "m"));
    NONE(cardan_description_add_material_pair(NULL, &(cardan_material_pair){0}));
    NONE(cardan_description_add_material_pair(d, NULL));
    NONE(cardan_description_add_contact_pair(NULL, &(cardan_contact_pair){0}));
    NONE(cardan_description_add_contact_pair(d, NULL));
    BAD(cardan_description_set_contact_settings(NULL, &(cardan_contact_settings){0}));
    BAD(cardan_description_set_contact_settings(d, NULL));
    CHECK(cardan_contact_settings_default().law == CARDAN_CONTACT_RIGID);
    NIL(cardan_material_default(NULL).name);
    CHECK(cardan_material_pair_default(-1, INT_MAX).restitution < 0);
    NIL(cardan_shape_default(INT_MIN, CARDAN_SHAPE_BOX).material);
    NONE(cardan_description_add_table(NULL, &(cardan_table){0}));
    NONE(cardan_description_add_table(d, NULL));
    NONE(cardan_description_add_table(d, &(cardan_table){.name = "t", .count = 2}));
    NONE(cardan_description_add_table(
        d, &(cardan_table){.name = "t", .count = -1, .x = (double[]){0}, .y = (double[]){0}}));
    NONE(cardan_description_add_table(
        d, &(cardan_table){.name = "t", .count = 2, .x = (double[]){0, NAN}, .y = (double[]){0, 1}}));
    NONE(cardan_description_add_force(NULL, &force));
    NONE(cardan_description_add_force(d, NULL));
    NONE(cardan_description_add_force(d, &force));
    NONE(cardan_description_add_constraint(NULL, &constraint));
    NONE(cardan_description_add_constraint(d, NULL));
    NONE(cardan_description_add_constraint(d, &constraint));
    NONE(cardan_description_add_state(NULL, &(cardan_user_state){.name = "s"}));
    NONE(cardan_description_add_state(d, NULL));
    NONE(cardan_description_add_state(d, &(cardan_user_state){0}));
    NONE(cardan_description_add_output(NULL, &(cardan_output){.name = "o"}));
    NONE(cardan_description_add_output(d, NULL));
    NONE(cardan_description_add_output(d, &(cardan_output){0}));
    NONE(cardan_description_add_parameter(NULL, &(cardan_parameter){.name = "p"}));
    NONE(cardan_description_add_parameter(d, NULL));
    NONE(cardan_description_add_parameter(d, &(cardan_parameter){0}));
    NONE(cardan_description_add_point(NULL, &(cardan_design_point){.name = "A"}));
    NONE(cardan_description_add_point(d, NULL));
    NONE(cardan_description_add_point(d, &(cardan_design_point){0}));
    BAD(cardan_description_set_joint_type(NULL, 0, "revolute", NULL));
    for (int i = 0; i < BAD_INDICES; ++i) {
        NOT(cardan_description_set_joint_drivers(d, bad_index[i], 0, NULL));
        BAD(cardan_description_set_state_rate(d, bad_index[i], CARDAN_NONE));
        BAD(cardan_description_set_joint_type(d, bad_index[i], "revolute", NULL));
    }
    NOT(cardan_description_set_joint_drivers(NULL, 0, 0, NULL));
    BAD(cardan_description_set_state_rate(NULL, 0, CARDAN_NONE));
    CHECK(cardan_description_get_view(d).njoint == 0 && cardan_description_get_view(d).nforce == 0);
    cardan_description_destroy(d);
}

static void test_find_and_parse(void)
{
    cardan_description* d          = cardan_description_create("formulas");
    cardan_expression   expression = 0;
    cardan_report       report     = {0};
    double              value;
    typedef int         finds(const cardan_description*, const char*);
    finds* const        find[] = {cardan_description_find_body,   cardan_description_find_joint,
                                  cardan_description_find_marker, cardan_description_find_table,
                                  cardan_description_find_state,  cardan_description_find_parameter};
    for (size_t i = 0; i < sizeof find / sizeof *find; ++i) {
        NONE(find[i](NULL, "name"));
        NONE(find[i](d, NULL));
        NONE(find[i](d, "name"));
    }
    BAD(cardan_description_parse(NULL, "1", cardan_location_none(), &expression, NULL));
    NONE(expression);
    BAD(cardan_description_parse(d, NULL, cardan_location_none(), &expression, &report));
    check_report(&report, CARDAN_CODE_INVALID_ARGUMENT, "cardan_description_parse", "'formula'");
    BAD(cardan_description_parse(d, "1", cardan_location_none(), NULL, &report));
    check_report(&report, CARDAN_CODE_INVALID_ARGUMENT, "cardan_description_parse", "'expression'");
    BAD(cardan_description_parse_number(NULL, "1", cardan_location_none(), &value, NULL));
    BAD(cardan_description_parse_number(d, NULL, cardan_location_none(), &value, NULL));
    BAD(cardan_description_parse_number(d, "1", cardan_location_none(), NULL, NULL));
    NONE(cardan_description_add_constant(NULL, 1));
    for (int i = 0; i < BAD_NUMBERS; ++i) NONE(cardan_description_add_constant(d, not_finite[i]));
    cardan_description_destroy(d);
}

// A valid description of two bodies, one joint and one marker; `corrupt` makes one item invalid.
typedef struct items {
    cardan_body            body;
    cardan_joint           joint;
    cardan_marker          marker;
    cardan_force           force;
    cardan_constraint      constraint;
    cardan_coupling        coupling;
    cardan_user_state      state;
    cardan_output          output;
    cardan_shape           shape;
    cardan_parameter       parameter;
    cardan_axis_properties axis;
    cardan_expression      driver;
    double                 gravity[3];
} items;

static cardan_description* describe(void (*corrupt)(items* i, double number, int index), double number, int index)
{
    cardan_description* d     = cardan_description_create("corrupt");
    items               i     = {.body       = cardan_body_default("bob"),
                                 .joint      = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, 0),
                                 .marker     = {.name = "tip", .body = 0, .pose = cardan_pose_default()},
                                 .force      = cardan_force_default("push", "force"),
                                 .constraint = cardan_constraint_default("rod", "distance"),
                                 .coupling   = {.joint = 0, .other = 1, .factor = 1},
                                 .state      = {.name = "filter", .rate = CARDAN_NONE},
                                 .output     = {.name = "out", .unit = "m", .value = CARDAN_NONE},
                                 .shape = {.body = 0, .kind = CARDAN_SHAPE_SPHERE, .pose = cardan_pose_default(), .size = {1}},
                                 .parameter = {.name = "p", .value = 1},
                                 .axis      = cardan_axis_properties_default(),
                                 .driver    = CARDAN_NONE,
                                 .gravity   = {0, 0, -9.81}};
    cardan_body         other = cardan_body_default("other");
    other.mass                = 1;
    for (int k = 0; k < 3; ++k) i.body.inertia[k] = other.inertia[k] = 1;
    i.body.mass            = 1;
    i.joint.naxis          = 1;
    i.joint.ndriver        = 1;
    i.force.marker[0]      = 1;
    i.constraint.marker[0] = 1;
    i.constraint.marker[1] = 2;
    i.constraint.length    = 1;
    if (corrupt) corrupt(&i, number, index);
    i.joint.axis   = &i.axis;
    i.joint.driver = &i.driver;
    cardan_description_set_gravity(d, i.gravity);
    cardan_description_add_body(d, &i.body);
    cardan_description_add_body(d, &other);
    cardan_description_add_joint(d, &i.joint);
    const cardan_joint second = cardan_joint_default("second", "revolute", CARDAN_GROUND, 1);
    cardan_description_add_joint(d, &second);
    cardan_description_add_marker(d, &i.marker);
    cardan_description_add_force(d, &i.force);
    cardan_description_add_constraint(d, &i.constraint);
    cardan_description_add_coupling(d, &i.coupling);
    cardan_description_add_state(d, &i.state);
    cardan_description_add_output(d, &i.output);
    cardan_description_add_shape(d, &i.shape);
    cardan_description_add_parameter(d, &i.parameter);
    return d;
}

// Functions that write an invalid number or index to one field of the description.
#define CORRUPT(name, field)                                                                                           \
    static void name(items* i, double number, int index)                                                               \
    {                                                                                                                  \
        (void)number, (void)index;                                                                                     \
        field;                                                                                                         \
    }
CORRUPT(corrupt_mass, i->body.mass = number)
CORRUPT(corrupt_centre, i->body.centre[1] = number)
CORRUPT(corrupt_inertia, i->body.inertia[2] = number)
CORRUPT(corrupt_body_pose, i->body.pose.p[0] = number)
CORRUPT(corrupt_joint_frame, i->joint.frame_first.q[0] = number)
CORRUPT(corrupt_start, i->joint.start_q[0] = number)
CORRUPT(corrupt_start_v, i->joint.start_v[0] = number)
CORRUPT(corrupt_damping, i->axis.damping = number)
CORRUPT(corrupt_marker_pose, i->marker.pose.p[2] = number)
CORRUPT(corrupt_force_stiffness, i->force.stiffness[0] = number)
CORRUPT(corrupt_force_length, i->force.free_length = number)
CORRUPT(corrupt_length, i->constraint.length = number)
CORRUPT(corrupt_offset, i->constraint.offset = number)
CORRUPT(corrupt_factor, i->coupling.factor = number)
CORRUPT(corrupt_state_start, i->state.start = number)
CORRUPT(corrupt_parameter, i->parameter.value = number)
CORRUPT(corrupt_size, i->shape.size[0] = number)
CORRUPT(corrupt_gravity, i->gravity[0] = number)
CORRUPT(corrupt_first, i->joint.first_body = index)
CORRUPT(corrupt_second, i->joint.second_body = index)
CORRUPT(corrupt_driver, i->driver = index)
CORRUPT(corrupt_marker, i->marker.body = index)
CORRUPT(corrupt_force_marker, i->force.marker[1] = index)
CORRUPT(corrupt_force_frame, i->force.frame = index)
CORRUPT(corrupt_force_joint, i->force.joint = index)
CORRUPT(corrupt_force_table, i->force.force_table = index)
CORRUPT(corrupt_component, i->force.component[2] = index)
CORRUPT(corrupt_constraint_marker, i->constraint.marker[1] = index)
CORRUPT(corrupt_constraint_joint, (i->constraint.njoint = 1, i->constraint.joint[0] = index))
CORRUPT(corrupt_constraint_count, i->constraint.njoint = index)
CORRUPT(corrupt_constraint_driver, i->constraint.driver[5] = index)
CORRUPT(corrupt_axis, (i->constraint.type = "driver", i->constraint.njoint = 1, i->constraint.joint[0] = 0,
                       i->constraint.axis[0] = index))
CORRUPT(corrupt_force_axis, (i->force.type = "actuator", i->force.joint = 0, i->force.axis = index))
CORRUPT(corrupt_coupling_joint, i->coupling.joint = index)
CORRUPT(corrupt_coupling_other, i->coupling.other = index)
CORRUPT(corrupt_rate, i->state.rate = index)
CORRUPT(corrupt_output, i->output.value = index)
CORRUPT(corrupt_shape, i->shape.body = index)
CORRUPT(corrupt_type, i->constraint.type = NULL)
CORRUPT(corrupt_joint_type, i->joint.type = NULL)
CORRUPT(corrupt_force_type, i->force.type = NULL)

static void check_corrupt(void (*corrupt)(items*, double, int), double number, int index, const char* name)
{
    cardan_report       report = {0};
    cardan_description* d      = describe(corrupt, number, index);
    cardan_model*       model;
    WRONG(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &model, &report));
    NIL(model);
    CHECK(report.count > 0);
    if (report.count > 0) CHECK_HAS(report.message[0].text, name);
    // other functions that read the description do not crash
    cardan_formulation_choice choice;
    cardan_suspension_study*  study = NULL;
    char                      quantity[40];
    char*                     text = cardan_description_save_text(d);
    free(text);
    WRONG(cardan_model_compile(d, CARDAN_TREE_AUTO, &model, NULL));
    WRONG(cardan_formulation_choose(d, &choice, NULL));
    WRONG(cardan_suspension_study_create(d, CARDAN_TREE_BREADTH_FIRST, &study, NULL));
    for (int i = 0; i < cardan_description_tunable_count(d); ++i)
        CHECK(cardan_description_tunable_name(d, i, quantity, sizeof quantity));
    cardan_description_destroy(d);
}

static void test_numbers_of_descriptions(void)
{
    const struct {
        void (*corrupt)(items*, double, int);
        const char* name;
    } all[]                    = {{corrupt_mass, "body 'bob'"},
                                  {corrupt_centre, "body 'bob'"},
                                  {corrupt_inertia, "body 'bob'"},
                                  {corrupt_body_pose, "body 'bob'"},
                                  {corrupt_joint_frame, "joint 'hinge'"},
                                  {corrupt_start, "joint 'hinge'"},
                                  {corrupt_start_v, "joint 'hinge'"},
                                  {corrupt_damping, "joint 'hinge'"},
                                  {corrupt_marker_pose, "marker 'tip'"},
                                  {corrupt_force_stiffness, "force 'push'"},
                                  {corrupt_force_length, "force 'push'"},
                                  {corrupt_length, "constraint 'rod'"},
                                  {corrupt_offset, "constraint 'rod'"},
                                  {corrupt_factor, "joint 'hinge'"},
                                  {corrupt_state_start, "state 'filter'"},
                                  {corrupt_parameter, "parameter 'p'"},
                                  {corrupt_size, "body 'bob'"},
                                  {corrupt_gravity, "gravity"}};
    cardan_report       report = {0};
    cardan_model*       model;
    cardan_description* valid = describe(NULL, 0, 0);
    CHECK(cardan_model_compile(valid, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    cardan_model_destroy(model);
    cardan_description_destroy(valid);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        for (int i = 0; i < BAD_NUMBERS; ++i) check_corrupt(all[k].corrupt, not_finite[i], 0, all[k].name);
}

static void test_indices_of_descriptions(void)
{
    const struct {
        void (*corrupt)(items*, double, int);
        const char* name;
        bool        none; // CARDAN_NONE is a valid value of this field
    } all[] = {{corrupt_first, "joint 'hinge'", true},
               {corrupt_second, "joint 'hinge'", false},
               {corrupt_driver, "joint 'hinge'", true},
               {corrupt_marker, "marker 'tip'", true},
               {corrupt_force_marker, "force 'push'", true},
               {corrupt_force_frame, "force 'push'", true},
               {corrupt_force_joint, "force 'push'", true},
               {corrupt_force_table, "force 'push'", true},
               {corrupt_component, "force 'push'", true},
               {corrupt_constraint_marker, "constraint 'rod'", true},
               {corrupt_constraint_joint, "constraint 'rod'", false},
               {corrupt_constraint_count, "constraint 'rod'", false},
               {corrupt_constraint_driver, "constraint 'rod'", true},
               {corrupt_coupling_joint, "coupling", false},
               {corrupt_coupling_other, "joint 'hinge'", false},
               {corrupt_rate, "state 'filter'", true},
               {corrupt_output, "output 'out'", true},
               {corrupt_shape, "shape", true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        for (int i = 0; i < BAD_INDICES; ++i)
            if (!all[k].none || bad_index[i] != CARDAN_NONE)
                check_corrupt(all[k].corrupt, 0, bad_index[i], all[k].name);
    check_corrupt(corrupt_type, 0, 0, "constraint 'rod'");
    check_corrupt(corrupt_joint_type, 0, 0, "joint 'hinge'");
    check_corrupt(corrupt_force_type, 0, 0, "force 'push'");
}

// Wheels with indices that do not exist: a suspension study rejects them, and the description is not saved.
static void test_indices_of_wheels(void)
{
    for (int i = 0; i < BAD_INDICES; ++i)
        for (int k = 0; k < 5; ++k) {
            cardan_description*      d      = describe(NULL, 0, 0);
            cardan_suspension_study* study  = NULL;
            cardan_report            report = {0};
            cardan_wheel             wheel  = cardan_wheel_default("wheel", 1);
            cardan_suspension        s      = cardan_suspension_default();
            int* const index[] = {&wheel.hub, &wheel.kingpin[1], &wheel.tyre, &wheel.spring_joint, &s.steering};
            *index[k]          = bad_index[i];
            s.nwheel           = 1;
            s.wheel            = &wheel;
            CHECK(cardan_description_set_suspension(d, &s));
            if (k == 0 || bad_index[i] != CARDAN_NONE) {
                WRONG(cardan_suspension_study_create(d, CARDAN_TREE_BREADTH_FIRST, &study, &report));
                NIL(study);
                check_report(&report, CARDAN_CODE_INVALID_VALUE, k < 4 ? "'wheel'" : "", "");
                NIL(cardan_description_save_text(d));
            }
            cardan_description_destroy(d);
        }
}

// The number of coordinates of a joint is determined when the model is compiled or the data are created.
static void test_coordinates(void (*corrupt)(items*, double, int), cardan_code code, const char* name)
{
    for (int i = 0; i < BAD_INDICES; ++i) {
        cardan_report       report = {0};
        cardan_description* d      = describe(corrupt, 0, bad_index[i]);
        cardan_model*       model  = NULL;
        cardan_data*        data   = NULL;
        cardan_status       status = cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &model, &report);
        if (status == CARDAN_OK) status = cardan_data_create(model, cardan_formulation_find("dense"), &data, &report);
        WRONG(status);
        char number[16]; // coordinates count from 1 in messages
        snprintf(number, sizeof number, " %d", bad_index[i] == INT_MAX ? INT_MAX : bad_index[i] + 1);
        check_report(&report, bad_index[i] == INT_MAX ? CARDAN_CODE_INVALID_VALUE : code, name, number);
        free(cardan_description_save_text(d));
        cardan_data_destroy(data);
        cardan_model_destroy(model);
        cardan_description_destroy(d);
    }
}

// A joint has at most one driver function for each velocity.
static void test_number_of_drivers(void)
{
    cardan_description* d      = cardan_description_create("drivers");
    cardan_model*       model  = NULL;
    cardan_report       report = {0};
    const cardan_body   brick  = cardan_body_default("b");
    const int           body   = cardan_description_add_body(d, &brick);
    cardan_joint        joint  = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, body);
    const int           hinge  = cardan_description_add_joint(d, &joint);
    cardan_expression   one[7];
    for (int i = 0; i < 7; ++i) one[i] = cardan_description_add_constant(d, 1);
    NOT(cardan_description_set_joint_drivers(d, hinge, INT_MAX, one));
    BAD(cardan_description_set_joint_type(d, hinge, NULL, NULL));
    BAD(cardan_description_set_joint_type(d, hinge, "hinge", NULL));
    NOT(cardan_description_set_joint_drivers(d, hinge, 7, one));
    CHECK(cardan_description_set_joint_drivers(d, hinge, 2, one));
    CHECK(cardan_model_compile(d, CARDAN_TREE_AUTO, &model, &report) == CARDAN_BAD_INPUT);
    CHECK(report.count == 1 && report.message[0].code == CARDAN_CODE_INVALID_VALUE);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

static void test_zero_quaternion(void)
{
    cardan_description* d      = cardan_description_create("free");
    cardan_model*       model  = NULL;
    cardan_report       report = {0};
    const cardan_body   brick  = cardan_body_default("b");
    const int           body   = cardan_description_add_body(d, &brick);
    cardan_joint        joint  = cardan_joint_default("joint", "free", CARDAN_GROUND, body);
    const double        q[7] = {0}, identity[7] = {0, 0, 0, 1};
    cardan_description_add_joint(d, &joint);
    CHECK(cardan_model_compile(d, CARDAN_TREE_AUTO, &model, &report) == CARDAN_OK);
    CHECK(cardan_model_check_state(model, 0, identity, NULL, NULL, &report) == CARDAN_OK);
    BAD(cardan_model_check_state(model, 0, q, NULL, NULL, &report));
    check_report(&report, CARDAN_CODE_INVALID_VALUE, "'joint'", "");
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_number_of_drivers());
    RUN(test_zero_quaternion());
    RUN(test_status());
    RUN(test_place_nothing());
    RUN(test_add_nothing());
    RUN(test_find_and_parse());
    RUN(test_numbers_of_descriptions());
    RUN(test_indices_of_descriptions());
    RUN(test_indices_of_wheels());
    RUN(test_coordinates(corrupt_axis, CARDAN_CODE_CONSTRAINT_INVALID, "'rod'"));
    RUN(test_coordinates(corrupt_force_axis, CARDAN_CODE_INVALID_VALUE, "'push'"));
    return test_end();
}
