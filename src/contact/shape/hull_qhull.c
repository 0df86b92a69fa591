// SPDX-License-Identifier: BSD-3-Clause
// Convex hulls of points by Qhull; only this file includes it. Rounding moves the faces inwards: the intersection of half
// spaces n.x <= h - rounding is dual to the hull of the points n/(h - rounding - n.c), c a point inside.
//
// Barber, Dobkin, Huhdanpaa 1996, The quickhull algorithm for convex hulls, ACM TOMS 22(4).
#include "contact/shape/hull.h"

#include "core/memory.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include <libqhull_r/qhull_ra.h>
#pragma GCC diagnostic pop

bool cd_hull_is_available(void) { return true; }

typedef struct triangle_list {
    int     nvertex, ntriangle;
    double* vertex; // (nvertex x 3)
    int*    triangle;
    double* plane; // (ntriangle x 4) normal and offset: n.x + offset <= 0
} triangle_list;

static void list_free(triangle_list* list)
{
    free(list->vertex);
    free(list->triangle);
    free(list->plane);
}

// Vertices and oriented triangles of the hull in qh. False: no memory.
static bool collect(qhT* qh, triangle_list* list)
{
    facetT*  facet;
    vertexT* vertex;
    list->vertex   = cd_allocate((size_t)qh->num_vertices + 1, 3 * sizeof(double));
    list->triangle = cd_allocate((size_t)qh->num_facets + 1, 3 * sizeof(int));
    list->plane    = cd_allocate((size_t)qh->num_facets + 1, 4 * sizeof(double));
    if (!list->vertex || !list->triangle || !list->plane) return false;
    FORALLvertices { vertex->visitid = 0; }
    FORALLfacets
    {
        if (qh_setsize(qh, facet->vertices) != 3) continue;
        int* corner = list->triangle + 3 * list->ntriangle;
        for (int k = 0; k < 3; ++k) {
            vertex = SETelemt_(facet->vertices, facet->toporient ? 2 - k : k, vertexT);
            if (!vertex->visitid) {
                memcpy(list->vertex + 3 * (size_t)list->nvertex, vertex->point, 3 * sizeof(double));
                vertex->visitid = (unsigned int)++list->nvertex;
            }
            corner[k] = (int)vertex->visitid - 1;
        }
        memcpy(list->plane + 4 * (size_t)list->ntriangle, facet->normal, 3 * sizeof(double));
        list->plane[4 * list->ntriangle++ + 3] = facet->offset;
    }
    return true;
}

// Triangulated hull of n points.
static const char* triangulate(int n, const double* point, triangle_list* list)
{
    qhT         qh_memory, *qh = &qh_memory;
    int         curlong, totlong;
    char        options[] = "qhull Qt Pp";
    const char* reason    = NULL;
    double*     copy      = cd_allocate((size_t)n, 3 * sizeof(double));
    FILE*       output    = fopen("/dev/null", "w"); // Qhull writes its messages to a file
    if (!copy || !output) {
        free(copy);
        if (output) fclose(output);
        return "there is no memory for its hull";
    }
    memcpy(copy, point, 3 * (size_t)n * sizeof(double));
    qh_zero(qh, output);
    if (qh_new_qhull(qh, 3, n, copy, False, options, output, output) != 0)
        reason = "its points have no hull: they are fewer than four, or lie in a plane";
    else if (!collect(qh, list))
        reason = "there is no memory for its hull";
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &curlong, &totlong);
    fclose(output);
    free(copy);
    return reason;
}

// Points of the core: vertices of the intersection of the half spaces moved inwards. *core is (*n x 3).
static const char* shrink(const triangle_list* hull, double rounding, int* n, double** core)
{
    d3            centre = d3_zero();
    triangle_list dual   = {0};
    double*       pole   = cd_allocate((size_t)hull->ntriangle, 3 * sizeof(double));
    const char*   reason = pole ? NULL : "there is no memory for its hull";
    for (int i = 0; i < hull->nvertex; ++i)
        centre = d3_add_scaled(centre, 1.0 / hull->nvertex, d3_of(hull->vertex + 3 * i));
    for (int f = 0; f < hull->ntriangle && !reason; ++f) {
        const d3     normal = d3_of(hull->plane + 4 * f);
        const double height = -hull->plane[4 * f + 3] - rounding - d3_dot(normal, centre);
        if (!(height > rounding * 1e-3)) reason = "its rounding is too large for its size";
        d3_put(d3_scale(1 / height, normal), pole + 3 * f);
    }
    if (!reason) reason = triangulate(hull->ntriangle, pole, &dual);
    if (!reason && !(*core = cd_allocate((size_t)dual.ntriangle, 3 * sizeof(double))))
        reason = "there is no memory for its hull";
    for (int f = 0; f < dual.ntriangle && !reason; ++f)
        d3_put(d3_add_scaled(centre, -1 / dual.plane[4 * f + 3], d3_of(dual.plane + 4 * f)), *core + 3 * f);
    *n = dual.ntriangle;
    list_free(&dual);
    free(pole);
    return reason;
}

cd_hull* cd_hull_create(int n, const double* point, double rounding, const char** reason)
{
    triangle_list list = {0};
    cd_hull*      hull = NULL;
    *reason            = n < 4 ? "a hull needs four points" : triangulate(n, point, &list);
    if (!*reason && rounding > 0) {
        triangle_list core    = {0};
        int           corners = 0;
        double*       corner  = NULL;
        *reason               = shrink(&list, rounding, &corners, &corner);
        if (!*reason) *reason = triangulate(corners, corner, &core);
        free(corner);
        list_free(&list);
        list = core;
    }
    if (!*reason && list.nvertex > CD_HULL_VERTICES_MAX) *reason = "its hull has more than 4095 vertices";
    if (!*reason) hull = cd_hull_of_triangles(list.nvertex, list.vertex, list.ntriangle, list.triangle, reason);
    if (hull) *reason = NULL;
    list_free(&list);
    return hull;
}
