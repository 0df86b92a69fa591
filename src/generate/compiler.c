// SPDX-License-Identifier: BSD-3-Clause
// Finding and running the compiler: no shell, so that names need no quoting.
#include "generate/compiler.h"

#include "generate/image.h"

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

// Products and sums fused, roots without errno: values change by rounding alone.
static const char usual_flags[] =
    "-O2 -std=c11 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math -DSELFTEST=2 -shared -fPIC";

static const char blanks[] = " \t\n";

enum { WORDS = 64 };

static bool is_program(const char* path, cd_compiler* c)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || access(path, X_OK) != 0) return false;
    snprintf(c->path, sizeof c->path, "%s", path);
    snprintf(c->stamp, sizeof c->stamp, "%lld %lld", (long long)about.st_size, (long long)about.st_mtime);
    return true;
}

// A name of `n` characters, as a shell would find it.
static bool find(const char* name, size_t n, cd_compiler* c)
{
    char        path[CD_COMPILER_PATH];
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

// What CC says: one program, blanks in its path included, or a program and further words.
static bool find_wished(const char* wished, cd_compiler* c)
{
    const size_t n = strcspn(wished, blanks);
    if (find(wished, strlen(wished), c)) return true;
    if (!find(wished, n, c)) return false;
    snprintf(c->words, sizeof c->words, "%s", wished + n);
    return true;
}

static bool find_usual(cd_compiler* c)
{
    static const char* const name[] = {"cc", "gcc", "clang"};
    for (int i = 0; i < 3; ++i)
        if (find(name[i], strlen(name[i]), c)) return true;
    return false;
}

cardan_status cd_compiler_find(cd_compiler* c, cardan_report* report)
{
    *c                 = (cd_compiler){.flags = usual_flags};
    const char* wished = getenv("CC");
    if (wished) wished += strspn(wished, blanks);
    const bool set = wished && *wished;
    if (set && find_wished(wished, c)) return CARDAN_OK;
    if (!find_usual(c))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_MISSING, cardan_nowhere(),
                           "there is no C compiler: CC is %s%.200s%s, and cc, gcc and clang are not found on PATH",
                           set ? "'" : "not set", set ? wished : "", set ? "', which is not found" : "");
    if (set)
        cardan_note(report, CARDAN_CODE_COMPILER_MISSING, cardan_nowhere(),
                    "CC is '%.200s', which is not found: %.400s compiles instead", wished, c->path);
    return CARDAN_OK;
}

// Words of `text`, cut up in place.
static int cut(char* text, int n, char** word)
{
    while (n < WORDS - 8) {
        text += strspn(text, blanks);
        if (!*text) break;
        word[n++] = text;
        text += strcspn(text, blanks);
        if (*text) *text++ = 0;
    }
    return n;
}

enum { HOW = 96 };

// True where it did its work; else `how` it ended.
static bool start_and_wait(char** word, const cd_work* work, const char* log, char how[HOW])
{
    posix_spawn_file_actions_t actions;
    pid_t                      child;
    int                        state = -1;
    snprintf(how, HOW, "failed");
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    posix_spawn_file_actions_addfchdir_np(&actions, work->folder);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int failed = posix_spawn(&child, word[0], &actions, NULL, word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return snprintf(how, HOW, "cannot be started (%s)", strerror(failed)), false;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return false;
    if (WIFSIGNALED(state)) snprintf(how, HOW, "was ended by signal %d", WTERMSIG(state));
    if (WIFEXITED(state)) snprintf(how, HOW, "failed with exit code %d", WEXITSTATUS(state));
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// Of what a compiler printed the first line that tells of an error, or else the first that is not empty.
static const char* telling_line(const char* said)
{
    const char* first = NULL;
    while (*said) {
        said += strspn(said, "\n");
        const char* error = strstr(said, "error");
        if (!first && *said) first = said;
        if (error && error < said + strcspn(said, "\n")) return said;
        said += strcspn(said, "\n");
    }
    return first;
}

// The program by a path that holds in any folder; a link keeps its name, by which some compilers know what they are.
static bool make_absolute(const char* path, char absolute[CD_COMPILER_PATH])
{
    char here[CD_COMPILER_PATH] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here)) return false;
    const int n = snprintf(absolute, CD_COMPILER_PATH, "%s%s%s", here, *here ? "/" : "", path);
    return n > 0 && n < CD_COMPILER_PATH;
}

cardan_status cd_compiler_run(const cd_compiler* c, const cd_work* work, const char* source, const char* library,
                              const char* log, cardan_report* report)
{
    char  words[CD_COMPILER_PATH], flags[CD_COMPILER_PATH], path[CD_COMPILER_PATH];
    char* word[WORDS] = {path};
    if (!make_absolute(c->path, path))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_FAILED, cardan_nowhere(),
                           "the compiler %s cannot be started: %s", c->path, strerror(errno));
    memcpy(words, c->words, sizeof words);
    snprintf(flags, sizeof flags, "%s", c->flags);
    int         n    = cut(flags, cut(words, 1, word), word);
    char        lm[] = "-lm", o[] = "-o";
    char* const last[] = {o, (char*)(uintptr_t)library, (char*)(uintptr_t)source, lm};
    for (int i = 0; i < 4; ++i) word[n++] = last[i];
    char how[HOW];
    if (start_and_wait(word, work, log, how)) return CARDAN_OK;
    cd_image    said = cd_image_none();
    const int   file = cd_work_open(work, log);
    const char* line = file >= 0 && cd_image_read(file, &said) ? telling_line(said.bytes) : NULL;
    if (line)
        cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_FAILED, cardan_nowhere(),
                    "the compiler %s%s %s: %.*s", c->path, c->words, how, (int)strcspn(line, "\n"), line);
    else
        cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_COMPILER_FAILED, cardan_nowhere(),
                    "the compiler %s%s %s and printed nothing", c->path, c->words, how);
    cd_image_free(&said);
    return CARDAN_UNSUPPORTED;
}
