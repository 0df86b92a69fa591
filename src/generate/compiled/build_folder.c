// SPDX-License-Identifier: BSD-3-Clause
// A build folder is created under a hidden name, locked, and then renamed to the name that other processes search for:
// they never find an unlocked folder in use. Symbolic links are removed as links and never followed.
#include "generate/compiled/build_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char   hidden_prefix[] = ".work-", visible_prefix[] = "work-";
static const double max_stale_age = 86400; // [s] age from which on folders count as stale if locks are not available

static cardan_status fail_folder(const char* path, const char* before, const char* cause, cardan_report* report)
{
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_location_none(),
                       "there is no build folder for generated code: '%.200s'%s%s", path, before, cause);
}

static const char* temporary_path(void)
{
    const char* path = getenv("TMPDIR");
    return path && *path ? path : "/tmp";
}

// Check a folder that other users can write: without the sticky bit they could replace folders of the user.
static cardan_status open_temporary(const char* path, int* folder, cardan_report* report)
{
    struct stat file_stat;
    *folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*folder < 0 || fstat(*folder, &file_stat) != 0) return fail_folder(path, ": ", strerror(errno), report);
    const bool owned        = file_stat.st_uid == geteuid() || file_stat.st_uid == 0;
    const bool is_protected = (file_stat.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (file_stat.st_mode & S_ISVTX) != 0;
    if (owned && is_protected) return CARDAN_OK;
    return fail_folder(path, owned ? " is writable by other users and has no sticky bit" : " belongs to another user",
                       "; set TMPDIR to another folder", report);
}

static int open_folder(int parent, const char* name)
{
    struct stat file_stat;
    const int   folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    if (fstat(folder, &file_stat) == 0 && file_stat.st_uid == geteuid() &&
        (file_stat.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return folder;
    close(folder);
    errno = EPERM;
    return -1;
}

// Create a folder with a new hidden name.
static bool make_hidden(cd_build_folder* w)
{
    for (int attempt = 0; attempt < 100; ++attempt) {
        uint32_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return false;
        snprintf(w->name, sizeof w->name, "%s%08lx", hidden_prefix, (unsigned long)number);
        if (mkdirat(w->parent, w->name, 0700) == 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

cardan_status cd_build_folder_create(int parent, const char* path, cd_build_folder* w, cardan_report* report)
{
    char hidden_name[CD_BUILD_FOLDER_NAME];
    *w                   = (cd_build_folder){.parent = -1, .folder = -1};
    cardan_status status = CARDAN_OK;
    if (parent < 0)
        status = open_temporary(path = temporary_path(), &w->parent, report);
    else if ((w->parent = fcntl(parent, F_DUPFD_CLOEXEC, 3)) < 0)
        status = fail_folder(path, ": ", strerror(errno), report);
    if (status == CARDAN_OK && !make_hidden(w)) {
        status   = fail_folder(path, ": ", strerror(errno), report);
        *w->name = 0;
    }
    if (status == CARDAN_OK && (w->folder = open_folder(w->parent, w->name)) < 0)
        status = fail_folder(path, ": ", strerror(errno), report);
    if (status != CARDAN_OK) return cd_build_folder_remove(w), status;
    flock(w->folder, LOCK_EX | LOCK_NB);
    memcpy(hidden_name, w->name, sizeof hidden_name);
    snprintf(w->name, sizeof w->name, "%s", hidden_name + 1);
    if (renameat(w->parent, hidden_name, w->parent, w->name) != 0) memcpy(w->name, hidden_name, sizeof hidden_name);
    return CARDAN_OK;
}

// Remove the files of an open folder; symbolic links are removed as links.
static void remove_files(int folder)
{
    const int      handle = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR*           dir    = handle >= 0 ? fdopendir(handle) : NULL;
    struct dirent* e;
    if (!dir && handle >= 0) close(handle);
    while (dir && (e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(folder, e->d_name, 0);
    if (dir) closedir(dir);
}

void cd_build_folder_remove(cd_build_folder* w)
{
    if (w->folder >= 0) remove_files(w->folder);
    if (w->parent >= 0 && *w->name) unlinkat(w->parent, w->name, AT_REMOVEDIR);
    if (w->folder >= 0) close(w->folder);
    if (w->parent >= 0) close(w->parent);
    *w = (cd_build_folder){.parent = -1, .folder = -1};
}

// Remove a folder if its lock is free, because its process has ended; hidden ones, and those on file systems without
// locks, by their age.
static void remove_if_stale(int parent, const char* name)
{
    struct stat file_stat;
    const int   folder = open_folder(parent, name);
    if (folder < 0) return;
    const bool is_unlocked = name[0] != '.' && flock(folder, LOCK_EX | LOCK_NB) == 0;
    if (is_unlocked || (fstat(folder, &file_stat) == 0 && difftime(time(NULL), file_stat.st_mtime) > max_stale_age)) {
        remove_files(folder);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(folder);
}

void cd_build_folder_remove_stale(int parent)
{
    const int      handle = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR*           dir    = handle >= 0 ? fdopendir(handle) : NULL;
    struct dirent* e;
    if (!dir && handle >= 0) close(handle);
    while (dir && (e = readdir(dir)) != NULL)
        if (strncmp(e->d_name, hidden_prefix, strlen(hidden_prefix)) == 0 ||
            strncmp(e->d_name, visible_prefix, strlen(visible_prefix)) == 0)
            remove_if_stale(parent, e->d_name);
    if (dir) closedir(dir);
}

int cd_build_folder_write_file(const cd_build_folder* w, const char* name, const char* bytes, size_t length)
{
    const int file = openat(w->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (file >= 0 && length > 0) {
        const ssize_t n = write(file, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int cause = errno;
            close(file);
            errno = cause;
            return -1;
        }
        bytes += n;
        length -= (size_t)n;
    }
    return file;
}

int cd_build_folder_open_file(const cd_build_folder* w, const char* name)
{
    struct stat file_stat;
    const int   file = openat(w->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return -1;
    if (fstat(file, &file_stat) == 0 && S_ISREG(file_stat.st_mode) && file_stat.st_uid == geteuid()) return file;
    close(file);
    errno = EPERM;
    return -1;
}
