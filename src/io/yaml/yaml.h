// SPDX-License-Identifier: BSD-3-Clause
// YAML file as a tree of nodes with their locations. Only yaml.c includes libyaml.
//
// Errors that YAML permits and that users often make are reported here: repeated keys, a formula split by an unquoted
// comma, keys that are not plain words, tabs, aliases. The resulting tree is repaired, so that the reader can
// continue and find other errors.
#pragma once

#include "io/yaml/pool.h"

#include <cardan/status.h>

typedef enum cd_yaml_kind { CD_YAML_NULL, CD_YAML_SCALAR, CD_YAML_LIST, CD_YAML_MAP } cd_yaml_kind;

typedef struct cd_yaml_file cd_yaml_file;
typedef struct cd_yaml      cd_yaml;

typedef struct cd_yaml_entry {
    cd_yaml* key; // NULL in lists
    cd_yaml* value;
} cd_yaml_entry;

struct cd_yaml {
    cd_yaml_kind   kind;
    bool           is_quoted;     // scalar in quotes or as a block
    bool           has_error;     // an error was reported here; readers report no others
    bool           is_referenced; // another element refers to this definition
    int            line, column;
    cd_yaml_file*  file;
    const char*    text; // of a scalar
    int            count;
    cd_yaml_entry* entry;    // (count) of a list or map; of a key that is a pair, [a, b]: 2, with the text "[a, b]"
    int            capacity; // of `entry`, if entries were appended; else 0
};

struct cd_yaml_file {
    const char*         path;
    const char*         text; // content of the file if it is in memory; NULL: read it
    cd_yaml*            root;
    cd_yaml_file*       next;                               // in the order of reading
    double              length_unit, angle_unit, mass_unit; // SI values of the units of the file
    const cd_yaml*      included_by;                        // node that includes the file; NULL: main file
    const cd_yaml_file* origin; // value of a setting: file that contains the replaced value, with its units; else NULL
};

// Read a file; `file->root` is its tree, allocated in the pool. Errors are reported (report may be NULL) and counted in
// *nerror. Fails only if there is no tree.
cardan_status cd_yaml_read(cd_pool* pool, cd_yaml_file* file, cardan_report* report, int* nerror);

cardan_location cd_yaml_location(const cd_yaml* node);
// Return the value of a key of a map, or NULL.
cd_yaml* cd_yaml_get(const cd_yaml* map, const char* key);
// Describe a node for messages: "a list of 2", "the text 'abc'".
const char* cd_yaml_describe(const cd_yaml* node, char* buffer, size_t size);
