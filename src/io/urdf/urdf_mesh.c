// SPDX-License-Identifier: BSD-3-Clause
// URDF <mesh filename= scale=>. A name is relative to the folder of the URDF file. package://NAME/PATH is PATH in the
// nearest folder NAME among the folder of the file, those above it, and their direct subfolders. A mesh that cannot be
// read has no effect on the dynamics: one warning for all of them.
#include "io/urdf/urdf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Return "FOLDER/NAME" if this file exists, with its absolute path; the caller frees it.
static char* existing_file(cd_urdf* u, const char* folder, const char* name)
{
    cd_text path = {0};
    cd_text_format(&path, "%s/%s", folder, name);
    u->no_memory |= path.failed;
    char* found = path.failed || access(path.data, F_OK) != 0 ? NULL : realpath(path.data, NULL);
    cd_text_free(&path);
    return found;
}

// Return the absolute folder of the URDF file; the caller frees it.
static char* folder_of_file(const cd_urdf* u)
{
    char* folder = realpath(u->path, NULL);
    char* slash  = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0';
    return folder;
}

static bool leaves_folder(const char* path)
{
    for (const char* s = path; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL)
        if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || s[2] == '\0')) return true;
    return false;
}

// Find "NAME/PATH" of a package; `folder` is changed.
static char* find_in_package(cd_urdf* u, char* folder, const char* name)
{
    const size_t n    = strcspn(name, "/");
    char*        file = NULL;
    if (!name[n] || leaves_folder(name)) return NULL;
    for (char* slash; !file && !u->no_memory && (slash = strrchr(folder, '/')); *slash = '\0') {
        if (strlen(slash + 1) == n && strncmp(slash + 1, name, n) == 0) file = existing_file(u, folder, name + n + 1);
        if (!file) file = existing_file(u, folder, name);
    }
    return file ? file : existing_file(u, "", name);
}

static char* find_file(cd_urdf* u, const char* name)
{
    if (strncmp(name, "file://", 7) == 0) name += 7;
    char* folder = folder_of_file(u);
    char* file   = NULL;
    if (strncmp(name, "package://", 10) == 0)
        file = folder ? find_in_package(u, folder, name + 10) : NULL;
    else if (name[0] == '/')
        file = existing_file(u, "", name + 1);
    else if (folder)
        file = existing_file(u, folder, name);
    free(folder);
    return file;
}

static bool count_unread(cd_urdf* u, int element, const char* name, const char* reason)
{
    if (u->nunread_mesh++ == 0) {
        u->first_unread_mesh = element;
        cd_text_format(&u->unread_mesh, "the file '%s' %s", name, reason);
        u->no_memory |= u->unread_mesh.failed;
    }
    return false;
}

static bool read_file(cd_urdf* u, int element, const char* name, cardan_shape* shape, cd_mesh* mesh)
{
    char  reason[CD_MESH_REASON_SIZE] = "is not found";
    char* file                        = find_file(u, name);
    if (!file) return count_unread(u, element, name, reason);
    shape->file                = file; // freed by the caller
    const cardan_status status = cd_mesh_read(file, mesh, reason);
    if (status == CARDAN_NO_MEMORY) return u->no_memory = true, false;
    if (status) return count_unread(u, element, name, reason);
    if (mesh->ntriangle > CD_MESH_TRIANGLE_MAX - u->ntriangle)
        return count_unread(u, element, name, "exceeds the number of triangles of a model");
    u->ntriangle += mesh->ntriangle;
    return true;
}

bool cd_urdf_read_mesh(cd_urdf* u, int element, bool store, cardan_shape* shape, cd_mesh* mesh)
{
    const char* name = cd_urdf_require_attribute(u, element, "filename");
    shape->kind      = CARDAN_SHAPE_MESH;
    for (int i = 0; i < 3; ++i) shape->size[i] = 1;
    if (cd_xml_get_attribute(u->xml, element, "scale") &&
        !cd_urdf_read_numbers(u, element, "scale", false, 3, shape->size))
        return false;
    if (!name || !store) return name != NULL;
    if (u->no_memory || !read_file(u, element, name, shape, mesh)) return false;
    if (shape->size[0] == 0 || shape->size[1] == 0 || shape->size[2] == 0) {
        cd_urdf_fail(u, element, "<mesh>: scale must not be zero");
        return false;
    }
    cd_mesh_scale(mesh, shape->size);
    shape->npoint    = mesh->nvertex;
    shape->point     = mesh->vertex;
    shape->ntriangle = mesh->ntriangle;
    shape->triangle  = mesh->triangle;
    return true;
}

void cd_urdf_warn_of_meshes(cd_urdf* u)
{
    if (u->nunread_mesh == 0 || u->no_memory) return;
    const cardan_location location = cd_xml_at(u->xml, u->first_unread_mesh)->location;
    if (u->nunread_mesh == 1)
        cardan_warn(u->report, CARDAN_CODE_MODEL_DOUBTFUL, location, "a mesh is not drawn: %s", u->unread_mesh.data);
    else
        cardan_warn(u->report, CARDAN_CODE_MODEL_DOUBTFUL, location, "%d meshes are not drawn; the first: %s",
                    u->nunread_mesh, u->unread_mesh.data);
}
