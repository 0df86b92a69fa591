// SPDX-License-Identifier: BSD-3-Clause
// cardan view: the mechanism in the browser, to be moved by hand.
#include "cli/commands/commands.h"
#include "cli/support/loaded_model.h"
#include "cli/support/messages.h"
#include "cli/check/check_mechanism.h"
#include "cli/support/progress.h"
#include "cli/support/terminal_print.h"
#include "cli/view/view_html.h"
#include "core/json.h"
#include "io/format.h"
#include "view/live/live_simulation.h"
#include "view/view_page.h"
#include "view/web_server.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { PORT_FIRST = 7700, PORT_LAST = 65535 };

typedef struct viewer {
    const cd_options* options;
    cd_live*          live;
    cd_web_server*    server;
} viewer;

static void notify(void* user)
{
    viewer* v = user;
    cd_web_server_wake(v->server);
}

static void check(void* user, const cd_live_options* options, cd_text* report)
{
    cardan_description* description;
    if (cd_live_load(options, &description, NULL) == CARDAN_OK)
        cd_check_json(((viewer*)user)->options, description, report);
}

static void on_joined(void* user, int client)
{
    viewer* v = user;
    for (int i = 0; i < 4; ++i) {
        char* text = cd_live_first_text(v->live, i);
        if (text) cd_web_server_send_text(v->server, client, text);
        free(text);
    }
    size_t               length;
    const unsigned char* frame = cd_live_take_frame(v->live, false, &length);
    if (frame) cd_web_server_send_bytes(v->server, client, frame, length);
}

static bool on_received(void* user, int client, bool is_text, const char* bytes, size_t length)
{
    viewer*         v = user;
    cd_view_message message;
    (void)client;
    const bool good = is_text ? cd_view_read_text(bytes, length, &message)
                              : cd_view_read_binary((const unsigned char*)bytes, length, &message);
    return good && cd_live_post(v->live, &message);
}

// Send what the simulation has left for the clients.
static void forward(viewer* v)
{
    size_t length;
    for (char* text; (text = cd_live_take_text(v->live)) != NULL; free(text))
        cd_web_server_send_text(v->server, CD_WEB_ALL_CLIENTS, text);
    const unsigned char* frame = cd_live_take_frame(v->live, true, &length);
    if (frame) cd_web_server_send_bytes(v->server, CD_WEB_ALL_CLIENTS, frame, length);
}

