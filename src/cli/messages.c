// SPDX-License-Identifier: BSD-3-Clause
// Messages on stderr. The library only collects sentences; here they are told.
#include "cli/messages.h"

#include "cli/print.h"
#include "cli/values.h"
#include "core/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REMEMBERED = CARDAN_REPORT_ERRORS };

// Failures that were told, for --json. Of the process, as its standard error is.
static struct {
    bool          report; // the command has printed its report
    bool          known;  // the status of the first
    bool          no_memory; // of some failure
    cardan_status status;
    int           count;
    char          text[REMEMBERED][CARDAN_MESSAGE_LENGTH]; // "file:line:column: error: sentence", or a sentence alone
} told;

static void remember(const char* text)
{
    if (told.count < REMEMBERED) snprintf(told.text[told.count++], CARDAN_MESSAGE_LENGTH, "%s", text);
}

static void remember_status(cardan_status status)
{
    if (told.known || status == CARDAN_OK) return;
    told.known  = true;
    told.status = status;
}

int cd_say_no_memory(void)
{
    const bool first = !told.no_memory;
    told.no_memory   = true;
    remember_status(CARDAN_NO_MEMORY);
    if (first) cd_say_error("%s", cardan_status_text(CARDAN_NO_MEMORY));
    return CD_EXIT_INPUT;
}

const char* cd_words_of(const cd_text* text)
{
    if (text->failed) cd_say_no_memory();
    return text->failed || !text->data ? "" : text->data;
}

cardan_status cd_heed_memory(cardan_status status)
{
    if (status == CARDAN_NO_MEMORY) cd_say_no_memory();
    return status;
}

int cd_end_code(int code) { return told.no_memory ? CD_EXIT_INPUT : code; }

void cd_say_reported(void) { told.report = true; }

cardan_place cd_message_place(const char* text, const char* sentence, char file[CARDAN_MESSAGE_LENGTH])
{
    int number[2] = {0, 0};
    if (sentence <= text + 2) return cardan_nowhere();
    snprintf(file, CARDAN_MESSAGE_LENGTH, "%.*s", (int)(sentence - text - 2), text);
    for (int i = 1; i >= 0; --i) {
        char* colon = strrchr(file, ':');
        char* end   = NULL;
        if (!colon || !isdigit((unsigned char)colon[1])) break;
        const long value = strtol(colon + 1, &end, 10);
        if (*end) break;
        number[i] = (int)value;
        *colon    = 0;
    }
    if (number[0] == 0) number[0] = number[1], number[1] = 0; // a line without a column
    return (cardan_place){file, number[0], number[1]};
}

static void write_place(cd_json* json, cardan_place place)
{
    const int number[2] = {place.line, place.column};
    if (!place.file) {
        cd_json_null(json, "place");
        return;
    }
    cd_json_object(json, "place");
    cd_json_string(json, "file", place.file);
    for (int i = 0; i < 2; ++i)
        if (number[i] > 0)
            cd_json_integer(json, i == 0 ? "line" : "column", number[i]);
        else
            cd_json_null(json, i == 0 ? "line" : "column");
    cd_json_end(json);
}

static void write_sentence(cd_json* json, const char* text)
{
    char        file[CARDAN_MESSAGE_LENGTH];
    const char* mark = strstr(text, "error: ");
    cd_json_string(json, "message", mark ? mark + strlen("error: ") : text);
    write_place(json, mark ? cd_message_place(text, mark, file) : cardan_nowhere());
}

void cd_say_as_json(int code)
{
    char    word[32];
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    if (code == CD_EXIT_DONE || told.report) return;
    const cardan_status status = told.known                ? told.status
                                 : code == CD_EXIT_USAGE   ? CARDAN_BAD_USAGE
                                 : code == CD_EXIT_STOPPED ? CARDAN_STOPPED
                                                           : CARDAN_BAD_INPUT;
    cd_json_object(&json, NULL);
    cd_json_object(&json, "error");
    cd_json_string(&json, "status", cd_status_word(status, word));
    write_sentence(&json, told.count > 0 ? told.text[0] : cardan_status_text(status));
    cd_json_integer(&json, "exit_code", code);
    if (told.count > 1) cd_json_array(&json, "all");
    for (int i = 0; told.count > 1 && i < told.count; ++i) {
        cd_json_object(&json, NULL);
        write_sentence(&json, told.text[i]);
        cd_json_end(&json);
    }
    if (told.count > 1) cd_json_end(&json);
    cd_json_end(&json);
    cd_json_end(&json);
    cd_print_text(&text);
}

