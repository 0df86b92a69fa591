// SPDX-License-Identifier: BSD-3-Clause
// Inside of the reader of model files: from YAML nodes to calls of cardan/describe.h.
//
// Files are read and checked against the table (schema.def) first. Then the sections are walked several times, each
// time for one kind of element; repetitions and uses of templates are walked through, never copied. Names are global
// and carry the prefix of the use they stand in ("FL.upper"); a name is looked for from the innermost prefix outward.
#pragma once

#include "core/text.h"
#include "expression/parse.h"
#include "io/pool.h"
#include "io/schema.h"
#include "io/yaml.h"
#include "model/description.h"

#include <cardan/io.h>

// A frame in the world: x_world = p + R x. As a base for numbers R may be left-handed.
typedef struct cd_frame {
    double                 p[3];
    double                 R[3][3];
    const struct cd_frame* of; // base: a frame whose coordinates the numbers are, apart from the level's signs; or NULL
} cd_frame;

extern const cd_frame cd_world;

// Coordinates of a use of a template: x_world = base.p + base.R x, where R is orthogonal and, after reflection,
// left-handed. A right-handed frame F in it becomes R F diag(sign).
typedef struct cd_placement {
    cd_frame base;
    double   sign[3];
    bool     mirrored; // det R < 0
} cd_placement;

// Where an element stands: in the file, in a use of a template, in one turn of a repetition.
typedef struct cd_level {
    const struct cd_level* outer;
    const char*            variable; // of a repetition, else NULL
    double                 value;
    const cd_yaml* template;       // of a use, else NULL
    const char*            prefix; // "FL.", of everything defined here
    const cd_placement*    placement;
    const struct cd_level* kept; // copy that outlives the walk
    int                    depth;
} cd_level;

typedef enum cd_def_kind {
    CD_DEF_PARAMETER,
    CD_DEF_TABLE,
    CD_DEF_POINT,
    CD_DEF_FRAME, // bodies and markers
    CD_DEF_JOINT,
    CD_DEF_FORCE,
    CD_DEF_CONSTRAINT,
    CD_DEF_STATE,
    CD_DEF_OUTPUT,
    CD_DEF_TEMPLATE,
    CD_DEF_USE,
    CD_DEF_KINDS
} cd_def_kind;

typedef enum cd_stage { CD_UNREAD, CD_READING, CD_READ, CD_FAILED } cd_stage;

// Something with a name.
typedef struct cd_def {
    const char*     name; // with prefix
    cd_yaml *       key, *value;
    const cd_level* level;   // where it is defined
    const char*     setting; // parameter: value given by --set
    int             input;   // parameter: which of those that stay inputs; -1: a number
    cd_def_kind     kind;
    cd_stage        stage;
    bool            waiting;  // parameter: others are read first, which it needs
    bool            body;     // frame: a body, not a marker
    bool            fresh;    // body without a place of its own: numbers are in the world
    int             index;    // in the description
    double          x[3];     // value of a parameter; place of a point in the world
    cd_frame*       frame;    // of a body or marker
    struct cd_def*  relative; // the frame it is placed in; NULL: the level's
    const cd_level* inside;   // use: the level of its template
} cd_def;

typedef struct cd_defs {
    cd_names* names;
    cd_def**  list;
    int       count, capacity;
} cd_defs;

typedef struct cd_reader {
    cd_pool                    pool;
    const cardan_load_options* options;
    cardan_report*             report;
    cardan_description*        description;
    int                        mistakes;
    cardan_status              status; // the first that was not OK
    cd_yaml_file *             file, *last;
    cd_defs                    defs[CD_DEF_KINDS];
    bool*                      setting_used; // (nsetting)
    cd_graph*                  scratch;      // formulas that are numbers
    cd_def*                    reading[256]; // definitions being read, each for the sake of the one before
    int                        nreading;
    int                        parsing;  // formulas being parsed, one inside the other
    long                       elements; // counted, against runaway repetition
    const cd_level*            top;
} cd_reader;

