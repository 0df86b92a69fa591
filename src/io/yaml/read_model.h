// SPDX-License-Identifier: BSD-3-Clause
// Internal functions of the reader of model files: from YAML nodes to calls of cardan/describe.h.
//
// Files are read and first checked against the schema (schema.def). Then the sections are visited several times, each
// time for one kind of element; repetitions and uses of templates are visited in place, never copied. Names are
// global and have the prefix of the template use that contains them ("FL.upper"); a name is resolved from the
// innermost prefix outward.
#pragma once

#include "core/text.h"
#include "expression/parse.h"
#include "io/mesh/mesh.h"
#include "io/yaml/pool.h"
#include "io/schema/schema.h"
#include "io/yaml/yaml.h"
#include "model/description.h"
#include "model/frame_placement.h"

#include <cardan/io.h>

extern const cd_frame cd_world_motion;

// Coordinates of a use of a template: x_world = base.p + base.R x, with R orthogonal and, after reflection,
// left-handed. A right-handed frame F in it becomes R F diag(sign).
typedef struct cd_placement {
    cd_frame base;
    double   sign[3];
    bool     is_mirrored; // det R < 0
} cd_placement;

// Level of an element: the file, a use of a template, one pass of a repetition.
typedef struct cd_level {
    const struct cd_level* outer;
    const char*            variable; // of a repetition, else NULL
    double                 counter;
    const cd_yaml* template;       // of a use, else NULL
    const char*            prefix; // "FL.", of all names defined here
    const cd_placement*    placement;
    const struct cd_level* persistent; // copy that outlives the visit
    int                    depth;
} cd_level;

typedef enum cd_definition_kind {
    CD_DEFINITION_PARAMETER,
    CD_DEFINITION_TABLE,
    CD_DEFINITION_POINT,
    CD_DEFINITION_FRAME, // bodies and markers
    CD_DEFINITION_JOINT,
    CD_DEFINITION_FORCE,
    CD_DEFINITION_CONSTRAINT,
    CD_DEFINITION_STATE,
    CD_DEFINITION_VALUE,          // intermediate formula, in formulas of time and motion
    CD_DEFINITION_CONSTANT_VALUE, // the same in formulas that are evaluated to numbers
    CD_DEFINITION_OUTPUT,
    CD_DEFINITION_TEMPLATE,
    CD_DEFINITION_USE,
    CD_DEFINITION_MATERIAL,
    CD_DEFINITION_KIND_COUNT
} cd_definition_kind;

typedef enum cd_definition_status {
    CD_DEFINITION_UNREAD,
    CD_DEFINITION_IN_PROGRESS,
    CD_DEFINITION_DONE,
    CD_DEFINITION_FAILED
} cd_definition_status;

// Named definition.
typedef struct cd_definition {
    const char*           name; // with prefix
    cd_yaml *             key, *value;
    const cd_level*       level;   // level of the definition
    const char*           setting; // parameter: value given by --set
    int                   input;   // parameter: index among the parameters that remain inputs; -1: a number
    cd_definition_kind    kind;
    cd_definition_status  status;
    bool                  is_pending;      // parameter: its dependencies are being evaluated
    bool                  is_body;         // frame: body, not marker
    bool                  frame_at_centre; // body without `at`: numbers are in the world
    int                   index;           // index in the description
    double                x[3];            // value of a parameter; position of a point in the world
    cardan_expression     expression;      // of a value or output
    bool                  varies;          // value or output: depends on time, state or motion
    cd_frame*             frame;           // of a body or marker
    struct cd_definition* relative_to;     // frame that its pose is relative to; NULL: that of the level
    const cd_level*       template_level;  // use: level of its template
} cd_definition;

typedef struct cd_definitions {
    cd_name_table*  names;
    cd_definition** list;
    int             count, capacity;
} cd_definitions;

struct cd_reader;
// Compute the value of an unread definition of one kind. Returns false after a reported error.
typedef bool cd_definition_evaluator(struct cd_reader* r, cd_definition* def);

// Content of a CSV file of a table.
typedef struct cd_csv_text {
    const char*         path;
    char*               text; // (length)
    size_t              length;
    struct cd_csv_text* next;
} cd_csv_text;

