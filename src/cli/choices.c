// SPDX-License-Identifier: BSD-3-Clause
// What the options say, looked at before anything is read or computed: names that must be in a table, sizes that must
// be sensible, and what excludes each other.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "draw/draw_svg.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>
#include <string.h>
#include <sys/stat.h>

static const double PIXELS_LEAST = 10, PIXELS_MOST = 20000;
enum { THREADS_MOST = 1024 };

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

static const char* look_at(void* user, int i)
{
    (void)user;
    return cd_look_name(i);
}

static const char* names_at(void* user, int i)
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
    return cardan_language_name(i);
}

typedef const char* (*word_list)(void* user, int i);

static bool choose(const char* what, const char* word, word_list list, const char* advice)
{
    if (!word) return true;
    for (int i = 0; list(NULL, i); ++i)
        if (strcmp(list(NULL, i), word) == 0) return true;
    cd_say_unknown(what, word, list, NULL, advice);
    return false;
}

static bool fits(const cd_command* command, const char* name, double pixels)
{
    if (!(pixels < PIXELS_LEAST) && !(pixels > PIXELS_MOST)) return true; // not given: NaN
    cd_say_usage(command, "--%s must lie between %g and %g pixels, not at %g", name, PIXELS_LEAST, PIXELS_MOST, pixels);
    return false;
}

static bool are_few(const cd_command* command, int threads)
{
    if (threads <= THREADS_MOST) return true;
    cd_say_usage(command, "--threads is at most %d, not %d; more threads than processors gain nothing", THREADS_MOST,
                 threads);
    return false;
}

static bool is_model_name(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".urdf") == 0);
}

// What a command reads it does not write over with something else, however it is asked to.
static bool spares_inputs(const cd_command* command, const cd_options* options)
{
    const char* output = options->output;
    if (!output || cd_is_standard_output(output)) return true;
    const char* spared =
        options->state && !command->writes_states && cd_is_same_file(output, options->state) ? options->state : NULL;
    if (options->motion && cd_is_same_file(output, options->motion)) spared = options->motion;
    for (int i = 0; i < options->noperand && !command->writes_models; ++i)
        if (cd_is_same_file(output, options->operand[i])) spared = options->operand[i];
    struct stat about;
    if (spared && stat(spared, &about) == 0 && S_ISREG(about.st_mode)) {
        cd_say_usage(command, "--output '%s' would write over '%s', which is read", output, spared);
        return false;
    }
    if (command->writes_models || !is_model_name(output)) return true;
    cd_say_usage(command, "--output '%s' ends as models do, and this command writes none", output);
    return false;
}

// Pictures and curves are written beside a file.
static bool has_room(const cd_command* command, const cd_options* options)
{
    const bool draws = options->draw || options->strobe > 0 || options->look || options->names;
    if (command->draws_beside && draws && (cd_is_standard_output(options->output) || cd_is_device(options->output))) {
        cd_say_usage(command, "a picture is drawn beside the file of the results: --output must name one, not '%s'",
                     options->output);
        return false;
    }
    if (command->needs_file && cd_is_device(options->output) && !cd_is_standard_output(options->output)) {
        cd_say_usage(command, "--output must name a file, since others are written beside it; '%s' is none",
                     options->output);
        return false;
    }
    return true;
}

static bool names_columns(const cd_command* command, const char* list)
{
    if (!list || list[strspn(list, ", ")]) return true;
    cd_say_usage(command, "--columns '%s' names no column", list);
    return false;
}

bool cd_choices_good(const cd_command* command, const cd_options* options)
{
    if (options->json && cd_is_standard_output(options->output)) {
        cd_say_usage(command, "--json and --output - both want standard output: name a file for one of them");
        return false;
    }
    return choose("integrator", options->integrator, integrator_at, "`cardan list integrators` shows them") &&
           choose("stabilization", options->stabilization, stabilization_at,
                  "`cardan list stabilizations` shows them") &&
           choose("choice", options->generated, generated_at, "--generated is auto, always or never") &&
           choose("language", options->language, language_at, "`cardan list languages` shows them") &&
           choose("view", options->look, look_at, "there are auto, isometric, front, side, top and three") &&
           choose("choice of names", options->names, names_at, "--names is all, bodies, joints or none") &&
           fits(command, "width", options->width) && fits(command, "height", options->height) &&
           are_few(command, options->threads) && spares_inputs(command, options) && has_room(command, options) &&
           names_columns(command, options->columns);
}
