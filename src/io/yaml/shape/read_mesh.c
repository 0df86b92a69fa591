// SPDX-License-Identifier: BSD-3-Clause
// Meshes of model files: shapes of bodies, solids within a closed mesh, and convex hulls of points or of the vertices of
// a mesh. Vertices x of the file are coordinates of the
// base, as other numbers of the body: in the frame of the mesh, with the signs S of a mirrored level, they are S scale x.
#include "io/yaml/read_model.h"

#include "contact/shape/hull.h"
#include "core/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Read the scale, a number or three, into factors along x, y, z with the signs of the level.
static bool read_scale(const cd_model_element* e, double factor[3])
{
    const cd_yaml* node = cd_yaml_get(e->node, "scale");
    for (int i = 0; i < 3; ++i) factor[i] = 1;
    if (node && node->has_error) return false;
    if (node && node->kind == CD_YAML_LIST) {
        if (!cd_read_numbers(e, node, CD_UNIT_NONE, 3, factor)) return false;
    } else if (node) {
        if (!cd_read_number(e, node, CD_UNIT_NONE, &factor[0])) return false;
        factor[1] = factor[2] = factor[0];
    }
    for (int i = 0; i < 3; ++i) {
        if (factor[i] == 0) return cd_element_fail(e, node, "'scale' must not be zero");
        if (node && !cd_require_structural_constant(e, node, factor[i])) return false;
        factor[i] *= e->level->placement->sign[i];
    }
    return true;
}

// Mesh of a file, read once per source. On failure the status and the reason of cd_mesh_read.
static cardan_status source_mesh(cd_model_source* source, const char* path, const cd_source_mesh** mesh, char* reason)
{
    for (*mesh = source->first_mesh; *mesh; *mesh = (*mesh)->next)
        if (strcmp((*mesh)->path, path) == 0) return CARDAN_OK;
    cd_source_mesh* added = cd_pool_alloc(&source->pool, 1, sizeof *added);
    char*           name  = cd_pool_string(&source->pool, path, strlen(path));
    if (!added || !name) return CARDAN_NO_MEMORY;
    *added                     = (cd_source_mesh){.path = name, .next = source->first_mesh};
    const cardan_status status = cd_mesh_read(path, &added->mesh, reason);
    if (status) return status;
    source->first_mesh = added;
    *mesh              = added;
    return CARDAN_OK;
}

// Value of `mesh` or `hull`.
static const cd_yaml* mesh_node(const cd_model_element* e)
{
    const cd_yaml* mesh = cd_yaml_get(e->node, "mesh");
    return mesh ? mesh : cd_yaml_get(e->node, "hull");
}

static bool is_hull(const cd_model_element* e) { return !cd_yaml_get(e->node, "mesh"); }

static const cd_source_mesh* find_mesh(const cd_model_element* e)
{
    const cd_yaml*        node                        = mesh_node(e);
    cd_reader*            r                           = e->reader;
    char                  reason[CD_MESH_REASON_SIZE] = "";
    const cd_source_mesh* source                      = NULL;
    if (node->has_error) return NULL;
    const char* path = cd_path_relative_to_file(r, &r->pool, node->file, node->text);
    if (!path) return NULL;
    const cardan_status status = source_mesh(r->source, path, &source, reason);
    if (status == CARDAN_NO_MEMORY) return cd_reader_fail_no_memory(r), NULL;
    if (status) return cd_element_fail(e, node, "the file '%s' %s", path, reason), NULL;
    return source;
}

// Read the points of a hull, in the length unit of the file, as a mesh without triangles.
static bool read_points(const cd_model_element* e, cd_mesh* mesh, const char** path, double factor[3])
{
    const cd_yaml *node = mesh_node(e), *scale = cd_yaml_get(e->node, "scale");
    if (node->has_error) return false;
    if (scale) return cd_element_fail(e, scale, "'scale' is allowed only with the file of a mesh");
    *path = NULL;
    memcpy(factor, e->level->placement->sign, 3 * sizeof *factor);
    mesh->vertex = malloc(3 * (size_t)node->count * sizeof *mesh->vertex);
    if (!mesh->vertex) return cd_reader_fail_no_memory(e->reader);
    mesh->nvertex = node->count;
    bool ok       = true;
    for (int i = 0; ok && i < node->count; ++i) {
        double* x = mesh->vertex + 3 * i;
        ok        = cd_read_numbers(e, node->entry[i].value, CD_UNIT_LENGTH, 3, x);
        for (int k = 0; ok && k < 3; ++k) {
            ok = cd_require_structural_constant(e, node->entry[i].value, x[k]);
            x[k] *= factor[k];
        }
    }
    if (!ok) cd_mesh_release(mesh);
    return ok;
}

