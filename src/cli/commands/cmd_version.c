// SPDX-License-Identifier: BSD-3-Clause
// cardan version
#include "cli/commands/commands.h"
#include "cli/support/terminal_print.h"
#include "cli/support/messages.h"
#include "core/json.h"

#include <cardan/version.h>

#include <stdio.h>

static void print_parts(void)
{
    for (int i = 0; i < cardan_part_count(); ++i) {
        const cardan_part part = cardan_part_at(i);
        cd_print("  %-8s  %-17s  %-19s  %s\n", part.name, part.built ? "in this build" : "not in this build",
                 part.package, part.summary);
    }
}

static void write_parts(cd_json_writer* json)
{
    cd_json_begin_array(json, "parts");
    for (int i = 0; i < cardan_part_count(); ++i) {
        const cardan_part part = cardan_part_at(i);
        cd_json_begin_object(json, NULL);
        cd_json_string(json, "name", part.name);
        cd_json_boolean(json, "in_build", part.built);
        cd_json_string(json, "package", part.package);
        cd_json_string(json, "summary", part.summary);
        cd_json_end(json);
    }
    cd_json_end(json);
}

static int run(const cd_options* options)
{
    if (!options->json) {
        cd_print("cardan %s\n", cardan_version());
        if (options->parts) print_parts();
        return CD_EXIT_DONE;
    }
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "version", cardan_version());
    if (options->parts) write_parts(&json);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

const cd_command cd_command_version = {
    .name     = "version",
    .operands = "",
    .summary  = "print the version and the optional parts",
    .text     = "Prints the version of the library that is linked. With --parts also its optional parts: foreign\n"
                "libraries that a build may leave out, with the Debian package of each and what it provides.",
    .examples = "cardan version          # also: cardan --version\n"
                "cardan version --parts  # optional parts and their Debian packages\n",
    CD_OPTIONS(CD_OPTION_PARTS, CD_OPTION_JSON, CD_OPTION_HELP),
    .run = run,
};
