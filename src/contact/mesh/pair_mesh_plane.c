// SPDX-License-Identifier: BSD-3-Clause
// Mesh against a plane: its vertices, like those of a convex polyhedron. Vertices without a convex edge are behind their
// neighbours.
#include "contact/contact_pair.h"
#include "contact/mesh/triangle_mesh.h"

#include <stddef.h>

void cd_pair_mesh_plane(cd_pair* pair)
{
    const cd_triangle_mesh* m = pair->A->mesh;
    const d3                n = d3_column(pair->pose_B->R, 2), origin = d3_of(pair->pose_B->p);
    const d3                up     = d3_rotate_back(pair->pose_A->R, n); // heights without the turn of all vertices
    const double            height = d3_dot(d3_sub(d3_of(pair->pose_A->p), origin), n);
    for (int v = 0; v < m->nvertex; ++v) {
        if (!m->sharp[v] || height + d3_dot(up, m->vertex[v]) >= pair->margin) continue;
        const d3     a = cd_to_world(pair->pose_A, m->vertex[v]);
        const double h = d3_dot(d3_sub(a, origin), n);
        cd_pair_add(pair, a, d3_add_scaled(a, -h, n), n, cd_feature(CD_FEATURE_VERTEX, v),
                    cd_feature(CD_FEATURE_FACE, 0), false);
    }
}