// One element while it is read.
typedef struct cd_element {
    cd_reader*      reader;
    const cd_level* level;
    cd_yaml*        node;
    const char*     section;
    const char*     label; // "joint"; NULL: none
    const char*     name;
} cd_element;

// Telling: each marks the element as broken, so that one mistake is told once, and returns false.
bool cd_element_fail(const cd_element* e, const cd_yaml* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
bool cd_reader_fail(cd_reader* r, const cd_yaml* at, const char* format, ...) __attribute__((format(printf, 3, 4)));
// What is only doubtful: a warning, an error where the options are strict.
bool cd_element_doubt(const cd_element* e, const cd_yaml* at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
bool cd_reader_no_memory(cd_reader* r);
// More mistakes than a report holds: further sentences are only counted, and need no search for what was meant.
static inline bool cd_report_full(const cd_reader* r) { return r->mistakes > CARDAN_REPORT_ERRORS; }

// read_file.c: the main file and what it includes; units.
bool cd_read_files(cd_reader* r, const char* path, const char* text);
// Path of `name` beside the file that mentions it; in the pool.
const char* cd_path_beside(cd_reader* r, const cd_yaml_file* file, const char* name);

// read_check.c: a file against the table.
void cd_check_file(cd_reader* r, cd_yaml_file* file);

// read_name.c: levels, names, definitions.
const cd_level* cd_level_keep(cd_reader* r, const cd_level* level);
// Text with $i and $(i-1) replaced; the text itself where there is nothing to replace; NULL after a mistake.
const char* cd_substitute(const cd_element* e, const cd_yaml* node);
cd_def*     cd_define(cd_reader* r, cd_def_kind kind, const cd_level* level, cd_yaml* key, cd_yaml* value);
cd_def*     cd_define_as(cd_reader* r, cd_def_kind kind, const cd_level* level, cd_yaml* key, cd_yaml* value,
                         const char* full);
cd_def*     cd_find_full(cd_reader* r, cd_def_kind kind, const char* full);
// The definition a name means, seen from `level`; NULL where there is none.
cd_def* cd_find(cd_reader* r, cd_def_kind kind, const cd_level* level, const char* name);
// A counter (its value) or a parameter (its definition) seen from `level`; false where there is none.
bool cd_find_value(cd_reader* r, const cd_level* level, const char* name, cd_def** parameter, double* value);
// Like cd_find for a node; tells what is missing and what was perhaps meant.
cd_def* cd_refer(const cd_element* e, cd_def_kind kind, const cd_yaml* node, const char* what);
// " (did you mean 'bar', line 12?)", or nothing; `from` is where the name stands.
const char* cd_suggest(cd_reader* r, cd_def_kind kind, const cd_level* level, const cd_yaml* from, const char* name,
                       char* buffer, size_t size);
// A name that is passed to a template: {chassis: body}. NULL where the parameter is something else.
// What a word means that may be a parameter of a template, such as an axis; the word itself where it is none.
const char* cd_passed_word(const cd_element* e, const char* word);
const char* cd_alias(cd_reader* r, const cd_level* level, const char* name, const cd_level** outside);

// read_walk.c: visiting elements, through repetitions and uses. `sections` between blanks.
typedef bool cd_visit(cd_reader* r, const cd_level* level, const char* section, cd_yaml_entry* entry);
bool         cd_walk(cd_reader* r, const char* sections, cd_visit* visit);
bool         cd_walk_count(cd_reader* r); // counts elements, makes the levels of uses

// read_number.c: values that are numbers now.
bool cd_number(const cd_element* e, const cd_yaml* node, cd_unit unit, double* value);          // in SI
bool cd_number_text(const cd_element* e, const cd_yaml* node, const char* text, double* value); // a formula without '='
bool cd_bound(const cd_element* e, const cd_yaml* node, cd_unit unit, double* value);           // may be .inf or -.inf
bool cd_integer(const cd_element* e, const cd_yaml* node, int* value);
bool cd_boolean(const cd_element* e, const cd_yaml* node, bool* value);
bool cd_numbers(const cd_element* e, const cd_yaml* list, cd_unit unit, int count, double* value);
double cd_unit_factor(const cd_yaml_file* file, cd_unit unit);
// A key of the element's map in the unit of the table; true and untouched where it is absent.
bool cd_get_number(const cd_element* e, const char* key, double* value);
// Value of a parameter; false after a mistake was told.
bool cd_parameter_value(cd_reader* r, cd_def* def, double* value);
// read_needed.c: the values of the parameters that a parameter needs, and that they need. False after a mistake.
bool cd_read_needed(cd_reader* r, cd_def* def);
bool cd_parse_plain_number(const char* text, double* value);
// Numbers are plain doubles; which of them depend on parameters that stay inputs is known to the ledger
// (expression/ledger.h), NULL mostly.
static inline cd_ledger* cd_ledger_at(const cd_element* e) { return e->reader->description->ledger; }
// A number that decides what the mechanism is: false, and told, where it depends on such a parameter.
bool cd_decided(const cd_element* e, const cd_yaml* node, double value);
// Around the reading of a definition that may need others: false, and told, where it needs itself.
bool cd_enter(cd_reader* r, cd_def* def);
bool cd_leave(cd_reader* r, cd_def* def, bool ok);

// Parses a formula that stands in `node`; tells what is wrong unless *told.
cd_node cd_parse_at(const cd_element* e, const cd_yaml* node, cd_graph* graph, const char* text, const cd_scope* scope,
                    const bool* told);

// read_motion.c: formulas of time and motion.
bool cd_is_motion_call(const char* name);
bool cd_motion_formula(const cd_element* e, const cd_yaml* node, cardan_expression* expression);

// read_place.c: places and directions. A base says what numbers mean.
const cd_frame* cd_level_base(const cd_level* level);
// Base for numbers relative to the frame of a body or marker.
cd_frame cd_relative_base(const cd_level* level, const cd_frame* frame);
bool     cd_position(const cd_element* e, const cd_yaml* node, const cd_frame* base, double world[3]);
// The same in the coordinates of a frame: numbers that are such coordinates already keep their bits.
bool cd_position_on(const cd_element* e, const cd_yaml* node, const cd_frame* base, const cd_frame* frame, double x[3]);
bool cd_axis(const cd_element* e, const cd_yaml* node, const cd_frame* base, double axis[3]);        // unit, in base
bool cd_orientation(const cd_element* e, const cd_yaml* node, const cd_frame* base, double R[3][3]); // in base
bool cd_point_value(cd_reader* r, cd_def* def);
// Frame with the rotation R (right-handed, in base) at `world`; `sign` keeps it right-handed after reflection.
cd_frame cd_frame_in(cd_ledger* l, const cd_frame* base, const double world[3], double R[3][3], const double sign[3]);
void     cd_unit_quaternion(cd_ledger* l, double q[4]); // to length 1; one that has it keeps its bits
void     cd_into_frame(cd_ledger* l, const cd_frame* frame, const double world[3], double x[3]);
cardan_pose cd_pose_between(cd_ledger* l, const cd_frame* outer, const cd_frame* inner);
// Pose of `frame`, which was placed by these nodes (each may be NULL) and the level's signs in `base`, on a body; keeps
// bits like cd_position_on.
cardan_pose cd_pose_on(const cd_element* e, const cd_yaml* at, const cd_yaml* orientation, const cd_frame* base,
                       const cd_frame* body, const cd_frame* frame);
void        cd_z_to(cd_ledger* l, const double axis[3],
                    double R[3][3]); // rotation that takes z to the axis, x kept where it can be

// read_frame.c: where bodies and markers stand. False after a mistake was told.
bool cd_frame_of(cd_reader* r, cd_def* def);
// Base in which numbers of the element are, by its key `relative`; the level's base where it is absent.
bool cd_base_of(const cd_element* e, cd_frame* base);
// Frame by the keys at, orientation and relative.
bool cd_placed_frame(const cd_element* e, const cd_frame* base, const double origin[3], cd_frame* frame);
// The definition that was made for an entry of a section; NULL where it was refused.
cd_def* cd_definition(cd_reader* r, cd_def_kind kind, const cd_level* level, const cd_yaml_entry* entry);
bool    cd_body_of(const cd_element* e, const cd_yaml* node, cd_def** body);

// read_body.c, read_marker.c, read_joint.c, read_force.c, read_table.c, read_signal.c: one element each.
cd_visit cd_read_body, cd_read_marker, cd_read_joint, cd_read_driver, cd_read_coupling, cd_read_constraint,
    cd_read_force, cd_read_table, cd_read_state, cd_read_state_rate, cd_read_output;
bool cd_place_table(cd_reader* r, cd_def* def); // adds the table to the description, once
bool cd_read_run(cd_reader* r, cd_yaml* node);
bool cd_read_suspension(cd_reader* r, cd_yaml* node); // read_suspension.c
// Index of a marker named or made on the spot; `suffix` names the latter. Its frame in *frame.
bool cd_marker_of(const cd_element* e, const cd_yaml* node, const char* suffix, int* marker, cd_frame* frame);

// read_inertia.c: a symmetric matrix xx yy zz xy xz yz.
void cd_inertia_matrix(const double I[6], double M[3][3]);
void cd_inertia_six(double M[3][3], double I[6]);
// Not negative: an error. Triangle inequality: a doubt. `factor` is the SI value of the file's unit.
bool cd_inertia_check(const cd_element* e, const cd_yaml* at, double factor, const double I[6]);

// read_form.c: rod, box, sphere, cylinder.
typedef struct cd_form {
    const char*  key;           // NULL: none of them
    double       centre[3];     // of a rod, in the world
    double       inertia[3][3]; // of mass 1, body axes
    double       volume;
    cardan_shape shape; // its pose in body axes, at the mass centre
} cd_form;
bool cd_read_form(const cd_element* e, const cd_frame* body, const cd_frame* base, cd_form* form);
bool cd_rod_centre(const cd_element* e, const cd_frame* base, double world[3]);

// read_law.c: a formula of time alone, with a sign that a reflected level may ask for.
bool cd_law(const cd_element* e, const cd_yaml* node, double sign, cardan_expression* law);

// read_curve.c: a spline on the frame of its carrier; arrays in the pool.
bool cd_read_curve(const cd_element* e, const cd_yaml* node, const cd_frame* carrier, cardan_curve* curve);

// read_shape.c
bool cd_read_shapes(const cd_element* e, cd_def* body, const cd_frame* base, const double centre[3]);

// read_coordinate.c: coordinates of joints. Letters: r rotation, t translation, R of a quaternion; one per velocity.
typedef struct cd_coordinates {
    const char* type;
    char        kind[CARDAN_JOINT_MAX + 1];
    int         nq, nv;
} cd_coordinates;
bool cd_coordinates_of(const cardan_joint* joint, cd_coordinates* c); // false: no such type
// Sign of component i of q (or v) where it is seen from a level that may be reflected.
double cd_q_sign(const cd_level* level, const cd_coordinates* c, int i);
double cd_v_sign(const cd_level* level, const cd_coordinates* c, int i);
bool   cd_read_axes(const cd_element* e, const cd_coordinates* c, cardan_axis axis[CARDAN_JOINT_MAX], int* naxis);
bool   cd_read_start(const cd_element* e, const cd_coordinates* c, cardan_joint* joint);
