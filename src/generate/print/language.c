// SPDX-License-Identifier: BSD-3-Clause
// Table of the languages, and functions that all of them use.
#include "constraint/constraint_sources.h"
#include "generate/routine/parameter_arguments.h"
#include "generate/print/syntax.h"

#include <cardan/version.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CD_LANGUAGE(name) extern const cd_language cd_language_##name;
#include "generate/print/languages.def"
#undef CD_LANGUAGE

static const cd_language* const languages[] = {
#define CD_LANGUAGE(name) &cd_language_##name,
#include "generate/print/languages.def"
#undef CD_LANGUAGE
};

int cd_language_count(void) { return (int)(sizeof languages / sizeof *languages); }

const cd_language* cd_language_at(int i) { return i >= 0 && i < cd_language_count() ? languages[i] : NULL; }

const char* cardan_generate_language_name(int i) { return cd_language_at(i) ? cd_language_at(i)->name : NULL; }
const char* cardan_generate_language_summary(int i) { return cd_language_at(i) ? cd_language_at(i)->summary : NULL; }

const char* const cd_argument_name[CD_ARGUMENT_COUNT] = {"q", "v", "a",      "effort",    "state",
                                                         "t", "p", "weight", "multiplier"};

int cd_argument_first(const cd_code_unit* unit, int argument)
{
    const cd_input_layout* in = &unit->in;
    return (const int[]){
        in->q, in->v, in->a, in->effort, in->state, in->time, in->p, in->weight, in->multiplier}[argument];
}

int cd_argument_size(const cd_code_unit* unit, const cd_traced_routine* traced, int argument)
{
    if (argument >= 5)
        return argument == 5 ? 1 : argument == 6 ? unit->in.np : argument == 7 ? traced->nweight : unit->in.nmultiplier;
    return cd_argument_first(unit, argument + 1) - cd_argument_first(unit, argument);
}

int cd_result_array_size(const cd_routine_result* r) { return cd_result_count(r) > 0 ? cd_result_count(r) : 1; }

int cd_result_written_count(const cd_routine_result* r)
{
    return r->nonzero ? cd_result_array_size(r) : cd_result_count(r);
}

bool cd_has_operation(const cd_code_unit* unit, cd_operation operation)
{
    for (int r = 0; r < unit->ntraced; ++r)
        for (int i = 0; i < unit->program[r].subgraph.count; ++i)
            if (cd_node_operation(unit->program[r].graph, unit->program[r].subgraph.entry[i].node) == operation)
                return true;
    return false;
}

double cd_result_min_scale(const cd_code_unit* unit, const cd_routine* routine)
{
    return routine->arguments & CD_TAKES_EFFORT ? 1e-2 * unit->unconstrained_acceleration : 0;
}

double cd_test_tolerance(const cd_code_unit* unit, int r)
{
    double largest_expected = 0;
    for (int i = 0; i < unit->ntest * unit->traced[r].noutput; ++i)
        largest_expected = fmax(largest_expected, fabs(unit->expected[r][i]));
    const double largest =
        fmax(largest_expected, (unit->single_precision ? 100 : 1) * cd_result_min_scale(unit, unit->traced[r].routine));
    const double default_tolerance = (unit->single_precision ? 1e-4 : 1e-12) * (largest > 0 ? largest : 1);
    const double rounded = unit->single_precision ? fmin(8 * unit->float_difference[r], 1e-2 * largest_expected) : 0;
    return fmax(fmax(default_tolerance, 4 * unit->max_difference[r]), rounded);
}

bool cd_traced_has_return_code(const cd_traced_routine* traced)
{
    return cd_has_return_code(traced->nresult, traced->result);
}

bool cd_traced_returns_int(const cd_traced_routine* traced)
{
    return cd_traced_has_return_code(traced) || traced->routine->method_count == cd_motion_method_count ||
           traced->routine->method_count == cd_motion_derivatives_method_count;
}

bool cd_code_unit_has_return_code(const cd_code_unit* unit)
{
    for (int r = 0; r < unit->ntraced; ++r)
        if (cd_traced_has_return_code(&unit->traced[r])) return true;
    return false;
}

