// SPDX-License-Identifier: BSD-3-Clause
// JSON: a writer that streams into a text, and a parser for small documents that keeps the location of every value.
#pragma once

#include "core/text.h"

#include <cardan/status.h>

enum { CD_JSON_DEPTH = 64 }; // maximum nesting that is written or read

// The writer adds commas, indentation and escapes. `key` is the name of a member inside an object, NULL inside an array
// and at the top level. Numbers have 17 significant digits; a number that is not finite is written as null. Invalid
// UTF-8 becomes U+FFFD.
//
//     cd_json_writer json = cd_json_writer_to(&text);
//     cd_json_begin_object(&json, NULL);
//     cd_json_number(&json, "time", 10);
//     cd_json_numbers(&json, "p", 3, p);
//     cd_json_end(&json);
typedef struct cd_json_writer {
    cd_text* text;
    int      depth;
    char     closing[CD_JSON_DEPTH]; // closing bracket of each level
    bool     empty[CD_JSON_DEPTH];   // level has no content yet
} cd_json_writer;

cd_json_writer cd_json_writer_to(cd_text* text);
void           cd_json_begin_object(cd_json_writer* json, const char* key);
void           cd_json_begin_array(cd_json_writer* json, const char* key);
void           cd_json_end(cd_json_writer* json); // closes the innermost object or array
void           cd_json_number(cd_json_writer* json, const char* key, double value);
void           cd_json_integer(cd_json_writer* json, const char* key, long long value);
void           cd_json_boolean(cd_json_writer* json, const char* key, bool value);
void           cd_json_string(cd_json_writer* json, const char* key, const char* value); // NULL is written as null
void           cd_json_null(cd_json_writer* json, const char* key);
void cd_json_numbers(cd_json_writer* json, const char* key, int count, const double* value); // array on one line

typedef enum cd_json_kind {
    CD_JSON_NULL,
    CD_JSON_BOOLEAN,
    CD_JSON_NUMBER,
    CD_JSON_STRING,
    CD_JSON_ARRAY,
    CD_JSON_OBJECT,
} cd_json_kind;

typedef struct cd_json_node {
    cd_json_kind               kind;
    int                        count;  // items of an array, members of an object
    double                     number; // of a number; 0 or 1 for a boolean
    const char*                string; // of a string
    const char*                key;    // name inside an object, else NULL
    const struct cd_json_node *first, *next;
    int                        line, column;         // location of the value
    int                        key_line, key_column; // location of the name
} cd_json_node;

typedef struct cd_json_document cd_json_document;

// Parse one document, zero-terminated after `length` bytes. On failure *document is NULL and `report` has the location.
// `file` is its name in messages and is copied.
cardan_status cd_json_parse(const char* text, size_t length, const char* file, cd_json_document** document,
                            cardan_report* report);
void          cd_json_destroy(cd_json_document* document);

const cd_json_node* cd_json_root(const cd_json_document* document);
// Member by name, or NULL; constant time.
const cd_json_node* cd_json_find(const cd_json_document* document, const cd_json_node* object, const char* key);
cardan_location     cd_json_location(const cd_json_document* document, const cd_json_node* node);
cardan_location     cd_json_key_location(const cd_json_document* document, const cd_json_node* node);
const char*         cd_json_kind_text(cd_json_kind kind); // "a number", "an object", ...

// Read an array of exactly `count` numbers (for count 1 also a single number); else a message that names `what`.
cardan_status cd_json_read_numbers(const cd_json_document* document, const cd_json_node* node, const char* what,
                                   int count, double* value, cardan_report* report);