void cd_say_error(const char* format, ...)
{
    char    text[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    remember(text);
    cd_print_error("cardan: error: %s\n", text);
}

int cd_say_no_command(const char* name, const char* near)
{
    char text[CARDAN_MESSAGE_LENGTH];
    if (near)
        snprintf(text, sizeof text, "there is no command '%s' (did you mean '%s'?)", name, near);
    else
        snprintf(text, sizeof text, "there is no command '%s'", name);
    remember(text);
    cd_print_error("cardan: %s\n`cardan help` lists the commands.\n", text);
    return CD_EXIT_USAGE;
}

int cd_say_usage(const cd_command* command, const char* format, ...)
{
    char    text[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    remember(text);
    cd_print_error("cardan %s: %s\n`cardan %s --help` explains.\n", command->name, text, command->name);
    return CD_EXIT_USAGE;
}

int cd_say_unknown(const char* what, const char* word, const char* (*candidate)(void* user, int i), void* user,
                   const char* advice)
{
    const char* near = cd_nearest(word, candidate, user);
    if (near)
        cd_say_error("there is no %s '%s' (did you mean '%s'?); %s", what, word, near, advice);
    else
        cd_say_error("there is no %s '%s'; %s", what, word, advice);
    return CD_EXIT_USAGE;
}

// Keep the messages about memory alone: after a failed allocation other diagnoses may be wrong.
static void keep_memory_only(cardan_report* report)
{
    int n = 0;
    for (int i = 0; i < report->count; ++i)
        if (strstr(report->message[i].text, cardan_status_text(CARDAN_NO_MEMORY)))
            report->message[n++] = report->message[i];
    report->count   = n;
    report->dropped = 0;
    if (n == 0) cd_say_no_memory();
}

void cd_say_report(cardan_report* report)
{
    if (report->no_memory) keep_memory_only(report);
    if (report->no_memory) told.no_memory = true, remember_status(CARDAN_NO_MEMORY);
    for (int i = 0; i < report->count; ++i) {
        if (report->message[i].severity == CARDAN_ERROR) remember(report->message[i].text);
        cd_print_error("%s\n", report->message[i].text);
    }
    if (report->dropped > 0) cd_print_error("and %d more\n", report->dropped);
    cardan_report_clear(report);
}

void cd_say_notes(cardan_report* report)
{
    if (report->no_memory) keep_memory_only(report);
    for (int i = 0; i < report->count; ++i) {
        const char* text = report->message[i].text;
        const char* mark = report->message[i].severity == CARDAN_ERROR ? strstr(text, "error: ") : NULL;
        if (mark)
            cd_print_error("%.*snote: %s\n", (int)(mark - text), text, mark + strlen("error: "));
        else
            cd_print_error("%s\n", text);
    }
    if (report->no_memory) cd_say_no_memory();
    cardan_report_clear(report);
}

int cd_exit_code(cardan_status status)
{
    switch (status) {
    case CARDAN_OK:
        return CD_EXIT_DONE;
    case CARDAN_BAD_USAGE:
        return CD_EXIT_USAGE;
    case CARDAN_STOPPED:
        return CD_EXIT_STOPPED;
    case CARDAN_DIVERGED:
    case CARDAN_NOT_CONVERGED:
    case CARDAN_STEP_TOO_SMALL:
        return CD_EXIT_NUMERICAL;
    case CARDAN_BAD_INPUT:
    case CARDAN_NO_FILE:
    case CARDAN_NO_MEMORY:
    case CARDAN_UNSUPPORTED:
    case CARDAN_SINGULAR: // at the state that was given
    case CARDAN_INCONSISTENT:
        return CD_EXIT_INPUT;
    }
    return CD_EXIT_INPUT;
}

int cd_say_failure(cardan_report* report, cardan_status status)
{
    if (report->no_memory) status = CARDAN_NO_MEMORY;
    remember_status(status);
    if (status == CARDAN_NO_MEMORY && !report->no_memory)
        cd_say_no_memory();
    else if (status != CARDAN_OK && report->errors == 0)
        cd_say_error("%s", cardan_status_text(status));
    cd_say_report(report);
    return cd_exit_code(status);
}

const char* cd_status_word(cardan_status status, char word[32])
{
    const char* name = cardan_status_name(status);
    int         n    = 0;
    for (; name[n] && n < 31; ++n) word[n] = (char)tolower((unsigned char)name[n]);
    word[n] = 0;
    return word;
}
