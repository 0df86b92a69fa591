// SPDX-License-Identifier: BSD-3-Clause
// Messages on stderr. The library only collects sentences; here they are told.
#include "cli/messages.h"

#include "core/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void cd_say_error(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("cardan: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int cd_say_usage(const cd_command* command, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "cardan %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n`cardan %s --help` explains.\n", command->name);
    va_end(arguments);
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

void cd_say_report(cardan_report* report)
{
    for (int i = 0; i < report->count; ++i) fprintf(stderr, "%s\n", report->message[i].text);
    if (report->dropped > 0) fprintf(stderr, "and %d more\n", report->dropped);
    cardan_report_clear(report);
}

void cd_say_notes(cardan_report* report)
{
    for (int i = 0; i < report->count; ++i) {
        const char* text = report->message[i].text;
        const char* mark = report->message[i].severity == CARDAN_ERROR ? strstr(text, "error: ") : NULL;
        if (mark)
            fprintf(stderr, "%.*snote: %s\n", (int)(mark - text), text, mark + strlen("error: "));
        else
            fprintf(stderr, "%s\n", text);
    }
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
    if (status != CARDAN_OK && report->errors == 0) cd_say_error("%s", cardan_status_text(status));
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
