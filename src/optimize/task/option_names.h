// SPDX-License-Identifier: BSD-3-Clause
// Names that a task or its options choose from, and the message for an unknown name.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef const char* cd_option_name(int i); // name i, NULL after the last

// Return whether `word` is one of the names; else write the message: there is no WHAT 'WORD' (did you
// mean ...?); there are ...
bool cd_check_option_name(const char* what, const char* word, cd_option_name* at, char* message, size_t size);

const char* cd_layout_name(int i);
const char* cd_compile_mode_name(int i); // in the order of cd_compile_mode
