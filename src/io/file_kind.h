// SPDX-License-Identifier: BSD-3-Clause
// Which of Cardan's YAML files one is: a model, a study or a task. Given to the wrong command it is told what it is,
// and which one takes it.
#pragma once

#include "io/yaml/yaml.h"

typedef enum cd_file_kind { CD_FILE_MODEL, CD_FILE_STUDY, CD_FILE_TASK } cd_file_kind;

// NULL where a file may be of the kind that is wanted, else the sentence that says what it is.
const char* cd_file_kind_error(const cd_yaml* root, cd_file_kind wanted);
