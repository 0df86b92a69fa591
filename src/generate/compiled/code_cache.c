// SPDX-License-Identifier: BSD-3-Clause
// Cache folder: open, find, store, limit its size, all by descriptors. Symbolic links are not followed for the folder
// and its files. Links in the path above the folder are followed: only the folder that is finally open matters, and in
// a folder that only the user can write, no other user can replace a file.
#include "generate/compiled/code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char other_folder_hint[] = "or set CARDAN_CACHE to another folder";

// Path of the folder without trailing slashes: with one, the system would follow a symbolic link.
static bool find_folder_path(char folder[CD_CACHE_PATH_SIZE])
{
    const char *own = getenv("CARDAN_CACHE"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int         n = -1;
    *folder       = 0;
    if (own && *own)
        n = snprintf(folder, CD_CACHE_PATH_SIZE, "%s", own);
    else if (shared && *shared == '/')
        n = snprintf(folder, CD_CACHE_PATH_SIZE, "%s/cardan", shared);
    else if (home && *home)
        n = snprintf(folder, CD_CACHE_PATH_SIZE, "%s/.cache/cardan", home);
    if (n <= 0 || n >= CD_CACHE_PATH_SIZE - 128) return false;
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

static cardan_status refuse_folder(const cd_code_cache* cache, const struct stat* file_stat, cardan_report* report)
{
    const char* const path = cache->path;
    if (S_ISLNK(file_stat->st_mode))
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_location_none(),
            "the cache folder '%.200s' is a symbolic link, which is not followed; use the target of the link, %s", path,
            other_folder_hint);
    if (file_stat->st_uid != geteuid())
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_location_none(),
                           "the cache folder '%.200s' belongs to user %ld, but this process runs as user %ld; change "
                           "the owner (chown), %s",
                           path, (long)file_stat->st_uid, (long)geteuid(), other_folder_hint);
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_location_none(),
                       "the cache folder '%.200s' is writable by other users (mode %04o); run `chmod go-w` on it, %s",
                       path, (unsigned)file_stat->st_mode & 07777, other_folder_hint);
}

static bool is_private(const struct stat* file_stat)
{
    return file_stat->st_uid == geteuid() && (file_stat->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

cardan_status cd_code_cache_open(cd_code_cache* cache, cardan_report* report)
{
    struct stat file_stat;
    *cache = (cd_code_cache){.folder = -1};
    if (!find_folder_path(cache->path)) return CARDAN_OK;
    make_folder(cache->path);
    cache->folder = open(cache->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->folder < 0) { // a link, a folder of another user, or none
        const bool exists = lstat(cache->path, &file_stat) == 0;
        const bool other =
            exists && (S_ISLNK(file_stat.st_mode) || (S_ISDIR(file_stat.st_mode) && !is_private(&file_stat)));
        return other ? refuse_folder(cache, &file_stat, report) : CARDAN_OK;
    }
    if (fstat(cache->folder, &file_stat) != 0) return cd_code_cache_close(cache), CARDAN_OK;
    if (!is_private(&file_stat)) return cd_code_cache_close(cache), refuse_folder(cache, &file_stat, report);
    cache->is_writable = faccessat(cache->folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
    return CARDAN_OK;
}

void cd_code_cache_close(cd_code_cache* cache)
{
    if (cache->folder >= 0) close(cache->folder);
    cache->folder      = -1;
    cache->is_writable = false;
}

static cd_cache_result refuse_file(const cd_code_cache* cache, const char* name, const struct stat* file_stat,
                                   cardan_report* report)
{
    char reason[96];
    if (S_ISLNK(file_stat->st_mode))
        snprintf(reason, sizeof reason, "is a symbolic link, which is not followed");
    else if (!S_ISREG(file_stat->st_mode))
        snprintf(reason, sizeof reason, "is not a regular file");
    else if (file_stat->st_uid != geteuid())
        snprintf(reason, sizeof reason, "belongs to user %ld, not to user %ld", (long)file_stat->st_uid,
                 (long)geteuid());
    else if (file_stat->st_nlink > 1)
        snprintf(reason, sizeof reason, "has %ld hard links", (long)file_stat->st_nlink);
    else
        snprintf(reason, sizeof reason, "is writable by other users (mode %04o)", (unsigned)file_stat->st_mode & 07777);
    cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_CACHE_UNSAFE, cardan_location_none(),
                "compiled code '%.180s/%.80s' %s; remove it, %s", cache->path, name, reason, other_folder_hint);
    return CD_CACHE_REFUSED;
}

static bool is_trusted(const struct stat* file_stat)
{
    return S_ISREG(file_stat->st_mode) && is_private(file_stat) && file_stat->st_nlink <= 1;
}

cd_cache_result cd_code_cache_find(const cd_code_cache* cache, const char* name, cd_library_image* image,
                                   cd_build_info* info, cardan_report* report)
{
    struct stat s;
    *image = cd_library_image_empty();
    // O_NONBLOCK: do not wait for a pipe
    const int file = openat(cache->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        const bool exists = fstatat(cache->folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
        return exists && !is_trusted(&s) ? refuse_file(cache, name, &s, report) : CD_CACHE_ABSENT;
    }
    const bool known = fstat(file, &s) == 0;
    if (!known || !is_trusted(&s)) {
        close(file);
        return known ? refuse_file(cache, name, &s, report) : CD_CACHE_ABSENT;
    }
    const bool read = cd_library_image_read(file, image);
    if (!read || !cd_library_image_verify(image, info)) {
        cd_library_image_free(image);
        if (read) cd_code_cache_remove(cache, name);
        return read ? CD_CACHE_DAMAGED : CD_CACHE_ABSENT;
    }
    futimens(file, NULL); // time of last use
    return CD_CACHE_VALID;
}

void cd_code_cache_remove(const cd_code_cache* cache, const char* name) { unlinkat(cache->folder, name, 0); }

bool cd_code_cache_store(const cd_code_cache* cache, int from, const char* file, const char* name)
{
    return renameat(from, file, cache->folder, name) == 0;
}

// Total size of the files of the user, and the least recently used one.
static long long total_size_and_oldest(int folder, char oldest[NAME_MAX + 1])
{
    long long       sum    = 0;
    struct timespec first  = {0};
    const int       handle = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR*            dir    = handle >= 0 ? fdopendir(handle) : NULL;
    struct dirent*  e;
    *oldest = 0;
    if (!dir && handle >= 0) close(handle);
    while (dir && (e = readdir(dir)) != NULL) {
        struct stat file_stat;
        if (e->d_name[0] == '.' || !strstr(e->d_name, ".so")) continue;
        if (fstatat(folder, e->d_name, &file_stat, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file_stat.st_mode)) continue;
        if (file_stat.st_uid != geteuid()) continue;
        sum += file_stat.st_size;
        const struct timespec used = file_stat.st_mtim;
        if (*oldest && (used.tv_sec > first.tv_sec || (used.tv_sec == first.tv_sec && used.tv_nsec >= first.tv_nsec)))
            continue;
        first = used;
        snprintf(oldest, NAME_MAX + 1, "%s", e->d_name);
    }
    if (dir) closedir(dir);
    return sum;
}

void cd_code_cache_limit_size(const cd_code_cache* cache, long long max_bytes)
{
    char oldest[NAME_MAX + 1];
    while (total_size_and_oldest(cache->folder, oldest) > max_bytes && *oldest)
        if (unlinkat(cache->folder, oldest, 0) != 0) break;
}