// Mesh of a file, read once.
typedef struct cd_source_mesh {
    const char*            path;
    cd_mesh                mesh;
    struct cd_source_mesh* next;
} cd_source_mesh;

// Model file in memory, with included files, tables and meshes: can be evaluated with other parameters. Belongs to the
// description that was read from it (model_source.c).
typedef struct cd_model_source {
    cd_pool                   pool; // owns all trees and texts
    cd_yaml_file *            first_file, *last_file;
    cd_csv_text*              first_csv;
    cd_source_mesh*           first_mesh;
    cardan_load_options       options;  // with the settings and inputs below
    cardan_parameter_setting* setting;  // (options.nsetting) with allocated names and values
    char**                    input;    // (options.ninput)
    int                       size[17]; // of the description that was read: numbers of elements and nodes
} cd_model_source;

typedef struct cd_reader {
    cd_pool                    pool; // of one evaluation
    cd_model_source*           source;
    const cardan_load_options* options;
    cardan_report*             report;
    cardan_description*        description;
    int                        nerror;
    cardan_status              status; // first status that is not CARDAN_OK
    cd_definitions             defs[CD_DEFINITION_KIND_COUNT];
    cd_definition_evaluator*   evaluate[CD_DEFINITION_KIND_COUNT]; // kinds whose values occur in formulas; else NULL
    bool*                      setting_used;                       // (nsetting)
    const char**               setting_error;         // (nsetting) why a setting is no path of a file; NULL: it is none
    cd_yaml_file*              setting_file;          // (nsetting) values of settings of paths
    cd_graph*                  number_graph;          // formulas that are evaluated to numbers
    cd_definition*             dependency_stack[256]; // definitions being evaluated, each required by the previous one
    int                        ndependency;
    int                        parse_depth; // nesting depth of formulas being parsed
    long                       nelement;    // limit against runaway repetitions
    long                       ntriangle;   // of all meshes of the description
    const cd_level*            root_level;
} cd_reader;

// Element being read.
typedef struct cd_model_element {
    cd_reader*      reader;
    const cd_level* level;
    cd_yaml*        node;
    const char*     section;
    const char*     label; // "joint"; NULL: none
    const char*     name;
} cd_model_element;

