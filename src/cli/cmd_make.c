// SPDX-License-Identifier: BSD-3-Clause
// cardan make: scalable mechanisms for benchmarks, as short model files.
//
// Links are uniform rods of length 0.5 m along x and radius r = 0.1 m; inertia about the centre
// m (L^2 1 - d d')/12 + m r^2/4 1. Masses between 1 and 2 kg by the golden ratio, m_i = 1 + frac(0.618 i): the same
// everywhere.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off: these texts are the files, line by line
#define MASS "(1 + mod(0.6180339887498949*i, 1))"
#define SHAPE "centre: [=L/2, 0, 0], shape: {rod: [[0, 0, 0], [=L, 0, 0]], radius: =r},"
#define INERTIA(margin)                                                                                                \
    "mass: \"=" MASS "\",\n" margin "inertia: [\"=r^2/4*" MASS "\", \"=(L^2/12 + r^2/4)*" MASS "\",\n" margin          \
    "          \"=(L^2/12 + r^2/4)*" MASS "\"]}\n"
#define FIRST                                                                                                          \
    "bodies:\n"                                                                                                        \
    "  link0: {at: [0, 0, 0], " SHAPE "\n"                                                                             \
    "          mass: 1, inertia: [=r^2/4, =L^2/12 + r^2/4, =L^2/12 + r^2/4]}\n"                                        \
    "joints:\n"                                                                                                        \
    "  joint0: {revolute: [ground, link0], at: [0, 0, 0], axis: z}\n"
#define AXIS "axis: [\"=mod(i, 3) == 2\", \"=mod(i, 3) == 1\", \"=mod(i, 3) == 0\"]}\n"

static const struct family {
    const char *name, *what, *text;
} families[] = {
    {"chain", "A chain of links 0.5 m along x, hinges about z, y, x in turn, masses between 1 and 2 kg.",
     FIRST "repeat:\n"
           "  - for: i in 1..N-1\n"
           "    bodies:\n"
           "      link$i: {at: [=L*i, 0, 0], " SHAPE "\n"
           "               " INERTIA(
               "               ") "    joints:\n"
                                  "      joint$i: {revolute: [\"link$(i-1)\", link$i], at: [=L*i, 0, 0],\n"
                                  "                " AXIS},
    {"tree", "A binary tree: link i hangs on link (i-1)/2 at (0.5, +-0.1, 0) of it; hinges and masses as in the chain.",
     FIRST "repeat:\n"
           "  - for: i in 1..N-1\n"
           "    bodies:\n"
           "      link$i: {relative: \"link$(floor((i-1)/2))\", at: [=L, \"=if(mod(i, 2) == 1, 0.1, -0.1)\", 0],\n"
           "               " SHAPE "\n"
           "               " INERTIA("               ") "    joints:\n"
                                                        "      joint$i: {revolute: [\"link$(floor((i-1)/2))\", "
                                                        "link$i], relative: link$i, at: [0, 0, 0],\n"
                                                        "                " AXIS},
    {"star", "A free hub with N-1 arms on spherical joints around its rim, masses between 1 and 2 kg.",
     "bodies:\n"
     "  hub: {sphere: 0.2, at: [0, 0, 0], mass: 1}\n"
     "repeat:\n"
     "  - for: i in 1..N-1\n"
     "    bodies:\n"
     "      arm$i: {at: [\"=0.2*cos(2*pi*i/(N-1))\", \"=0.2*sin(2*pi*i/(N-1))\", 0],\n"
     "              orientation: {axis: z, angle: =2*pi*i/(N-1)}, " SHAPE "\n"
     "              " INERTIA("              ") "    joints:\n"
                                                "      joint$i: {spherical: [hub, arm$i], relative: arm$i, at: [0, 0, "
                                                "0], start: {v: [=sin(i), =cos(i), 0.5]}}\n"},
};
// clang-format on

enum { NFAMILY = sizeof families / sizeof *families };

static void write_family(cd_text* text, const struct family* family, long n)
{
    cd_text_format(text, "# %s\n# Made by: cardan make %s %ld\n", family->what, family->name, n);
    cd_text_format(text, "cardan: 1\nname: %s-%ld\ngravity: [0, 0, -9.81]\nparameters: {N: %ld, L: 0.5, r: 0.1}\n",
                   family->name, n, n);
    cd_text_add(text, family->text);
    cd_text_add(text, "run: {duration: 1, output: 0.01}\n");
}

static const char* candidate(void* user, int i)
{
    (void)user;
    return i < NFAMILY ? families[i].name : NULL;
}

static int report(const cd_options* options, const char* path, const char* family, long n)
{
    if (!options->json) {
        if (options->quiet || cd_is_standard_output(path)) return CD_EXIT_DONE;
        printf("%s of %s: %s\n", family, cd_plural(n, "body", "bodies").text, path);
        return CD_EXIT_DONE;
    }
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "family", family);
    cd_json_integer(&json, "bodies", n);
    cd_json_string(&json, "output", path);
    cd_json_end(&json);
    return cd_print_text(&text);
}

extern const cd_command cd_command_make;

static int run(const cd_options* options)
{
    int        f   = 0;
    char*      end = NULL;
    const long n   = strtol(options->operand[1], &end, 10);
    while (f < NFAMILY && strcmp(families[f].name, options->operand[0]) != 0) ++f;
    if (f == NFAMILY)
        return cd_say_unknown("family", options->operand[0], candidate, NULL, "there are chain, tree and star");
    if (*end || end == options->operand[1] || n < 1 || n > 100000000)
        return cd_say_usage(&cd_command_make, "N is a whole number from 1 on, not '%s'", options->operand[1]);

    cd_text text = {0}, path = {0};
    write_family(&text, &families[f], n);
    if (options->output)
        cd_text_add(&path, options->output);
    else
        cd_text_format(&path, "%s-%ld.yaml", families[f].name, n);
    int code = CD_EXIT_INPUT;
    if (path.failed)
        cd_say_error("out of memory");
    else
        code = cd_write_text(path.data, &text, options->force);
    if (code == CD_EXIT_DONE) code = report(options, path.data, families[f].name, n);
    cd_text_free(&text);
    cd_text_free(&path);
    return code;
}

const cd_command cd_command_make = {
    .name     = "make",
    .operands = "FAMILY N",
    .least    = 2,
    .most     = 2,
    .summary  = "writes scalable mechanisms (chain, tree, star) as model files",
    .text     = "Families of mechanisms of any size N, for benchmarks; the files are short because they use\n"
                "`repeat`, and N is a parameter (`--set N=...` changes it).\n"
                "  chain N  N links, 0.5 m along x, hinges about z, y, x in turn\n"
                "  tree N   binary tree: link i hangs on link (i-1)/2 at (0.5, +-0.1, 0) of it, else as the chain\n"
                "  star N   one free hub and N-1 arms on it by spherical joints, turning at the start\n"
                "Rods have a radius of 0.1 m and inertia m (L^2 1 - d d')/12 + m r^2/4 1 about their centre;\n"
                "body i weighs 1 + frac(0.618 i) kg, between 1 and 2. Gravity is 9.81 m/s^2 along -z.",
    .examples = "cardan make chain 1000              # writes chain-1000.yaml\n"
                "cardan make tree 63 -o - | head     # on standard output\n",
    CD_OPTIONS(CD_OPTION_MAKE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