// Return the mesh of the element times its scale, allocated; false after an error.
static bool read_scaled_mesh(const cd_model_element* e, cd_mesh* mesh, const char** path, double factor[3])
{
    *mesh = (cd_mesh){0};
    if (mesh_node(e)->kind == CD_YAML_LIST) return read_points(e, mesh, path, factor);
    const cd_source_mesh* source = find_mesh(e);
    if (!source || !read_scale(e, factor)) return false;
    const size_t nvertex = 3 * (size_t)source->mesh.nvertex, ntriangle = 3 * (size_t)source->mesh.ntriangle;
    mesh->vertex   = malloc((nvertex + 1) * sizeof *mesh->vertex);
    mesh->triangle = malloc((ntriangle + 1) * sizeof *mesh->triangle);
    if (!mesh->vertex || !mesh->triangle) {
        cd_mesh_release(mesh);
        return cd_reader_fail_no_memory(e->reader);
    }
    memcpy(mesh->vertex, source->mesh.vertex, nvertex * sizeof *mesh->vertex);
    memcpy(mesh->triangle, source->mesh.triangle, ntriangle * sizeof *mesh->triangle);
    mesh->nvertex   = source->mesh.nvertex;
    mesh->ntriangle = source->mesh.ntriangle;
    *path           = source->path;
    cd_mesh_scale(mesh, factor);
    for (size_t i = 0; i < nvertex; ++i)
        if (!isfinite(mesh->vertex[i])) {
            cd_mesh_release(mesh);
            return cd_element_fail(e, cd_yaml_get(e->node, "scale"), "the vertices times 'scale' are not finite");
        }
    return true;
}

// Shape of a scaled mesh; its arrays are moved to the pool of the reader.
static bool make_shape(const cd_model_element* e, const cd_mesh* mesh, const char* path, const double factor[3],
                       cardan_shape* shape)
{
    cd_reader* r     = e->reader;
    const int  count = is_hull(e) ? 0 : mesh->ntriangle; // a hull has its points only
    r->ntriangle += count;
    if (r->ntriangle > CD_MESH_TRIANGLE_MAX)
        return cd_element_fail(e, mesh_node(e), "the meshes of the model have more than %d triangles",
                               CD_MESH_TRIANGLE_MAX);
    const size_t nvertex = 3 * (size_t)mesh->nvertex, ntriangle = 3 * (size_t)count;
    double*      point    = cd_pool_alloc(&r->pool, nvertex, sizeof *point);
    int*         triangle = cd_pool_alloc(&r->pool, ntriangle, sizeof *triangle);
    if (!point || !triangle) return cd_reader_fail_no_memory(r);
    memcpy(point, mesh->vertex, nvertex * sizeof *point);
    if (count > 0) memcpy(triangle, mesh->triangle, ntriangle * sizeof *triangle);
    char*       absolute = path ? realpath(path, NULL) : NULL; // a saved model may be in another folder
    const char* file     = absolute ? cd_pool_string(&r->pool, absolute, strlen(absolute)) : path;
    free(absolute);
    if (path && !file) return cd_reader_fail_no_memory(r);
    *shape = (cardan_shape){.kind      = is_hull(e) ? CARDAN_SHAPE_HULL : CARDAN_SHAPE_MESH,
                            .pose      = cardan_pose_default(),
                            .size      = {factor[0], factor[1], factor[2]},
                            .npoint    = mesh->nvertex,
                            .point     = point,
                            .ntriangle = count,
                            .triangle  = triangle,
                            .file      = file};
    return true;
}

bool cd_read_mesh_shape(const cd_model_element* e, cardan_shape* shape)
{
    cd_mesh     mesh;
    const char* path;
    double      factor[3];
    if (!read_scaled_mesh(e, &mesh, &path, factor)) return false;
    const bool ok = make_shape(e, &mesh, path, factor, shape);
    cd_mesh_release(&mesh);
    return ok;
}

// ---- solids

static bool integrate_hull(const cd_model_element* e, const cd_mesh* mesh, cd_mesh_integrals* integrals)
{
    const char* reason = "";
    cd_hull*    hull   = cd_hull_create(mesh->nvertex, mesh->vertex, 0, &reason);
    if (!hull) return cd_element_fail(e, mesh_node(e), "the convex hull cannot be computed: %s", reason);
    integrals->volume = hull->mass.volume;
    memcpy(integrals->centre, hull->mass.centre, sizeof integrals->centre);
    memcpy(integrals->inertia, hull->mass.inertia, sizeof integrals->inertia);
    cd_hull_destroy(hull);
    return true;
}

