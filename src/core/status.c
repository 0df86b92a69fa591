// SPDX-License-Identifier: BSD-3-Clause
// Statuses and reports: sentences with a place, kept in fixed memory.
#include <cardan/status.h>
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

const char* cardan_status_text(cardan_status status) { return texts[status]; }
const char* cardan_status_name(cardan_status status) { return names[status]; }
const char* cardan_version(void) { return CARDAN_VERSION; }

void cardan_report_clear(cardan_report* report)
{
    report->count = report->errors = report->dropped = 0;
    report->no_memory                                = false;
}

// Errors and the rest have half the room each; what finds none is only counted.
static cardan_message* next_message(cardan_report* report, cardan_severity severity)
{
    const bool error = severity == CARDAN_ERROR;
    const int  limit = error ? CARDAN_REPORT_ERRORS : CARDAN_REPORT_MESSAGES - CARDAN_REPORT_ERRORS;
    int        held  = 0;
    for (int i = 0; i < report->count; ++i) held += (report->message[i].severity == CARDAN_ERROR) == error;

    if (error) ++report->errors;
    if (held >= limit) {
        ++report->dropped;
        return NULL;
    }
    return &report->message[report->count++];
}

// Failures for want of memory all begin with the same words; true where a sentence does not yet.
static bool without_memory(cardan_status status, const char* format)
{
    return status == CARDAN_NO_MEMORY && strncmp(format, texts[status], strlen(texts[status])) != 0;
}

// before: words that the sentence is the explanation of, or "".
static void add(cardan_report* report, cardan_severity severity, cardan_place place, const char* before,
                const char* format, va_list arguments)
{
    static const char* const labels[] = {
        [CARDAN_NOTE] = "note", [CARDAN_WARNING] = "warning", [CARDAN_ERROR] = "error"};
    if (!report) return;
    cardan_message* message = next_message(report, severity);
    if (!message) return;
    message->severity = severity;

    const size_t size = sizeof message->text;
    int          used = 0;
    if (place.file && place.line > 0)
        used = snprintf(message->text, size, "%s:%d:%d: %s: ", place.file, place.line, place.column, labels[severity]);
    else if (place.file)
        used = snprintf(message->text, size, "%s: %s: ", place.file, labels[severity]);
    else
        used = snprintf(message->text, size, "%s: ", labels[severity]);
    if (*before && used >= 0 && (size_t)used < size)
        used += snprintf(message->text + used, size - (size_t)used, "%s: ", before);
    if (used >= 0 && (size_t)used < size) vsnprintf(message->text + used, size - (size_t)used, format, arguments);
}

cardan_status cardan_fail(cardan_report* report, cardan_status status, cardan_place place, const char* format, ...)
{
    va_list arguments;
    if (report && status == CARDAN_NO_MEMORY) report->no_memory = true;
    va_start(arguments, format);
    add(report, CARDAN_ERROR, place, without_memory(status, format) ? texts[CARDAN_NO_MEMORY] : "", format, arguments);
    va_end(arguments);
    return status;
}

void cardan_warn(cardan_report* report, cardan_place place, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(report, CARDAN_WARNING, place, "", format, arguments);
    va_end(arguments);
}

void cardan_note(cardan_report* report, cardan_place place, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(report, CARDAN_NOTE, place, "", format, arguments);
    va_end(arguments);
}
