// SPDX-License-Identifier: BSD-3-Clause
// Kind of a YAML file: model, study or task. A file given to the wrong command gets a message with its
// kind and the right command.
#pragma once

#include "io/yaml/yaml.h"

typedef enum cd_file_kind { CD_FILE_MODEL, CD_FILE_STUDY, CD_FILE_TASK } cd_file_kind;

// Return NULL if the file may be of the wanted kind, else the message with its kind.
const char* cd_file_kind_error(const cd_yaml* root, cd_file_kind wanted);
