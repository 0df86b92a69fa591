// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms of models/: every folder FOLDER that contains FOLDER.yaml.
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_MODELS = 200 };

typedef struct model_folders {
    int  count;
    char path[MOST_MODELS][256]; // relative to the source folder
} model_folders;

static inline bool has_model(const char* folder)
{
    char        file[1024];
    struct stat s;
    const char* name = strrchr(folder, '/');
    snprintf(file, sizeof file, "%s/%s/%s.yaml", CARDAN_SOURCE, folder, name ? name + 1 : folder);
    return stat(file, &s) == 0;
}

static inline void collect_models(model_folders* models, const char* folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", CARDAN_SOURCE, folder);
    DIR* dir = opendir(path);
    for (struct dirent* e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        if (e->d_name[0] == '.' || e->d_type != DT_DIR || models->count == MOST_MODELS) continue;
        char below[256];
        if (snprintf(below, sizeof below, "%s/%.100s", folder, e->d_name) >= (int)sizeof below) continue;
        if (has_model(below))
            memcpy(models->path[models->count++], below, sizeof below);
        else
            collect_models(models, below);
    }
    if (dir) closedir(dir);
}
