// SPDX-License-Identifier: BSD-3-Clause
// Messages on standard error, reports on standard output, and exit codes.
#pragma once

#include "cli/commands/commands.h"
#include "core/text.h"

#include <cardan/status.h>

// Print "cardan: error: sentence [code]".
void cd_report_error(cardan_code code, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Print "cardan: error: out of memory" once. From then on the exit code of the process is CD_EXIT_INPUT, whatever the
// command returns. cd_text_or_empty does the same for a text whose allocation failed; it returns the text, or "" then.
int         cd_report_no_memory(void);
const char* cd_text_or_empty(const cd_text* text);
// Report CARDAN_NO_MEMORY and return `status` unchanged. For optional computations whose other failures are ignored.
cardan_status cd_report_if_no_memory(cardan_status status);
// Exit code of the process for the return value of a command.
int cd_final_exit_code(int code);
int cd_report_unknown_command(const char* name, const char* suggestion); // suggestion: similar name, or NULL
// Print "cardan run: sentence" and how to print the help. Returns CD_EXIT_USAGE.
int cd_report_usage_error(const cd_command* command, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Report a word that is not in a list of names; `what` is e.g. "formulation". Returns CD_EXIT_USAGE.
int cd_report_unknown_name(const char* what, const char* word, const char* (*candidate)(void* user, int i), void* user,
                           const char* advice);

// Print all messages of the report and clear it.
void cd_print_report(cardan_report* report);
// Print the messages of one code and remove them from the report. Returns their number.
int cd_print_messages_of_code(cardan_report* report, cardan_code code);
// Print the report with errors as notes, for failures that do not make the command fail.
void cd_print_report_as_notes(cardan_report* report);
// Record that the command has printed its report; cd_print_error_json then prints nothing.
void cd_mark_report_printed(void);
// Print a report of the command to standard output, free it and record that it is printed. Nothing is printed after a
// failed allocation. Returns the exit code.
int cd_print_and_free_text(cd_text* text);
// Print {"error": {"status", "code", "message", "location", "exit_code"}} to standard output, if the command failed
// before it printed its report.
void cd_print_error_json(int code);
// Exit code of a status.
int cd_exit_code(cardan_status status);
// Print the report, and the text of the status if the report has no error. Returns the exit code of the status.
int cd_report_failure(cardan_report* report, cardan_status status);

enum { CD_WORD_LENGTH = 40 };
// Status in lower case, as in JSON: "ok", "step_too_small", ...
const char* cd_status_json_name(cardan_status status, char word[CD_WORD_LENGTH]);
// Code in lower case, as in JSON and in brackets at the end of a message: "file_not_found", ...
const char* cd_code_json_name(cardan_code code, char word[CD_WORD_LENGTH]);