static bool integrate(const cd_model_element* e, cd_mesh* mesh, cd_mesh_integrals* integrals)
{
    const cd_yaml* node = mesh_node(e);
    cd_mesh_edges  edges;
    if (is_hull(e)) return integrate_hull(e, mesh, integrals);
    if (!cd_mesh_count_edges(mesh->ntriangle, mesh->triangle, &edges)) return cd_reader_fail_no_memory(e->reader);
    if (edges.nopen > 0)
        return cd_element_fail(e, node,
                               "the mesh is not closed: it has %d open edge%s; put the mesh under 'shape' and state "
                               "'inertia'",
                               edges.nopen, edges.nopen == 1 ? "" : "s");
    if (edges.nunoriented > 0)
        return cd_element_fail(e, node,
                               "the triangles of the mesh have no common outside: %d edge%s the same direction "
                               "in two of them",
                               edges.nunoriented, edges.nunoriented == 1 ? " has" : "s have");
    *integrals = cd_mesh_integrate(mesh->nvertex, mesh->vertex, mesh->ntriangle, mesh->triangle);
    if (integrals->volume < 0) {
        cd_mesh_reverse(mesh);
        *integrals = cd_mesh_integrate(mesh->nvertex, mesh->vertex, mesh->ntriangle, mesh->triangle);
    }
    if (!(integrals->volume > 0) || !isfinite(integrals->inertia[0] + integrals->inertia[1] + integrals->inertia[2]))
        return cd_element_fail(e, node, "the mesh has no volume");
    return true;
}

// Frame of the mesh of a body: axes of the base, made right-handed by the signs of the level.
static cd_frame mesh_frame(const cd_model_element* e, const cd_frame* base)
{
    double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return cd_frame_from_base(cd_element_parametric(e), base, base->p, identity, e->level->placement->sign);
}

static void point_of_frame(cd_parametric* l, const cd_frame* frame, const double x[3], double world[3])
{
    for (int i = 0; i < 3; ++i) {
        world[i] = frame->p[i];
        for (int k = 0; k < 3; ++k) world[i] = par_add_product(l, world[i], frame->R[i][k], x[k]);
    }
}

bool cd_mesh_centre(const cd_model_element* e, const cd_frame* base, double world[3])
{
    cd_mesh           mesh;
    cd_mesh_integrals integrals;
    const char*       path;
    double            factor[3];
    if (!read_scaled_mesh(e, &mesh, &path, factor)) return false;
    const bool     ok    = integrate(e, &mesh, &integrals);
    const cd_frame frame = mesh_frame(e, base);
    if (ok) point_of_frame(cd_element_parametric(e), &frame, integrals.centre, world);
    cd_mesh_release(&mesh);
    return ok;
}

// Inertia of mass 1 in body axes: I = T I_mesh T', T = R_body' R_mesh.
static void set_inertia(cd_parametric* l, const cd_frame* body, const cd_frame* frame, const cd_mesh_integrals* g,
                        cd_solid* solid)
{
    double I[3][3], T[3][3] = {{0}}, six[6];
    for (int i = 0; i < 6; ++i) six[i] = g->inertia[i] / g->volume;
    cd_inertia_to_matrix(six, I);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int m = 0; m < 3; ++m) T[i][k] = par_add_product(l, T[i][k], body->R[m][i], frame->R[m][k]);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int m = 0; m < 3; ++m)
                for (int n = 0; n < 3; ++n)
                    solid->inertia[i][k] =
                        par_add_product(l, solid->inertia[i][k], par_mul(l, T[i][m], I[m][n]), T[k][n]);
}

bool cd_read_mesh_solid(const cd_model_element* e, const cd_frame* body, const cd_frame* base, cd_solid* solid)
{
    cd_parametric*    l = cd_element_parametric(e);
    cd_mesh           mesh;
    cd_mesh_integrals integrals;
    const char*       path;
    double            factor[3];
    if (!read_scaled_mesh(e, &mesh, &path, factor)) return false;
    const bool ok = integrate(e, &mesh, &integrals) && make_shape(e, &mesh, path, factor, &solid->shape);
    cd_mesh_release(&mesh);
    if (!ok) return false;
    const cd_frame frame = mesh_frame(e, base);
    point_of_frame(l, &frame, integrals.centre, solid->centre);
    set_inertia(l, body, &frame, &integrals, solid);
    solid->volume     = integrals.volume;
    solid->has_centre = true;
    solid->shape.pose = cd_read_pose_on_body(e, NULL, NULL, base, body, &frame);
    return true;
}
