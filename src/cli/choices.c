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
           are_few(command, options->threads);
}
