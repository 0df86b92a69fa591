// SPDX-License-Identifier: BSD-3-Clause
// A YAML file as a tree of nodes that know where they stand. libyaml is seen by yaml.c alone.
//
// What YAML lets pass and users trip over is told here: repeated keys, a formula that an unquoted comma has split,
// keys that are no plain words, tabs, aliases. The tree that comes out is repaired, so that reading can go on and
// find the other mistakes too.
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
    bool           is_quoted;     // a scalar in quotes or as a block
    bool           has_error;     // an error was told here; readers stay silent
    bool           is_referenced; // something refers to what is defined here
    int            line, column;
    cd_yaml_file*  file;
    const char*    text; // scalar
    int            count;
    cd_yaml_entry* entry; // (count) of a list or map
};

struct cd_yaml_file {
    const char*    path;
    const char*    text; // what the file says, where it is in memory; NULL: read it
    cd_yaml*       root;
    cd_yaml_file*  next;                               // in order of reading
    double         length_unit, angle_unit, mass_unit; // SI value of the file's units
    const cd_yaml* included_by;                        // the node that asked for the file; NULL: the main file
};

// Reads the file; `file->root` is its tree, in memory of the pool. Mistakes are told to the report (which may be NULL);
// *mistakes counts them. Fails only where there is no tree at all.
cardan_status cd_yaml_read(cd_pool* pool, cd_yaml_file* file, cardan_report* report, int* nerror);

cardan_location cd_yaml_location(const cd_yaml* node);
// Value of a key of a map, or NULL.
cd_yaml* cd_yaml_get(const cd_yaml* map, const char* key);
// "a list of 2", "the text 'abc'", ... for messages.
const char* cd_yaml_describe(const cd_yaml* node, char* buffer, size_t size);
