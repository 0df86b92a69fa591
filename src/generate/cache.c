// SPDX-License-Identifier: BSD-3-Clause
// The cache folder: sealing, finding, bounding.
#include "generate/cache.h"

#include "core/file.h"
#include "core/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// "\nCARDAN trace compile operations\n" and 64 digits of the digest of all that stands before them.
enum { DIGITS = 64, LINE_MOST = 128 };
static const double forgotten = 86400; // [s] work folders of processes that did not end well

static bool make_folder(char* path)
{
    for (char* c = path + 1; *c; ++c) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(path, 0777);
        *c = '/';
    }
    mkdir(path, 0700);
    return access(path, R_OK | X_OK) == 0;
}

bool cd_cache_grows(const char* folder) { return access(folder, W_OK) == 0; }

bool cd_cache_folder(char folder[CD_CACHE_PATH])
{
    const char *own = getenv("CARDAN_CACHE"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int         n = -1;
    *folder       = 0;
    if (own && *own)
        n = snprintf(folder, CD_CACHE_PATH, "%s", own);
    else if (shared && *shared == '/')
        n = snprintf(folder, CD_CACHE_PATH, "%s/cardan", shared);
    else if (home && *home)
        n = snprintf(folder, CD_CACHE_PATH, "%s/.cache/cardan", home);
    return n > 0 && n < CD_CACHE_PATH - 128 && make_folder(folder);
}

// Folders for work are locked by the process that works there, so that others know when it has died. They get their
// name with the lock: nobody finds one without it.
static int lock(const char* folder)
{
    const int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0 || flock(handle, LOCK_EX | LOCK_NB) == 0) return handle;
    close(handle);
    return -1;
}

bool cd_work_folder(const char* cache, cd_work* work)
{
    const char* temporary = getenv("TMPDIR");
    char        hidden[CD_CACHE_PATH];
    if (!cache) cache = temporary && *temporary ? temporary : "/tmp";
    work->lock  = -1;
    const int n = snprintf(hidden, sizeof hidden, "%s/.work-XXXXXX", cache), length = (int)strlen(cache);
    snprintf(work->folder, sizeof work->folder, "%s", hidden);
    if (n <= 0 || n >= CD_CACHE_PATH || !mkdtemp(hidden)) return false;
    work->lock = lock(hidden);
    snprintf(work->folder, sizeof work->folder, "%.*s/%s", length, cache, hidden + length + 2);
    if (rename(hidden, work->folder) == 0) return true;
    snprintf(work->folder, sizeof work->folder, "%s", hidden);
    return true;
}

static void empty(const char* folder)
{
    DIR*           dir = opendir(folder);
    struct dirent* e;
    while (dir && (e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(dirfd(dir), e->d_name, 0);
    if (dir) closedir(dir);
    rmdir(folder);
}

void cd_work_remove(cd_work* work)
{
    empty(work->folder);
    if (work->lock >= 0) close(work->lock);
    work->lock = -1;
}

// Those of processes that did not end well; without locks (file systems may have none) those that are old.
void cd_work_tidy(const char* cache)
{
    DIR*           dir = opendir(cache);
    struct dirent* e;
    while (dir && (e = readdir(dir)) != NULL) {
        char        path[CD_CACHE_PATH + 300];
        struct stat about;
        const bool  hidden = strncmp(e->d_name, ".work-", 6) == 0;
        snprintf(path, sizeof path, "%s/%s", cache, e->d_name);
        if ((!hidden && strncmp(e->d_name, "work-", 5) != 0) || lstat(path, &about) != 0 || !S_ISDIR(about.st_mode))
            continue;
        const int held = hidden ? -1 : lock(path);
        if (held >= 0 || difftime(time(NULL), about.st_mtime) > forgotten) empty(path);
        if (held >= 0) close(held);
    }
    if (dir) closedir(dir);
}

bool cd_cache_seal(const char* library, const cd_cached* about)
{
    char*   bytes  = NULL;
    size_t  length = 0;
    cd_text all    = {0};
    char    digest[DIGITS + 1];
    if (cd_file_read(library, &bytes, &length, NULL) != CARDAN_OK) return false;
    cd_text_add_bytes(&all, bytes, length);
    cd_text_format(&all, "\nCARDAN %.17g %.17g %ld\n", about->trace, about->compile, about->operations);
    free(bytes);
    if (all.failed) return cd_text_free(&all), false;
    cd_sha256(all.data, all.length, digest);
    cd_text_add_bytes(&all, digest, DIGITS);
    const bool done = !all.failed && cd_file_write(library, all.data, all.length, true, NULL) == CARDAN_OK;
    cd_text_free(&all);
    return done;
}

bool cd_cache_keep(const char* library, const char* path) { return rename(library, path) == 0; }

static bool is_sound(const char* bytes, size_t length, cd_cached* about)
{
    char digest[DIGITS + 1];
    if (length < DIGITS + LINE_MOST) return false;
    cd_sha256(bytes, length - DIGITS, digest);
    if (memcmp(digest, bytes + length - DIGITS, DIGITS) != 0) return false;
    char line[LINE_MOST + 1] = {0};
    memcpy(line, bytes + length - DIGITS - LINE_MOST, LINE_MOST);
    for (size_t i = 0; i + 8 < LINE_MOST; ++i)
        if (memcmp(line + i, "\nCARDAN ", 8) == 0)
            return sscanf(line + i + 8, "%lf %lf %ld", &about->trace, &about->compile, &about->operations) == 3;
    return false;
}

cd_found cd_cache_look(const char* path, cd_cached* about)
{
    char*  bytes  = NULL;
    size_t length = 0;
    if (access(path, R_OK) != 0 || cd_file_read(path, &bytes, &length, NULL) != CARDAN_OK) return CD_ABSENT;
    const bool sound = is_sound(bytes, length, about);
    free(bytes);
    if (!sound) return unlink(path), CD_DAMAGED;
    utimensat(AT_FDCWD, path, NULL, 0); // used now
    return CD_SOUND;
}

// The file that was not used longest, and the size of all.
static long long survey(const char* folder, char oldest[CD_CACHE_PATH])
{
    long long      sum   = 0;
    time_t         first = 0;
    DIR*           dir   = opendir(folder);
    struct dirent* e;
    *oldest = 0;
    while (dir && (e = readdir(dir)) != NULL) {
        char        path[CD_CACHE_PATH + 300];
        struct stat about;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || lstat(path, &about) != 0) continue;
        if (!S_ISREG(about.st_mode) || !strstr(e->d_name, ".so")) continue;
        sum += about.st_size;
        if (*oldest && about.st_mtime >= first) continue;
        first = about.st_mtime;
        snprintf(oldest, CD_CACHE_PATH, "%.*s", CD_CACHE_PATH - 1, path);
    }
    if (dir) closedir(dir);
    return sum;
}

void cd_cache_bound(const char* folder, long long most)
{
    char oldest[CD_CACHE_PATH];
    while (survey(folder, oldest) > most && *oldest)
        if (unlink(oldest) != 0) break;
}
