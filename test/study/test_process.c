// SPDX-License-Identifier: BSD-3-Clause
// Processes of studies: their environment and outputs, and that nothing is called between fork and exec that a process
// with threads must not call there.
#include "study/process.h"

#include "core/file.h"
#include "test.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char  folder[200], out[240], err[240];
static pid_t parent;

// setenv may wait for a lock that a thread held when the process was forked.
int setenv(const char* variable, const char* value, int replace)
{
    int (*next)(const char*, const char*, int);
    void* const address = dlsym(RTLD_NEXT, "setenv");
    memcpy(&next, &address, sizeof next);
    if (parent && getpid() != parent) _exit(99);
    return next(variable, value, replace);
}

// What the child prints: its environment, as far as it matters here.
static int be_child(void)
{
    static const char* const variable[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "CARDAN_PROCESS"};
    for (int i = 0; i < 3; ++i) printf("%s=%s\n", variable[i], getenv(variable[i]) ? getenv(variable[i]) : "");
    return 7;
}

static void check_child(const char* expected)
{
    const char* const argument[] = {"test_process", "child", NULL};
    int               how        = -1;
    char*             said       = NULL;
    size_t            length     = 0;
    const pid_t       id         = cd_process_start(argument, out, err);
    CHECK(id > 0);
    for (int i = 0; i < 400 && id > 0; ++i)
        if (cd_process_wait(0.05, &how) == id) break;
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 7);
    CHECK(cd_file_read(out, &said, &length, NULL) == CARDAN_OK);
    CHECK_TEXT(said, expected);
    free(said);
}

static void test_environment(void)
{
    unsetenv("OPENBLAS_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
    setenv("CARDAN_PROCESS", "kept", 1);
    check_child("OPENBLAS_NUM_THREADS=1\nOMP_NUM_THREADS=1\nCARDAN_PROCESS=kept\n");
    CHECK(!getenv("OPENBLAS_NUM_THREADS") && !getenv("OMP_NUM_THREADS")); // of the parent
    setenv("OMP_NUM_THREADS", "3", 1);
    check_child("OPENBLAS_NUM_THREADS=1\nOMP_NUM_THREADS=3\nCARDAN_PROCESS=kept\n");
}

static bool exists(const char* path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static void test_folder(void)
{
    char inside[240], file[260], link[240];
    snprintf(inside, sizeof inside, "%s/inside", folder);
    snprintf(file, sizeof file, "%s/file", inside);
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK(mkdir(inside, 0700) == 0 && cd_file_write(file, "x", 1, false, NULL) == CARDAN_OK);
    CHECK(symlink(inside, link) == 0);
    cd_remove_folder(link);
    CHECK(exists(link) && exists(file));
    cd_remove_folder(inside);
    CHECK(!exists(inside));
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0) return be_child();
    parent = getpid();
    snprintf(folder, sizeof folder, "%s/cardan-XXXXXX", P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(err, sizeof err, "%s/err", folder);
    cd_process_prepare();
    RUN(test_environment());
    RUN(test_folder());
    cd_remove_folder(folder);
    return test_end();
}
