// SPDX-License-Identifier: BSD-3-Clause
// Reader of COLLADA files in a build without assimp: reports the missing part.
#include "io/mesh/mesh.h"

#include "core/parts.h"

bool cd_read_dae(const char* data, size_t length, cd_mesh_builder* b, char reason[CD_MESH_REASON_SIZE])
{
    (void)data, (void)length, (void)b;
    return cd_mesh_fail(reason,
                        "cannot be read: COLLADA files are not in this build, because they need assimp; install the "
                        "Debian package %s and build again",
                        cardan_part_at(cardan_part_find("assimp")).package);
}
