// SPDX-License-Identifier: BSD-3-Clause
// Arguments as source text, for calls whose arguments are names.
#pragma once

// Offset of the ')' that closes the '(' at `parenthesis`; quotes are skipped. -1 if there is none.
int cd_call_arguments_end(const char* text, int parenthesis);

// Split at commas outside of quotes and parentheses, in place; surrounding spaces and quotes are removed. Returns the
// number of arguments (0 for empty text), -1 if they are more than CD_CALL_ARGUMENTS_MAX.
int cd_call_arguments_split(char* text, const char** argument);
