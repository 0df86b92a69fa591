// SPDX-License-Identifier: BSD-3-Clause
// Boxes: faces, and the box of given mass and inertia.
//
//   l_x^2 = 6 (I_y + I_z - I_x) / m,   principal moments I of a uniform box with edges l
#include "draw/scene.h"

#include "draw/draw_tolerances.h"

void cd_scene_add_box(cd_scene* scene, int body, const cardan_pose* frame, const double size[3])
{
    // corner index by bits: 1 for +x, 2 for +y, 4 for +z; faces counter-clockwise from outside
    static const int face[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    for (int f = 0; f < 6; ++f) {
        const int first = scene->npoint;
        for (int k = 0; k < 4; ++k) {
            const int    c      = face[f][k];
            const cd_xyz corner = {(c & 1 ? 0.5 : -0.5) * size[0], (c & 2 ? 0.5 : -0.5) * size[1],
                                   (c & 4 ? 0.5 : -0.5) * size[2]};
            cd_scene_add_point(scene, xyz_transform(frame, corner));
        }
        cd_scene_add_primitive(
            scene, (cd_primitive){.kind = CD_PRIMITIVE_FACE, .body = body, .first = first, .count = 4, .solid = true});
    }
}

// Jacobi rotation that annihilates A(p,r); the columns of V accumulate the eigenvectors.
static void jacobi_rotation(double A[3][3], double V[3][3], int p, int r)
{
    if (A[p][r] == 0) return;
    const double theta = (A[r][r] - A[p][p]) / (2 * A[p][r]);
    const double t     = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    const double c = 1 / hypot(t, 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double x = A[k][p], y = A[k][r];
        A[k][p] = c * x - s * y;
        A[k][r] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = A[p][k], y = A[r][k];
        A[p][k] = c * x - s * y;
        A[r][k] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = V[k][p], y = V[k][r];
        V[k][p] = c * x - s * y;
        V[k][r] = s * x + c * y;
    }
}

// Quaternion of a rotation matrix (columns are the axes), by the largest component (Shepperd 1978).
static void quaternion_of_matrix(double R[3][3], double q[4])
{
    const double trace = R[0][0] + R[1][1] + R[2][2];
    int          i     = 0;
    for (int k = 1; k < 3; ++k)
        if (R[k][k] > R[i][i]) i = k;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > R[i][i]) {
        const double s = 2 * sqrt(1 + trace);
        q[0]           = s / 4;
        q[1]           = (R[2][1] - R[1][2]) / s;
        q[2]           = (R[0][2] - R[2][0]) / s;
        q[3]           = (R[1][0] - R[0][1]) / s;
    } else {
        const double s = 2 * sqrt(1 + R[i][i] - R[j][j] - R[k][k]);
        q[0]           = (R[k][j] - R[j][k]) / s;
        q[1 + i]       = s / 4;
        q[1 + j]       = (R[j][i] + R[i][j]) / s;
        q[1 + k]       = (R[k][i] + R[i][k]) / s;
    }
}

bool cd_inertia_box(const cardan_body* body, cardan_pose* frame, double size[3])
{
    const double* I       = body->inertia;
    double        A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    double        V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (!(body->mass > 0)) return false;
    for (int sweep = 0; sweep < 12; ++sweep) {
        jacobi_rotation(A, V, 0, 1);
        jacobi_rotation(A, V, 0, 2);
        jacobi_rotation(A, V, 1, 2);
    }
    const double trace = A[0][0] + A[1][1] + A[2][2];
    for (int i = 0; i < 3; ++i) {
        const double square = 6 * (trace - 2 * A[i][i]) / body->mass;
        if (!(square >= -cd_flat_box_tolerance * trace / body->mass) || !(trace > 0)) return false;
        size[i] = sqrt(fmax(square, 0));
    }
    const double determinant = V[0][0] * (V[1][1] * V[2][2] - V[1][2] * V[2][1]) -
                               V[0][1] * (V[1][0] * V[2][2] - V[1][2] * V[2][0]) +
                               V[0][2] * (V[1][0] * V[2][1] - V[1][1] * V[2][0]);
    if (determinant < 0)
        for (int i = 0; i < 3; ++i) V[i][2] = -V[i][2];
    for (int i = 0; i < 3; ++i) frame->p[i] = body->centre[i];
    quaternion_of_matrix(V, frame->q);
    return true;
}
