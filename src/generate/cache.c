// SPDX-License-Identifier: BSD-3-Clause
// The cache folder: opening, finding, keeping, bounding. All by descriptors; no symbolic link is followed at the folder
// or in it. Links further up the path are followed: what counts is the folder that is open in the end, and in a folder
// that only the user can write, no other user can exchange a file.
#include "generate/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char elsewhere[] = "or name another folder in CARDAN_CACHE";

// The name of the folder, without slashes at its end: behind one, the system would follow a link.
static bool name_folder(char folder[CD_CACHE_PATH])
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
    if (n <= 0 || n >= CD_CACHE_PATH - 128) return false;
    while (n > 1 && folder[n - 1] == '/') folder[--n] = 0;
    return true;
}

static void make_folder(char* path)
{
    for (char* c = path + 1; *c; ++c) {
        if (*c != '/') continue;
        *c = 0;
        mkdir(path, 0700);
        *c = '/';
    }
    mkdir(path, 0700);
}

static cardan_status refuse_folder(const cd_cache* cache, const struct stat* about, cardan_report* report)
{
    const char* const path = cache->path;
    if (S_ISLNK(about->st_mode))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_nowhere(),
                           "the folder of compiled code, '%.200s', is a symbolic link, which is not followed: name the "
                           "folder itself, %s",
                           path, elsewhere);
    if (about->st_uid != geteuid())
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_nowhere(),
                           "the folder of compiled code, '%.200s', belongs to user %ld, and this process is one of "
                           "user %ld: change the owner (chown), %s",
                           path, (long)about->st_uid, (long)geteuid(), elsewhere);
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_nowhere(),
                       "the folder of compiled code, '%.200s', can be written by other users (mode %04o): `chmod go-w` "
                       "it, %s",
                       path, (unsigned)about->st_mode & 07777, elsewhere);
}

static bool is_private(const struct stat* about)
{
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

cardan_status cd_cache_open(cd_cache* cache, cardan_report* report)
{
    struct stat about;
    *cache = (cd_cache){.folder = -1};
    if (!name_folder(cache->path)) return CARDAN_OK;
    make_folder(cache->path);
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0) { // a link, a folder of another user, or none at all
        const bool there = lstat(cache->path, &about) == 0;
        const bool other = there && (S_ISLNK(about.st_mode) || (S_ISDIR(about.st_mode) && !is_private(&about)));
        return other ? refuse_folder(cache, &about, report) : CARDAN_OK;
    }
    if (fstat(cache->folder, &about) != 0) return cd_cache_close(cache), CARDAN_OK;
    if (!is_private(&about)) return cd_cache_close(cache), refuse_folder(cache, &about, report);
    cache->grows = faccessat(cache->folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
    return CARDAN_OK;
}

void cd_cache_close(cd_cache* cache)
{
    if (cache->folder >= 0) close(cache->folder);
    cache->folder = -1;
    cache->grows  = false;
}

static cd_found refuse_file(const cd_cache* cache, const char* name, const struct stat* about, cardan_report* report)
{
    char why[96];
    if (S_ISLNK(about->st_mode))
        snprintf(why, sizeof why, "is a symbolic link, which is not followed");
    else if (!S_ISREG(about->st_mode))
        snprintf(why, sizeof why, "is not a regular file");
    else if (about->st_uid != geteuid())
        snprintf(why, sizeof why, "belongs to user %ld and not to user %ld", (long)about->st_uid, (long)geteuid());
    else if (about->st_nlink > 1)
        snprintf(why, sizeof why, "has %ld names (hard links)", (long)about->st_nlink);
    else
        snprintf(why, sizeof why, "can be written by other users (mode %04o)", (unsigned)about->st_mode & 07777);
    cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_nowhere(),
                "compiled code '%.180s/%.80s' %s: remove it, %s", cache->path, name, why, elsewhere);
    return CD_REFUSED;
}

static bool is_trusted(const struct stat* about)
{
    return S_ISREG(about->st_mode) && is_private(about) && about->st_nlink <= 1;
}

cd_found cd_cache_look(const cd_cache* cache, const char* name, cd_image* image, cd_cached* about,
                       cardan_report* report)
{
    struct stat s;
    *image = cd_image_none();
    // a pipe does not keep it waiting
    const int file = openat(cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        const bool there = fstatat(cache->folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
        return there && !is_trusted(&s) ? refuse_file(cache, name, &s, report) : CD_ABSENT;
    }
    const bool known = fstat(file, &s) == 0;
    if (!known || !is_trusted(&s)) {
        close(file);
        return known ? refuse_file(cache, name, &s, report) : CD_ABSENT;
    }
    const bool read = cd_image_read(file, image);
    if (!read || !cd_image_is_sound(image, about)) {
        cd_image_free(image);
        if (read) cd_cache_remove(cache, name);
        return read ? CD_DAMAGED : CD_ABSENT;
    }
    futimens(file, NULL); // used now
    return CD_SOUND;
}

void cd_cache_remove(const cd_cache* cache, const char* name) { unlinkat(cache->folder, name, 0); }

bool cd_cache_keep(const cd_cache* cache, int from, const char* file, const char* name)
{
    return renameat(from, file, cache->folder, name) == 0;
}

// The least recently used file of the user, and the size of all.
static long long survey(int folder, char oldest[NAME_MAX + 1])
{
    long long       sum    = 0;
    struct timespec first  = {0};
    const int       handle = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR*            dir    = handle >= 0 ? fdopendir(handle) : NULL;
    struct dirent*  e;
    *oldest = 0;
    if (!dir && handle >= 0) close(handle);
    while (dir && (e = readdir(dir)) != NULL) {
        struct stat about;
        if (e->d_name[0] == '.' || !strstr(e->d_name, ".so")) continue;
        if (fstatat(folder, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
        if (about.st_uid != geteuid()) continue;
        sum += about.st_size;
        const struct timespec used = about.st_mtim;
        if (*oldest && (used.tv_sec > first.tv_sec || (used.tv_sec == first.tv_sec && used.tv_nsec >= first.tv_nsec)))
            continue;
        first = used;
        snprintf(oldest, NAME_MAX + 1, "%s", e->d_name);
    }
    if (dir) closedir(dir);
    return sum;
}

void cd_cache_bound(const cd_cache* cache, long long most)
{
    char oldest[NAME_MAX + 1];
    while (survey(cache->folder, oldest) > most && *oldest)
        if (unlinkat(cache->folder, oldest, 0) != 0) break;
}