// Order of the numbers: constraints, then rotors of off-tree joints; the last number means that the constraint is not
// known.
char* cd_return_code_name(const cd_code_unit* unit, int number)
{
    const cardan_model* m = unit->model;
    cd_constraint       c;
    cd_text             name = {0};
    for (int rotors = 0; rotors < 2; ++rotors)
        for (cd_constraint_source source = rotors ? cd_constraint_source_begin_rotors(m)
                                                  : cd_constraint_source_begin(m);
             cd_constraint_source_next(m, &source, &c);)
            if (--number == 0) {
                cd_text_format(&name, "%s '%s'", c.category, c.name);
                return cd_text_detach(&name);
            }
    if (number == 1) cd_text_add(&name, "an unidentified constraint");
    return number == 1 ? cd_text_detach(&name) : NULL;
}

const cd_routine_result* cd_output_result(const cd_traced_routine* traced, int output, int* index)
{
    int k = 0;
    while (output >= cd_result_count(&traced->result[k])) output -= cd_result_count(&traced->result[k++]);
    *index = output;
    return &traced->result[k];
}

// Print comments that explain the coordinates of joints with quaternions.
static void print_rotation_comments(cd_text* text, const cardan_model* m, const char* begin)
{
    bool ball = false, floating = false;
    for (int j = 0; j < m->njoint; ++j) {
        if (m->tree_range[j].q < 0 || m->tree_range[j].nq == m->tree_range[j].nv) continue;
        if (m->tree_range[j].nv > 3)
            floating = true;
        else
            ball = true;
    }
    if (ball)
        cd_text_format(text,
                       "%sspherical: q is the unit quaternion w, x, y, z of the joint frame on the second body "
                       "relative to that on the first; v is its angular velocity in the axes of the second.\n",
                       begin);
    if (floating)
        cd_text_format(
            text,
            "%sfree: q is the position x, y, z of the joint frame on the second body relative to that on the first, "
            "then its unit quaternion w, x, y, z; v is the velocity of the position\n"
            "%s  in the axes of the first, then the angular velocity in the axes of the second.\n",
            begin, begin);
    if (ball || floating)
        cd_text_format(text,
                       "%sRoutines do not normalize quaternions: results are valid for unit length only. Their rates: "
                       "q' = q (0, w)/2.\n",
                       begin);
}

// Print comments about cut joints and about the conditions on q and v.
static void print_loop_comments(cd_text* text, const cardan_model* m, const cd_comment* comment)
{
    const char* begin   = comment->begin;
    bool        has_any = false;
    for (int j = 0; j < m->njoint; ++j) {
        if (m->tree_range[j].q >= 0 || m->tree_range[j].nv == 0) continue;
        cd_text_format(text, "%s%s %s '", has_any ? "," : begin,
                       has_any ? "" : "Joints that close loops have no coordinates:", cardan_model_joint_type(m, j));
        comment->escape(text, m->joint[j].name);
        cd_text_add(text, "'");
        has_any = true;
    }
    if (has_any) cd_text_add(text, ".\n");
    if (cardan_model_get_view(m).nconstraint > 0)
        cd_text_format(
            text,
            "%sq and v must satisfy the loops and constraints of the model: routines of the whole mechanism do not "
            "correct violations, and accelerations satisfy the constraints at acceleration level only.\n",
            begin);
}

// Print a comment that explains what the routines do at invalid states.
static void print_validity_comments(cd_text* text, const cd_code_unit* unit, const cd_comment* comment)
{
    const char* begin = comment->begin;
    if (!cd_code_unit_has_return_code(unit)) return;
    cd_text_format(
        text,
        "%sPivots and redundant rows of the constraints were chosen at one configuration. At a state where the "
        "choice is not valid, e.g. on another assembly branch, a routine\n"
        "%sthat solves for accelerations has no result and reports it: ",
        begin, begin);
    cd_text_add(text, begin[0] == '/'
                          ? "it returns the number of the constraint instead of 0, and its results are NAN.\n"
                      : begin[0] == '#' ? "ArithmeticError, or for several states NaN in their columns and a warning.\n"
                                        : "an error.\n");
    char* name;
    for (int k = 1; (name = cd_return_code_name(unit, k)); ++k) {
        cd_text_format(text, "%s  %d  ", begin, k);
        comment->escape(text, name);
        cd_text_add(text, "\n");
        free(name);
    }
}

