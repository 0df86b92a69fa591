// SPDX-License-Identifier: BSD-3-Clause
// Strings: a growing text, a name table with indices, and suggestions for misspelled names.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

// A growing text. A failed allocation sets `failed`; later writes have no effect.
typedef struct cd_text {
    char*  data; // zero-terminated after the first write
    size_t length, capacity;
    bool   failed;
} cd_text;

void cd_text_add(cd_text* text, const char* s);
void cd_text_add_bytes(cd_text* text, const char* s, size_t n);
void cd_text_format(cd_text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void cd_text_format_v(cd_text* text, const char* format, va_list arguments);
// Write the shortest decimal that reads back to the same bits, in common notation: 4000, 0.0001, 1e-5, 2.5e15.
void  cd_text_number(cd_text* text, double value);
char* cd_text_detach(cd_text* text); // the caller frees; NULL if it failed
void  cd_text_free(cd_text* text);

// Name table: hash table from names to indices that owns its strings. -1: name not found.
typedef struct cd_name_table cd_name_table;

cd_name_table* cd_name_table_create(void);
void           cd_name_table_destroy(cd_name_table* names);
int            cd_name_table_find(const cd_name_table* names, const char* name);
const char*    cd_name_table_add(cd_name_table* names, const char* name,
                                 int index); // owned copy; NULL: memory exhausted; the first index of a name is kept
int            cd_name_table_count(const cd_name_table* names);
const char*    cd_name_table_at(const cd_name_table* names, int i); // in order of addition

// Candidate nearest to `word`, or NULL if none is near. `candidate` returns NULL after the last.
const char* cd_nearest_name(const char* word, const char* (*candidate)(void* user, int i), void* user);

// Owned copy; NULL of NULL.
char* cd_copy_string(const char* s);
