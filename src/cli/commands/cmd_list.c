// SPDX-License-Identifier: BSD-3-Clause
// cardan list: formulations, integrators, joint types, ... with one line each, from the tables of the library.
#include "cli/commands/commands.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "constraint/constraint.h"
#include "core/json.h"
#include "core/parts.h"
#include "expression/parse.h"
#include "force/force.h"
#include "io/format.h"
#include "model/joint/joint_type.h"

#include <cardan/family.h>
#include <cardan/generate.h>
#include <cardan/optimize.h>
#include <cardan/simulate.h>

#include <stdio.h>
#include <string.h>

// Entry of a list; `detail` may be NULL.
typedef struct entry {
    const char *name, *summary, *detail;
    bool        is_reference;
    const char* missing_part; // that it needs; NULL: none
} entry;

static bool formulation_at(int i, entry* e)
{
    if (i >= cardan_formulation_count()) return false;
    *e = (entry){cardan_formulation_name(i), cardan_formulation_summary(i), cardan_formulation_citation(i),
                 .is_reference = cardan_formulation_is_reference(i)};
    return true;
}

static bool joint_at(int i, entry* e)
{
    if (i >= cd_joint_type_count()) return false;
    const cd_joint_type* type = cd_joint_type_at(i);
    *e                        = (entry){type->name, type->summary, type->coordinates, .is_reference = false};
    return true;
}

static bool force_at(int i, entry* e)
{
    if (i >= cd_force_type_count()) return false;
    const cd_force_type* type = cd_force_type_at(i);
    *e                        = (entry){type->name, type->summary, type->fields, .is_reference = false};
    return true;
}

static bool constraint_at(int i, entry* e)
{
    if (i >= cd_constraint_type_count()) return false;
    const cd_constraint_type* type = cd_constraint_type_at(i);
    *e                             = (entry){type->name, type->summary, type->fields, .is_reference = false};
    return true;
}

static bool integrator_at(int i, entry* e)
{
    if (i >= cardan_integrator_count()) return false;
    *e = (entry){cardan_integrator_name(i), cardan_integrator_summary(i), cardan_integrator_citation(i), false,
                 cardan_integrator_missing_part(i)};
    return true;
}

static bool stabilization_at(int i, entry* e)
{
    if (i >= cardan_stabilization_count()) return false;
    *e = (entry){cardan_stabilization_name(i), cardan_stabilization_summary(i), cardan_stabilization_citation(i),
                 .is_reference = false};
    return true;
}

static bool format_at(int i, entry* e)
{
    const cd_format* format = cd_format_at(i);
    if (!format) return false;
    *e = (entry){format->name, format->summary, format->extensions, false,
                 format->part ? cd_part_missing(format->part) : NULL};
    return true;
}

static bool family_at(int i, entry* e)
{
    const cardan_family* family = cardan_family_at(i);
    if (!family) return false;
    *e = (entry){family->name, family->summary, family->size_unit, .is_reference = false};
    return true;
}

static bool command_at(int i, entry* e)
{
    const cd_command* command = cd_command_at(i);
    if (!command) return false;
    *e = (entry){command->name, command->summary, NULL, false, cd_command_missing_part(command)};
    return true;
}

static bool function_at(int i, entry* e)
{
    const cd_function_entry* function = &cd_function_entries()[i];
    if (!function->name) return false;
    *e = (entry){function->signature, function->summary, NULL, .is_reference = false};
    return true;
}

static bool form_at(int i, entry* e)
{
    *e = (entry){.name = cardan_generate_form_name(i), .summary = cardan_generate_form_summary(i)};
    return e->name != NULL;
}

static bool language_at(int i, entry* e)
{
    *e = (entry){.name = cardan_generate_language_name(i), .summary = cardan_generate_language_summary(i)};
    return e->name != NULL;
}

static bool dynamics_at(int i, entry* e)
{
    *e = (entry){.name = cardan_dynamics_form_name(i), .summary = cardan_dynamics_form_summary(i)};
    return e->name != NULL;
}

static bool transcription_at(int i, entry* e)
{
    *e = (entry){.name = cardan_transcription_name(i), .summary = cardan_transcription_summary(i)};
    return e->name != NULL;
}

