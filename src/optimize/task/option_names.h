// SPDX-License-Identifier: BSD-3-Clause
// Words that a task or its options choose from: names of a table, and what is said where a word is none of them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef const char* cd_option_name(int i); // NULL behind the last

// Whether `word` is one of them; else the sentence: there is no WHAT 'WORD' (did you mean ...?); there are ...
bool cd_check_option_name(const char* what, const char* word, cd_option_name* at, char* sentence, size_t size);

const char* cd_layout_name(int i);
const char* cd_compile_mode_name(int i); // as in cd_compile_mode
