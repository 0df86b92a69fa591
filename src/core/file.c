// SPDX-License-Identifier: BSD-3-Clause
// Files are written under a temporary name and then linked or renamed, so that a reader sees either the old file or the
// complete new one. The content is synced before the rename, the folder after it: neither a system crash nor a full
// disk leaves a name without its content.
#include "core/file.h"

#include "core/memory.h"
#include "core/partial_file.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

cardan_status cd_file_status(int error) { return error == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_FILE_ERROR; }

static cardan_location file_location(const char* path) { return (cardan_location){.file = path}; }

// Create the missing folders of `path`; errors appear when the file is opened.
static void make_folders(char* path)
{
    for (char* c = path + 1; *path && *c; ++c) {
        if (*c != '/') continue;
        *c = '\0';
        mkdir(path, 0777);
        *c = '/';
    }
}

static cardan_status fail_existing(const char* path, cardan_report* report)
{
    return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_EXISTS, file_location(path),
                       "the file exists and is not overwritten");
}

// Open a stream on a descriptor; closes the descriptor on failure.
static FILE* open_descriptor(int descriptor)
{
    FILE* stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (stream || descriptor < 0) return stream;
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return NULL;
}

// Create the partial file of `path` in its folder, with the permissions of the file that it replaces and those that its
// owner needs.
static FILE* open_temporary(cd_file* file)
{
    cd_partial_file_remove_stale(file->path);
    const unsigned mode = file->mode < 0 ? 0666 : (unsigned)file->mode | 0600;
    return open_descriptor(cd_partial_file_create(file->path, mode, &file->temporary));
}

static bool is_standard_output(const char* path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

// Use the descriptor of standard output: its target is neither replaced nor truncated, and written at its current
// offset.
static cardan_status open_standard_output(cd_file* file, cardan_report* report)
{
    fflush(stdout);
    file->stream = open_descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (file->stream) return CARDAN_OK;
    return cardan_fail(report, cd_file_status(errno), CARDAN_CODE_FILE_NOT_WRITABLE, file_location(file->path),
                       "the file cannot be written: %s", strerror(errno));
}

static cardan_status open_stream(cd_file* file, cardan_report* report)
{
    struct stat about;
    const bool  there = stat(file->path, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_WRITABLE, file_location(file->path),
                           "the file cannot be written: it is a folder");
    if (there && S_ISREG(about.st_mode) && !file->replace) return fail_existing(file->path, report);
    if (there && !S_ISREG(about.st_mode)) {
        file->stream = fopen(file->path, "wb");
    } else {
        make_folders(file->path);
        file->mode   = there ? (int)(about.st_mode & 0777) : -1;
        file->stream = open_temporary(file);
    }
    if (file->stream) return CARDAN_OK;
    return cardan_fail(report, cd_file_status(errno), CARDAN_CODE_FILE_NOT_WRITABLE, file_location(file->path),
                       "the file cannot be written: %s", strerror(errno));
}

cardan_status cd_file_open(cd_file* file, const char* path, bool replace, cardan_report* report)
{
    // a symbolic link is kept: its target is replaced
    struct stat about;
    const bool  output = is_standard_output(path);
    const bool  link   = !output && lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    char*       target = link ? realpath(path, NULL) : NULL;
    *file              = (cd_file){.path = target ? target : cd_copy_string(path), .replace = replace, .mode = -1};
    if (!file->path)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, file_location(path),
                           "out of memory while writing the file");
    const cardan_status status = output ? open_standard_output(file, report) : open_stream(file, report);
    if (status != CARDAN_OK) cd_file_discard(file);
    return status;
}

// Rename the temporary file. link() fails atomically if a file of that name has appeared meanwhile.
static bool rename_temporary(const cd_file* file)
{
    if (file->replace) return rename(file->temporary, file->path) == 0;
    if (link(file->temporary, file->path) == 0) return unlink(file->temporary) == 0;
    if (errno == EEXIST || access(file->path, F_OK) == 0) return errno = EEXIST, false;
    return rename(file->temporary, file->path) == 0; // file system without links
}

bool cd_file_is_good(cd_file* file)
{
    if (!ferror(file->stream)) return true;
    if (file->error == 0) file->error = errno;
    return false;
}

// Sync a descriptor; file systems that do not support it are not an error.
static bool sync_descriptor(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS;
}

// Sync all written data to disk. Returns 0 or errno.
static int write_out(cd_file* file)
{
    errno = 0;
    if (!cd_file_is_good(file)) return file->error ? file->error : EIO;
    if (fflush(file->stream) != 0) return errno;
    if (!file->temporary) return 0;
    if (file->mode >= 0) (void)!fchmod(fileno(file->stream), (mode_t)file->mode);
    return sync_descriptor(fileno(file->stream)) ? 0 : errno;
}

// Sync the directory entry, if the folder can be opened.
static void sync_folder(const char* path)
{
    const int folder = cd_folder_open(path);
    if (folder < 0) return;
    (void)sync_descriptor(folder);
    close(folder);
}

// The file is renamed while the stream is open, so that its lock still protects it from removal by other processes.
cardan_status cd_file_commit(cd_file* file, cardan_report* report)
{
    const bool named  = file->temporary != NULL;
    int        reason = write_out(file);
    if (reason == 0 && named) {
        errno  = 0;
        reason = rename_temporary(file) ? 0 : errno;
        if (reason == 0) {
            sync_folder(file->path);
            free(file->temporary);
            file->temporary = NULL;
        }
    }
    if (reason == 0) {
        errno = 0;
        if (fclose(file->stream) != 0) reason = errno ? errno : EIO;
        file->stream = NULL;
    }
    cardan_status status = CARDAN_OK;
    if (reason == EEXIST)
        status = fail_existing(file->path, report);
    else if (reason != 0)
        status = cardan_fail(report, cd_file_status(reason), CARDAN_CODE_FILE_NOT_WRITABLE, file_location(file->path),
                             "the file cannot be written: %s", strerror(reason));
    cd_file_discard(file);
    return status;
}

void cd_file_discard(cd_file* file)
{
    if (file->temporary) unlink(file->temporary);
    if (file->stream) fclose(file->stream);
    free(file->temporary);
    free(file->path);
    *file = (cd_file){0};
}

cardan_status cd_file_write(const char* path, const char* data, size_t length, bool replace, cardan_report* report)
{
    cd_file       file;
    cardan_status status = cd_file_open(&file, path, replace, report);
    if (status != CARDAN_OK) return status;
    if (fwrite(data, 1, length, file.stream) == length) return cd_file_commit(&file, report);
    status = cardan_fail(report, cd_file_status(errno), CARDAN_CODE_FILE_NOT_WRITABLE, file_location(path),
                         "the file cannot be written: %s", strerror(errno));
    cd_file_discard(&file);
    return status;
}
