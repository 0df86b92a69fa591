// SPDX-License-Identifier: BSD-3-Clause
// Validation of options before any file is read: names that must be in a table, ranges of sizes, options that exclude
// each other.
#include "cli/report/reaction_list.h"
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "draw/draw_mechanism.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>
#include <string.h>
#include <sys/stat.h>

static const double PIXELS_MIN = 10, PIXELS_MAX = 20000;
enum { THREADS_MAX = 1024 };

static const char* integrator_at(void* user, int i)
{
    (void)user;
    return i < cardan_integrator_count() ? cardan_integrator_name(i) : NULL;
}

static const char* stabilization_at(void* user, int i)
{
    (void)user;
    return i < cardan_stabilization_count() ? cardan_stabilization_name(i) : NULL;
}

static const char* view_at(void* user, int i)
{
    (void)user;
    return cd_view_choice_name(i);
}

static const char* label_choice_at(void* user, int i)
{
    static const char* const names[] = {"all", "bodies", "joints", "none"};
    (void)user;
    return i < 4 ? names[i] : NULL;
}

static const char* generated_at(void* user, int i)
{
    static const char* const generated[] = {"auto", "always", "never"};
    (void)user;
    return i < 3 ? generated[i] : NULL;
}

static const char* language_at(void* user, int i)
{
    (void)user;
    return cardan_generate_language_name(i);
}

static const char* reaction_point_at(void* user, int i)
{
    (void)user;
    return cd_reaction_point_name(i);
}

typedef const char* (*name_list_function)(void* user, int i);

static bool is_listed(const char* what, const char* word, name_list_function list, const char* advice)
{
    if (!word) return true;
    for (int i = 0; list(NULL, i); ++i)
        if (strcmp(list(NULL, i), word) == 0) return true;
    cd_report_unknown_name(what, word, list, NULL, advice);
    return false;
}

static bool pixels_in_range(const cd_command* command, const char* name, double pixels)
{
    if (!(pixels < PIXELS_MIN) && !(pixels > PIXELS_MAX)) return true; // NaN: not given
    cd_report_usage_error(command, "--%s must be between %g and %g pixels, not %g", name, PIXELS_MIN, PIXELS_MAX,
                          pixels);
    return false;
}

static bool thread_count_in_range(const cd_command* command, int threads)
{
    if (threads <= THREADS_MAX) return true;
    cd_report_usage_error(command, "--threads must be at most %d, not %d; more threads than processors are not faster",
                          THREADS_MAX, threads);
    return false;
}

static bool is_model_name(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".urdf") == 0);
}

// Reject an output file that is also an input file, or a model file name for other output; --force does not override
// this.
static bool inputs_not_overwritten(const cd_command* command, const cd_options* options)
{
    const char* output = options->output;
    if (!output || cd_is_standard_output(output)) return true;
    const char* input =
        options->state && !command->writes_states && cd_is_same_file(output, options->state) ? options->state : NULL;
    if (options->motion && cd_is_same_file(output, options->motion)) input = options->motion;
    for (int i = 0; i < options->noperand && !command->writes_models; ++i)
        if (cd_is_same_file(output, options->operand[i])) input = options->operand[i];
    struct stat about;
    if (input && stat(input, &about) == 0 && S_ISREG(about.st_mode)) {
        cd_report_usage_error(command, "--output '%s' would overwrite the input file '%s'", output, input);
        return false;
    }
    if (command->writes_models || !is_model_name(output)) return true;
    cd_report_usage_error(command, "--output '%s' has the ending of a model file, but this command writes no model",
                          output);
    return false;
}

// Reject pictures and curves if --output is not a file, because their names derive from it.
static bool output_allows_pictures(const cd_command* command, const cd_options* options)
{
    const bool draws = options->draw || options->strobe > 0 || options->view || options->names;
    if (command->writes_pictures && draws &&
        (cd_is_standard_output(options->output) || cd_is_device(options->output))) {
        cd_report_usage_error(command,
                              "--output must name a file, not '%s': the file name of the picture derives from it",
                              options->output);
        return false;
    }
    if (command->needs_output_file && cd_is_device(options->output) && !cd_is_standard_output(options->output)) {
        cd_report_usage_error(command, "--output must name a file, not '%s': the names of other files derive from it",
                              options->output);
        return false;
    }
    return true;
}

static bool names_columns(const cd_command* command, const char* list)
{
    if (!list || list[strspn(list, ", ")]) return true;
    cd_report_usage_error(command, "--columns '%s' names no column", list);
    return false;
}

bool cd_options_are_valid(const cd_command* command, const cd_options* options)
{
    if (options->json && cd_is_standard_output(options->output)) {
        cd_report_usage_error(command,
                              "--json and --output - both write to standard output: name a file with --output");
        return false;
    }
    return is_listed("integrator", options->integrator, integrator_at, "`cardan list integrators` lists them") &&
           is_listed("stabilization", options->stabilization, stabilization_at,
                     "`cardan list stabilizations` lists them") &&
           is_listed("choice", options->generated, generated_at, "--generated is auto, always or never") &&
           is_listed("language", options->language, language_at, "`cardan list languages` lists them") &&
           is_listed("view", options->view, view_at, "--view is auto, isometric, front, side, top or three") &&
           is_listed("choice of names", options->names, label_choice_at, "--names is all, bodies, joints or none") &&
           is_listed("reaction point", options->reaction_point, reaction_point_at,
                     "--reaction-point is first, second, centre or origin") &&
           pixels_in_range(command, "width", options->width) && pixels_in_range(command, "height", options->height) &&
           thread_count_in_range(command, options->threads) && inputs_not_overwritten(command, options) &&
           output_allows_pictures(command, options) && names_columns(command, options->columns);
}
