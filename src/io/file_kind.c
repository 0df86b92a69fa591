// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_kind.h"

#include <stddef.h>

static const char* const kind_message[] = {
    [CD_FILE_MODEL] = ("this is a model file for `cardan run`, `cardan check` and others; a study (`cardan sweep`) and "
                       "a task (`cardan optimize`) refer to it by `model: FILE`"),
    [CD_FILE_STUDY] = "this is a study file for `cardan sweep`",
    [CD_FILE_TASK]  = "this is a task file for `cardan optimize`",
};

static bool is_kind(const cd_yaml* root, cd_file_kind kind)
{
    if (kind == CD_FILE_STUDY) return cd_yaml_get(root, "study");
    if (kind == CD_FILE_TASK) return cd_yaml_get(root, "task");
    return cd_yaml_get(root, "bodies") || cd_yaml_get(root, "joints");
}

const char* cd_file_kind_error(const cd_yaml* root, cd_file_kind wanted)
{
    if (root->kind != CD_YAML_MAP || is_kind(root, wanted)) return NULL;
    for (cd_file_kind kind = CD_FILE_MODEL; kind <= CD_FILE_TASK; ++kind)
        if (is_kind(root, kind)) return kind_message[kind];
    return NULL;
}