// Report an error and mark the element as invalid, so that each error is reported once. Return false.
bool cd_element_fail(const cd_model_element* e, const cd_yaml* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
bool cd_reader_fail(cd_reader* r, const cd_yaml* at, const char* format, ...) __attribute__((format(printf, 3, 4)));
// Report a warning, or an error with the option `strict`.
bool cd_element_warn(const cd_model_element* e, const cd_yaml* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
bool cd_reader_fail_no_memory(cd_reader* r);
// Return whether the report is full: further messages are only counted and need no suggestions.
static inline bool cd_reader_report_is_full(const cd_reader* r) { return r->nerror > CARDAN_REPORT_ERRORS; }

// files/read_files.c: main file and included files; units.
bool cd_read_files(cd_reader* r, const char* path, const char* text);
// Return the path of `name` relative to the folder of the file; allocated in the pool.
const char* cd_path_relative_to_file(cd_reader* r, cd_pool* pool, const cd_yaml_file* file, const char* name);

// model_source.c: keep a model file in memory and evaluate it again.
cd_model_source* cd_model_source_create(const cardan_load_options* options); // NULL without memory
void             cd_model_source_destroy(cd_model_source* source);
// Remove a setting that is not of a parameter: the trees contain its value.
void cd_model_source_drop_setting(cd_model_source* source, int setting);
// files/source_csv.c: text of a CSV file, read once per source. On failure the status and the reason of cd_file_read_with_reason.
cardan_status cd_model_source_csv(cd_model_source* source, const char* path, const cd_csv_text** csv, char* reason);
// read_model.c: evaluate the files of the source into a new description, which does not own the source.
cardan_status cd_model_source_evaluate(cd_model_source* source, const cardan_load_options* options,
                                       cardan_description** description, cardan_report* report);
// Give the source to its description.
void cd_model_source_attach(cd_model_source* source, cardan_description* description);

// files/read_override.c: change items of included files by the sections `override`, and remove these sections.
// Returns false without memory.
bool cd_apply_overrides(cd_reader* r);
// Append an entry to a map or list. Returns false without memory.
bool cd_list_append(cd_reader* r, cd_yaml* list, cd_yaml_entry entry);
// Return the value type of a key of a map that has this type; NULL if the type allows no such key.
const cd_value_type* cd_entry_type(const cd_value_type* map, const char* key);
// Return whether a file is included by another one, directly or by files in between.
bool cd_file_includes(const cd_yaml_file* file, const cd_yaml_file* included);

// files/read_setting.c: replace the values at the paths of settings, "bodies.rod.mass". Returns false without memory.
bool cd_apply_settings(cd_reader* r);

// read_check.c: check a file against the schema.
void cd_check_model_file(cd_reader* r, cd_yaml_file* file);

// read_definitions.c: levels, names, definitions.
const cd_level* cd_level_persist(cd_reader* r, const cd_level* level);
// Return the text with $i and $(i-1) replaced; the text itself if there is nothing to replace; NULL after an error.
const char*    cd_substitute_counters(const cd_model_element* e, const cd_yaml* node);
cd_definition* cd_define(cd_reader* r, cd_definition_kind kind, const cd_level* level, cd_yaml* key, cd_yaml* value);
cd_definition* cd_define_qualified(cd_reader* r, cd_definition_kind kind, const cd_level* level, cd_yaml* key,
                                   cd_yaml* value, const char* full);
cd_definition* cd_find_qualified(cd_reader* r, cd_definition_kind kind, const char* full);
// Return the definition that a name denotes at `level`; NULL if there is none.
cd_definition* cd_find_definition(cd_reader* r, cd_definition_kind kind, const cd_level* level, const char* name);
// Find a counter (its value) or a parameter (its definition) at `level`; returns false if there is none.
bool cd_find_parameter_or_counter(cd_reader* r, const cd_level* level, const char* name, cd_definition** parameter,
                                  double* value);
// Like cd_find_definition for a node; reports a missing name with a suggestion.
cd_definition* cd_resolve_reference(const cd_model_element* e, cd_definition_kind kind, const cd_yaml* node,
                                    const char* what);
// Return the definition created for an entry of a section; NULL if it was rejected.
cd_definition* cd_find_entry_definition(cd_reader* r, cd_definition_kind kind, const cd_level* level,
                                        const cd_yaml_entry* entry);
// Write " (did you mean 'bar', line 12?)", or an empty text; `from` is the node with the name.
const char* cd_suggest_name(cd_reader* r, cd_definition_kind kind, const cd_level* level, const cd_yaml* from,
                            const char* name, char* buffer, size_t size);
// Resolve a word that may be a template parameter, such as an axis; returns the word itself if it is none.
// cd_template_argument_name: return the name passed to a template, {chassis: body}; NULL if the
// parameter is not a name.
const char* cd_resolve_argument_word(const cd_model_element* e, const char* word);
const char* cd_template_argument_name(cd_reader* r, const cd_level* level, const char* name, const cd_level** outside);

// Evaluate a parameter, table or point when its value is needed. Returns false after a reported error.
bool cd_evaluate_definition(cd_reader* r, cd_definition* def);
// Enclose the evaluation of a definition that may need others; returns false with a report if it depends on itself.
bool cd_definition_begin(cd_reader* r, cd_definition* def);
bool cd_definition_end(cd_reader* r, cd_definition* def, bool ok);
// The evaluators of read_parameter.c, read_table.c, read_position.c, read_expression.c, read_number.c: called by
// cd_evaluate_definition only.
cd_definition_evaluator cd_evaluate_parameter, cd_evaluate_table, cd_evaluate_point, cd_evaluate_value,
    cd_evaluate_constant_value;
// Add "name (file:line) -> " to the text of a chain of definitions; the file only if it differs from that of `first`.
void cd_add_chain_link(cd_text* text, const cd_definition* first, const cd_definition* def);

// read_visit.c: visit all elements of some sections (separated by spaces), through repetitions and uses.
typedef bool cd_element_visitor(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry);
bool         cd_visit_elements(cd_reader* r, const char* sections, cd_element_visitor* visit);
bool         cd_count_elements(cd_reader* r); // count elements, create the levels of uses

// read_number.c: values that are evaluated to numbers.
bool cd_read_number(const cd_model_element* e, const cd_yaml* node, cd_unit unit, double* value); // in SI
bool cd_evaluate_number_formula(const cd_model_element* e, const cd_yaml* node, const char* text,
                                double* value);                                                  // formula without '='
bool cd_read_bound(const cd_model_element* e, const cd_yaml* node, cd_unit unit, double* value); // may be .inf or -.inf
bool cd_read_integer(const cd_model_element* e, const cd_yaml* node, int* value);
bool cd_read_boolean(const cd_model_element* e, const cd_yaml* node, bool* value);
bool cd_read_numbers(const cd_model_element* e, const cd_yaml* list, cd_unit unit, int count, double* value);
double cd_unit_factor(const cd_yaml_file* file, cd_unit unit);
// Read a key of the element's map in the unit of the schema; returns true with value unchanged if it is absent.
bool cd_read_number_key(const cd_model_element* e, const char* key, double* value);
bool cd_parse_plain_number(const char* text, double* value);
// Numbers are plain doubles; the parametric values (expression/parametric_values.h, usually NULL) record which of them
// depend on parameters that remain inputs.
static inline cd_parametric* cd_element_parametric(const cd_model_element* e)
{
    return e->reader->description->parametric;
}
// Check that a number that determines the structure of the mechanism does not depend on such a parameter; returns false
// with a report if it does.
bool cd_require_structural_constant(const cd_model_element* e, const cd_yaml* node, double value);
// Parse a formula of `node`; reports errors unless *reported.
cd_node cd_parse_formula_at(const cd_model_element* e, const cd_yaml* node, cd_graph* graph, const char* text,
                            const cd_parse_scope* scope, const bool* reported);

// read_expression.c: formulas of time and motion.
bool cd_read_expression(const cd_model_element* e, const cd_yaml* node, cardan_expression* expression);

// read_position.c: positions and directions, given in a base.
const cd_frame* cd_level_base(const cd_level* level);
// Base of numbers relative to the frame of a body or marker.
cd_frame cd_relative_base(const cd_level* level, const cd_frame* frame);
bool     cd_read_position(const cd_model_element* e, const cd_yaml* node, const cd_frame* base, double world[3]);
// The same in the coordinates of a frame: numbers that are already such coordinates keep their bits.
bool cd_read_position_in_frame(const cd_model_element* e, const cd_yaml* node, const cd_frame* base,
                               const cd_frame* frame, double x[3]);
bool cd_read_direction(const cd_model_element* e, const cd_yaml* node, const cd_frame* base,
                       double axis[3]); // unit vector, in the base
bool cd_read_orientation(const cd_model_element* e, const cd_yaml* node, const cd_frame* base,
                         double R[3][3]); // in the base
// Frame with the rotation R (right-handed, in the base) at `world`; `sign` keeps it right-handed after reflection.
cd_frame cd_frame_from_base(cd_parametric* l, const cd_frame* base, const double world[3], double R[3][3],
                            const double sign[3]);
// Pose on a body of `frame`, which is given by these nodes (each may be NULL) in `base` with the signs of the level;
// keeps bits like cd_read_position_in_frame.
cardan_pose cd_read_pose_on_body(const cd_model_element* e, const cd_yaml* at, const cd_yaml* orientation,
                                 const cd_frame* base, const cd_frame* body, const cd_frame* frame);

// read_frame.c: poses of bodies and markers. Return false after a reported error.
bool cd_evaluate_frame(cd_reader* r, cd_definition* def);
// Read the base of the element's numbers by its key `relative`; the base of the level if it is absent.
bool cd_read_base(const cd_model_element* e, cd_frame* base);
// Read a frame by the keys `at` and `orientation`.
bool cd_read_frame(const cd_model_element* e, const cd_frame* base, const double origin[3], cd_frame* frame);
bool cd_read_body_reference(const cd_model_element* e, const cd_yaml* node, cd_definition** body);

// read_body.c, read_joint.c, read_driver.c, read_constraint.c, read_force.c, read_table.c,
// read_state_output.c: one element each.
cd_element_visitor cd_read_body, cd_read_marker, cd_read_joint, cd_read_joint_drivers, cd_read_coupling,
    cd_read_constraint, cd_read_force, cd_read_table, cd_read_state, cd_read_state_rate, cd_read_value, cd_read_output,
    cd_read_material, cd_read_material_pair, cd_read_ground;
bool cd_read_contacts(cd_reader* r, cd_yaml* node); // read_contact.c
bool cd_read_run_defaults(cd_reader* r, cd_yaml* node);
bool cd_read_suspension(cd_reader* r, cd_yaml* node); // read_suspension.c
// Return the index of a marker given by name or defined in place; `suffix` names the latter. *frame: its frame.
bool cd_read_marker_reference(const cd_model_element* e, const cd_yaml* node, const char* suffix, int* marker,
                              cd_frame* frame);

// read_inertia.c: symmetric matrix xx yy zz xy xz yz.
void cd_inertia_to_matrix(const double I[6], double M[3][3]);
void cd_inertia_from_matrix(double M[3][3], double I[6]);
// Check an inertia: negative principal moments are an error, a violated triangle inequality is a warning. `factor` is
// the SI value of the unit of the file.
bool cd_inertia_check(const cd_model_element* e, const cd_yaml* at, double factor, const double I[6]);

// shape/read_solid.c: rod, box, sphere, cylinder, capsule, ellipsoid, torus; shape/read_mesh.c: mesh, hull.
typedef struct cd_solid {
    const char*  key;           // NULL: none of them
    double       centre[3];     // of a rod or mesh, in the world
    bool         has_centre;    // rod, mesh, hull
    double       inertia[3][3]; // of mass 1, body axes
    double       volume;
    cardan_shape shape; // pose in body axes, at the mass centre; of a mesh or hull: its pose. Arrays are in the pool
} cd_solid;
bool cd_read_solid(const cd_model_element* e, const cd_frame* body, const cd_frame* base, cd_solid* solid);
bool cd_rod_centre(const cd_model_element* e, const cd_frame* base, double world[3]);

// shape/read_mesh.c: shape of the keys `mesh` or `hull`, and `scale`, without pose and body; arrays in the pool.
bool cd_read_mesh_shape(const cd_model_element* e, cardan_shape* shape);
// Solid of these keys of a body.
bool cd_read_mesh_solid(const cd_model_element* e, const cd_frame* body, const cd_frame* base, cd_solid* solid);
bool cd_mesh_centre(const cd_model_element* e, const cd_frame* base, double world[3]);

// read_driver.c: a formula of time only, with the sign required by a mirrored level.
bool cd_read_driver_function(const cd_model_element* e, const cd_yaml* node, double sign, cardan_expression* driver);

// read_curve.c: a spline in the frame of its carrier; arrays in the pool.
bool cd_read_curve(const cd_model_element* e, const cd_yaml* node, const cd_frame* carrier, cardan_curve* curve);

// shape/read_shape.c: shapes of the value of a key `shape`.
bool cd_read_shapes(const cd_model_element* e, cd_yaml* node, cd_definition* body, const cd_frame* base,
                    const double centre[3]);
// Material, rounding and location of a shape; checks its rounding. Returns false after a reported error.
bool cd_read_surface(const cd_model_element* e, cardan_shape* shape);

// shape/read_terrain.c: planes and height fields, with their poses; arrays in the pool.
bool cd_read_plane(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_shape* shape);
bool cd_read_height_field(const cd_model_element* e, const cd_frame* base, const cd_frame* body, cardan_shape* shape);

// read_coordinate.c: joint coordinates. Letters, one per velocity: r rotation, t translation, R quaternion.
typedef struct cd_coordinate_layout {
    const char* type;
    char        kind[CARDAN_JOINT_VELOCITIES_MAX + 1];
    int         nq, nv;
} cd_coordinate_layout;
bool cd_coordinate_layout_of(const cardan_joint* joint, cd_coordinate_layout* c); // false: unknown type
// Sign of component i of q (or v) at a level that may be mirrored.
double cd_q_sign(const cd_level* level, const cd_coordinate_layout* c, int i);
double cd_v_sign(const cd_level* level, const cd_coordinate_layout* c, int i);
bool   cd_read_axis_properties(const cd_model_element* e, const cd_coordinate_layout* c,
                               cardan_axis_properties axis[CARDAN_JOINT_VELOCITIES_MAX], int* naxis);
bool   cd_read_start(const cd_model_element* e, const cd_coordinate_layout* c, cardan_joint* joint);
