// SPDX-License-Identifier: BSD-3-Clause
// Find and run the compiler, without a shell, so that names need no quoting.
#include "generate/compiled/c_compiler.h"

#include "generate/compiled/library_image.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// Fused multiply-add, square roots without errno: results change by round-off only.
static const char default_flags[] =
    "-O2 -std=c11 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math -DSELFTEST=2 -shared -fPIC";

static const char blanks[] = " \t\n";

enum { MAX_ARGUMENTS = 64 };

static bool is_program(const char* path, cd_c_compiler* c)
{
    struct stat file_stat;
    if (stat(path, &file_stat) != 0 || !S_ISREG(file_stat.st_mode) || access(path, X_OK) != 0) return false;
    snprintf(c->path, sizeof c->path, "%s", path);
    snprintf(c->version_stamp, sizeof c->version_stamp, "%lld %lld", (long long)file_stat.st_size,
             (long long)file_stat.st_mtime);
    return true;
}

// Find the program `name` (n characters) as a shell does.
static bool find_on_path(const char* name, size_t n, cd_c_compiler* c)
{
    char        path[CD_COMPILER_PATH_SIZE];
    const char* folder = getenv("PATH");
    if (memchr(name, '/', n)) {
        snprintf(path, sizeof path, "%.*s", (int)n, name);
        return is_program(path, c);
    }
    while (folder && *folder) {
        const size_t m = strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s/%.*s", (int)m, folder, (int)n, name);
        if (m > 0 && is_program(path, c)) return true;
        folder += m + (folder[m] == ':');
    }
    return false;
}

// CC is the path of a program, possibly with blanks, or a program with arguments.
static bool find_from_environment(const char* requested, cd_c_compiler* c)
{
    const size_t n = strcspn(requested, blanks);
    if (find_on_path(requested, strlen(requested), c)) return true;
    if (!find_on_path(requested, n, c)) return false;
    snprintf(c->extra_arguments, sizeof c->extra_arguments, "%s", requested + n);
    return true;
}

static bool find_default(cd_c_compiler* c)
{
    static const char* const name[] = {"cc", "gcc", "clang"};
    for (int i = 0; i < 3; ++i)
        if (find_on_path(name[i], strlen(name[i]), c)) return true;
    return false;
}

cardan_status cd_c_compiler_find(cd_c_compiler* c, cardan_report* report)
{
    *c                    = (cd_c_compiler){.flags = default_flags};
    const char* requested = getenv("CC");
    if (requested) requested += strspn(requested, blanks);
    const bool set = requested && *requested;
    if (set && find_from_environment(requested, c)) return CARDAN_OK;
    if (!find_default(c))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_MISSING, cardan_location_none(),
                           "there is no C compiler: CC is %s%.200s%s, and cc, gcc and clang are not on PATH",
                           set ? "'" : "not set", set ? requested : "", set ? "', which is not found" : "");
    if (set)
        cardan_note(report, CARDAN_CODE_COMPILER_MISSING, cardan_location_none(),
                    "CC is '%.200s', which is not found; %.400s is used instead", requested, c->path);
    return CARDAN_OK;
}

// Split `text` into words, in place; returns the new number of words.
static int split_words(char* text, int n, char** word)
{
    while (n < MAX_ARGUMENTS - 8) {
        text += strspn(text, blanks);
        if (!*text) break;
        word[n++] = text;
        text += strcspn(text, blanks);
        if (*text) *text++ = 0;
    }
    return n;
}

enum { REASON_SIZE = 96 };

// Run the compiler. Returns true if it succeeds; else `reason` is set.
static bool start_and_wait(char** word, const cd_build_folder* folder, const char* log, char reason[REASON_SIZE])
{
    posix_spawn_file_actions_t actions;
    pid_t                      child;
    int                        state = -1;
    snprintf(reason, REASON_SIZE, "failed");
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    posix_spawn_file_actions_addfchdir_np(&actions, folder->folder);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int failed = posix_spawn(&child, word[0], &actions, NULL, word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return snprintf(reason, REASON_SIZE, "cannot be started (%s)", strerror(failed)), false;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return false;
    if (WIFSIGNALED(state)) snprintf(reason, REASON_SIZE, "was terminated by signal %d", WTERMSIG(state));
    if (WIFEXITED(state)) snprintf(reason, REASON_SIZE, "failed with exit code %d", WEXITSTATUS(state));
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// First line of the output of a compiler that contains "error", else the first line that is not empty.
static const char* first_error_line(const char* output)
{
    const char* first = NULL;
    while (*output) {
        output += strspn(output, "\n");
        const char* error = strstr(output, "error");
        if (!first && *output) first = output;
        if (error && error < output + strcspn(output, "\n")) return output;
        output += strcspn(output, "\n");
    }
    return first;
}

// Absolute path of the program, because it runs in another folder. A link keeps its name, from which some compilers
// derive their mode.
static bool make_absolute(const char* path, char absolute[CD_COMPILER_PATH_SIZE])
{
    char here[CD_COMPILER_PATH_SIZE] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here)) return false;
    const int n = snprintf(absolute, CD_COMPILER_PATH_SIZE, "%s%s%s", here, *here ? "/" : "", path);
    return n > 0 && n < CD_COMPILER_PATH_SIZE;
}

cardan_status cd_c_compiler_run(const cd_c_compiler* c, const cd_build_folder* folder, const char* source,
                                const char* library, const char* log, cardan_report* report)
{
    char  words[CD_COMPILER_PATH_SIZE], flags[CD_COMPILER_PATH_SIZE], path[CD_COMPILER_PATH_SIZE];
    char* word[MAX_ARGUMENTS] = {path};
    if (!make_absolute(c->path, path))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_FAILED, cardan_location_none(),
                           "the compiler %s cannot be started: %s", c->path, strerror(errno));
    memcpy(words, c->extra_arguments, sizeof words);
    snprintf(flags, sizeof flags, "%s", c->flags);
    int         n    = split_words(flags, split_words(words, 1, word), word);
    char        lm[] = "-lm", o[] = "-o";
    char* const last[] = {o, (char*)(uintptr_t)library, (char*)(uintptr_t)source, lm};
    for (int i = 0; i < 4; ++i) word[n++] = last[i];
    char reason[REASON_SIZE];
    if (start_and_wait(word, folder, log, reason)) return CARDAN_OK;
    cd_library_image output = cd_library_image_empty();
    const int        file   = cd_build_folder_open_file(folder, log);
    const char*      line   = file >= 0 && cd_library_image_read(file, &output) ? first_error_line(output.bytes) : NULL;
    if (line)
        cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_FAILED, cardan_location_none(),
                    "the compiler %s%s %s: %.*s", c->path, c->extra_arguments, reason, (int)strcspn(line, "\n"), line);
    else
        cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_FAILED, cardan_location_none(),
                    "the compiler %s%s %s without a message", c->path, c->extra_arguments, reason);
    cd_library_image_free(&output);
    return CARDAN_UNSUPPORTED;
}
