// SPDX-License-Identifier: BSD-3-Clause
// cardan generate: code for the equations of motion of one mechanism.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/loaded_model.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"

#include <cardan/generate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_count_json(cd_json_writer* json, const cardan_generated* g)
{
    cd_json_begin_array(json, "forms");
    for (int i = 0; i < cardan_generated_routine_count(g); ++i) {
        const cardan_routine_cost c = cardan_generated_routine_at(g, i);
        cd_json_begin_object(json, NULL);
        cd_json_string(json, "form", c.form);
        cd_json_integer(json, "add", c.count.add);
        cd_json_integer(json, "mul", c.count.mul);
        cd_json_integer(json, "div", c.count.div);
        cd_json_integer(json, "sqrt", c.count.sqrt);
        cd_json_integer(json, "trig", c.count.trig);
        cd_json_integer(json, "total", c.total);
        cd_json_integer(json, "equations", c.equations);
        cd_json_end(json);
    }
    cd_json_end(json);
}

static void print_count_table(const cardan_generated* g)
{
    int form_width = 8;
    for (int i = 0; i < cardan_generated_routine_count(g); ++i)
        form_width = (int)strlen(cardan_generated_routine_at(g, i).form) > form_width
                         ? (int)strlen(cardan_generated_routine_at(g, i).form)
                         : form_width;
    cd_print("%-*s %8s %8s %6s %6s %8s %9s %8s\n", form_width, "form", "+ -", "*", "/", "sqrt", "total", "sin cos",
             "lines");
    for (int i = 0; i < cardan_generated_routine_count(g); ++i) {
        const cardan_routine_cost c = cardan_generated_routine_at(g, i);
        cd_print("%-*s %8ld %8ld %6ld %6ld %8ld %9ld %8d\n", form_width, c.form, c.count.add, c.count.mul, c.count.div,
                 c.count.sqrt, c.total, c.count.trig, c.equations);
    }
}

static void path_of(const char* folder, const cardan_generated* g, int i, cd_text* path)
{
    if (cd_is_standard_output(folder))
        cd_text_add(path, folder);
    else
        cd_text_format(path, "%s/%s", folder, cardan_generated_file_name(g, i));
}

// Check that all files may be written before the first is written.
static int can_write_all(const char* folder, const cardan_generated* g, bool force)
{
    int code = CD_EXIT_DONE;
    for (int i = 0; code == CD_EXIT_DONE && !cd_is_standard_output(folder) && i < cardan_generated_file_count(g); ++i) {
        cd_text path = {0};
        path_of(folder, g, i, &path);
        if (path.failed) cd_report_no_memory();
        if (path.failed || !cd_can_write(path.data, force)) code = CD_EXIT_INPUT;
        cd_text_free(&path);
    }
    return code;
}

static int write_files(const cd_options* options, const cardan_generated* g, cd_json_writer* json)
{
    const char* folder = options->output ? options->output : ".";
    int         code   = can_write_all(folder, g, options->force);
    if (json) cd_json_begin_array(json, "files");
    for (int i = 0; code == CD_EXIT_DONE && i < cardan_generated_file_count(g); ++i) {
        cd_text path = {0}, text = {0};
        path_of(folder, g, i, &path);
        cd_text_add(&text, cardan_generated_file_text(g, i));
        if (path.failed || text.failed) {
            cd_report_no_memory();
            code = CD_EXIT_INPUT;
        } else {
            code = cd_write_text(path.data, &text, options->force);
            if (json) cd_json_string(json, NULL, path.data);
        }
        cd_text_free(&path);
    }
    if (json) cd_json_end(json);
    return code;
}

static int report_results(const cd_options* options, const cardan_generated* g)
{
    int code = CD_EXIT_DONE;
    if (options->json) {
        cd_text        text = {0};
        cd_json_writer json = cd_json_writer_to(&text);
        cd_json_begin_object(&json, NULL);
        write_count_json(&json, g);
        if (!options->count) code = write_files(options, g, &json);
        cd_json_end(&json);
        const int printed = cd_print_and_free_text(&text);
        return code == CD_EXIT_DONE ? printed : code;
    }
    if (!options->count) code = write_files(options, g, NULL);
    const bool shown = options->output && cd_is_standard_output(options->output) && !options->count;
    if (code == CD_EXIT_DONE && !options->quiet && !shown) print_count_table(g);
    return code;
}