static const struct list {
    const char* name;
    const char* detail_name; // name of the third column in JSON
    bool (*at)(int i, entry* e);
} lists[] = {
    {"formulations", "reference", formulation_at},
    {"joints", "coordinates", joint_at},
    {"constraints", "fields", constraint_at},
    {"forces", "fields", force_at},
    {"integrators", "reference", integrator_at},
    {"stabilizations", "reference", stabilization_at},
    {"formats", "endings", format_at},
    {"families", "size", family_at},
    {"forms", NULL, form_at},
    {"languages", NULL, language_at},
    {"dynamics", NULL, dynamics_at},
    {"transcriptions", NULL, transcription_at},
    {"commands", NULL, command_at},
    {"functions", NULL, function_at},
};

enum { NLIST = sizeof lists / sizeof *lists };

static const char* candidate(void* user, int i)
{
    (void)user;
    return i < NLIST ? lists[i].name : NULL;
}

static void print_entry(const entry* e, int width)
{
    cd_print("  %-*s  %s%s", width, e->name, e->summary, e->is_reference ? " (reference implementation)" : "");
    if (e->missing_part)
        cd_print(" (not in this build: needs %s, Debian package %s)", e->missing_part,
                 cardan_part_at(cardan_part_find(e->missing_part)).package);
    cd_print("\n");
}

static void print_list(const struct list* list)
{
    entry e;
    int   width = 0;
    for (int i = 0; list->at(i, &e); ++i) width = (int)strlen(e.name) > width ? (int)strlen(e.name) : width;
    for (int i = 0; list->at(i, &e); ++i) {
        print_entry(&e, width);
        if (e.detail) cd_print("  %-*s    %s: %s\n", width, "", list->detail_name, e.detail);
    }
}

static void write_list(cd_json_writer* json, const struct list* list)
{
    entry e;
    cd_json_begin_array(json, list->name);
    for (int i = 0; list->at(i, &e); ++i) {
        cd_json_begin_object(json, NULL);
        cd_json_string(json, "name", e.name);
        cd_json_string(json, "summary", e.summary);
        if (list->detail_name) cd_json_string(json, list->detail_name, e.detail);
        if (list->at == formulation_at) cd_json_boolean(json, "reference_implementation", e.is_reference);
        if (e.missing_part) cd_json_string(json, "missing_part", e.missing_part);
        cd_json_end(json);
    }
    cd_json_end(json);
}

const char* cd_list_name(int i) { return candidate(NULL, i); }

bool cd_list_print(const char* name)
{
    entry e;
    int   width = 0, n = 0;
    while (n < NLIST && strcmp(lists[n].name, name) != 0) ++n;
    if (n == NLIST) return false;
    for (int i = 0; lists[n].at(i, &e); ++i) width = (int)strlen(e.name) > width ? (int)strlen(e.name) : width;
    for (int i = 0; lists[n].at(i, &e); ++i) print_entry(&e, width);
    return true;
}

static int run(const cd_options* options)
{
    int first = 0, last = NLIST - 1;
    if (options->noperand > 0) {
        for (first = 0; first < NLIST && strcmp(lists[first].name, options->operand[0]) != 0;) ++first;
        if (first == NLIST)
            return cd_report_unknown_name("list", options->operand[0], candidate, NULL, "`cardan list` prints all");
        last = first;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    if (options->json) cd_json_begin_object(&json, NULL);
    for (int i = first; i <= last; ++i) {
        if (options->json) {
            write_list(&json, &lists[i]);
            continue;
        }
        if (i > first) cd_print("\n");
        if (first != last) cd_print("%s\n", lists[i].name);
        print_list(&lists[i]);
    }
    if (options->json) cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

const cd_command cd_command_list = {
    .name         = "list",
    .operands     = "[WHAT]",
    .noperand_max = 1,
    .summary = "list formulations, joints, constraints, forces, integrators, stabilizations, formats, families, forms, "
               "languages, dynamics, transcriptions, commands or functions",
    .text    = "WHAT is formulations, joints, constraints, forces, integrators, stabilizations, formats,\n"
               "families, forms, languages, dynamics, transcriptions, commands or functions; without it,\n"
               "all of them. Families are those of `cardan make`, forms and languages those of `cardan\n"
               "generate`, dynamics and transcriptions those of `cardan optimize`; functions are those of\n"
               "formulas in model files.",
    .examples = "cardan list joints       # joint types and their coordinates\n"
                "cardan list --json       # all lists, for programs\n",
    CD_OPTIONS(CD_OPTION_JSON, CD_OPTION_HELP),
    .run = run,
};
