// SPDX-License-Identifier: BSD-3-Clause
// COLLADA files (.dae) by assimp: all meshes of the scene with the transformations of their nodes and the unit of the file.
// The key up_axis is ignored, as in other programs that read robot descriptions.
#include "io/mesh/mesh.h"

#include "core/memory.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdlib.h>

static bool add_vertices(const struct aiMesh* m, cd_mesh_builder* b, int* index, char* reason)
{
    for (unsigned i = 0; i < m->mNumVertices; ++i) {
        const double p[3] = {(double)m->mVertices[i].x, (double)m->mVertices[i].y, (double)m->mVertices[i].z};
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return cd_mesh_fail(reason, "has a vertex that is not finite");
        if ((index[i] = cd_mesh_add_vertex(b, p)) < 0) return false;
    }
    return true;
}

static bool add_faces(const struct aiMesh* m, cd_mesh_builder* b, const int* index, char* reason)
{
    if (m->mNumFaces > (unsigned)(CD_MESH_TRIANGLE_MAX - b->mesh.ntriangle))
        return cd_mesh_fail(reason, "has more than %d triangles", CD_MESH_TRIANGLE_MAX);
    for (unsigned i = 0; i < m->mNumFaces; ++i) {
        const struct aiFace* f = &m->mFaces[i];
        if (f->mNumIndices != 3) continue; // points and lines
        if (!cd_mesh_add_triangle(b, index[f->mIndices[0]], index[f->mIndices[1]], index[f->mIndices[2]])) return false;
    }
    return true;
}

static bool add_mesh(const struct aiMesh* m, cd_mesh_builder* b, char* reason)
{
    int*       index = cd_allocate((size_t)m->mNumVertices + 1, sizeof *index);
    const bool ok    = index && add_vertices(m, b, index, reason) && add_faces(m, b, index, reason);
    free(index);
    return ok;
}

bool cd_read_dae(const char* data, size_t length, cd_mesh_builder* b, char reason[CD_MESH_REASON_SIZE])
{
    struct aiPropertyStore* settings = aiCreatePropertyStore();
    if (!settings) return false;
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    const struct aiScene* scene = aiImportFileFromMemoryWithProperties(
        data, (unsigned)length, aiProcess_Triangulate | aiProcess_PreTransformVertices, "dae", settings);
    aiReleasePropertyStore(settings);
    if (!scene) return cd_mesh_fail(reason, "is not a valid COLLADA file: %.200s", aiGetErrorString());
    bool ok = true;
    for (unsigned i = 0; ok && i < scene->mNumMeshes; ++i) ok = add_mesh(scene->mMeshes[i], b, reason);
    aiReleaseImport(scene);
    return ok;
}
