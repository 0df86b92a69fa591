// SPDX-License-Identifier: BSD-3-Clause
// Messages on stderr. The library only collects sentences; here they are told.
#include "cli/messages.h"

#include "cli/print.h"
#include "cli/values.h"
#include "core/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { REMEMBERED = CARDAN_REPORT_ERRORS };

// Failures that were printed, for --json. Of the process, as its standard error is.
static struct {
    bool           report;    // the command has printed its report
    bool           known;     // the status of the first
    bool           no_memory; // of some failure
    cardan_status  status;
    int            count;
    cardan_message message[REMEMBERED];
} told;

static void remember(const cardan_message* message)
{
    if (told.count < REMEMBERED) told.message[told.count++] = *message;
}

// A message of the tool itself: no location, its text is the sentence alone.
static cardan_message own_message(cardan_code code, const char* format, va_list arguments)
{
    cardan_message message = {.severity = CARDAN_ERROR, .code = code};
    vsnprintf(message.text, sizeof message.text, format, arguments);
    return message;
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
    if (first) cd_say_error(CARDAN_CODE_OUT_OF_MEMORY, "%s", cardan_status_text(CARDAN_NO_MEMORY));
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

static void write_message(cd_json* json, const cardan_message* message)
{
    char word[CD_WORD_LENGTH];
    cd_json_string(json, "code", cd_code_word(message->code, word));
    cd_json_string(json, "message", cardan_message_sentence(message));
    write_place(json, cardan_message_place(message));
}

void cd_say_as_json(int code)
{
    char           word[CD_WORD_LENGTH];
    cd_text        text    = {0};
    cd_json        json    = cd_json_to(&text);
    cardan_message unknown = {.code = CARDAN_CODE_STATUS_ONLY};
    if (code == CD_EXIT_DONE || told.report) return;
    const cardan_status status = told.known                ? told.status
                                 : code == CD_EXIT_USAGE   ? CARDAN_BAD_USAGE
                                 : code == CD_EXIT_STOPPED ? CARDAN_STOPPED
                                                           : CARDAN_BAD_INPUT;
    cd_json_object(&json, NULL);
    cd_json_object(&json, "error");
    cd_json_string(&json, "status", cd_status_word(status, word));
    snprintf(unknown.text, sizeof unknown.text, "%s", cardan_status_text(status));
    write_message(&json, told.count > 0 ? &told.message[0] : &unknown);
    cd_json_integer(&json, "exit_code", code);
    if (told.count > 1) cd_json_array(&json, "all");
    for (int i = 0; told.count > 1 && i < told.count; ++i) {
        cd_json_object(&json, NULL);
        write_message(&json, &told.message[i]);
        cd_json_end(&json);
    }
    if (told.count > 1) cd_json_end(&json);
    cd_json_end(&json);
    cd_json_end(&json);
    cd_print_text(&text);
}

void cd_say_error(cardan_code code, const char* format, ...)
{
    char    word[CD_WORD_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    const cardan_message message = own_message(code, format, arguments);
    va_end(arguments);
    remember(&message);
    cd_print_error("cardan: error: %s [%s]\n", message.text, cd_code_word(code, word));
}

int cd_say_no_command(const char* name, const char* near)
{
    char           word[CD_WORD_LENGTH];
    cardan_message message = {.severity = CARDAN_ERROR, .code = CARDAN_CODE_UNKNOWN_COMMAND};
    if (near)
        snprintf(message.text, sizeof message.text, "there is no command '%s' (did you mean '%s'?)", name, near);
    else
        snprintf(message.text, sizeof message.text, "there is no command '%s'", name);
    remember(&message);
    cd_print_error("cardan: %s [%s]\n`cardan help` lists the commands.\n", message.text,
                   cd_code_word(message.code, word));
    return CD_EXIT_USAGE;
}

int cd_say_usage(const cd_command* command, const char* format, ...)
{
    char    word[CD_WORD_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    const cardan_message message = own_message(CARDAN_CODE_USAGE, format, arguments);
    va_end(arguments);
    remember(&message);
    cd_print_error("cardan %s: %s [%s]\n`cardan %s --help` explains.\n", command->name, message.text,
                   cd_code_word(message.code, word), command->name);
    return CD_EXIT_USAGE;
}

int cd_say_unknown(const char* what, const char* word, const char* (*candidate)(void* user, int i), void* user,
                   const char* advice)
{
    const char* near = cd_nearest(word, candidate, user);
    if (near)
        cd_say_error(CARDAN_CODE_UNKNOWN_NAME, "there is no %s '%s' (did you mean '%s'?); %s", what, word, near,
                     advice);
    else
        cd_say_error(CARDAN_CODE_UNKNOWN_NAME, "there is no %s '%s'; %s", what, word, advice);
    return CD_EXIT_USAGE;
}

// Keep the messages about memory alone: after a failed allocation other diagnoses may be wrong.
static void keep_memory_only(cardan_report* report)
{
    int n = 0;
    for (int i = 0; i < report->count; ++i)
        if (report->message[i].code == CARDAN_CODE_OUT_OF_MEMORY) report->message[n++] = report->message[i];
    report->count   = n;
    report->dropped = 0;
    if (n == 0) cd_say_no_memory();
}

void cd_say_report(cardan_report* report)
{
    char word[CD_WORD_LENGTH];
    if (report->no_memory) keep_memory_only(report);
    if (report->no_memory) told.no_memory = true, remember_status(CARDAN_NO_MEMORY);
    for (int i = 0; i < report->count; ++i) {
        const cardan_message* message = &report->message[i];
        if (message->severity == CARDAN_ERROR) remember(message);
        cd_print_error("%s [%s]\n", message->text, cd_code_word(message->code, word));
    }
    if (report->dropped > 0) cd_print_error("and %d more\n", report->dropped);
    cardan_report_clear(report);
}

void cd_say_notes(cardan_report* report)
{
    if (report->no_memory) keep_memory_only(report);
    for (int i = 0; i < report->count; ++i) {
        cardan_report note = {0};
        cardan_note(&note, report->message[i].code, cardan_message_place(&report->message[i]), "%s",
                    cardan_message_sentence(&report->message[i]));
        if (report->message[i].severity == CARDAN_ERROR) report->message[i] = note.message[0];
    }
    const bool no_memory = report->no_memory;
    report->no_memory    = false;
    cd_say_report(report);
    if (no_memory) cd_say_no_memory();
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
        cd_say_error(CARDAN_CODE_STATUS_ONLY, "%s", cardan_status_text(status));
    cd_say_report(report);
    return cd_exit_code(status);
}

static const char* lower_case(const char* name, char word[CD_WORD_LENGTH])
{
    int n = 0;
    for (; name[n] && n < CD_WORD_LENGTH - 1; ++n) word[n] = (char)tolower((unsigned char)name[n]);
    word[n] = 0;
    return word;
}

const char* cd_status_word(cardan_status status, char word[CD_WORD_LENGTH])
{
    return lower_case(cardan_status_name(status), word);
}

const char* cd_code_word(cardan_code code, char word[CD_WORD_LENGTH])
{
    return lower_case(cardan_code_name(code), word);
}
