// SPDX-License-Identifier: BSD-3-Clause
// Reading a whole file of bounded size into memory.
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INITIAL_SIZE = 4096 };

static cardan_status fail_reason(char reason[CD_REASON_SIZE], cardan_status status, const char* text)
{
    snprintf(reason, CD_REASON_SIZE, "%s", text);
    return status;
}

static cardan_status fail_errno(char reason[CD_REASON_SIZE], int error)
{
    snprintf(reason, CD_REASON_SIZE, "cannot be read: %s", strerror(error));
    return error == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_FILE_ERROR;
}

static cardan_status fail_size(char reason[CD_REASON_SIZE])
{
    snprintf(reason, CD_REASON_SIZE, "is larger than the limit of %d MB", CD_FILE_SIZE_MAX >> 20);
    return CARDAN_FILE_ERROR;
}

// Read to the end, or to one byte more than allowed: a file may grow meanwhile, and files of /proc have size 0.
static cardan_status read_all(int file, size_t expected, char** data, size_t* length, char reason[CD_REASON_SIZE])
{
    size_t capacity = expected < INITIAL_SIZE ? INITIAL_SIZE : expected + 1, used = 0; // one byte for the final zero
    char*  bytes = malloc(capacity + 1);
    if (!bytes) return fail_reason(reason, CARDAN_NO_MEMORY, "cannot be read: out of memory");
    for (;;) {
        const ssize_t n = read(file, bytes + used, capacity - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int error = errno;
            free(bytes);
            return fail_errno(reason, error);
        }
        if (n == 0) break;
        used += (size_t)n;
        if (used > CD_FILE_SIZE_MAX) {
            free(bytes);
            return fail_size(reason);
        }
        if (used < capacity) continue;
        capacity    = 2 * capacity < CD_FILE_SIZE_MAX + 1 ? 2 * capacity : CD_FILE_SIZE_MAX + 1;
        char* grown = realloc(bytes, capacity + 1);
        if (!grown) {
            free(bytes);
            return fail_reason(reason, CARDAN_NO_MEMORY, "cannot be read: out of memory");
        }
        bytes = grown;
    }
    bytes[used] = '\0';
    *data       = bytes;
    *length     = used;
    return CARDAN_OK;
}

static cardan_status check_kind(const struct stat* about, char reason[CD_REASON_SIZE])
{
    if (S_ISDIR(about->st_mode)) return fail_reason(reason, CARDAN_FILE_ERROR, "cannot be read: it is a folder");
    if (S_ISFIFO(about->st_mode))
        return fail_reason(reason, CARDAN_FILE_ERROR, "cannot be read: it is a pipe, not a regular file");
    if (!S_ISREG(about->st_mode))
        return fail_reason(reason, CARDAN_FILE_ERROR, "cannot be read: it is a device, not a regular file");
    return about->st_size > CD_FILE_SIZE_MAX ? fail_size(reason) : CARDAN_OK;
}

cardan_status cd_file_read_with_reason(const char* path, char** data, size_t* length, char reason[CD_REASON_SIZE])
{
    *data   = NULL;
    *length = 0;
    // O_NONBLOCK: opening a pipe without a writer would block
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 && errno == ENXIO)
        return fail_reason(reason, CARDAN_FILE_ERROR, "cannot be read: it is a socket or a missing device");
    if (file < 0) return fail_errno(reason, errno);
    struct stat   about;
    cardan_status status = fstat(file, &about) == 0 ? check_kind(&about, reason) : fail_errno(reason, errno);
    if (status == CARDAN_OK) status = read_all(file, (size_t)about.st_size, data, length, reason);
    close(file);
    return status;
}

cardan_status cd_file_read(const char* path, char** data, size_t* length, cardan_report* report)
{
    char                reason[CD_REASON_SIZE];
    const cardan_status status = cd_file_read_with_reason(path, data, length, reason);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, (cardan_location){.file = path}, "the file %s",
                       reason);
}

cardan_status cd_stdin_read(char** data, size_t* length, cardan_report* report)
{
    char reason[CD_REASON_SIZE];
    *data                      = NULL;
    *length                    = 0;
    const cardan_status status = read_all(STDIN_FILENO, 0, data, length, reason);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, (cardan_location){.file = "standard input"},
                       "the input %s", reason);
}
