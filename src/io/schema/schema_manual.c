// SPDX-License-Identifier: BSD-3-Clause
// Schema as the reference manual, docs/model-file.md.
#include "io/schema/schema.h"

#include "core/escape.h"
#include "expression/parse.h"

#include <string.h>

static const char opening[] =
    "# The model file\n"
    "\n"
    "<!-- Generated from src/io/schema/schema.def; `cardan schema --manual` prints it. -->\n"
    "\n"
    "A mechanism is described in a YAML file. This page lists every section and key. Files are checked against the "
    "same\n"
    "table, and as a JSON Schema (`cardan schema`) it allows editors to complete and check them.\n"
    "\n"
    "```yaml\n"
    "cardan: 1\n"
    "name: four-bar\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {a: 1}\n"
    "points:                                   # design configuration, in world coordinates\n"
    "  A: [0, 0, 0]\n"
    "  B: [=a*cos(pi/3), =a*sin(pi/3), 0]\n"
    "  C: [2.645, 1.355, 0]\n"
    "  D: [2, 0, 0]\n"
    "bodies:\n"
    "  crank:   {rod: [A, B], mass: 1}         # a uniform slender rod\n"
    "  coupler: {rod: [B, C], mass: 2}\n"
    "  rocker:  {rod: [C, D], mass: 1.5}\n"
    "joints:\n"
    "  A: {revolute: [ground, crank],   at: A, axis: z, start: {v: 1}}\n"
    "  B: {revolute: [crank, coupler],  at: B, axis: z}\n"
    "  C: {revolute: [coupler, rocker], at: C, axis: z}\n"
    "  D: {revolute: [rocker, ground],  at: D, axis: z}\n"
    "run: {duration: 10, output: 0.01}\n"
    "```\n"
    "\n"
    "Nothing is ignored silently: an unknown or repeated key, an undefined name and an unused point are errors with\n"
    "file, line and column; up to 20 errors are reported at once. Aliases (`*name`) and tags (`!name`) of YAML are "
    "not\n"
    "supported. Names and texts must be printable: control characters and bidirectional marks are errors, and so are\n"
    "line breaks in names and units.\n"
    "\n"
    "## Formulas\n"
    "\n"
    "A value that begins with `=` is a formula: `=2*a + sin(pi/3)`. A formula with a comma inside brackets or braces\n"
    "must be quoted, `[\"=atan2(a, b)\", 0, 0]`, because YAML would split it at the comma. Operators are `+ - * / ^`,\n"
    "comparisons `< <= > >= == !=`, `and or not`; a conditional is `if(c, a, b)`. A name that is not a word is "
    "quoted:\n"
    "`q('my joint')`.\n"
    "\n"
    "In place of a number, a formula may use parameters, counters of repetitions, tables by name and, of points in "
    "the\n"
    "file's length unit, `x(A)`, `y(A)`, `z(A)` and `distance(A, B)`. In `forces`, `states`, `outputs` and `run: "
    "stop`\n"
    "it may also use the time `t`, the states, `values`, `outputs` and, in SI units and radians, the calls below. "
    "Values\n"
    "and outputs may use each other in any order; a value that does not vary may also be used in place of a number. A\n"
    "formula that depends on itself is an error that names the chain.\n"
    "\n"
    "| call | meaning |\n"
    "|---|---|\n"
#define CD_SIGNAL(name, kind, component, arguments, least, most, signature, summary)                                   \
    "| `" signature "` | " summary " |\n"
#include "model/signal_calls.def"
#undef CD_SIGNAL
    "\n"
    "A body is a marker with the name of the body. Functions:\n"
    "\n"
    "| function | meaning |\n"
    "|---|---|\n";

static void add_functions(cd_text* text)
{
    for (const cd_function_entry* f = cd_function_entries(); f->name; ++f)
        cd_text_format(text, "| `%s` | %s |\n", f->signature, f->summary);
}

static const char* default_of(const cd_key* key)
{
    if (key->applies_to[0] == '!') return "one of these";
    return key->default_text[0] == '!' ? "required" : key->default_text;
}

static void add_key(cd_text* text, const cd_key* key)
{
    const bool type = key->applies_to[0] == '!' || key->applies_to[0] == '?';
    cd_text_format(text, "| `%s` | ", key->key);
    cd_escape_markdown_cell(text, cd_value_type_at(key->type)->expected);
    cd_text_format(text, " | %s | ", cd_unit_at(key->unit)->text);
    cd_escape_markdown_cell(text, default_of(key));
    cd_text_add(text, " | ");
    cd_escape_markdown_cell(text, key->help);
    if (key->applies_to[0] && !type && strlen(key->applies_to) < 60)
        cd_text_format(text, " Only with `%s`.", key->applies_to);
    cd_text_add(text, " |\n");
}

static void add_section(cd_text* text, const cd_section* section)
{
    cd_text_format(text, "\n## %s\n", section->title);
    if (section->prose[0]) cd_text_format(text, "\n%s\n", section->prose);
    if (!cd_key_next(section->name, NULL)) return;
    cd_text_add(text, "\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
    const bool block = strcmp(section->name, "template") == 0 || strcmp(section->name, "repeat") == 0;
    cd_text    also  = {0};
    for (const cd_key* key = cd_key_next(section->name, NULL); key; key = cd_key_next(section->name, key)) {
        if (block && cd_word_list_contains("top", key->sections))
            cd_text_format(&also, also.length ? ", `%s`" : "`%s`", key->key);
        else
            add_key(text, key);
    }
    text->failed = text->failed || also.failed;
    if (also.data) cd_text_format(text, "\nAlso as at top level: %s.\n", also.data);
    cd_text_free(&also);
}

void cd_schema_manual(cd_text* text)
{
    cd_text_add(text, opening);
    add_functions(text);
    for (int i = 0; cd_section_at(i); ++i) add_section(text, cd_section_at(i));
}
