// SPDX-License-Identifier: BSD-3-Clause
// Replay of corpora: runs a fuzz target with every file of `replay [FILE or FOLDER]...`, by default with the corpus of
// the target. The name of each file is printed before it is used, so that a crash or a run of more than one minute of
// processor time ends the output after the name of its file.
#include "fuzz.h"

#include "core/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>

static int passed, failed;

static void replay(const char* path)
{
    const struct itimerval limit  = {.it_value = {.tv_sec = 60}};
    char*                  data   = NULL;
    size_t                 length = 0;
    if (cd_file_read(path, &data, &length, NULL) != CARDAN_OK) {
        printf("%s cannot be read\n", path);
        ++failed;
        return;
    }
    printf("%s\n", path);
    fflush(stdout);
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput((const uint8_t*)data, length);
    free(data);
    ++passed;
}

static void replay_all(const char* path)
{
    struct dirent** list;
    struct stat     about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        replay(path);
        return;
    }
    const int count = scandir(path, &list, NULL, alphasort);
    if (count < 0) {
        printf("%s cannot be listed\n", path);
        ++failed;
        return;
    }
    for (int i = 0; i < count; ++i) {
        char file[4096];
        if (list[i]->d_name[0] != '.' && snprintf(file, sizeof file, "%s/%s", path, list[i]->d_name) < (int)sizeof file)
            replay(file);
        free(list[i]);
    }
    free(list);
}

int main(int argc, char** argv)
{
    if (argc == 1) replay_all(FUZZ_CORPUS);
    for (int i = 1; i < argc; ++i) replay_all(argv[i]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
