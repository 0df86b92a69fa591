// SPDX-License-Identifier: BSD-3-Clause
// cardan make: model files of mechanisms of any size from the families of the library (cardan/family.h).
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"
#include "core/json.h"

#include <cardan/family.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* candidate(void* user, int i)
{
    (void)user;
    const cardan_family* family = cardan_family_at(i);
    return family ? family->name : NULL;
}

static int report(const cd_options* options, const char* path, const cardan_family* family, int n)
{
    if (!options->json) {
        if (options->quiet || cd_is_standard_output(path)) return CD_EXIT_DONE;
        char one[32];
        snprintf(one, sizeof one, "%.*s", (int)strlen(family->size_unit) - 1, family->size_unit);
        if (strcmp(family->size_unit, "bodies") == 0) snprintf(one, sizeof one, "body");
        cd_print("%s of %s: %s\n", family->name, cd_plural_text(n, one, family->size_unit).text, path);
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "family", family->name);
    cd_json_integer(&json, "size", n);
    cd_json_string(&json, "output", path);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

static int write_family(const cd_options* options, const cardan_family* family, int n)
{
    const cardan_load_options load = {.nsetting = options->nsetting, .setting = options->setting};
    cardan_report             messages;
    char*                     made = NULL;
    cardan_report_clear(&messages);
    const cardan_status status = cardan_family_generate_text(family->name, n, &load, &made, &messages);
    if (status != CARDAN_OK) return cd_report_failure(&messages, status);

    cd_text text = {0}, path = {0};
    cd_text_add(&text, made);
    free(made);
    if (options->output)
        cd_text_add(&path, options->output);
    else
        cd_text_format(&path, "%s-%d.yaml", family->name, n);
    int code = CD_EXIT_INPUT;
    if (path.failed)
        cd_report_no_memory();
    else
        code = cd_write_text(path.data, &text, options->force);
    if (code == CD_EXIT_DONE) code = report(options, path.data, family, n);
    cd_text_free(&text);
    cd_text_free(&path);
    return code;
}

extern const cd_command cd_command_make;

static int run(const cd_options* options)
{
    const int f = cardan_family_find(options->operand[0]);
    if (f == CARDAN_NONE)
        return cd_report_unknown_name("family", options->operand[0], candidate, NULL,
                                      "`cardan list families` lists them");
    const cardan_family* family = cardan_family_at(f);
    char*                end    = NULL;
    const long           n      = strtol(options->operand[1], &end, 10);
    if (*end || end == options->operand[1] || n < family->min_size || n > 5000000)
        return cd_report_usage_error(&cd_command_make, "N must be an integer from %d to 5000000, not '%s'",
                                     family->min_size, options->operand[1]);
    return write_family(options, family, (int)n);
}

const cd_command cd_command_make = {
    .name         = "make",
    .operands     = "FAMILY N",
    .noperand_min = 2,
    .noperand_max = 2,
    .summary      = "write mechanisms of any size (chains, rings, ladders, nets, ...) as model files",
    .text         = "Writes mechanisms of any size N, for benchmarks; the files are short because they use\n"
                    "`repeat`, and N is a parameter (`--set N=...` of other commands changes it).\n"
#define CD_FAMILY(name, counted, least, summary) "  " name " N (" counted ")\n      " summary "\n"
#include "io/families/families.def"
#undef CD_FAMILY
            "--set changes the other parameters in the file: lengths, masses, the depth h of a ladder's\n"
            "rungs, the columns w of a net.",
    .examples      = "cardan make chain 1000                  # writes chain-1000.yaml\n"
                     "cardan make ladder 10 --set h=2/3*l     # rungs at the centres of percussion\n"
                     "cardan make tree 63 -o - | head         # on standard output\n",
    .writes_models = true,
    CD_OPTIONS(CD_OPTION_MAKE_OUTPUT, CD_OPTION_SET, CD_OPTION_FORCE, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
