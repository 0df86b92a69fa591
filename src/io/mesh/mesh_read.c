// SPDX-License-Identifier: BSD-3-Clause
// Reading of a mesh file: the extension determines the reader.
#include "io/mesh/mesh.h"

#include "core/file.h"
#include "core/number_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char*     extension;
    cd_mesh_reader* read;
} formats[] = {
#define CD_MESH_FORMAT(extension, read, summary) {extension, read},
#include "io/mesh/mesh_formats.def"
#undef CD_MESH_FORMAT
};

enum { NFORMAT = sizeof formats / sizeof *formats };

bool cd_mesh_fail(char reason[CD_MESH_REASON_SIZE], const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, CD_MESH_REASON_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static cd_mesh_reader* reader_of(const char* path)
{
    const char* dot = strrchr(path, '.');
    for (int i = 0; dot && i < NFORMAT; ++i)
        if (strcasecmp(dot, formats[i].extension) == 0) return formats[i].read;
    return NULL;
}

static void fail_extension(char reason[CD_MESH_REASON_SIZE])
{
    int n = snprintf(reason, CD_MESH_REASON_SIZE, "is not a mesh: the extension must be ");
    for (int i = 0; i < NFORMAT; ++i)
        n += snprintf(reason + n, (size_t)(CD_MESH_REASON_SIZE - n), "%s%s", formats[i].extension,
                      i + 2 < NFORMAT   ? ", "
                      : i + 1 < NFORMAT ? " or "
                                        : "");
}

cardan_status cd_mesh_read(const char* path, cd_mesh* mesh, char reason[CD_MESH_REASON_SIZE])
{
    char            why[CD_REASON_SIZE], *data = NULL;
    size_t          length = 0;
    cd_mesh_builder b      = {0};
    cd_mesh_reader* read   = reader_of(path);
    *mesh                  = (cd_mesh){0};
    reason[0]              = '\0';
    if (!read) return fail_extension(reason), CARDAN_BAD_INPUT;
    const cardan_status status = cd_file_read_with_reason(path, &data, &length, why);
    if (status) return cd_mesh_fail(reason, "%s", why), status;
    const locale_t before = cd_locale_enter();
    bool           ok     = read(data, length, &b, reason);
    cd_locale_leave(before);
    free(data);
    cd_mesh_builder_release(&b);
    if (ok && b.mesh.ntriangle == 0) ok = cd_mesh_fail(reason, "contains no triangle");
    if (ok) {
        *mesh = b.mesh;
        return CARDAN_OK;
    }
    cd_mesh_release(&b.mesh);
    if (reason[0]) return CARDAN_BAD_INPUT;
    cd_mesh_fail(reason, "cannot be read: out of memory");
    return CARDAN_NO_MEMORY;
}
