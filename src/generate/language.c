// SPDX-License-Identifier: BSD-3-Clause
// The table of languages, and what their files share.
#include "constraint/sources.h"
#include "generate/inputs.h"
#include "generate/syntax.h"

#include <cardan/version.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CD_LANGUAGE(name) extern const cd_language cd_language_##name;
#include "generate/languages.def"
#undef CD_LANGUAGE

static const cd_language* const languages[] = {
#define CD_LANGUAGE(name) &cd_language_##name,
#include "generate/languages.def"
#undef CD_LANGUAGE
};

int cd_language_count(void) { return (int)(sizeof languages / sizeof *languages); }

const cd_language* cd_language_at(int i) { return i >= 0 && i < cd_language_count() ? languages[i] : NULL; }

const char* cardan_language_name(int i) { return cd_language_at(i) ? cd_language_at(i)->name : NULL; }
const char* cardan_language_summary(int i) { return cd_language_at(i) ? cd_language_at(i)->summary : NULL; }

const char* const cd_argument_name[CD_ARGUMENTS] = {"q", "v", "a", "effort", "state", "t", "p", "weight", "multiplier"};

int cd_argument_first(const cd_sheet* sheet, int argument)
{
    const cd_sources* in = &sheet->in;
    return (const int[]){
        in->q, in->v, in->a, in->effort, in->state, in->time, in->p, in->weight, in->multiplier}[argument];
}

int cd_argument_size(const cd_sheet* sheet, const cd_traced* traced, int argument)
{
    if (argument >= 5)
        return argument == 5   ? 1
               : argument == 6 ? sheet->in.np
               : argument == 7 ? traced->nweight
                               : sheet->in.nmultiplier;
    return cd_argument_first(sheet, argument + 1) - cd_argument_first(sheet, argument);
}

double cd_least_size(const cd_sheet* sheet, const cd_routine* routine)
{
    return routine->takes & CD_TAKES_EFFORT ? 1e-2 * sheet->alone : 0;
}

double cd_allowed(const cd_sheet* sheet, int r)
{
    double seen = 0;
    for (int i = 0; i < sheet->nvector * sheet->traced[r].noutput; ++i) seen = fmax(seen, fabs(sheet->expected[r][i]));
    const double largest = fmax(seen, (sheet->single ? 100 : 1) * cd_least_size(sheet, sheet->traced[r].routine));
    const double usual   = (sheet->single ? 1e-4 : 1e-12) * (largest > 0 ? largest : 1);
    const double rounded = sheet->single ? fmin(8 * sheet->rounded[r], 1e-2 * seen) : 0;
    return fmax(fmax(usual, 4 * sheet->off[r]), rounded);
}

bool cd_traced_tells(const cd_traced* traced) { return cd_tells(traced->nresult, traced->result); }

bool cd_traced_returns(const cd_traced* traced)
{
    return cd_traced_tells(traced) || traced->routine->ways == cd_motion_ways ||
           traced->routine->ways == cd_motion_d_ways;
}

bool cd_sheet_tells(const cd_sheet* sheet)
{
    for (int r = 0; r < sheet->ntraced; ++r)
        if (cd_traced_tells(&sheet->traced[r])) return true;
    return false;
}

// In the order of rows: constraints, then rotors of joints beside the tree; and what is told where nobody knows which.
char* cd_lost_name(const cd_sheet* sheet, int number)
{
    const cardan_model* m = sheet->model;
    cd_constraint       c;
    cd_text             name = {0};
    for (int rotors = 0; rotors < 2; ++rotors)
        for (cd_source source = rotors ? cd_source_rotors(m) : cd_source_begin(m); cd_source_next(m, &source, &c);)
            if (--number == 0) {
                cd_text_format(&name, "%s '%s'", c.what, c.name);
                return cd_text_take(&name);
            }
    if (number == 1) cd_text_add(&name, "one of all");
    return number == 1 ? cd_text_take(&name) : NULL;
}

const cd_result* cd_output_result(const cd_traced* traced, int output, int* index)
{
    int k = 0;
    while (output >= cd_result_count(&traced->result[k])) output -= cd_result_count(&traced->result[k++]);
    *index = output;
    return &traced->result[k];
}

// What the numbers of quaternion joints are.
static void tell_rotations(cd_text* text, const cardan_model* m, const char* begin)
{
    bool ball = false, floating = false;
    for (int j = 0; j < m->njoint; ++j) {
        if (m->slot[j].q < 0 || m->slot[j].nq == m->slot[j].nv) continue;
        if (m->slot[j].nv > 3)
            floating = true;
        else
            ball = true;
    }
    if (ball)
        cd_text_format(text,
                       "%sspherical: q is the quaternion w, x, y, z of the joint frame on the second body in that on "
                       "the first, of length 1; v its angular velocity in the axes of the second.\n",
                       begin);
    if (floating)
        cd_text_format(text,
                       "%sfree: q is the position x, y, z of the joint frame on the second body in that on the first, "
                       "then its quaternion w, x, y, z, of length 1; v the velocity of the position\n"
                       "%s  in the axes of the first, then the angular velocity in the axes of the second.\n",
                       begin, begin);
    if (ball || floating)
        cd_text_format(text,
                       "%sRoutines do not normalize quaternions: results are right for length 1 alone. Their rates: q' "
                       "= q (0, w)/2.\n",
                       begin);
}

