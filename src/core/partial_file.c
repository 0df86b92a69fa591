// SPDX-License-Identifier: BSD-3-Clause
// A partial file belongs to a terminated process if its lock (flock) can be acquired. Two precautions make this safe:
// - A process may not yet have locked a file that it has just created. After locking it checks that the file still
//   has its name, and takes another name if it was removed in between.
// - Locks of network file systems may be valid on one computer only. Files of other computers, identified by their
//   names, are removed only on local file systems.
#include "core/partial_file.h"

#include "core/file.h"
#include "core/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { HOST_DIGITS = 8, SUFFIX_MAX = 64, ATTEMPTS = 1000 };

static const char name_mark[] = ".cardan-", name_ending[] = ".part";

// Digits that identify the name of this computer.
static void host_digits(char digits[HOST_DIGITS + 1])
{
    struct utsname about;
    char           digest[65];
    const char*    name = uname(&about) == 0 ? about.nodename : "";
    cd_sha256(name, strlen(name), digest);
    memcpy(digits, digest, HOST_DIGITS);
    digits[HOST_DIGITS] = 0;
}

static const char* last_part(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int cd_folder_open(const char* path)
{
    const size_t length = (size_t)(last_part(path) - path);
    char*        folder = cd_allocate(length + 3, 1);
    if (!folder) return -1;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2);
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return descriptor;
}

// Lock a file that was just created; false if another process has locked or removed it in between. On a file system
// without locks no other process can remove it.
static bool acquire_lock(int file)
{
    struct stat about;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return fstat(file, &about) != 0 || about.st_nlink > 0;
}

int cd_partial_file_create(const char* path, unsigned mode, char** name)
{
    const char* const base = last_part(path);
    const size_t      stem = strlen(base), most = NAME_MAX - SUFFIX_MAX;
    const int         head = (int)(base - path) + (int)(stem < most ? stem : most);
    const size_t      size = (size_t)head + SUFFIX_MAX;
    char              host[HOST_DIGITS + 1];
    *name = cd_allocate(size, 1);
    if (!*name) return errno = ENOMEM, -1;
    host_digits(host);
    for (int i = 0; i < ATTEMPTS; ++i) {
        snprintf(*name, size, "%.*s%s%s-%ld-%d%s", head, path, name_mark, host, (long)getpid(), i, name_ending);
        const int file = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (file >= 0 && acquire_lock(file)) return file;
        if (file < 0 && errno != EEXIST) break;
        if (file >= 0) close(file);
    }
    const int reason = errno;
    free(*name);
    *name = NULL;
    errno = reason;
    return -1;
}

// Whether a name is that of a partial file, and of which computer.
static bool is_partial(const char* name, char host[HOST_DIGITS + 1])
{
    const char *at = NULL, *next = name;
    while ((next = strstr(next, name_mark)) != NULL) at = next++;
    if (!at || at == name) return false;
    at += strlen(name_mark);
    if (strspn(at, "0123456789abcdef") != HOST_DIGITS || at[HOST_DIGITS] != '-') return false;
    memcpy(host, at, HOST_DIGITS);
    host[HOST_DIGITS] = 0;
    at += HOST_DIGITS + 1;
    for (int i = 0; i < 2; ++i) {
        const size_t n = strspn(at, "0123456789");
        if (n == 0 || n > 10 || (i == 0 && at[n] != '-')) return false;
        at += n + (i == 0);
    }
    return strcmp(at, name_ending) == 0;
}

// Whether locks are valid for all processes that can access the file: local file systems.
static bool is_local(int file)
{
    static const unsigned long kinds[] = {
        0xef53 /* ext */,           0x58465342 /* xfs */,  0x9123683e /* btrfs */, 0x01021994 /* tmpfs */,
        0x794c7630 /* overlayfs */, 0xf2f52010 /* f2fs */, 0x2fc12fc1 /* zfs */,   0xca451a4e /* bcachefs */};
    struct statfs about;
    if (fstatfs(file, &about) != 0) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (((unsigned long)about.f_type & 0xffffffffUL) == kinds[i]) return true;
    return false;
}

static void remove_if_stale(int folder, const char* name, bool is_this_host)
{
    struct stat about, named;
    const int   file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
        (is_this_host || is_local(file)) && flock(file, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == about.st_dev &&
        named.st_ino == about.st_ino)
        unlinkat(folder, name, 0);
    close(file);
}

void cd_partial_file_remove_stale(const char* path)
{
    char host[HOST_DIGITS + 1], other[HOST_DIGITS + 1];
    int  folder = cd_folder_open(path);
    DIR* list   = folder >= 0 ? fdopendir(folder) : NULL;
    if (!list && folder >= 0) close(folder);
    host_digits(host);
    for (struct dirent* entry; list && (entry = readdir(list));)
        if (is_partial(entry->d_name, other)) remove_if_stale(dirfd(list), entry->d_name, strcmp(host, other) == 0);
    if (list) closedir(list);
}
