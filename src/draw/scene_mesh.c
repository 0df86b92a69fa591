// SPDX-License-Identifier: BSD-3-Clause
// Meshes of a scene: their triangles up to a number per scene, since faces are sorted by depth; larger meshes are drawn as
// their enclosing box. Faces of a closed mesh are drawn from outside only.
#include "draw/scene.h"

#include "io/mesh/mesh.h"

enum { FACES_MAX = 2000 };

static void add_box(cd_scene* scene, const cardan_shape* shape, const cardan_pose* frame)
{
    double middle[3], size[3];
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < shape->npoint; ++i) {
            lower = fmin(lower, shape->point[3 * i + k]);
            upper = fmax(upper, shape->point[3 * i + k]);
        }
        middle[k] = (lower + upper) / 2;
        size[k]   = upper - lower;
    }
    cardan_pose  box = *frame;
    const cd_xyz at  = xyz_transform(frame, xyz_of(middle));
    box.p[0]         = at.x;
    box.p[1]         = at.y;
    box.p[2]         = at.z;
    cd_scene_add_box(scene, shape->body, &box, size);
}

void cd_scene_add_mesh(cd_scene* scene, const cardan_shape* shape, const cardan_pose* frame)
{
    cd_mesh_edges edges;
    if (shape->ntriangle == 0) return;
    if (shape->ntriangle > FACES_MAX - scene->nmesh_face) {
        add_box(scene, shape, frame);
        return;
    }
    scene->nmesh_face += shape->ntriangle;
    if (!cd_mesh_count_edges(shape->ntriangle, shape->triangle, &edges)) {
        scene->failed = true;
        return;
    }
    const bool solid = edges.nopen == 0 && edges.nunoriented == 0 &&
                       cd_mesh_integrate(shape->npoint, shape->point, shape->ntriangle, shape->triangle).volume > 0;
    for (int t = 0; t < shape->ntriangle; ++t) {
        const int first = scene->npoint;
        for (int i = 0; i < 3; ++i)
            cd_scene_add_point(scene, xyz_transform(frame, xyz_of(shape->point + 3 * shape->triangle[3 * t + i])));
        cd_scene_add_primitive(
            scene,
            (cd_primitive){.kind = CD_PRIMITIVE_FACE, .body = shape->body, .first = first, .count = 3, .solid = solid});
    }
}