static void print_state_comments(cd_text* text, const cd_code_unit* unit, const cd_comment* comment)
{
    const char*         begin = comment->begin;
    const cardan_model* m     = unit->model;
    bool                takes = false, ignores_stops = false, stops = false;
    for (int r = 0; r < unit->ntraced; ++r) {
        takes         = takes || unit->traced[r].routine->arguments & CD_TAKES_STATE;
        ignores_stops = ignores_stops || unit->traced[r].routine->arguments & CD_IGNORES_STOPS;
    }
    for (int i = 0; i < m->njoint_force; ++i) stops = stops || m->joint_force[i].parameter.stop_stiffness > 0;
    if (takes && m->nstate == 0)
        cd_text_format(text, "%sThe model has no user states: state is not read and may be %s.\n", begin,
                       strcmp(begin, "// ") == 0 ? "NULL" : "empty");
    if (takes && m->nstate > 0) cd_text_format(text, "%sUser states (%d):\n", begin, m->nstate);
    for (int i = 0; takes && i < m->nstate; ++i) {
        cd_text_format(text, "%s  state[%d]  '", begin, i);
        comment->escape(text, m->view.state[i].name);
        cd_text_add(text, "'\n");
    }
    if (ignores_stops && stops)
        cd_text_format(text,
                       "%s\"Stops are inactive\": springs and dampers of joint stops are omitted at all q; the caller "
                       "adds them beyond a limit.\n",
                       begin);
}

void cd_print_origin(cd_text* text, const cd_code_unit* unit, const cd_comment* comment)
{
    cd_text_format(text, "%sEquations of motion of '", comment->begin);
    comment->escape(text, unit->model->view.name);
    cd_text_format(text, "', generated by Cardan %s from model %.16s", CARDAN_VERSION, unit->hash);
}

void cd_print_coordinates(cd_text* text, const cd_code_unit* unit, const cd_comment* comment)
{
    const char*         begin = comment->begin;
    const cardan_model* m     = unit->model;
    cd_text_format(
        text, "%sCoordinates q (%d) and velocities v (%d); accelerations and efforts are ordered like velocities.\n",
        begin, m->nq, m->nv);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_index_range* range = &m->tree_range[j];
        if (range->q < 0) continue;
        cd_text_format(text, "%s  q[%d]", begin, range->q);
        if (range->nq > 1) cd_text_format(text, "..q[%d]", range->q + range->nq - 1);
        cd_text_format(text, "  v[%d]", range->v);
        if (range->nv > 1) cd_text_format(text, "..v[%d]", range->v + range->nv - 1);
        cd_text_format(text, "  %s '", cardan_model_joint_type(m, j));
        comment->escape(text, m->joint[j].name);
        cd_text_add(text, "'\n");
    }
    print_rotation_comments(text, m, begin);
    print_loop_comments(text, m, comment);
    print_validity_comments(text, unit, comment);
    print_state_comments(text, unit, comment);
    for (int i = 0; i < unit->unavailable.n; ++i) {
        cd_text_format(text, "%sForm '%s' is not available: ", begin, unit->unavailable.form[i]);
        comment->escape(text, unit->unavailable.reason[i]);
        cd_text_add(text, "\n");
    }
    if (unit->in.np > 0)
        cd_text_format(text, "%sParameters p (%d) with their values in the model file:\n", begin, unit->in.np);
    for (int i = 0; i < unit->in.np; ++i) {
        cd_text_format(text, "%s  p[%d]  ", begin, i);
        comment->escape(text, unit->parameters->name[i]);
        cd_text_add(text, " = ");
        cd_text_number(text, unit->parameters->nominal[i]);
        cd_text_add(text, "\n");
    }
    for (int r = 0; r < unit->ntraced; ++r) {
        if (strcmp(unit->traced[r].routine->form, "markers") != 0) continue;
        cd_text_format(text, "%sMarkers, in this order:\n", begin);
        for (int i = 0; i < m->nmarker; ++i) {
            cd_text_format(text, "%s  %d  '", begin, i);
            comment->escape(text, m->view.marker[i].name);
            cd_text_add(text, "'\n");
        }
    }
}