static bool make_token(char token[CD_VIEW_TOKEN_DIGITS + 1])
{
    unsigned char random[CD_VIEW_TOKEN_DIGITS / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
    for (size_t i = 0; i < sizeof random; ++i) snprintf(token + 2 * i, 3, "%02x", random[i]);
    return true;
}

static void open_browser(const char* address)
{
    char* const                arguments[] = {(char[]){"xdg-open"}, (char*)(size_t)address, NULL};
    pid_t                      process;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return;
    for (int i = 0; i < 3; ++i) posix_spawn_file_actions_addopen(&actions, i, "/dev/null", i ? 1 : 0, 0);
    posix_spawnp(&process, "xdg-open", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
}

static void print_address(const cd_options* options, const char* name, const char* address)
{
    if (!options->json) {
        cd_print("%s: %s (Ctrl-C ends it)\n", name, address);
    } else {
        cd_text        text = {0};
        cd_json_writer json = cd_json_writer_to(&text);
        cd_json_begin_object(&json, NULL);
        cd_json_string(&json, "model", name);
        cd_json_string(&json, "address", address);
        cd_json_end(&json);
        cd_text_add(&text, "\n");
        cd_print_and_free_text(&text);
    }
    fflush(stdout);
}

static cardan_status open_server(viewer* v, const cd_options* options, const char* token, cardan_report* report)
{
    const cd_web_settings settings = {.port          = options->port > 0 ? options->port : PORT_FIRST,
                                      .only_port     = options->port > 0,
                                      .page          = cd_view_page,
                                      .page_length   = cd_view_page_length,
                                      .script_source = cd_view_script_source,
                                      .style_source  = cd_view_style_source,
                                      .token         = token,
                                      .user          = v,
                                      .joined        = on_joined,
                                      .received      = on_received};
    return cd_web_server_open(&settings, &v->server, report);
}

static void serve(viewer* v, const cd_options* options, const char* token)
{
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/#k=%s", cd_web_server_port(v->server), token);
    print_address(options, options->operand[0], address);
    if (!options->no_open && !options->json) open_browser(address);
    cd_catch_interrupts();
    while (!cd_is_interrupted() && cd_web_server_poll(v->server)) forward(v);
    const long refused = cd_web_server_refused(v->server);
    if (refused > 0 && !options->quiet && !options->json)
        cd_print("%ld %s refused\n", refused,
                 refused == 1 ? "connection or message was" : "connections or messages were");
}

// File of the operand, which may be a folder. One that does not exist stays: loading it gives the message.
static char* model_file(const cd_options* options)
{
    char* file = cd_find_model_file(options->operand[0]);
    return file ? file : cd_copy_string(options->operand[0]);
}

static int run(const cd_options* options)
{
    static cardan_report report;
    viewer               v = {.options = options};
    char                 token[CD_VIEW_TOKEN_DIGITS + 1];
    if (options->port > PORT_LAST)
        return cd_report_usage_error(cd_command_find("view"), "--port: a port is at most %d", PORT_LAST);
    if (options->ghost && !options->results)
        return cd_report_usage_error(cd_command_find("view"), "--ghost needs --results");
    if (options->html) return cd_view_html(options);
    char*            file     = model_file(options);
    cd_live_settings settings = {.options = {.path              = file,
                                             .load              = cd_load_options(options),
                                             .formulation       = options->formulation,
                                             .integrator        = options->integrator,
                                             .step              = options->step > 0 ? options->step : 0,
                                             .joint_coordinates = options->results != NULL},
                                 .notify  = notify,
                                 .check   = check,
                                 .results = {options->results, options->ghost},
                                 .user    = &v};
    cardan_status    status   = file ? CARDAN_OK : CARDAN_NO_MEMORY;
    if (!make_token(token)) status = CARDAN_FILE_ERROR;
    if (status == CARDAN_OK) status = open_server(&v, options, token, &report); // the simulation wakes it
    if (status == CARDAN_OK) status = cd_live_start(&settings, &v.live, &report);
    const int code = status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(&report, status);
    if (status == CARDAN_OK) {
        if (options->quiet) cardan_report_clear(&report);
        cd_print_report(&report);
        serve(&v, options, token);
    }
    cd_live_stop(v.live);
    cd_web_server_close(v.server);
    free(file);
    return code;
}

const cd_command cd_command_view = {
    .name         = "view",
    .operands     = "MODEL",
    .noperand_min = 1,
    .noperand_max = 1,
    .part         = "viewer",
    .summary      = "show the mechanism in the browser: simulate it in real time and pull it by hand",
    .text         = "Serves a page on 127.0.0.1 that shows the mechanism in three dimensions. While it plays, a body\n"
                    "can be pulled by a spring; while it is paused, the mechanism follows the pointer, with all\n"
                    "constraints kept. The model is loaded again when its file changes. The address contains a\n"
                    "key; requests without it, of other pages or of other machines are refused. Ctrl-C ends it.\n",
    .examples     = "cardan view models/four_bar                       # opens the browser\n"
                    "cardan view models/four_bar --no-open --port 8000 # prints the address\n"
                    "cardan view models/door --html door.html -d 20    # page with a motion of 20 s, without a server\n"
                    "cardan view arm.yaml --results results/arm.csv    # motion of an earlier run\n"
                    "cardan view arm.yaml --set length=0.7 -i rk4      # other parameter and integrator\n",
    CD_OPTIONS(CD_OPTION_PORT, CD_OPTION_NO_OPEN, CD_OPTION_RESULTS, CD_OPTION_GHOST, CD_OPTION_HTML,
               CD_OPTION_DURATION, CD_OPTION_FORCE, CD_OPTION_SET, CD_OPTION_FORMULATION, CD_OPTION_VIEW_INTEGRATOR,
               CD_OPTION_VIEW_STEP, CD_OPTION_STRICT, CD_OPTION_FLOATING, CD_OPTION_JSON, CD_OPTION_QUIET,
               CD_OPTION_HELP),
    .run = run,
};
