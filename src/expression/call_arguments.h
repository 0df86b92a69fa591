// SPDX-License-Identifier: BSD-3-Clause
// Arguments as source text, for calls whose arguments are names.
#pragma once

// Offset of the ')' that closes the '(' at `open`; quotes are skipped. -1 if there is none.
int cd_call_arguments_end(const char* text, int parenthesis);

// Cut at commas that stand in no quotes or parentheses, in place; spaces around and quotes are taken away.
// The number of arguments (none of empty text), -1 if they are more than CD_ARGUMENTS.
int cd_call_arguments_split(char* text, const char** argument);

// The first argument that the sentence has in quotes, -1 if none.
int cd_call_argument_quoted(const char* sentence, int count, const char* const* argument);
