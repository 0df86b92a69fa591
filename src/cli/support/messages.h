// SPDX-License-Identifier: BSD-3-Clause
// What the tool says on stderr, and what it returns.
#pragma once

#include "cli/commands/commands.h"
#include "core/text.h"

#include <cardan/status.h>

// "cardan: error: sentence [code]"
void cd_report_error(cardan_code code, const char* format, ...) __attribute__((format(printf, 2, 3)));
// "cardan: error: out of memory", once; the exit code is CD_EXIT_INPUT from then on, whatever the command returns. Also for
// a text that failed: its words, or "" without them.
int         cd_report_no_memory(void);
const char* cd_text_or_empty(const cd_text* text);
// Says it where that is the status, which is returned: of what is tried, and whose failure is otherwise none.
cardan_status cd_report_if_no_memory(cardan_status status);
// Exit code of the process for what a command returned.
int cd_final_exit_code(int code);
int cd_report_unknown_command(const char* name, const char* suggestion); // near: what may have been meant, or NULL
// "cardan run: sentence" and where the help is; returns CD_EXIT_USAGE.
int cd_report_usage_error(const cd_command* command, const char* format, ...) __attribute__((format(printf, 2, 3)));
// A word that should have been one of a list: `what` "formulation"; returns CD_EXIT_USAGE.
int cd_report_unknown_name(const char* what, const char* word, const char* (*candidate)(void* user, int i), void* user,
                           const char* advice);

// Everything in the report; then it is empty.
void cd_print_report(cardan_report* report);
// The same where it is no failure of the whole: errors are told as notes.
void cd_print_report_as_notes(cardan_report* report);
// The command has printed what it has to report.
void cd_mark_report_printed(void);
// {"error": {"status", "code", "message", "place", "exit_code"}} on standard output, of a command that failed before its
// report.
void cd_print_error_json(int code);
// Exit code of a status.
int cd_exit_code(cardan_status status);
// The report, and the exit code of the status.
int cd_report_failure(cardan_report* report, cardan_status status);

enum { CD_WORD_LENGTH = 40 };
// "ok", "step_too_small", ...: the status as JSON has it.
const char* cd_status_json_name(cardan_status status, char word[CD_WORD_LENGTH]);
// "file_not_found", ...: the code as JSON has it, and as it stands in brackets at the end of a message.
const char* cd_code_word(cardan_code code, char word[CD_WORD_LENGTH]);
