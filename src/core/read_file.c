// SPDX-License-Identifier: BSD-3-Clause
// Reading a whole file of bounded size into memory.
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALLEST = 4096 };

static cardan_status refuse(char reason[CD_REASON], cardan_status status, const char* why)
{
    snprintf(reason, CD_REASON, "%s", why);
    return status;
}

static cardan_status refuse_error(char reason[CD_REASON], int error)
{
    snprintf(reason, CD_REASON, "cannot be read: %s", strerror(error));
    return error == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_NO_FILE;
}

static cardan_status refuse_size(char reason[CD_REASON])
{
    snprintf(reason, CD_REASON, "is larger than %d MB, the most that is read", CD_FILE_MOST >> 20);
    return CARDAN_NO_FILE;
}

// Reads to the end, or up to one byte more than is allowed: a file may grow meanwhile, and /proc tells no sizes.
static cardan_status read_all(int file, size_t expected, char** data, size_t* length, char reason[CD_REASON])
{
    size_t capacity = expected < SMALLEST ? SMALLEST : expected + 1, used = 0; // the last byte is for the zero
    char*  bytes = malloc(capacity + 1);
    if (!bytes) return refuse(reason, CARDAN_NO_MEMORY, "cannot be read: out of memory");
    for (;;) {
        const ssize_t n = read(file, bytes + used, capacity - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int error = errno;
            free(bytes);
            return refuse_error(reason, error);
        }
        if (n == 0) break;
        used += (size_t)n;
        if (used > CD_FILE_MOST) {
            free(bytes);
            return refuse_size(reason);
        }
        if (used < capacity) continue;
        capacity    = 2 * capacity < CD_FILE_MOST + 1 ? 2 * capacity : CD_FILE_MOST + 1;
        char* grown = realloc(bytes, capacity + 1);
        if (!grown) {
            free(bytes);
            return refuse(reason, CARDAN_NO_MEMORY, "cannot be read: out of memory");
        }
        bytes = grown;
    }
    bytes[used] = '\0';
    *data       = bytes;
    *length     = used;
    return CARDAN_OK;
}

static cardan_status check_kind(const struct stat* about, char reason[CD_REASON])
{
    if (S_ISDIR(about->st_mode)) return refuse(reason, CARDAN_NO_FILE, "is a folder, not a file");
    if (S_ISFIFO(about->st_mode)) return refuse(reason, CARDAN_NO_FILE, "is a pipe; only regular files are read");
    if (!S_ISREG(about->st_mode)) return refuse(reason, CARDAN_NO_FILE, "is a device; only regular files are read");
    return about->st_size > CD_FILE_MOST ? refuse_size(reason) : CARDAN_OK;
}

cardan_status cd_file_take(const char* path, char** data, size_t* length, char reason[CD_REASON])
{
    *data   = NULL;
    *length = 0;
    // without waiting: a pipe that no process writes to would block
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 && errno == ENXIO) return refuse(reason, CARDAN_NO_FILE, "is a socket or an absent device");
    if (file < 0) return refuse_error(reason, errno);
    struct stat   about;
    cardan_status status = fstat(file, &about) == 0 ? check_kind(&about, reason) : refuse_error(reason, errno);
    if (status == CARDAN_OK) status = read_all(file, (size_t)about.st_size, data, length, reason);
    close(file);
    return status;
}

cardan_status cd_file_read(const char* path, char** data, size_t* length, cardan_report* report)
{
    char                reason[CD_REASON];
    const cardan_status status = cd_file_take(path, data, length, reason);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, (cardan_place){.file = path}, "%s", reason);
}

cardan_status cd_input_read(char** data, size_t* length, cardan_report* report)
{
    char reason[CD_REASON];
    *data                      = NULL;
    *length                    = 0;
    const cardan_status status = read_all(STDIN_FILENO, 0, data, length, reason);
    if (status == CARDAN_OK) return status;
    return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, (cardan_place){.file = "standard input"}, "%s",
                       reason);
}
