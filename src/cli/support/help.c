// SPDX-License-Identifier: BSD-3-Clause
// Help texts, generated from the tables of commands and options.
#include "cli/commands/commands.h"
#include "cli/support/messages.h"

#include "cli/support/terminal_print.h"
#include "core/text.h"

#include <cardan/version.h>

#include <stdio.h>
#include <string.h>

enum { PAGE_WIDTH = 100, HELP_COLUMN = 30 };

// Print a paragraph with line breaks between words, indented by `indent`; `column` is the current column.
static void print_paragraph(const char* text, int column, int indent)
{
    while (*text) {
        const int n = (int)strcspn(text, " ");
        if (column > indent && column + 1 + n > PAGE_WIDTH) {
            cd_print("\n");
            column = 0;
        }
        if (column < indent)
            cd_print("%*s", indent - column, ""), column = indent;
        else if (column > indent)
            cd_print(" "), ++column;
        cd_print("%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    cd_print("\n");
}

// Print a text: lines that begin with a blank are kept, other lines are filled.
static void print_text(const char* text)
{
    cd_text flow = {0};
    for (const char* next = text; *next;) {
        const char*  line = next;
        const size_t n    = strcspn(line, "\n");
        const bool   kept = n == 0 || *line == ' ';
        if (!kept) {
            if (flow.length > 0) cd_text_add(&flow, " ");
            cd_text_add_bytes(&flow, line, n);
        }
        next += n + (line[n] == '\n');
        if ((kept || !*next || *next == ' ' || *next == '\n') && (flow.length > 0 || flow.failed)) {
            print_paragraph(cd_text_or_empty(&flow), 0, 0);
            cd_text_free(&flow);
            flow = (cd_text){0};
        }
        if (kept) cd_print("%.*s\n", (int)n, line);
    }
    cd_text_free(&flow);
}

static void print_option(const cd_option* option)
{
    cd_text head = {0}, body = {0};
    if (option->letter)
        cd_text_format(&head, "  -%c, --", option->letter);
    else
        cd_text_add(&head, "      --");
    cd_text_format(&head, "%.*s", (int)strcspn(option->names, " "), option->names);
    if (option->argument) cd_text_format(&head, " %s", option->argument);
    cd_text_add(&body, option->help);
    if (*option->default_text) cd_text_format(&body, "; default: %s", option->default_text);
    if (!head.failed && !body.failed) {
        int column = cd_print("%s", head.data);
        if (column > HELP_COLUMN - 2) cd_print("\n"), column = 0;
        print_paragraph(body.data, column, HELP_COLUMN);
    } else {
        cd_report_no_memory();
    }
    cd_text_free(&head);
    cd_text_free(&body);
}

// Print the lines "call # purpose" with aligned purposes.
static void print_examples(const char* text)
{
    size_t width = 0;
    for (const char* p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const size_t n = strcspn(p, "#\n");
        if (n > width && n < 64) width = n;
    }
    for (const char* p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const size_t call = strcspn(p, "#\n"), whole = strcspn(p, "\n");
        cd_print("  %-*.*s", (int)width, (int)call, p);
        if (whole > call) cd_print("%.*s", (int)(whole - call), p + call);
        cd_print("\n");
    }
}

void cd_help_command(const cd_command* command)
{
    cd_print("cardan %s: %s\n\n", command->name, command->summary);
    cd_print("usage: cardan %s%s%s [options]\n\n", command->name, *command->operands ? " " : "", command->operands);
    print_text(command->text);
    if (command->examples) {
        cd_print("\nexamples\n");
        print_examples(command->examples);
    }
    cd_print("\noptions\n");
    for (int i = 0; i < command->noption; ++i) print_option(cd_option_at(command->option[i]));
    cd_print("\n");
    cd_text last = {0};
    cd_text_format(&last,
                   "units: %s. exit code: 0 success, 1 error in the input, 2 usage error, 3 numerical failure, "
                   "130 interrupted (files written so far are complete).",
                   command->units ? command->units : "SI and radians");
    print_paragraph(cd_text_or_empty(&last), 0, 0);
    cd_text_free(&last);
}

void cd_help_overview(void)
{
    cd_print("cardan %s: dynamics of rigid multibody systems, with a choice of formulations\n\n"
             "usage: cardan COMMAND [arguments] [options]\n\n",
             cardan_version());
    for (int i = 0; i < cd_command_count(); ++i)
        cd_print("  %-10s %s%s\n", cd_command_at(i)->name, cd_command_at(i)->summary,
                 cd_command_missing_part(cd_command_at(i)) ? " (not in this build: cardan version --parts)" : "");
    cd_print("\nA mechanism is described by a short text file, for example pendulum.yaml:\n\n"
             "  cardan: 1\n"
             "  bodies:\n"
             "    bob: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}     # 1 m along x, 1 kg\n"
             "  joints:\n"
             "    hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: y}\n"
             "  run: {duration: 10}\n\n"
             "  cardan check pendulum.yaml        # structure and diagnosis\n"
             "  cardan draw pendulum.yaml         # picture of the mechanism\n"
             "  cardan run pendulum.yaml          # simulation: results/pendulum.csv and .svg\n\n"
             "`cardan help COMMAND` or `cardan COMMAND --help` describes one command, with examples.\n"
             "`cardan schema --manual` prints the reference manual of the model file.\n");
}
