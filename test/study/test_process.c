// SPDX-License-Identifier: BSD-3-Clause
// Processes of studies: environment and outputs. Between fork and exec, no function is called that a child of a process
// with threads must not call.
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

// setenv may wait for a lock that another thread held at the fork.
int setenv(const char* variable, const char* value, int replace)
{
    int (*next)(const char*, const char*, int);
    void* const address = dlsym(RTLD_NEXT, "setenv");
    memcpy(&next, &address, sizeof next);
    if (parent && getpid() != parent) _exit(99);
    return next(variable, value, replace);
}

// The child prints its environment variables.
static int print_environment(void)
{
    static const char* const variable[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "CARDAN_PROCESS"};
    for (int i = 0; i < 3; ++i) printf("%s=%s\n", variable[i], getenv(variable[i]) ? getenv(variable[i]) : "");
    return 7;
}

static void check_child(const char* expected)
{
    const char* const argument[]  = {"test_process", "child", NULL};
    int               wait_status = -1;
    char*             output      = NULL;
    size_t            length      = 0;
    const pid_t       id          = cd_process_start(argument, out, err);
    CHECK(id > 0);
    for (int i = 0; i < 400 && id > 0; ++i)
        if (cd_process_wait(0.05, &wait_status) == id) break;
    CHECK(WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 7);
    CHECK(cd_file_read(out, &output, &length, NULL) == CARDAN_OK);
    CHECK_TEXT(output, expected);
    free(output);
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
    if (argc > 1 && strcmp(argv[1], "child") == 0) return print_environment();
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
