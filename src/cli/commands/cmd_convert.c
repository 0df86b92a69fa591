// SPDX-License-Identifier: BSD-3-Clause
// cardan convert: convert any readable format to a native model file.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/loaded_model.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"
#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "some/robot.urdf" -> "robot.yaml"
static void default_output(const char* input, cd_text* path)
{
    size_t n = strlen(input);
    while (n > 1 && input[n - 1] == '/') --n;
    size_t begin = n;
    while (begin > 0 && input[begin - 1] != '/') --begin;
    size_t end = n;
    for (size_t i = n; i > begin + 1; --i)
        if (input[i - 1] == '.') {
            end = i - 1;
            break;
        }
    cd_text_add_bytes(path, input + begin, end - begin);
    cd_text_add(path, ".yaml");
}

static void report(const cd_loaded_model* mechanism, const char* path, bool json)
{
    const cardan_description_view* view = &mechanism->view;
    if (!json) {
        cd_print("%s: %s, %s, written to %s\n", view->name, cd_plural_text(view->nbody, "body", "bodies").text,
                 cd_plural_text(view->njoint, "joint", "joints").text, path);
        return;
    }
    cd_text        text = {0};
    cd_json_writer out  = cd_json_writer_to(&text);
    cd_json_begin_object(&out, NULL);
    cd_json_string(&out, "name", view->name);
    cd_json_integer(&out, "bodies", view->nbody);
    cd_json_integer(&out, "joints", view->njoint);
    cd_json_string(&out, "output", path);
    cd_json_end(&out);
    cd_print_and_free_text(&text);
}

extern const cd_command cd_command_convert;

static int write_model(cd_loaded_model* mechanism, const cd_options* options, const char* path)
{
    char*               saved  = NULL;
    const cardan_status status = cd_save_text(mechanism->description, &saved, &mechanism->report);
    if (status != CARDAN_OK) return cd_report_failure(&mechanism->report, status);
    cd_text   text = {.data = saved, .length = strlen(saved), .capacity = strlen(saved) + 1};
    const int code = cd_write_text(path, &text, options->force);
    if (code == CD_EXIT_DONE && (options->json || !options->quiet) && !cd_is_standard_output(path))
        report(mechanism, path, options->json);
    return code;
}

static int run(const cd_options* options)
{
    cd_text path = {0};
    if (options->output && options->noperand > 1)
        return cd_report_usage_error(&cd_command_convert,
                                     "'%s' and --output '%s' both name the output file; give one of them",
                                     options->operand[1], options->output);
    if (options->output)
        cd_text_add(&path, options->output);
    else if (options->noperand > 1)
        cd_text_add(&path, options->operand[1]);
    else
        default_output(options->operand[0], &path);
    if (path.failed) return cd_report_no_memory();

    const cd_format* format = cd_format_from_path(path.data);
    int              code   = CD_EXIT_USAGE;
    if (!cd_is_standard_output(path.data) && (!format || strcmp(format->name, "native") != 0)) {
        cd_report_usage_error(&cd_command_convert,
                              "'%s' cannot be written: the output is a native model file with the ending .yaml",
                              path.data);
    } else {
        cd_loaded_model mechanism;
        code = cd_loaded_model_open(&mechanism, options);
        if (code == CD_EXIT_DONE) {
            cd_loaded_model_warn(&mechanism);
            code = write_model(&mechanism, options, path.data);
            cd_loaded_model_close(&mechanism);
        }
    }
    cd_text_free(&path);
    return code;
}

const cd_command cd_command_convert = {
    .name          = "convert",
    .operands      = "INPUT [OUTPUT.yaml]",
    .noperand_min  = 1,
    .noperand_max  = 2,
    .summary       = "convert another format (URDF) to a native model file",
    .text          = "Reads any format of `cardan list formats` and writes a native model file that describes\n"
                     "the same mechanism. Links connected by fixed joints remain separate bodies.",
    .examples      = "cardan convert robot.urdf                  # writes robot.yaml here\n"
                     "cardan convert robot.urdf --floating-base  # with a free base\n",
    .writes_models = true,
    CD_OPTIONS(CD_OPTION_FLOATING, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_CONVERT_OUTPUT, CD_OPTION_FORCE,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
