// SPDX-License-Identifier: BSD-3-Clause
// Model files written from texts into a temporary folder, and read from there.
#pragma once

#include "io/format.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static cardan_report yaml_report;

static inline void yaml_begin(void)
{
    static char folder[] = P_tmpdir "/cardan-yaml-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        exit(1);
    }
}

static inline void yaml_write(const char* name, const char* text)
{
    FILE* stream = fopen(name, "w");
    if (!stream) exit(1);
    fputs(text, stream);
    fclose(stream);
}

// Remove the folder of yaml_begin with its files.
static inline void yaml_end(void)
{
    char folder[4096];
    DIR* open = getcwd(folder, sizeof folder) ? opendir(".") : NULL;
    for (const struct dirent* file; open && (file = readdir(open));)
        if (file->d_name[0] != '.') unlink(file->d_name);
    if (open) closedir(open);
    if (chdir("..") == 0) rmdir(folder);
}

static inline void yaml_print(void)
{
    for (int i = 0; i < yaml_report.count; ++i) printf("    %s\n", yaml_report.message[i].text);
}

// Read the text as model.yaml. Returns NULL and fills yaml_report if the text is wrong.
static inline cardan_description* yaml_load_with(const char* text, const cardan_load_options* options)
{
    cardan_description* description;
    cardan_report_clear(&yaml_report);
    yaml_write("model.yaml", text);
    cd_read_yaml("model.yaml", options, &description, &yaml_report);
    return description;
}

// Read a text that must be correct.
static inline cardan_description* yaml_load(const char* text)
{
    cardan_description* description = yaml_load_with(text, NULL);
    CHECK(description != NULL);
    if (!description) yaml_print();
    return description;
}
