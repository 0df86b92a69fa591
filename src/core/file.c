// SPDX-License-Identifier: BSD-3-Clause
// Files: temporary name first, then link or rename, so that a reader sees either the old file or the whole new one.
#include "core/file.h"

#include "core/memory.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

cardan_status cd_file_status(int error) { return error == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_NO_FILE; }

static cardan_place in_file(const char* path) { return (cardan_place){.file = path}; }

static cardan_status read_stream(FILE* stream, const char* path, cd_text* text, cardan_report* report)
{
    char   piece[65536];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, stream)) > 0) cd_text_add_bytes(text, piece, n);
    if (ferror(stream))
        return cardan_fail(report, cd_file_status(errno), in_file(path), "cannot be read: %s", strerror(errno));
    if (text->failed) return cardan_fail(report, CARDAN_NO_MEMORY, in_file(path), "no memory to read this file");
    return CARDAN_OK;
}

cardan_status cd_file_read(const char* path, char** data, size_t* length, cardan_report* report)
{
    *data   = NULL;
    *length = 0;
    struct stat about;
    FILE*       stream = fopen(path, "rb");
    if (!stream) return cardan_fail(report, cd_file_status(errno), in_file(path), "cannot be read: %s", strerror(errno));
    if (fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(stream);
        return cardan_fail(report, CARDAN_NO_FILE, in_file(path), "is a folder, not a file");
    }
    cd_text       text   = {0};
    cardan_status status = read_stream(stream, path, &text, report);
    fclose(stream);
    *length = text.length;
    if (status == CARDAN_OK && !(*data = cd_text_take(&text)))
        status = cardan_fail(report, CARDAN_NO_MEMORY, in_file(path), "no memory to read this file");
    cd_text_free(&text);
    return status;
}

// Makes the folders of `path` that are missing; what fails shows when the file is opened.
static void make_folders(char* path)
{
    for (char* c = path + 1; *path && *c; ++c) {
        if (*c != '/') continue;
        *c = '\0';
        mkdir(path, 0777);
        *c = '/';
    }
}

static cardan_status refuse(const char* path, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_FILE, in_file(path),
                       "is already there and is not overwritten; use --force, or another name with --output");
}

// A name beside `path` that nobody has: path.part, path.part1, ...
static FILE* open_temporary(cd_file* file)
{
    const size_t size = strlen(file->path) + 16;
    file->temporary   = cd_allocate(size, 1);
    if (!file->temporary) return NULL;
    for (int i = 0; i < 1000; ++i) {
        snprintf(file->temporary, size, i ? "%s.part%d" : "%s.part", file->path, i);
        const int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) return fdopen(descriptor, "wb");
        if (errno != EEXIST) break;
    }
    return NULL;
}

static bool is_standard_output(const char* path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

// The descriptor as it is: what it points to is neither replaced nor cut, and is written where the descriptor stands.
static cardan_status open_standard_output(cd_file* file, cardan_report* report)
{
    fflush(stdout);
    const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    file->stream         = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream) return CARDAN_OK;
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    return cardan_fail(report, cd_file_status(reason), in_file(file->path), "cannot be written: %s", strerror(reason));
}

static cardan_status open_stream(cd_file* file, cardan_report* report)
{
    struct stat about;
    const bool  there = stat(file->path, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return cardan_fail(report, CARDAN_NO_FILE, in_file(file->path), "is a folder, not a file");
    if (there && S_ISREG(about.st_mode) && !file->replace) return refuse(file->path, report);
    if (there && !S_ISREG(about.st_mode)) {
        file->stream = fopen(file->path, "wb");
    } else {
        make_folders(file->path);
        file->stream = open_temporary(file);
        if (there && file->stream) (void)!fchmod(fileno(file->stream), about.st_mode & 0777);
    }
    if (file->stream) return CARDAN_OK;
    return cardan_fail(report, cd_file_status(errno), in_file(file->path), "cannot be written: %s", strerror(errno));
}

cardan_status cd_file_open(cd_file* file, const char* path, bool replace, cardan_report* report)
{
    // a symbolic link stays one: what it points to is replaced
    struct stat about;
    const bool  output = is_standard_output(path);
    const bool  link   = !output && lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    char*       target = link ? realpath(path, NULL) : NULL;
    *file              = (cd_file){.path = target ? target : cd_copy_string(path), .replace = replace};
    if (!file->path) return cardan_fail(report, CARDAN_NO_MEMORY, in_file(path), "no memory to write this file");
    const cardan_status status = output ? open_standard_output(file, report) : open_stream(file, report);
    if (status != CARDAN_OK) cd_file_discard(file);
    return status;
}

// Gives the temporary file its name. link() refuses atomically where a file appeared meanwhile.
static bool give_name(const cd_file* file)
{
    if (file->replace) return rename(file->temporary, file->path) == 0;
    if (link(file->temporary, file->path) == 0) return unlink(file->temporary) == 0;
    if (errno == EEXIST || access(file->path, F_OK) == 0) return errno = EEXIST, false;
    return rename(file->temporary, file->path) == 0; // a file system without links
}

cardan_status cd_file_keep(cd_file* file, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    errno                = 0;
    const bool broken    = ferror(file->stream) != 0;
    const bool closed    = fclose(file->stream) == 0;
    file->stream         = NULL;
    if (broken || !closed)
        status = cardan_fail(report, cd_file_status(errno), in_file(file->path), "cannot be written: %s",
                             errno ? strerror(errno) : "the disk did not take it");
    else if (file->temporary && !give_name(file))
        status = errno == EEXIST ? refuse(file->path, report)
                                 : cardan_fail(report, cd_file_status(errno), in_file(file->path), "cannot be written: %s",
                                               strerror(errno));
    if (status == CARDAN_OK) {
        free(file->temporary);
        file->temporary = NULL;
    }
    cd_file_discard(file);
    return status;
}

void cd_file_discard(cd_file* file)
{
    if (file->stream) fclose(file->stream);
    if (file->temporary) unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (cd_file){0};
}

cardan_status cd_file_write(const char* path, const char* data, size_t length, bool replace, cardan_report* report)
{
    cd_file       file;
    cardan_status status = cd_file_open(&file, path, replace, report);
    if (status != CARDAN_OK) return status;
    if (fwrite(data, 1, length, file.stream) == length) return cd_file_keep(&file, report);
    status = cardan_fail(report, cd_file_status(errno), in_file(path), "cannot be written: %s", strerror(errno));
    cd_file_discard(&file);
    return status;
}