// What closes loops, and what that asks of q and v.
static void tell_loops(cd_text* text, const cardan_model* m, const cd_comment* comment)
{
    const char* begin = comment->begin;
    bool        some  = false;
    for (int j = 0; j < m->njoint; ++j) {
        if (m->slot[j].q >= 0 || m->slot[j].nv == 0) continue;
        cd_text_format(text, "%s%s %s '", some ? "," : begin,
                       some ? "" : "Joints that close loops have no coordinates:", cardan_model_joint_type(m, j));
        comment->escape(text, m->joint[j].name);
        cd_text_add(text, "'");
        some = true;
    }
    if (some) cd_text_add(text, ".\n");
    if (cardan_model_look(m).nconstraint > 0)
        cd_text_format(text,
                       "%sq and v must satisfy the loops and constraints of the model: routines of the whole mechanism "
                       "do not close them, and accelerations keep closed what is closed.\n",
                       begin);
}

// What a language does where a state is lost.
static void tell_lost(cd_text* text, const cd_sheet* sheet, const cd_comment* comment)
{
    const char* begin = comment->begin;
    if (!cd_sheet_tells(sheet)) return;
    cd_text_format(text,
                   "%sPivots of constraints, and which of them repeat others, were chosen at one pose. Where they are "
                   "not those of a state, on another branch of the mechanism, a routine\n"
                   "%sthat solves for accelerations has no answer there, and says so: ",
                   begin, begin);
    cd_text_add(text, begin[0] == '/'   ? "it returns the number of the constraint, else 0, and its results are NAN.\n"
                      : begin[0] == '#' ? "ArithmeticError, or with many states NaN in their columns and a warning.\n"
                                        : "an error.\n");
    char* name;
    for (int k = 1; (name = cd_lost_name(sheet, k)); ++k) {
        cd_text_format(text, "%s  %d  ", begin, k);
        comment->escape(text, name);
        cd_text_add(text, "\n");
        free(name);
    }
}

static void tell_states(cd_text* text, const cd_sheet* sheet, const cd_comment* comment)
{
    const char*         begin = comment->begin;
    const cardan_model* m     = sheet->model;
    bool                takes = false, open = false, stops = false;
    for (int r = 0; r < sheet->ntraced; ++r) {
        takes = takes || sheet->traced[r].routine->takes & CD_TAKES_STATE;
        open  = open || sheet->traced[r].routine->takes & CD_IGNORES_STOPS;
    }
    for (int i = 0; i < m->nlaw; ++i) stops = stops || m->law[i].axis_law.stop_stiffness > 0;
    if (takes && m->nstate == 0)
        cd_text_format(text, "%sThe model has no states: state is not read, and may be %s.\n", begin,
                       strcmp(begin, "// ") == 0 ? "NULL" : "empty");
    if (takes && m->nstate > 0) cd_text_format(text, "%sStates (%d):\n", begin, m->nstate);
    for (int i = 0; takes && i < m->nstate; ++i) {
        cd_text_format(text, "%s  state[%d]  '", begin, i);
        comment->escape(text, m->view.state[i].name);
        cd_text_add(text, "'\n");
    }
    if (open && stops)
        cd_text_format(text,
                       "%s\"Stops are open\": the springs and dampers of joint limits are left out wherever q is; "
                       "whoever steps adds them where a limit is passed.\n",
                       begin);
}

void cd_print_origin(cd_text* text, const cd_sheet* sheet, const cd_comment* comment)
{
    cd_text_format(text, "%sEquations of motion of '", comment->begin);
    comment->escape(text, sheet->model->view.name);
    cd_text_format(text, "', written by Cardan %s from model %.16s", CARDAN_VERSION, sheet->hash);
}

void cd_print_coordinates(cd_text* text, const cd_sheet* sheet, const cd_comment* comment)
{
    const char*         begin = comment->begin;
    const cardan_model* m     = sheet->model;
    cd_text_format(text,
                   "%sCoordinates q (%d) and velocities v (%d); accelerations and efforts stand as velocities do.\n",
                   begin, m->nq, m->nv);
    for (int j = 0; j < m->njoint; ++j) {
        const cardan_slot* slot = &m->slot[j];
        if (slot->q < 0) continue;
        cd_text_format(text, "%s  q[%d]", begin, slot->q);
        if (slot->nq > 1) cd_text_format(text, "..q[%d]", slot->q + slot->nq - 1);
        cd_text_format(text, "  v[%d]", slot->v);
        if (slot->nv > 1) cd_text_format(text, "..v[%d]", slot->v + slot->nv - 1);
        cd_text_format(text, "  %s '", cardan_model_joint_type(m, j));
        comment->escape(text, m->joint[j].name);
        cd_text_add(text, "'\n");
    }
    tell_rotations(text, m, begin);
    tell_loops(text, m, comment);
    tell_lost(text, sheet, comment);
    tell_states(text, sheet, comment);
    for (int i = 0; i < sheet->missing.n; ++i) {
        cd_text_format(text, "%sNo form '%s': ", begin, sheet->missing.form[i]);
        comment->escape(text, sheet->missing.why[i]);
        cd_text_add(text, "\n");
    }
    if (sheet->in.np > 0)
        cd_text_format(text, "%sParameters p (%d), and their values in the model file:\n", begin, sheet->in.np);
    for (int i = 0; i < sheet->in.np; ++i) {
        cd_text_format(text, "%s  p[%d]  ", begin, i);
        comment->escape(text, sheet->inputs->name[i]);
        cd_text_add(text, " = ");
        cd_text_number(text, sheet->inputs->nominal[i]);
        cd_text_add(text, "\n");
    }
    for (int r = 0; r < sheet->ntraced; ++r) {
        if (strcmp(sheet->traced[r].routine->form, "markers") != 0) continue;
        cd_text_format(text, "%sMarkers, in this order:\n", begin);
        for (int i = 0; i < m->nmarker; ++i) {
            cd_text_format(text, "%s  %d  '", begin, i);
            comment->escape(text, m->view.marker[i].name);
            cd_text_add(text, "'\n");
        }
    }
}
