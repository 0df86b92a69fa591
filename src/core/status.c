// SPDX-License-Identifier: BSD-3-Clause
// Status codes and reports: messages with a location, in fixed memory.
#include "core/escape.h"
#include "core/report.h"
#include "core/utf8.h"

#include <cardan/version.h>
#include <stdio.h>
#include <string.h>

static const char* const texts[] = {
#define STATUS_TEXT(name, text) text,
    CARDAN_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
};

static const char* const names[] = {
#define STATUS_NAME(name, text) #name,
    CARDAN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
};

static const char* const meanings[] = {
#define CODE_MEANING(name, meaning) meaning,
    CARDAN_CODE_LIST(CODE_MEANING)
#undef CODE_MEANING
};

static const char* const code_names[] = {
#define CODE_NAME(name, meaning) #name,
    CARDAN_CODE_LIST(CODE_NAME)
#undef CODE_NAME
};

static bool is_code(int code) { return code >= 0 && code < CARDAN_CODE_COUNT; }

static bool is_status(int status) { return status >= 0 && status < (int)(sizeof texts / sizeof *texts); }

const char* cardan_status_text(cardan_status status)
{
    return is_status((int)status) ? texts[status] : "unknown status";
}
const char* cardan_status_name(cardan_status status) { return is_status((int)status) ? names[status] : "UNKNOWN"; }
const char* cardan_code_name(cardan_code code) { return is_code((int)code) ? code_names[code] : "UNKNOWN"; }
const char* cardan_code_meaning(cardan_code code) { return is_code((int)code) ? meanings[code] : ""; }
const char* cardan_version(void) { return CARDAN_VERSION; }

void cardan_report_clear(cardan_report* report)
{
    if (!report) return;
    report->count = report->errors = report->dropped = 0;
    report->no_memory                                = false;
}

// Slot of the next message: half of the array for errors, half for warnings and notes; else it is only counted.
static cardan_message* next_message(cardan_report* report, cardan_severity severity)
{
    const bool error = severity == CARDAN_ERROR;
    const int  limit = error ? CARDAN_REPORT_ERRORS : CARDAN_REPORT_MESSAGES - CARDAN_REPORT_ERRORS;
    int        count = 0;
    for (int i = 0; i < report->count; ++i) count += (report->message[i].severity == CARDAN_ERROR) == error;

    if (error) ++report->errors;
    if (count >= limit) {
        ++report->dropped;
        return NULL;
    }
    return &report->message[report->count++];
}

void cd_report_append(cardan_report* to, const cardan_report* from, int severities)
{
    int count = 0; // errors in `from`
    if (!to) return;
    to->no_memory = to->no_memory || from->no_memory;
    for (int i = 0; i < from->count; ++i) {
        const cardan_message* message = &from->message[i];
        count += message->severity == CARDAN_ERROR;
        cardan_message* next = severities & 1 << message->severity ? next_message(to, message->severity) : NULL;
        if (next) *next = *message;
    }
    const int errors = from->errors - count; // not stored in `from`
    if (severities & CD_APPEND_ERRORS) to->errors += errors, to->dropped += errors;
    if (severities & (CD_APPEND_NOTES | CD_APPEND_WARNINGS)) to->dropped += from->dropped - errors;
}

// Remove an incomplete UTF-8 character at the end of a text that filled its buffer.
static void cut_at_character(char* text, size_t size)
{
    size_t n = strlen(text), begin = n;
    if (n + 1 < size) return;
    while (begin > 0 && n - begin < 3 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80) --begin;
    if (begin > 0 && cd_utf8_length(text + begin - 1, n - begin + 1) == 0) text[begin - 1] = '\0';
}

// Messages of CARDAN_NO_MEMORY begin with the same words; true if a sentence does not yet.
static bool needs_memory_prefix(cardan_status status, const char* format)
{
    return status == CARDAN_NO_MEMORY && strncmp(format, texts[status], strlen(texts[status])) != 0;
}

// The end of a path that is too long to leave room for the sentence, from the beginning of a character on.
static const char* end_of_path(const char* file)
{
    const size_t n = strlen(file), most = CARDAN_FILE_LENGTH - 1;
    if (n > most) file += n - most;
    while (((unsigned char)*file & 0xC0) == 0x80) ++file;
    return file;
}

// Of a long path the end is kept.
static void set_location(cardan_message* message, cardan_location location)
{
    cd_visible_text(message->location.file, sizeof message->location.file, location.file ? location.file : "");
    message->location.line   = location.file ? location.line : 0;
    message->location.column = location.file ? location.column : 0;
}

// prefix: words before the sentence, or "".
static void add_message(cardan_report* report, cardan_severity severity, cardan_code code, cardan_location location,
                        const char* prefix, const char* format, va_list arguments)
{
    static const char* const labels[] = {
        [CARDAN_NOTE] = "note", [CARDAN_WARNING] = "warning", [CARDAN_ERROR] = "error"};
    if (!report) return;
    if (!format) format = "";
    cardan_message* message = next_message(report, severity);
    if (!message) return;
    message->severity = severity;
    message->code     = code;
    if (location.file) location.file = end_of_path(location.file);
    set_location(message, location);

    char         raw[CARDAN_MESSAGE_LENGTH];
    const size_t size = sizeof raw;
    int          used = 0;
    if (location.file && location.line > 0)
        used = snprintf(raw, size, "%s:%d:%d: %s: ", location.file, location.line, location.column, labels[severity]);
    else if (location.file)
        used = snprintf(raw, size, "%s: %s: ", location.file, labels[severity]);
    else
        used = snprintf(raw, size, "%s: ", labels[severity]);
    cd_visible_text(message->text, sizeof message->text, raw); // names and paths may contain any bytes
    message->sentence = (int)strlen(message->text);
    if (*prefix && used >= 0 && (size_t)used < size) used += snprintf(raw + used, size - (size_t)used, "%s: ", prefix);
    if (used >= 0 && (size_t)used < size) vsnprintf(raw + used, size - (size_t)used, format, arguments);
    cut_at_character(raw, size);
    cd_visible_text(message->text, sizeof message->text, raw);
}

cardan_status cardan_fail(cardan_report* report, cardan_status status, cardan_code code, cardan_location location,
                          const char* format, ...)
{
    va_list    arguments;
    const bool memory = status == CARDAN_NO_MEMORY;
    if (report && memory) report->no_memory = true;
    va_start(arguments, format);
    add_message(report, CARDAN_ERROR, memory ? CARDAN_CODE_OUT_OF_MEMORY : code, location,
                needs_memory_prefix(status, format) ? texts[CARDAN_NO_MEMORY] : "", format, arguments);
    va_end(arguments);
    return status;
}

void cardan_warn(cardan_report* report, cardan_code code, cardan_location location, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_message(report, CARDAN_WARNING, code, location, "", format, arguments);
    va_end(arguments);
}

void cardan_note(cardan_report* report, cardan_code code, cardan_location location, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_message(report, CARDAN_NOTE, code, location, "", format, arguments);
    va_end(arguments);
}

const char* cardan_message_sentence(const cardan_message* message)
{
    return message ? message->text + message->sentence : "";
}

cardan_location cardan_message_location(const cardan_message* message)
{
    if (!message || !message->location.file[0]) return cardan_location_none();
    return (cardan_location){message->location.file, message->location.line, message->location.column};
}
