// SPDX-License-Identifier: BSD-3-Clause
// Messages on standard error. The library collects messages in reports; these functions print them, and the reports of
// commands, which are printed only if no allocation failed.
#include "cli/support/messages.h"

#include "cli/support/terminal_print.h"
#include "core/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES_MAX = CARDAN_REPORT_ERRORS };

// Printed failures, for --json; global, because standard error belongs to the process.
static struct {
    bool           report_printed; // the command has printed its report
    bool           has_status;     // status of the first failure is set
    bool           no_memory;      // some failure was CARDAN_NO_MEMORY
    cardan_status  status;
    int            count;
    cardan_message message[FAILURES_MAX];
} failures;

static void record_failure(const cardan_message* message)
{
    if (failures.count < FAILURES_MAX) failures.message[failures.count++] = *message;
}

// Message of the tool itself: no location, only a sentence.
static cardan_message own_message(cardan_code code, const char* format, va_list arguments)
{
    cardan_message message = {.severity = CARDAN_ERROR, .code = code};
    vsnprintf(message.text, sizeof message.text, format, arguments);
    return message;
}

static void record_status(cardan_status status)
{
    if (failures.has_status || status == CARDAN_OK) return;
    failures.has_status = true;
    failures.status     = status;
}

int cd_report_no_memory(void)
{
    const bool first   = !failures.no_memory;
    failures.no_memory = true;
    record_status(CARDAN_NO_MEMORY);
    if (first) cd_report_error(CARDAN_CODE_OUT_OF_MEMORY, "%s", cardan_status_text(CARDAN_NO_MEMORY));
    return CD_EXIT_INPUT;
}

const char* cd_text_or_empty(const cd_text* text)
{
    if (text->failed) cd_report_no_memory();
    return text->failed || !text->data ? "" : text->data;
}

cardan_status cd_report_if_no_memory(cardan_status status)
{
    if (status == CARDAN_NO_MEMORY) cd_report_no_memory();
    return status;
}

int cd_final_exit_code(int code) { return failures.no_memory ? CD_EXIT_INPUT : code; }

void cd_mark_report_printed(void) { failures.report_printed = true; }

int cd_print_and_free_text(cd_text* text)
{
    const bool failed = text->failed || cd_final_exit_code(CD_EXIT_DONE) != CD_EXIT_DONE; // print no incomplete report
    if (failed)
        cd_report_no_memory();
    else if (text->length > 0)
        cd_print_bytes(text->data, text->length);
    if (!failed) cd_mark_report_printed();
    if (!failed && text->length > 0 && text->data[text->length - 1] != '\n') cd_print("\n");
    cd_text_free(text);
    return failed ? CD_EXIT_INPUT : CD_EXIT_DONE;
}

static void write_location(cd_json_writer* json, cardan_location location)
{
    const int number[2] = {location.line, location.column};
    if (!location.file) {
        cd_json_null(json, "location");
        return;
    }
    cd_json_begin_object(json, "location");
    cd_json_string(json, "file", location.file);
    for (int i = 0; i < 2; ++i)
        if (number[i] > 0)
            cd_json_integer(json, i == 0 ? "line" : "column", number[i]);
        else
            cd_json_null(json, i == 0 ? "line" : "column");
    cd_json_end(json);
}

static void write_message(cd_json_writer* json, const cardan_message* message)
{
    char word[CD_WORD_LENGTH];
    cd_json_string(json, "code", cd_code_json_name(message->code, word));
    cd_json_string(json, "message", cardan_message_sentence(message));
    write_location(json, cardan_message_location(message));
}

void cd_print_error_json(int code)
{
    char           word[CD_WORD_LENGTH];
    cd_text        text    = {0};
    cd_json_writer json    = cd_json_writer_to(&text);
    cardan_message unknown = {.code = CARDAN_CODE_STATUS_ONLY};
    if (code == CD_EXIT_DONE || failures.report_printed) return;
    const cardan_status status = failures.has_status       ? failures.status
                                 : code == CD_EXIT_USAGE   ? CARDAN_BAD_USAGE
                                 : code == CD_EXIT_STOPPED ? CARDAN_STOPPED
                                                           : CARDAN_BAD_INPUT;
    cd_json_begin_object(&json, NULL);
    cd_json_begin_object(&json, "error");
    cd_json_string(&json, "status", cd_status_json_name(status, word));
    snprintf(unknown.text, sizeof unknown.text, "%s", cardan_status_text(status));
    write_message(&json, failures.count > 0 ? &failures.message[0] : &unknown);
    cd_json_integer(&json, "exit_code", code);
    if (failures.count > 1) cd_json_begin_array(&json, "all");
    for (int i = 0; failures.count > 1 && i < failures.count; ++i) {
        cd_json_begin_object(&json, NULL);
        write_message(&json, &failures.message[i]);
        cd_json_end(&json);
    }
    if (failures.count > 1) cd_json_end(&json);
    cd_json_end(&json);
    cd_json_end(&json);
    cd_print_and_free_text(&text);
}