static const double large_file_size = 2e6, compiled_bytes_per_second = 1.6e5; // [bytes], [bytes/s]: gcc -O2, measured

static void note_large_files(const cardan_generated* g, cardan_report* report)
{
    for (int i = 0; i < cardan_generated_file_count(g); ++i) {
        const char*  file = cardan_generated_file_name(g, i);
        const double size = (double)strlen(cardan_generated_file_text(g, i));
        if (size < large_file_size || strcmp(file + strlen(file) - 2, ".c") != 0) continue;
        cardan_note(report, CARDAN_CODE_LONG_COMPILATION, cardan_location_none(),
                    "%s has %.1f MB: gcc -O2 compiles it in about %.0f s, clang takes longer; "
                    "generate fewer forms (--form) and derivatives",
                    file, 1e-6 * size, size / compiled_bytes_per_second);
    }
}

extern const cd_command cd_command_generate;

static int run(const cd_options* options)
{
    cd_loaded_model mechanism;
    if ((options->jacobian || options->hessian) && !options->form)
        return cd_report_usage_error(&cd_command_generate,
                                     "--jacobian and --hessian differentiate named forms: name them with --form");
    int code = cd_loaded_model_open(&mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&mechanism);
    cardan_model*     model     = NULL;
    cardan_generated* generated = NULL;
    cardan_status     status =
        cardan_model_compile(mechanism.description, CARDAN_TREE_BREADTH_FIRST, &model, &mechanism.report);
    if (status == CARDAN_OK) {
        cardan_generate_options generate_options = cardan_generate_options_default();
        generate_options.forms                   = options->form;
        generate_options.language                = options->language;
        generate_options.single_precision        = options->single_precision;
        generate_options.batch                   = options->batch;
        const cardan_load_options load           = cd_load_options(options);
        generate_options.parameters              = options->parameters;
        generate_options.path                    = options->operand[0];
        generate_options.load                    = &load;
        generate_options.jacobian                = options->jacobian;
        generate_options.hessian                 = options->hessian;
        generate_options.sparse                  = options->sparse;
        generate_options.regroup                 = !options->no_regrouping;
        status = cardan_generated_create(model, &generate_options, &generated, &mechanism.report);
    }
    if (status == CARDAN_OK && !options->count && !options->quiet) note_large_files(generated, &mechanism.report);
    if (status == CARDAN_OK) cd_print_report(&mechanism.report);
    code = status == CARDAN_OK ? report_results(options, generated) : cd_report_failure(&mechanism.report, status);
    cardan_generated_destroy(generated);
    cardan_model_destroy(model);
    cd_loaded_model_close(&mechanism);
    return code;
}

const cd_command cd_command_generate = {
    .name         = "generate",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .summary      = "generate code for one mechanism: straight-line routines without dependencies",
    .text         = "Evaluates the recursions once on expressions and prints the simplified result: a source\n"
                    "file and a header for this mechanism, with a self-test. The code allocates no memory and\n"
                    "has no dependencies; its first lines show how to compile it. Operations are counted on the\n"
                    "code: + - * / sqrt count one each, signs zero; sines and cosines are counted separately.\n"
                    "`cardan list forms` lists the forms. At states where the pivots chosen for the loops are\n"
                    "invalid, routines return the number of the constraint, and NAN; see docs/generate.md.",
    .examples     = "cardan generate models/arm_pendulum --count                 # operations of all forms\n"
                    "cardan generate models/arm_pendulum --form impl,exp2 -o code # two routines, into code/\n"
                    "cardan generate models/robots/ur5 --batch -o code            # with routines for many states\n"
                    "cardan generate models/door --form energy --hessian q,v -o code # with its Hessian\n"
                    "cardan generate models/door --form rate --parameters width,lean --jacobian p -o code # parameters as "
                    "arguments\n"
                    "cardan generate models/robots/ur5 --count --json            # for programs\n",
    CD_OPTIONS(CD_OPTION_FORM, CD_OPTION_LANGUAGE, CD_OPTION_SINGLE, CD_OPTION_BATCH, CD_OPTION_PARAMETERS,
               CD_OPTION_JACOBIAN, CD_OPTION_HESSIAN, CD_OPTION_SPARSE, CD_OPTION_NO_REGROUPING, CD_OPTION_COUNT_ONLY,
               CD_OPTION_GENERATE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_FLOATING,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
