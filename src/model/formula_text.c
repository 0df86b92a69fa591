// SPDX-License-Identifier: BSD-3-Clause
// Formulas in the syntax of model files: the expression graph printed with the names of its signals.
#include "model/formula_text.h"

#include "core/text.h"
#include "model/description.h"

#include <stdlib.h>
#include <string.h>

typedef struct formula_namer {
    const cardan_description* description;
    cardan_description_view   view;
    cd_text                   signal; // name of the current signal
} formula_namer;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char* marker_name(const formula_namer* w, int marker)
{
    return marker < 0 ? "ground" : w->view.marker[marker].name;
}

// A name in a formula: unquoted, or in quotes of a kind that it does not contain.
static void add_formula_name(formula_namer* w, const char* name)
{
    bool plain = is_letter(name[0]) && strcmp(name, "and") != 0 && strcmp(name, "or") != 0 && strcmp(name, "not") != 0;
    for (const char* s = name; *s; ++s) plain &= is_letter(*s) || is_digit(*s) || *s == '.';
    const char* quote = plain ? "" : strchr(name, '\'') ? "\"" : "'"; // names in files contain no double quotes
    cd_text_add(&w->signal, quote);
    for (const char* s = name; *s; ++s) {
        if (*s == *quote) cd_text_add(&w->signal, quote); // doubled, if a name contains quotes of both kinds
        cd_text_add_bytes(&w->signal, s, 1);
    }
    cd_text_add(&w->signal, quote);
}

// name(a), name(a, b), name(a, b, axis)
static void add_call(formula_namer* w, const char* function, const char* a, const char* b, const char* axis)
{
    cd_text_format(&w->signal, "%s(", function);
    add_formula_name(w, a);
    if (b) {
        cd_text_add(&w->signal, ", ");
        add_formula_name(w, b);
    }
    if (axis) cd_text_format(&w->signal, ", %s", axis);
    cd_text_add(&w->signal, ")");
}

static void add_coordinate(formula_namer* w, const char* function, const cardan_signal* s)
{
    cd_text_format(&w->signal, "%s(", function);
    add_formula_name(w, w->view.joint[s->a].name);
    cd_text_format(&w->signal, ", %d)", s->component + 1);
}

// Name of an input of the graph in a formula; tables are requested as -1 - index.
static const char* signal_name(void* user, int input)
{
    static const char *const position[] = {"x", "y", "z"}, *const velocity[] = {"vx", "vy", "vz"},
                             *const angular[] = {"wx", "wy", "wz"}, *const reaction[] = {"fx",       "fy",
                                                                                         "fz",       "tx",
                                                                                         "ty",       "tz",
                                                                                         "reaction", "reaction_torque"};
    formula_namer* w = user;
    cd_text_free(&w->signal);
    if (input < 0) {
        add_formula_name(w, w->view.table[-1 - input].name);
        return w->signal.data;
    }
    const cardan_signal* s = &w->view.signal[input];
    const char*          a = marker_name(w, s->a < w->view.nmarker ? s->a : CARDAN_NONE);
    const char*          b = marker_name(w, s->b);
    const char*          c = s->b < 0 ? NULL : b; // the world may be omitted
    switch (s->kind) {
    case CARDAN_SIGNAL_TIME:
        cd_text_add(&w->signal, "t");
        break;
    case CARDAN_SIGNAL_COORDINATE:
        add_coordinate(w, "q", s);
        break;
    case CARDAN_SIGNAL_SPEED:
        add_coordinate(w, "v", s);
        break;
    case CARDAN_SIGNAL_EFFORT:
        add_coordinate(w, "effort", s);
        break;
    case CARDAN_SIGNAL_ACCELERATION:
        add_coordinate(w, "a", s);
        break;
    case CARDAN_SIGNAL_POSITION:
        add_call(w, position[s->component], a, c, NULL);
        break;
    case CARDAN_SIGNAL_VELOCITY:
        add_call(w, velocity[s->component], a, c, NULL);
        break;
    case CARDAN_SIGNAL_ANGULAR_VELOCITY:
        add_call(w, angular[s->component], a, c, NULL);
        break;
    case CARDAN_SIGNAL_DISTANCE:
        add_call(w, "distance", a, b, NULL);
        break;
    case CARDAN_SIGNAL_DISTANCE_RATE:
        add_call(w, "speed", a, b, NULL);
        break;
    case CARDAN_SIGNAL_ANGLE:
        add_call(w, "angle", a, b, position[s->component]);
        break;
    case CARDAN_SIGNAL_REACTION:
        add_call(w, reaction[s->component], w->view.joint[s->a].name, c, NULL);
        break;
    case CARDAN_SIGNAL_STATE:
        add_formula_name(w, w->view.state[s->a].name);
        break;
    case CARDAN_SIGNAL_PARAMETER: // as the number it was loaded with
        cd_text_number(&w->signal, cd_parametric_input_values(w->description->parametric)[s->a]);
        break;
    }
    return w->signal.data;
}

char* cd_formula_text(const cardan_description* description, cardan_expression node)
{
    formula_namer w      = {.description = description, .view = cardan_description_get_view(description)};
    char*         text   = cd_node_text(description->graph, node, signal_name, &w);
    const bool    failed = w.signal.failed;
    cd_text_free(&w.signal);
    if (!failed) return text;
    free(text);
    return NULL;
}