void cd_report_error(cardan_code code, const char* format, ...)
{
    char    word[CD_WORD_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    const cardan_message message = own_message(code, format, arguments);
    va_end(arguments);
    record_failure(&message);
    cd_print_error("cardan: error: %s [%s]\n", message.text, cd_code_json_name(code, word));
}

int cd_report_unknown_command(const char* name, const char* suggestion)
{
    char           word[CD_WORD_LENGTH];
    cardan_message message = {.severity = CARDAN_ERROR, .code = CARDAN_CODE_UNKNOWN_COMMAND};
    if (suggestion)
        snprintf(message.text, sizeof message.text, "there is no command '%s' (did you mean '%s'?)", name, suggestion);
    else
        snprintf(message.text, sizeof message.text, "there is no command '%s'", name);
    record_failure(&message);
    cd_print_error("cardan: %s [%s]\n`cardan help` lists the commands.\n", message.text,
                   cd_code_json_name(message.code, word));
    return CD_EXIT_USAGE;
}

int cd_report_usage_error(const cd_command* command, const char* format, ...)
{
    char    word[CD_WORD_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    const cardan_message message = own_message(CARDAN_CODE_USAGE, format, arguments);
    va_end(arguments);
    record_failure(&message);
    cd_print_error("cardan %s: %s [%s]\n`cardan %s --help` describes the options.\n", command->name, message.text,
                   cd_code_json_name(message.code, word), command->name);
    return CD_EXIT_USAGE;
}

int cd_report_unknown_name(const char* what, const char* word, const char* (*candidate)(void* user, int i), void* user,
                           const char* advice)
{
    const char* suggestion = cd_nearest_name(word, candidate, user);
    if (suggestion)
        cd_report_error(CARDAN_CODE_UNKNOWN_NAME, "there is no %s '%s' (did you mean '%s'?); %s", what, word,
                        suggestion, advice);
    else
        cd_report_error(CARDAN_CODE_UNKNOWN_NAME, "there is no %s '%s'; %s", what, word, advice);
    return CD_EXIT_USAGE;
}

// Keep only the messages about memory: after a failed allocation other diagnoses may be wrong.
static void keep_memory_messages(cardan_report* report)
{
    int n = 0;
    for (int i = 0; i < report->count; ++i)
        if (report->message[i].code == CARDAN_CODE_OUT_OF_MEMORY) report->message[n++] = report->message[i];
    report->count   = n;
    report->dropped = 0;
    if (n == 0) cd_report_no_memory();
}

void cd_print_report(cardan_report* report)
{
    char word[CD_WORD_LENGTH];
    if (report->no_memory) keep_memory_messages(report);
    if (report->no_memory) failures.no_memory = true, record_status(CARDAN_NO_MEMORY);
    for (int i = 0; i < report->count; ++i) {
        const cardan_message* message = &report->message[i];
        if (message->severity == CARDAN_ERROR) record_failure(message);
        cd_print_error("%s [%s]\n", message->text, cd_code_json_name(message->code, word));
    }
    if (report->dropped > 0) cd_print_error("and %d more messages\n", report->dropped);
    cardan_report_clear(report);
}

int cd_print_messages_of_code(cardan_report* report, cardan_code code)
{
    char word[CD_WORD_LENGTH];
    int  kept = 0, printed = 0;
    for (int i = 0; i < report->count; ++i) {
        if (report->message[i].code == code)
            cd_print_error("%s [%s]\n", report->message[i].text, cd_code_json_name(code, word)), ++printed;
        else
            report->message[kept++] = report->message[i];
    }
    report->count = kept;
    return printed;
}

void cd_print_report_as_notes(cardan_report* report)
{
    if (report->no_memory) keep_memory_messages(report);
    for (int i = 0; i < report->count; ++i) {
        cardan_report note = {0};
        cardan_note(&note, report->message[i].code, cardan_message_location(&report->message[i]), "%s",
                    cardan_message_sentence(&report->message[i]));
        if (report->message[i].severity == CARDAN_ERROR) report->message[i] = note.message[0];
    }
    const bool no_memory = report->no_memory;
    report->no_memory    = false;
    cd_print_report(report);
    if (no_memory) cd_report_no_memory();
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
    case CARDAN_NOT_FINITE:
    case CARDAN_NOT_CONVERGED:
    case CARDAN_STEP_TOO_SMALL:
        return CD_EXIT_NUMERICAL;
    case CARDAN_BAD_INPUT:
    case CARDAN_FILE_ERROR:
    case CARDAN_NO_MEMORY:
    case CARDAN_UNSUPPORTED:
    case CARDAN_SINGULAR: // at the given state
    case CARDAN_INCONSISTENT:
        return CD_EXIT_INPUT;
    }
    return CD_EXIT_INPUT;
}

int cd_report_failure(cardan_report* report, cardan_status status)
{
    if (report->no_memory) status = CARDAN_NO_MEMORY;
    record_status(status);
    if (status == CARDAN_NO_MEMORY && !report->no_memory)
        cd_report_no_memory();
    else if (status != CARDAN_OK && report->errors == 0)
        cd_report_error(CARDAN_CODE_STATUS_ONLY, "%s", cardan_status_text(status));
    cd_print_report(report);
    return cd_exit_code(status);
}

static const char* lower_case(const char* name, char word[CD_WORD_LENGTH])
{
    int n = 0;
    for (; name[n] && n < CD_WORD_LENGTH - 1; ++n) word[n] = (char)tolower((unsigned char)name[n]);
    word[n] = 0;
    return word;
}

const char* cd_status_json_name(cardan_status status, char word[CD_WORD_LENGTH])
{
    return lower_case(cardan_status_name(status), word);
}

const char* cd_code_json_name(cardan_code code, char word[CD_WORD_LENGTH])
{
    return lower_case(cardan_code_name(code), word);
}
