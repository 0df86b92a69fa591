// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms of models/: every folder FOLDER that contains FOLDER.yaml.
#pragma once

#include <cardan/version.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_MODELS = 200 };

// Models with rigid contacts. Some formulations and integrators, generated code and analyses refuse them.
static const char* const models_with_contacts[] = {
    "models/bouncing_ball", "models/cam_follower",   "models/five_bar_drop", "models/geneva",     "models/gripper",
    "models/incline",       "models/newtons_cradle", "models/painleve_rod",  "models/ratchet",    "models/rattleback",
    "models/rocking_block", "models/walker",         "models/wedge",         "models/woodpecker",
};
enum { MODELS_WITH_CONTACTS = sizeof models_with_contacts / sizeof *models_with_contacts };

// Whether this build cannot read a model (folder or file), because its shapes are convex hulls and Qhull is missing.
static inline bool lacks_hulls(const char* path)
{
    const bool has_hull = strstr(path, "models/ratchet") || strstr(path, "models/wedge");
    return has_hull && !cardan_part_at(cardan_part_find("Qhull")).built;
}

typedef struct model_folders {
    int  count;
    int  left_out;               // by collect_models_without_contacts
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

static inline bool has_contacts(const char* folder)
{
    for (int i = 0; i < MODELS_WITH_CONTACTS; ++i)
        if (strcmp(folder, models_with_contacts[i]) == 0) return true;
    return false;
}

// All models but those with rigid contacts: for tests of what refuses them. models->left_out is MODELS_WITH_CONTACTS.
static inline void collect_models_without_contacts(model_folders* models, const char* folder)
{
    static model_folders all;
    all.count = 0;
    collect_models(&all, folder);
    models->count = models->left_out = 0;
    for (int i = 0; i < all.count; ++i)
        if (has_contacts(all.path[i]))
            ++models->left_out;
        else
            memcpy(models->path[models->count++], all.path[i], sizeof all.path[i]);
}
