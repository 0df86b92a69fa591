// SPDX-License-Identifier: BSD-3-Clause
// Libraries as bytes. The digest is SHA-256. The library is loaded from a memory file that is sealed against changes;
// if the system has none, from the open file.
#include "generate/compiled/library_image.h"

#include "core/file.h"
#include "core/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The bytes end with "\nCARDAN trace compile operations\n" and the 64 digits of the digest of everything before them.
enum { DIGEST_DIGITS = 64, MAX_LINE = 128 };
static const size_t max_length = (size_t)1 << 30;

bool cd_library_image_read(int file, cd_library_image* image)
{
    char    piece[65536];
    cd_text all = {0};
    ssize_t n   = 0;
    *image      = cd_library_image_empty();
    image->file = file;
    while (all.length <= max_length) {
        n = pread(file, piece, sizeof piece, (off_t)all.length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        cd_text_add_bytes(&all, piece, (size_t)n);
        if (all.failed) break;
    }
    if (n == 0 && !all.failed) {
        image->length = all.length;
        image->bytes  = cd_text_detach(&all);
    }
    if (all.failed) errno = ENOMEM;
    cd_text_free(&all);
    return image->bytes != NULL;
}

bool cd_library_image_seal(cd_library_image* image, const cd_build_info* info)
{
    cd_text all = {0};
    char    digest[DIGEST_DIGITS + 1];
    cd_text_add_bytes(&all, image->bytes, image->length);
    cd_text_format(&all, "\nCARDAN %.17g %.17g %ld\n", info->trace_time, info->compile_time, info->operations);
    if (!all.failed) {
        cd_sha256(all.data, all.length, digest);
        cd_text_add_bytes(&all, digest, DIGEST_DIGITS);
    }
    const size_t length = all.length;
    char*        bytes  = all.failed ? NULL : cd_text_detach(&all);
    cd_text_free(&all);
    if (!bytes) return errno = ENOMEM, false;
    free(image->bytes);
    image->bytes  = bytes;
    image->length = length;
    return true;
}

bool cd_library_image_verify(const cd_library_image* image, cd_build_info* info)
{
    const char* const bytes  = image->bytes;
    const size_t      length = image->length;
    char              digest[DIGEST_DIGITS + 1];
    if (length < DIGEST_DIGITS + MAX_LINE) return false;
    cd_sha256(bytes, length - DIGEST_DIGITS, digest);
    if (memcmp(digest, bytes + length - DIGEST_DIGITS, DIGEST_DIGITS) != 0) return false;
    char line[MAX_LINE + 1] = {0};
    memcpy(line, bytes + length - DIGEST_DIGITS - MAX_LINE, MAX_LINE);
    for (size_t i = 0; i + 8 < MAX_LINE; ++i)
        if (memcmp(line + i, "\nCARDAN ", 8) == 0)
            return sscanf(line + i + 8, "%lf %lf %ld", &info->trace_time, &info->compile_time, &info->operations) == 3;
    return false;
}

void cd_library_image_free(cd_library_image* image)
{
    free(image->bytes);
    if (image->file >= 0) close(image->file);
    *image = cd_library_image_empty();
}

// Copy the bytes to a memory file that cannot be changed and return its descriptor; -1 if the system has none.
static int copy_to_memory(const cd_library_image* image)
{
#ifdef MFD_ALLOW_SEALING
    const int memory = memfd_create("cardan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t    done   = 0;
    while (memory >= 0 && done < image->length) {
        const ssize_t n = write(memory, image->bytes + done, image->length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += (size_t)n;
    }
    if (memory < 0) return -1;
    if (done == image->length &&
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
        return memory;
    close(memory);
#else
    (void)image;
#endif
    return -1;
}

// Load a library from a descriptor, which it owns afterwards.
static bool load_descriptor(int file, cd_loaded_library* loaded)
{
    char path[64];
    if (file < 0) return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *loaded = (cd_loaded_library){.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), .file = file};
    if (loaded->handle) return true;
    close(file);
    loaded->file = -1;
    return false;
}

cardan_status cd_library_image_load(const cd_library_image* image, cd_loaded_library* loaded, cardan_report* report)
{
    *loaded = (cd_loaded_library){.file = -1};
    errno   = 0;
    if (load_descriptor(copy_to_memory(image), loaded)) return CARDAN_OK;
    if (load_descriptor(fcntl(image->file, F_DUPFD_CLOEXEC, 3), loaded)) return CARDAN_OK;
    const bool  memory = errno == ENOMEM; // the loader returns no status
    const char* reason = dlerror();
    return cardan_fail(report, memory ? CARDAN_NO_MEMORY : CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED,
                       cardan_location_none(), "generated code cannot be loaded: %s",
                       reason ? reason : strerror(errno));
}

void cd_loaded_library_close(cd_loaded_library* loaded)
{
    if (loaded->handle) dlclose(loaded->handle);
    if (loaded->handle && loaded->file >= 0) close(loaded->file);
    *loaded = (cd_loaded_library){.file = -1};
}
